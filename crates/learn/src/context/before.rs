//! Rules before a last step that all outputs show.

use super::{Inside, Passage, surcharge};
use crate::code::{Code, Expr, number};
use crate::image::{Area, color_name};
use crate::option::options;
use crate::view::tile_code;
use crate::{Demos, Image, Rule};

options! {
    /// A last step.
    Finish {
        /// Each cell becomes a block.
        Enlarged = "ENLARGED",
        /// A mirrored copy is added to the right.
        MirroredRight = "MIRRORED_RIGHT",
        /// A mirrored copy is added below.
        MirroredDown = "MIRRORED_DOWN",
        /// Mirrored copies are added to the right and below.
        MirroredBoth = "MIRRORED_BOTH",
        /// A copy is added to the right.
        DoubledRight = "DOUBLED_RIGHT",
        /// A copy is added below.
        DoubledDown = "DOUBLED_DOWN",
        /// A frame of one colour is added.
        Framed = "FRAMED",
    }
}

/// A last step with its parameters.
#[derive(Clone, Copy)]
struct Finished {
    step: Finish,
    /// The factor of an enlargement.
    factor: usize,
    /// The colour of a frame.
    color: u8,
}

impl Finish {
    /// The image from which the step makes the output.
    fn reduce(self, output: &Image) -> Option<Image> {
        let (h, w) = (output.h, output.w);
        let half_w = || w.is_multiple_of(2).then(|| output.crop(Area { y: 0, x: 0, h, w: w / 2 }));
        let half_h = || h.is_multiple_of(2).then(|| output.crop(Area { y: 0, x: 0, h: h / 2, w }));
        match self {
            Finish::Enlarged => Some(output.shrunk(output.scale()?)),
            Finish::MirroredRight | Finish::DoubledRight => half_w(),
            Finish::MirroredDown | Finish::DoubledDown => half_h(),
            Finish::MirroredBoth => {
                let even = h.is_multiple_of(2) && w.is_multiple_of(2);
                even.then(|| output.crop(Area { y: 0, x: 0, h: h / 2, w: w / 2 }))
            }
            Finish::Framed => (h > 4 && w > 4).then(|| output.crop(Area { y: 1, x: 1, h: h - 2, w: w - 2 })),
        }
    }

    pub(super) fn fit(self, demos: &Demos) -> Option<Inside> {
        let first = &demos.pairs()[0].1;
        let factor = if self == Finish::Enlarged { first.scale()? } else { 1 };
        let finished = Finished { step: self, factor, color: first.at(0, 0) };
        let mut pairs = Vec::new();
        for (input, output) in demos.pairs() {
            let reduced = self.reduce(output)?;
            if finished.apply(&reduced).as_ref() != Some(output) {
                return None;
            }
            pairs.push((input.clone(), reduced));
        }
        Inside::new(pairs, surcharge::BEFORE, finished.words(), finished)
    }
}

impl Finished {
    fn apply(self, image: &Image) -> Option<Image> {
        match self.step {
            Finish::Enlarged => image.enlarged(self.factor),
            Finish::MirroredRight => image.tiled(1, 2, true),
            Finish::MirroredDown => image.tiled(2, 1, true),
            Finish::MirroredBoth => image.tiled(2, 2, true),
            Finish::DoubledRight => image.tiled(1, 2, false),
            Finish::DoubledDown => image.tiled(2, 1, false),
            Finish::Framed => {
                let mut framed = Image::new(image.h + 2, image.w + 2, self.color);
                framed.paste(Area { y: 1, x: 1, h: image.h, w: image.w }, image);
                Some(framed)
            }
        }
    }

    fn words(self) -> String {
        match self.step {
            Finish::Enlarged => format!("enlarged {} times in the end", self.factor),
            Finish::MirroredRight => "mirrored to the right in the end".to_owned(),
            Finish::MirroredDown => "mirrored downwards in the end".to_owned(),
            Finish::MirroredBoth => "mirrored to the right and downwards in the end".to_owned(),
            Finish::DoubledRight => "doubled to the right in the end".to_owned(),
            Finish::DoubledDown => "doubled downwards in the end".to_owned(),
            Finish::Framed => format!("framed in {} in the end", color_name(self.color)),
        }
    }
}

impl Passage for Finished {
    fn enter(&self, input: &Image) -> Option<Vec<Image>> {
        Some(vec![input.clone()])
    }

    fn leave(&self, _: &Image, answers: Vec<Image>) -> Option<Image> {
        self.apply(answers.first()?)
    }

    fn code(&self, code: &mut Code, input: &Expr, rule: &Rule) -> Option<Expr> {
        let inner = rule.code(code, input)?;
        let template = match self.step {
            Finish::Enlarged => format!("upscale(I, {})", number(self.factor as i64)),
            Finish::MirroredRight => tile_code(1, 2, true),
            Finish::MirroredDown => tile_code(2, 1, true),
            Finish::MirroredBoth => tile_code(2, 2, true),
            Finish::DoubledRight => tile_code(1, 2, false),
            Finish::DoubledDown => tile_code(2, 1, false),
            Finish::Framed => {
                let color = number(self.color.into());
                format!("paint(canvas({color}, add(shape(I), TWO)), shift(asobject(I), UNITY))")
            }
        };
        Some(code.template(&template, &inner))
    }
}
