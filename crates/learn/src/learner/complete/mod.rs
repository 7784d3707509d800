//! Completion by self-isometries: cells that the image shows elsewhere, moved or mirrored, fill the unknown ones.

mod background;
mod beyond;
mod hidden;
mod isometry;

use super::Fits;
use crate::image::Image;
use crate::option::options;
use crate::{Demos, OutOfWork, Rule, Work};
use isometry::Kinds;

options! {
    /// The cells that are filled in.
    Completion {
        /// The cells of one colour, or a larger canvas.
        Hidden = "HIDDEN",
        /// The background.
        Background = "GROUND",
        /// A larger canvas, after a colour map.
        Beyond = "BEYOND",
    }
}

options! {
    /// The isometries that map a pattern onto itself.
    Repetition {
        /// Mirrors at a row, a column or a diagonal.
        Mirrors = "BY_MIRRORS",
        /// Shifts: the pattern repeats.
        Shifts = "BY_SHIFTS",
        /// Mirrors and shifts.
        MirrorsAndShifts = "BY_MIRRORS_AND_SHIFTS",
    }
}

impl Completion {
    pub(super) fn fits(self) -> Fits {
        match self {
            Completion::Hidden => Fits::Any,
            Completion::Background => Fits::Edits,
            Completion::Beyond => Fits::Resizes,
        }
    }
}

impl Repetition {
    fn kinds(self) -> Kinds {
        match self {
            Repetition::Mirrors => Kinds { mirrors: true, ..Kinds::NONE },
            Repetition::Shifts => Kinds { shifts: true, ..Kinds::NONE },
            Repetition::MirrorsAndShifts => Kinds { mirrors: true, shifts: true, ..Kinds::NONE },
        }
    }

    /// The additional cost of a rule. Chosen on ARC-AGI-1 training tasks.
    const fn price(self) -> f64 {
        match self {
            Repetition::Mirrors => 0.2,
            Repetition::Shifts => 0.1,
            Repetition::MirrorsAndShifts => 0.3,
        }
    }

    /// Fills the cells of one colour by the repetition of the rest; `None` if it does not reach all of them.
    pub fn complete(self, image: &Image, color: u8) -> Option<Image> {
        let unknown = isometry::with_unknown(image, image.h, image.w, Some(color));
        isometry::complete(&unknown, self.kinds())
    }
}

pub(crate) fn learn(demos: &Demos, completion: Completion, work: &Work<'_>) -> Result<Vec<Rule>, OutOfWork> {
    match completion {
        Completion::Hidden => hidden::learn(demos, work),
        Completion::Background => background::learn(demos, work),
        Completion::Beyond => beyond::learn(demos, work),
    }
}
