//! The output is one piece of the input, chosen by one property.

use crate::found::Found;
use crate::image::least_frequent;
use crate::image::{Image, color_name};
use crate::object::{Reading, canonical, components, holes, place};
use crate::piece::{FAMILIES, Family, N_PIECE_FEATURES, Piece, describe, piece_features};
use crate::view::turn_words;
use crate::{Demos, Rule, Work};

/// How a property chooses.
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

    fn words(self, feature: &str) -> String {
        match self {
            Choice::Most => format!("the highest value of “{feature}”"),
            Choice::Least => format!("the lowest value of “{feature}”"),
            Choice::Odd => format!("a value of “{feature}” that no other has"),
            Choice::Equal(value) => format!("“{feature}” = {value}"),
            Choice::Any => format!("“{feature}” above 0"),
            Choice::Median => format!("the middle value of “{feature}”"),
        }
    }
}

/// By the properties of objects, or by counting colours in pieces.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Property {
    Object,
    Counting,
}

/// A list of pieces with their properties.
type Described = (Vec<Piece>, Vec<Vec<i32>>);

pub(crate) fn learn(demos: &Demos, property: Property, work: &Work<'_>) -> Option<Vec<Rule>> {
    let mut found = Found::default();
    let names = names(property);
    let turns: &[usize] = if property == Property::Object { &[0, 1, 2, 3, 4, 6, 7] } else { &[0, 1, 2, 3] };
    for (k, family) in FAMILIES.into_iter().enumerate() {
        if property == Property::Counting && (family == Family::Regions || demos.same_size()) {
            continue;
        }
        work.spend(demos.n_cells() * 2)?;
        let lists: Vec<Vec<Piece>> = demos.inputs().map(|input| family.pieces(input)).collect();
        if lists.iter().any(|pieces| !(2..=40).contains(&pieces.len())) {
            continue;
        }
        let fits = |turn: usize| {
            lists.iter().zip(demos.outputs()).all(|(pieces, output)| {
                pieces
                    .iter()
                    .any(|piece| piece.image.area() == output.area() && piece.image.turned(turn) == *output)
            })
        };
        let turns: Vec<usize> = turns.iter().copied().filter(|&turn| fits(turn)).collect();
        if turns.is_empty() {
            continue;
        }
        let mut described: Vec<Described> = Vec::new();
        for (pieces, input) in lists.into_iter().zip(demos.inputs()) {
            work.spend(pieces.len() * 40 + input.area() * 4)?;
            let values = values(input, &pieces, property);
            described.push((pieces, values));
        }
        for turn in turns {
            for (feature, choice, price) in choices(property, names.len()) {
                let right = described.iter().zip(demos.outputs()).all(|((pieces, values), output)| {
                    let column: Vec<i32> = values.iter().map(|row| row[feature]).collect();
                    choice.pick(&column, pieces).is_some_and(|i| pieces[i].image.turned(turn) == *output)
                });
                if right {
                    let turned = if turn == 0 { 0.0 } else { 1.0 };
                    let mut text = format!("the {} with {}", family.words(), choice.words(&names[feature]));
                    if turn > 0 {
                        text += &format!(", {}", turn_words(turn));
                    }
                    found.push(Rule::new(price + turned + 0.01 * k as f64, text, move |input| {
                        let pieces = family.pieces(input);
                        if pieces.len() > 60 {
                            return None;
                        }
                        let column: Vec<i32> =
                            values(input, &pieces, property).iter().map(|row| row[feature]).collect();
                        Some(pieces[choice.pick(&column, &pieces)?].image.turned(turn))
                    }));
                }
            }
        }
    }
    found.best(6, demos, work)
}

fn values(input: &Image, pieces: &[Piece], property: Property) -> Vec<Vec<i32>> {
    match property {
        Property::Object => {
            let rows = describe(input, pieces);
            rows.into_iter().map(|row| row.into_iter().map(i32::from).collect()).collect()
        }
        Property::Counting => counted(pieces),
    }
}

/// All properties with all ways to choose by them, and what a rule costs.
fn choices(property: Property, n_features: usize) -> Vec<(usize, Choice, f64)> {
    let mut list = Vec::new();
    for feature in 0..n_features {
        match property {
            Property::Object => {
                let price = match feature {
                    place::SIZE => 0.0,
                    27..=29 => 0.8,
                    21..=24 => 0.6,
                    place::COLOR => 0.5,
                    _ => 0.3,
                };
                if feature != place::COLOR && feature != place::MINOR_COLOR {
                    list.push((feature, Choice::Most, 2.0 + price));
                    list.push((feature, Choice::Least, 2.2 + price));
                }
                list.push((feature, Choice::Odd, 2.4 + price));
                list.extend((0..10).map(|value| (feature, Choice::Equal(value), 3.0 + price)));
            }
            Property::Counting => {
                let price = if feature < 20 { 0.1 } else { 0.0 };
                let kinds = [Choice::Most, Choice::Least, Choice::Odd, Choice::Any, Choice::Median];
                list.extend(
                    kinds.iter().enumerate().map(|(k, &c)| (feature, c, 2.7 + 0.2 * k as f64 + price)),
                );
            }
        }
    }
    list
}

fn names(property: Property) -> Vec<String> {
    match property {
        Property::Object => {
            let names: Vec<String> = piece_features().into_iter().map(|feature| feature.name).collect();
            debug_assert_eq!(names.len(), N_PIECE_FEATURES);
            names
        }
        Property::Counting => {
            let amounts = (0..10).map(|c| format!("the amount of {}", color_name(c)));
            let parts = (0..10).map(|c| format!("the number of parts in {}", color_name(c)));
            let rest = [
                "the number of holes",
                "the amount of its rarest colour",
                "the amount of its commonest colour",
                "the number of its mirror symmetries",
                "the number of its symmetries",
                "the number of pieces equal to it up to turning",
                "its height for its width",
                "the number of its regions",
            ];
            amounts.chain(parts).chain(rest.map(str::to_owned)).collect()
        }
    }
}

fn counted(pieces: &[Piece]) -> Vec<Vec<i32>> {
    let forms: Vec<Image> = pieces.iter().map(|piece| canonical(&piece.image)).collect();
    let rows = pieces.iter().enumerate().map(|(i, piece)| {
        let image = &piece.image;
        let counts = image.counts();
        let reading = Reading { ground: None, diagonal: false, one_color: true };
        let regions = components(image, reading).0;
        let mut row: Vec<i32> = counts.iter().map(|&n| n as i32).collect();
        row.extend((0..10u8).map(|color| regions.iter().filter(|r| r.color == color).count() as i32));
        let amount = |color: Option<u8>| color.map_or(0, |c| counts[usize::from(c)] as i32);
        row.push(holes(&piece.object.mask()) as i32);
        row.push(amount(least_frequent(&counts, |c| c != 0)));
        row.push(amount(crate::image::most_frequent(&counts, |c| c != 0)));
        row.push((0..4).filter(|&k| image.turned(k) == *image).count() as i32);
        row.push((0..8).filter(|&k| image.turned(k) == *image).count() as i32);
        row.push(forms.iter().filter(|form| **form == forms[i]).count() as i32);
        row.push((image.h * 100 / image.w) as i32);
        row.push(regions.len() as i32);
        row
    });
    rows.collect()
}
