//! Parts are kept, filled, cleared, mirrored or replaced by another part.

use crate::found::Found;
use crate::image::{Image, Symmetry, color_name, least_frequent, most_frequent};
use crate::piece::{Family, Piece, PieceFeature, describe, piece_features};
use crate::rows::Rows;
use crate::rule::Body;
use crate::tree::{Bounds, Tree};
use crate::{Demos, OutOfWork, Rule, Work};

/// A change of a part.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Action {
    Keep,
    Fill(u8),
    FillCommonest,
    FillRarest,
    Clear,
    CopyFullest,
    CopyEmptiest,
    CopyMostColors,
    Turn(Symmetry),
}

impl Action {
    /// All actions; of equally good ones the first is learned.
    fn all() -> Vec<Action> {
        use Action::{
            Clear, CopyEmptiest, CopyFullest, CopyMostColors, Fill, FillCommonest, FillRarest, Keep, Turn,
        };
        let mut all = vec![Keep];
        all.extend((0..10).map(Fill));
        all.extend([FillCommonest, FillRarest, Clear, CopyFullest, CopyEmptiest, CopyMostColors]);
        all.extend(Symmetry::SIZE_KEEPING[1..].iter().copied().map(Turn));
        all
    }

    fn words(self) -> String {
        match self {
            Action::Keep => "keep".to_owned(),
            Action::Fill(color) => format!("fill with {}", color_name(color)),
            Action::FillCommonest => "fill with its commonest colour".to_owned(),
            Action::FillRarest => "fill with its rarest colour".to_owned(),
            Action::Clear => "clear".to_owned(),
            Action::CopyFullest => "copy the fullest part".to_owned(),
            Action::CopyEmptiest => "copy the emptiest part that has something".to_owned(),
            Action::CopyMostColors => "copy the part with the most colours".to_owned(),
            Action::Turn(Symmetry::LeftRight) => "mirror left-right".to_owned(),
            Action::Turn(Symmetry::UpDown) => "mirror up-down".to_owned(),
            Action::Turn(_) => "turn by 180°".to_owned(),
        }
    }

    /// The new picture of a part; `None` if the action does not apply to it.
    fn apply(self, image: &Image, pieces: &[Piece], i: usize) -> Option<Image> {
        let background = image.background();
        let own = &pieces[i].image;
        let plain = |color: u8| Image::new(own.h, own.w, color);
        let n_marked = |k: &usize| pieces[*k].image.cells.iter().filter(|&&c| c != background).count();
        let n_colors = |k: &usize| pieces[*k].image.counts().iter().filter(|&&n| n > 0).count();
        let copy = |k: Option<usize>| k.map(|k| pieces[k].image.clone()).filter(|image| image.same_size(own));
        let all = || 0..pieces.len();
        match self {
            Action::Keep => Some(own.clone()),
            Action::Fill(color) => Some(plain(color)),
            Action::FillCommonest => most_frequent(&own.counts(), |c| c != background).map(plain),
            Action::FillRarest => least_frequent(&own.counts(), |c| c != background).map(plain),
            Action::Clear => Some(plain(background)),
            Action::CopyFullest => copy(all().rev().max_by_key(n_marked)),
            Action::CopyEmptiest => copy(all().filter(|k| n_marked(k) > 0).min_by_key(n_marked)),
            Action::CopyMostColors => copy(all().max_by_key(|k| (n_colors(k), n_marked(k)))),
            Action::Turn(symmetry) => Some(own.turned(symmetry)),
        }
    }
}

/// The number of parts that a demonstration input may have, and other inputs.
const DEMO_PARTS: std::ops::RangeInclusive<usize> = 2..=60;
const MAX_PARTS: usize = 80;
/// The cost of a rule before its leaves. Chosen on ARC-AGI-1 training tasks.
const BASE_COST: f64 = 2.3;

pub(crate) fn learn(demos: &Demos, work: &Work<'_>) -> Result<Vec<Rule>, OutOfWork> {
    let mut found = Found::default();
    if !demos.edits() {
        return Ok(Vec::new());
    }
    for family in [Family::LineCells, Family::MultiBoxes, Family::OnMajority, Family::EqualParts] {
        let Some(rows) = rows(demos, family, work)? else { continue };
        let Some(tree) = rows.tree(Bounds::leaves(4), true, work)? else { continue };
        let words = format!("every {}: {}", family.words(), rows.words(&tree, |action| action.words()));
        found.push(Rule::new(BASE_COST + tree.leaves() as f64, words, FillParts { family, tree }));
    }
    found.best(2, demos, work)
}

/// A rule: the change of each part.
struct FillParts {
    family: Family,
    tree: Tree<PieceFeature, Action>,
}

impl Body for FillParts {
    fn apply(&self, input: &Image) -> Option<Image> {
        let pieces = self.family.pieces(input);
        if pieces.is_empty() || pieces.len() > MAX_PARTS {
            return None;
        }
        let features = describe(input, &pieces);
        let mut output = input.clone();
        for (i, piece) in pieces.iter().enumerate() {
            let action = self.tree.action(|feature| features[i][feature.index()]);
            output.paste(piece.object.area(), &action.apply(input, &pieces, i)?);
        }
        Some(output)
    }
}

/// A row for each part; `None` if something changes that no action says.
fn rows(
    demos: &Demos,
    family: Family,
    work: &Work<'_>,
) -> Result<Option<Rows<PieceFeature, Action>>, OutOfWork> {
    let actions = Action::all();
    let mut rows = Rows::new(piece_features(), actions.clone());
    for (input, output) in demos.pairs() {
        work.spend(input.area() * 4)?;
        let pieces = family.pieces(input);
        if !DEMO_PARTS.contains(&pieces.len()) {
            return Ok(None);
        }
        work.spend(pieces.len() * 200)?;
        let features = describe(input, &pieces);
        let mut explained = input.clone();
        for (i, piece) in pieces.iter().enumerate() {
            let area = piece.object.area();
            let wanted = output.crop(area);
            let right: Vec<bool> = actions
                .iter()
                .map(|action| action.apply(input, &pieces, i).as_ref() == Some(&wanted))
                .collect();
            if !right.contains(&true) {
                return Ok(None);
            }
            explained.paste(area, &wanted);
            rows.push(&features[i], |k, _| right[k]);
        }
        if explained != *output {
            return Ok(None);
        }
    }
    Ok(Some(rows))
}
