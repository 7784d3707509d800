//! The same cell in transforms of the image.

use std::sync::Arc;

use super::{Sheet, Written};
use crate::image::Image;
use crate::view::ViewId;

/// A view of another size says nothing: its column is the image itself.
pub(super) fn views(g: &Image, sheet: &mut Sheet, special: bool) {
    for id in ViewId::all().filter(|id| id.uses().feature && id.uses().special == special) {
        let values = match id.apply(g) {
            Some(image) if image.same_size(g) => image.cells,
            _ => g.cells.clone(),
        };
        sheet
            .color(0.95, || format!("the cell in “{}”", id.words()), values)
            .code(|| Written::Grid(Arc::new(move |code, grid| id.code(code, grid))));
    }
}
