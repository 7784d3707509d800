//! A box, the only place that changes.

use super::{Inside, Passage, surcharge};
use crate::code::{Code, Expr, number};
use crate::image::{Area, color_constant, color_name};
use crate::object::Segmentation;
use crate::{Demos, Image, Name, OptionDoc, Rule};

/// The only place that changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Region {
    /// The box of a colour.
    Color(u8),
    /// The box of the largest one-colour object.
    LargestObject,
    /// The box of everything that is not background.
    NotBackground,
    /// The largest box of an object on the commonest colour.
    LargestBox,
}

impl Region {
    const NAMED: [Region; 3] = [Region::LargestObject, Region::NotBackground, Region::LargestBox];

    /// All regions, in the order in which they are tried.
    pub(crate) fn all() -> impl Iterator<Item = Region> {
        (0..10).map(Region::Color).chain(Region::NAMED)
    }

    /// The constant of the language that names the region: for a box of a colour, the colour.
    pub fn name(self) -> Name {
        match self {
            Region::Color(color) => Name::new(color_constant(color)),
            Region::LargestObject => Name::new("LARGEST_OBJECT"),
            Region::NotBackground => Name::new("NOT_GROUND"),
            Region::LargestBox => Name::new("LARGEST_BOX"),
        }
    }

    pub(super) fn from_value(value: i64) -> Option<Region> {
        match u8::try_from(value) {
            Ok(color) if color < 10 => Some(Region::Color(color)),
            _ => Region::NAMED.into_iter().find(|region| region.name().value() == value),
        }
    }

    /// The options that are not colours.
    pub(super) fn docs() -> Vec<OptionDoc> {
        let doc = |region: Region| OptionDoc { name: region.name(), words: region.words().into() };
        Region::NAMED.into_iter().map(doc).collect()
    }

    fn words(self) -> String {
        match self {
            Region::Color(color) => format!("in the box of {}", color_name(color)),
            Region::LargestObject => "in the box of the largest object".to_owned(),
            Region::NotBackground => "in the box of everything".to_owned(),
            Region::LargestBox => "in the largest box on the commonest colour".to_owned(),
        }
    }

    fn area(self, g: &Image) -> Option<Area> {
        match self {
            Region::Color(color) => g.bounds(|c| c == color),
            Region::LargestObject => {
                Segmentation::Mono8.objects(g).iter().max_by_key(|o| o.size()).map(|o| o.area())
            }
            Region::NotBackground => {
                let ground = g.background();
                g.bounds(|c| c != ground)
            }
            Region::LargestBox => {
                let objects = Segmentation::MultiOnMajority.objects(g);
                objects.iter().max_by_key(|o| o.h() * o.w()).map(|o| o.area())
            }
        }
    }

    pub(super) fn fit(self, demos: &Demos) -> Option<Inside> {
        if !demos.edits() {
            return None;
        }
        let mut pairs = Vec::new();
        for (input, output) in demos.pairs() {
            let area = self.area(input).filter(|a| a.h * a.w < input.area())?;
            let pair = (input.crop(area), output.crop(area));
            let mut explained = input.clone();
            explained.paste(area, &pair.1);
            if explained != *output {
                return None;
            }
            pairs.push(pair);
        }
        Inside::new(pairs, surcharge::BOX, self.words(), self)
    }
}

impl Passage for Region {
    fn enter(&self, input: &Image) -> Option<Vec<Image>> {
        Some(vec![input.crop(self.area(input)?)])
    }

    fn leave(&self, input: &Image, answers: Vec<Image>) -> Option<Image> {
        let (area, answer) = (self.area(input)?, answers.first()?);
        let mut output = input.clone();
        if (answer.h, answer.w) == (area.h, area.w) {
            output.paste(area, answer);
        }
        Some(output)
    }

    fn code(&self, code: &mut Code, input: &Expr, rule: &Rule) -> Option<Expr> {
        let patch = match self {
            Region::Color(color) => code.line(format!("ofcolor({input}, {})", number((*color).into()))),
            Region::LargestObject => {
                let objects = Segmentation::Mono8.code(code, input)?;
                code.line(format!("argmax({objects}, size)"))
            }
            Region::NotBackground => code.template("difference(asindices(I), ofcolor(I, B))", input),
            Region::LargestBox => {
                let objects = Segmentation::MultiOnMajority.code(code, input)?;
                code.line(format!("argmax({objects}, fork(multiply, height, width))"))
            }
        };
        let inner = code.line(format!("subgrid({patch}, {input})"));
        let answer = rule.code(code, &inner)?;
        Some(code.line(format!("paint({input}, shift(asobject({answer}), ulcorner({patch})))")))
    }
}
