//! Parts are kept, filled, cleared, mirrored or replaced by another part.

use crate::found::Found;
use crate::image::{Image, color_name, least_frequent, most_frequent};
use crate::piece::{Family, Piece, describe, piece_features};
use crate::rows::Rows;
use crate::tree::Bounds;
use crate::{Demos, Rule, Work};

pub(crate) fn learn(demos: &Demos, work: &Work<'_>) -> Option<Vec<Rule>> {
    let mut found = Found::default();
    if !demos.edits() {
        return Some(Vec::new());
    }
    for family in [Family::LineCells, Family::MultiBoxes, Family::OnMajority, Family::EqualParts] {
        let Some(rows) = rows(demos, family, work)? else { continue };
        let Some(tree) = rows.tree(Bounds::leaves(4), true, work) else { continue };
        let text = format!("every {}: {}", family.words(), rows.words(&tree, action_name));
        found.push(Rule::new(2.3 + tree.leaves() as f64, text, move |input| {
            let pieces = family.pieces(input);
            if pieces.is_empty() || pieces.len() > 80 {
                return None;
            }
            let features = describe(input, &pieces);
            let mut output = input.clone();
            for (i, piece) in pieces.iter().enumerate() {
                let action = tree.action(|feature| features[i][feature]);
                let new = actions(input, &pieces, i).swap_remove(action)?;
                output.paste(piece.object.area(), &new);
            }
            Some(output)
        }));
    }
    found.best(2, demos, work)
}

fn rows(demos: &Demos, family: Family, work: &Work<'_>) -> Option<Option<Rows>> {
    let mut rows = Rows::new(piece_features(), N_ACTIONS);
    for (input, output) in demos.pairs() {
        work.spend(input.area() * 4)?;
        let pieces = family.pieces(input);
        if !(2..=60).contains(&pieces.len()) {
            return Some(None);
        }
        work.spend(pieces.len() * 200)?;
        let features = describe(input, &pieces);
        let mut explained = input.clone();
        for (i, piece) in pieces.iter().enumerate() {
            let area = piece.object.area();
            let wanted = output.crop(area);
            let right: Vec<bool> =
                actions(input, &pieces, i).iter().map(|new| new.as_ref() == Some(&wanted)).collect();
            if !right.contains(&true) {
                return Some(None);
            }
            explained.paste(area, &wanted);
            rows.push(&features[i], |action| right[action]);
        }
        if explained != *output {
            return Some(None);
        }
    }
    Some(Some(rows))
}

const N_ACTIONS: usize = 20;

/// What each action makes of a part.
fn actions(image: &Image, pieces: &[Piece], i: usize) -> Vec<Option<Image>> {
    let ground = image.background();
    let own = &pieces[i].image;
    let plain = |color: u8| Image::new(own.h, own.w, color);
    let counts = own.counts();
    let n_marked = |k: &usize| pieces[*k].image.cells.iter().filter(|&&c| c != ground).count();
    let n_colors = |k: &usize| pieces[*k].image.counts().iter().filter(|&&n| n > 0).count();
    let copy = |k: Option<usize>| k.map(|k| pieces[k].image.clone()).filter(|image| image.same_size(own));
    let all = || 0..pieces.len();
    let mut list = vec![Some(own.clone())];
    list.extend((0..10).map(|color| Some(plain(color))));
    list.push(most_frequent(&counts, |c| c != ground).map(plain));
    list.push(least_frequent(&counts, |c| c != ground).map(plain));
    list.push(Some(plain(ground)));
    list.push(copy(all().rev().max_by_key(n_marked)));
    list.push(copy(all().filter(|k| n_marked(k) > 0).min_by_key(n_marked)));
    list.push(copy(all().max_by_key(|k| (n_colors(k), n_marked(k)))));
    list.extend([1, 2, 3].map(|symmetry| Some(own.turned(symmetry))));
    debug_assert_eq!(list.len(), N_ACTIONS);
    list
}

fn action_name(action: usize) -> String {
    const REST: [&str; 9] = [
        "fill with its commonest colour",
        "fill with its rarest colour",
        "clear",
        "copy the fullest part",
        "copy the emptiest part that has something",
        "copy the part with the most colours",
        "mirror left-right",
        "mirror up-down",
        "turn by 180°",
    ];
    match action {
        0 => "keep".to_owned(),
        1..=10 => format!("fill with {}", color_name(action as u8 - 1)),
        _ => REST[action - 11].to_owned(),
    }
}
