//! The eight symmetries.

use super::List;
use crate::image::Symmetry;

pub(super) fn turns(list: &mut List) {
    list.add(Symmetry::Identity.name(), Symmetry::Identity.words(), |g| Some(g.clone())).step().code("I");
    for symmetry in &Symmetry::ALL[1..] {
        let view = list
            .add(symmetry.name(), symmetry.words(), |g| Some(g.turned(*symmetry)))
            .step()
            .before_cells()
            .selected()
            .code(format!("{}(I)", symmetry.primitive()));
        // The other mirrors are features of their own.
        if matches!(
            symmetry,
            Symmetry::HalfTurn | Symmetry::Transpose | Symmetry::Clockwise | Symmetry::Counterclockwise
        ) {
            view.feature();
        }
    }
}
