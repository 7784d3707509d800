//! The eight symmetries of a rectangle.

use super::Image;

/// A rotation or reflection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Symmetry {
    Identity,
    /// The reflection that swaps left and right.
    LeftRight,
    UpDown,
    HalfTurn,
    /// The reflection at the main diagonal.
    Transpose,
    /// The reflection at the other diagonal.
    Antitranspose,
    Clockwise,
    Counterclockwise,
}

use Symmetry::{
    Antitranspose, Clockwise, Counterclockwise, HalfTurn, Identity, LeftRight, Transpose, UpDown,
};

impl Symmetry {
    pub(crate) const ALL: [Symmetry; 8] =
        [Identity, LeftRight, UpDown, HalfTurn, Transpose, Antitranspose, Clockwise, Counterclockwise];
    /// Those that keep the size of every rectangle.
    pub(crate) const SIZE_KEEPING: [Symmetry; 4] = [Identity, LeftRight, UpDown, HalfTurn];

    pub(crate) const fn words(self) -> &'static str {
        match self {
            Identity => "the image itself",
            LeftRight => "mirrored left-right",
            UpDown => "mirrored up-down",
            HalfTurn => "turned by 180°",
            Transpose => "transposed",
            Antitranspose => "mirrored at the other diagonal",
            Clockwise => "turned clockwise",
            Counterclockwise => "turned counter-clockwise",
        }
    }

    /// The constant of the language that names the view.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Identity => "UNCHANGED",
            LeftRight => "MIRRORED_LEFT_RIGHT",
            UpDown => "MIRRORED_UP_DOWN",
            HalfTurn => "TURNED_HALF",
            Transpose => "TRANSPOSED",
            Antitranspose => "ANTITRANSPOSED",
            Clockwise => "TURNED_CLOCKWISE",
            Counterclockwise => "TURNED_COUNTERCLOCKWISE",
        }
    }

    /// The primitive of the language that does the same to a grid.
    pub(crate) const fn primitive(self) -> &'static str {
        match self {
            Identity => "identity",
            LeftRight => "vmirror",
            UpDown => "hmirror",
            HalfTurn => "rot180",
            Transpose => "dmirror",
            Antitranspose => "cmirror",
            Clockwise => "rot90",
            Counterclockwise => "rot270",
        }
    }
}

impl Image {
    pub(crate) fn turned(&self, symmetry: Symmetry) -> Image {
        let (h, w) = (self.h, self.w);
        match symmetry {
            Identity => self.clone(),
            LeftRight => Image::from_fn(h, w, |y, x| self.at(y, w - 1 - x)),
            UpDown => Image::from_fn(h, w, |y, x| self.at(h - 1 - y, x)),
            HalfTurn => Image::from_fn(h, w, |y, x| self.at(h - 1 - y, w - 1 - x)),
            Transpose => Image::from_fn(w, h, |y, x| self.at(x, y)),
            Antitranspose => Image::from_fn(w, h, |y, x| self.at(h - 1 - x, w - 1 - y)),
            Clockwise => Image::from_fn(w, h, |y, x| self.at(h - 1 - x, y)),
            Counterclockwise => Image::from_fn(w, h, |y, x| self.at(x, w - 1 - y)),
        }
    }
}
