//! The output is one piece of the input, chosen by one property.

use crate::code::{Code, Expr, number};
use crate::found::Found;
use crate::image::{Image, Symmetry, color_name, least_frequent, most_frequent};
use crate::object::{ObjectFeature, Reading, canonical, components, holes};
use crate::option::options;
use crate::piece::{Family, Piece, PieceFeature, describe};
use crate::rule::Body;
use crate::{Demos, OutOfWork, Rule, Words, Work};

options! {
    /// The figures that choose a piece.
    Property {
        /// Properties of the object.
        Object = "PROPERTIES",
        /// Numbers counted in the piece.
        Counting = "COUNTING",
    }
}

/// How the values of a figure choose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Choice {
    Most,
    Least,
    /// The only one with its value.
    Odd,
    Equal(i32),
    /// The only ones with any.
    Any,
    Median,
}

impl Choice {
    /// The one picture that is chosen; `None` if there are several different ones or none.
    fn pick(self, values: &[i32], pieces: &[Piece]) -> Option<usize> {
        let all = || 0..values.len();
        let chosen: Vec<usize> = match self {
            Choice::Most => all().filter(|&i| Some(&values[i]) == values.iter().max()).collect(),
            Choice::Least => all().filter(|&i| Some(&values[i]) == values.iter().min()).collect(),
            Choice::Odd if values.len() < 3 => Vec::new(),
            Choice::Odd => {
                all().filter(|&i| values.iter().filter(|v| **v == values[i]).count() == 1).collect()
            }
            Choice::Equal(value) => all().filter(|&i| values[i] == value).collect(),
            Choice::Any => all().filter(|&i| values[i] > 0).collect(),
            Choice::Median => {
                let mut sorted = values.to_vec();
                sorted.sort_unstable();
                all().filter(|&i| values[i] == sorted[sorted.len() / 2]).collect()
            }
        };
        let first = *chosen.first()?;
        chosen.iter().all(|&i| pieces[i].image == pieces[first].image).then_some(first)
    }

    fn words(self, figure: &Words) -> String {
        match self {
            Choice::Most => format!("the highest value of “{figure}”"),
            Choice::Least => format!("the lowest value of “{figure}”"),
            Choice::Odd => format!("a value of “{figure}” that no other has"),
            Choice::Equal(value) => format!("“{figure}” = {value}"),
            Choice::Any => format!("“{figure}” above 0"),
            Choice::Median => format!("the middle value of “{figure}”"),
        }
    }
}

/// A figure of a piece.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Figure {
    Feature(PieceFeature),
    Counted(Counted),
}

/// A number counted in a piece.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Counted {
    Cells(u8),
    Parts(u8),
    Holes,
    OfRarest,
    OfCommonest,
    MirrorSymmetries,
    Symmetries,
    EqualTurned,
    HeightForWidth,
    Regions,
}

impl Counted {
    fn all() -> impl Iterator<Item = Counted> {
        let rest = [
            Counted::Holes,
            Counted::OfRarest,
            Counted::OfCommonest,
            Counted::MirrorSymmetries,
            Counted::Symmetries,
            Counted::EqualTurned,
            Counted::HeightForWidth,
            Counted::Regions,
        ];
        (0..10).map(Counted::Cells).chain((0..10).map(Counted::Parts)).chain(rest)
    }

    fn words(self) -> Words {
        match self {
            Counted::Cells(color) => format!("the amount of {}", color_name(color)).into(),
            Counted::Parts(color) => format!("the number of parts in {}", color_name(color)).into(),
            Counted::Holes => "the number of holes".into(),
            Counted::OfRarest => "the amount of its rarest colour".into(),
            Counted::OfCommonest => "the amount of its commonest colour".into(),
            Counted::MirrorSymmetries => "the number of its mirror symmetries".into(),
            Counted::Symmetries => "the number of its symmetries".into(),
            Counted::EqualTurned => "the number of pieces equal to it up to turning".into(),
            Counted::HeightForWidth => "its height for its width".into(),
            Counted::Regions => "the number of its regions".into(),
        }
    }

    fn of_all(self, pieces: &[Piece], tallies: &[Tally]) -> Vec<i32> {
        let forms: Vec<Image> = match self {
            Counted::EqualTurned => pieces.iter().map(|piece| canonical(&piece.image)).collect(),
            _ => Vec::new(),
        };
        let value = |i: usize| {
            let (image, tally) = (&pieces[i].image, &tallies[i]);
            let amount = |color: Option<u8>| color.map_or(0, |color| tally.cells[usize::from(color)]);
            let symmetries = |all: &[Symmetry]| all.iter().filter(|&&s| image.turned(s) == *image).count();
            let number = match self {
                Counted::Cells(color) => tally.cells[usize::from(color)],
                Counted::Parts(color) => tally.regions[usize::from(color)],
                Counted::Holes => holes(&pieces[i].object.mask()),
                Counted::OfRarest => amount(least_frequent(&tally.cells, |c| c != 0)),
                Counted::OfCommonest => amount(most_frequent(&tally.cells, |c| c != 0)),
                Counted::MirrorSymmetries => symmetries(&Symmetry::SIZE_KEEPING),
                Counted::Symmetries => symmetries(&Symmetry::ALL),
                Counted::EqualTurned => forms.iter().filter(|form| **form == forms[i]).count(),
                Counted::HeightForWidth => image.h * 100 / image.w,
                Counted::Regions => tally.regions.iter().sum(),
            };
            number as i32
        };
        (0..pieces.len()).map(value).collect()
    }
}

/// The cells and regions of a picture by colour.
struct Tally {
    cells: [usize; 10],
    regions: [usize; 10],
}

impl Tally {
    fn of(piece: &Piece) -> Tally {
        let reading = Reading { ground: None, diagonal: false, one_color: true };
        let mut regions = [0; 10];
        for region in components(&piece.image, reading).0 {
            regions[usize::from(region.color)] += 1;
        }
        Tally { cells: piece.image.counts(), regions }
    }
}

impl Figure {
    fn all(property: Property) -> Vec<Figure> {
        match property {
            Property::Object => PieceFeature::all().map(Figure::Feature).collect(),
            Property::Counting => Counted::all().map(Figure::Counted).collect(),
        }
    }

    fn words(self) -> Words {
        match self {
            Figure::Feature(feature) => feature.feature().words,
            Figure::Counted(counted) => counted.words(),
        }
    }

    /// The values for all pieces.
    fn of_all(self, input: &Image, pieces: &[Piece]) -> Vec<i32> {
        match self {
            Figure::Feature(feature) => {
                describe(input, pieces).iter().map(|row| row[feature.index()].into()).collect()
            }
            Figure::Counted(counted) => {
                counted.of_all(pieces, &pieces.iter().map(Tally::of).collect::<Vec<_>>())
            }
        }
    }

    /// All ways to choose by the figure, with the cost of a rule. Chosen on ARC-AGI-1 training tasks: size is
    /// the most natural figure, ranks and extremes of place the least.
    fn choices(self) -> Vec<(Choice, f64)> {
        use ObjectFeature as Of;
        let mut list = Vec::new();
        match self {
            Figure::Feature(feature) => {
                let price = match feature {
                    PieceFeature::Object(Of::Size) => 0.0,
                    PieceFeature::Object(Of::RankBySize | Of::RankFromTop | Of::RankFromLeft) => 0.8,
                    PieceFeature::Object(Of::Topmost | Of::Bottommost | Of::Leftmost | Of::Rightmost) => 0.6,
                    PieceFeature::Object(Of::Color) => 0.5,
                    _ => 0.3,
                };
                if !matches!(feature, PieceFeature::Object(Of::Color | Of::RarestColor)) {
                    list.push((Choice::Most, 2.0 + price));
                    list.push((Choice::Least, 2.2 + price));
                }
                list.push((Choice::Odd, 2.4 + price));
                list.extend((0..10).map(|value| (Choice::Equal(value), 3.0 + price)));
            }
            Figure::Counted(counted) => {
                let price = if matches!(counted, Counted::Cells(_) | Counted::Parts(_)) { 0.1 } else { 0.0 };
                let choices = [Choice::Most, Choice::Least, Choice::Odd, Choice::Any, Choice::Median];
                list.extend(choices.into_iter().enumerate().map(|(k, c)| (c, 2.7 + 0.2 * k as f64 + price)));
            }
        }
        list
    }

    /// The function from a piece, as a patch or as a grid, to the figure in the language.
    fn code(self, is_patch: bool) -> Option<String> {
        Some(match self {
            Figure::Feature(PieceFeature::Object(feature)) => match feature {
                ObjectFeature::Size if is_patch => "size".to_owned(),
                ObjectFeature::Size => {
                    "fork(subtract, fork(multiply, height, width), rbind(colorcount, ZERO))".to_owned()
                }
                ObjectFeature::Height => "height".to_owned(),
                ObjectFeature::Width => "width".to_owned(),
                ObjectFeature::Colors => "numcolors".to_owned(),
                ObjectFeature::Color if is_patch => "color".to_owned(),
                _ => return None,
            },
            Figure::Feature(PieceFeature::Picture(_)) => return None,
            Figure::Counted(Counted::Cells(color)) => format!("rbind(colorcount, {})", number(color.into())),
            Figure::Counted(_) => return None,
        })
    }
}

/// The number of pieces that a demonstration input may have, and other inputs.
const DEMO_PIECES: std::ops::RangeInclusive<usize> = 2..=40;
const MAX_PIECES: usize = 60;
/// The additional cost of a turn, and of a later family. Chosen on ARC-AGI-1 training tasks.
const TURNED: f64 = 1.0;
const PER_FAMILY: f64 = 0.01;

/// The pieces of an input with the values of every figure.
struct Described {
    pieces: Vec<Piece>,
    values: Vec<Vec<i32>>,
}

pub(crate) fn learn(demos: &Demos, property: Property, work: &Work<'_>) -> Result<Vec<Rule>, OutOfWork> {
    let mut found = Found::default();
    let figures = Figure::all(property);
    for (k, &family) in Family::ALL.iter().enumerate() {
        if property == Property::Counting && (family == Family::Regions || demos.same_size()) {
            continue;
        }
        work.spend(demos.n_cells() * 2)?;
        let lists: Vec<Vec<Piece>> = demos.inputs().map(|input| family.pieces(input)).collect();
        if lists.iter().any(|pieces| !DEMO_PIECES.contains(&pieces.len())) {
            continue;
        }
        let turns = turns(property, &lists, demos);
        if turns.is_empty() {
            continue;
        }
        let mut described: Vec<Described> = Vec::new();
        for (pieces, input) in lists.into_iter().zip(demos.inputs()) {
            work.spend(pieces.len() * 40 + input.area() * 4)?;
            let values = match property {
                Property::Object => {
                    let rows = describe(input, &pieces);
                    let column = |i: usize| rows.iter().map(|row| i32::from(row[i])).collect();
                    (0..figures.len()).map(column).collect()
                }
                Property::Counting => {
                    let tallies: Vec<Tally> = pieces.iter().map(Tally::of).collect();
                    Counted::all().map(|counted| counted.of_all(&pieces, &tallies)).collect()
                }
            };
            described.push(Described { pieces, values });
        }
        for turn in turns {
            for (i, &figure) in figures.iter().enumerate() {
                for (choice, price) in figure.choices() {
                    let right = described.iter().zip(demos.outputs()).all(|(it, output)| {
                        let chosen = choice.pick(&it.values[i], &it.pieces);
                        chosen.is_some_and(|chosen| it.pieces[chosen].image.turned(turn) == *output)
                    });
                    if right {
                        let rule = Select { family, figure, choice, turn };
                        let turned = if turn == Symmetry::Identity { 0.0 } else { TURNED };
                        found.push(Rule::new(price + turned + PER_FAMILY * k as f64, rule.words(), rule));
                    }
                }
            }
        }
    }
    found.best(6, demos, work)
}

/// The turns with which every output is a piece of its input.
fn turns(property: Property, lists: &[Vec<Piece>], demos: &Demos) -> Vec<Symmetry> {
    use Symmetry::{Clockwise, Counterclockwise, HalfTurn, Identity, LeftRight, Transpose, UpDown};
    let turns: &[Symmetry] = match property {
        Property::Object => &[Identity, LeftRight, UpDown, HalfTurn, Transpose, Clockwise, Counterclockwise],
        Property::Counting => &Symmetry::SIZE_KEEPING,
    };
    let fits = |turn: &Symmetry| {
        lists.iter().zip(demos.outputs()).all(|(pieces, output)| {
            let is_output =
                |piece: &Piece| piece.image.area() == output.area() && piece.image.turned(*turn) == *output;
            pieces.iter().any(is_output)
        })
    };
    turns.iter().copied().filter(fits).collect()
}

/// A rule: which piece is the output.
#[derive(Clone, Copy)]
struct Select {
    family: Family,
    figure: Figure,
    choice: Choice,
    turn: Symmetry,
}

impl Select {
    fn words(self) -> String {
        let mut words =
            format!("the {} with {}", self.family.words(), self.choice.words(&self.figure.words()));
        if self.turn != Symmetry::Identity {
            words += &format!(", {}", self.turn.words());
        }
        words
    }
}

impl Body for Select {
    fn apply(&self, input: &Image) -> Option<Image> {
        let pieces = self.family.pieces(input);
        if pieces.len() > MAX_PIECES {
            return None;
        }
        let values = self.figure.of_all(input, &pieces);
        Some(pieces[self.choice.pick(&values, &pieces)?].image.turned(self.turn))
    }

    fn code(&self, code: &mut Code, input: &Expr) -> Option<Expr> {
        let (pieces, is_patch) = self.family.code(code, input)?;
        let figure = self.figure.code(is_patch)?;
        let chosen = match self.choice {
            Choice::Most => format!("argmax({pieces}, {figure})"),
            Choice::Least => format!("argmin({pieces}, {figure})"),
            Choice::Equal(value) => format!("extract({pieces}, matcher({figure}, {}))", number(value.into())),
            Choice::Odd => {
                let values = format!("leastcommon(apply({figure}, totuple({pieces})))");
                format!("extract({pieces}, matcher({figure}, {values}))")
            }
            Choice::Any => format!("extract({pieces}, compose(positive, {figure}))"),
            Choice::Median => return None,
        };
        let mut piece = code.line(chosen);
        if is_patch {
            let picture = match self.family {
                Family::Mono4 | Family::Mono8 | Family::Multi4 if code.is_exact() => {
                    code.template(&format!("paint(canvas(B, shape(I)), {piece})"), input)
                }
                _ => input.clone(),
            };
            piece = code.line(format!("subgrid({piece}, {picture})"));
            if self.family == Family::Insides {
                piece = code.line(format!("trim({piece})"));
            }
        }
        Some(match self.turn {
            Symmetry::Identity => piece,
            turn => code.line(format!("{}({piece})", turn.primitive())),
        })
    }
}
