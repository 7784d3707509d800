//! Parts of an image, all by one rule.

use super::{Inside, Passage, surcharge};
use crate::image::Area;
use crate::object::{Lines, Segmentation};
use crate::option::options;
use crate::{Demos, Image};

options! {
    /// Parts of an image that follow one rule.
    Parts {
        /// The box of every object.
        Objects = "EACH_OBJECT",
        /// The box of every one-colour object.
        OneColorObjects = "EACH_COLOR_OBJECT",
        /// The box of every object on the commonest colour.
        OnMajority = "EACH_ON_MAJORITY",
        /// Every cell of the line grid.
        LineCells = "EACH_LINE_CELL",
        /// Every row.
        Rows = "EACH_ROW",
        /// Every column.
        Columns = "EACH_COLUMN",
    }
}

/// Parts of fewer cells have nothing to learn; they stay as they are.
const MIN_CELLS: usize = 4;
/// An image with more parts is a texture.
const MAX_PARTS: usize = 40;
/// More different parts than this take too long to learn from.
const MAX_PAIRS: usize = 80;

impl Parts {
    const fn words(self) -> &'static str {
        match self {
            Parts::Objects => "in the box of every object",
            Parts::OneColorObjects => "in the box of every one-colour object",
            Parts::OnMajority => "in the box of every object on the commonest colour",
            Parts::LineCells => "in every cell of the line grid",
            Parts::Rows => "in every row",
            Parts::Columns => "in every column",
        }
    }

    fn areas(self, g: &Image) -> Vec<Area> {
        let boxes = |segmentation: Segmentation| {
            let areas = segmentation.objects(g).into_iter().map(|object| object.area());
            areas.filter(|area| area.h * area.w >= MIN_CELLS).collect::<Vec<_>>()
        };
        match self {
            Parts::Objects => boxes(Segmentation::Multi8),
            Parts::OneColorObjects => boxes(Segmentation::Mono8),
            Parts::OnMajority => boxes(Segmentation::MultiOnMajority),
            Parts::LineCells => Lines::find(g).map_or_else(Vec::new, |lines| lines.areas()),
            Parts::Rows => (0..g.h).map(|y| Area { y, x: 0, h: 1, w: g.w }).collect(),
            Parts::Columns => (0..g.w).map(|x| Area { y: 0, x, h: g.h, w: 1 }).collect(),
        }
    }

    pub(super) fn fit(self, demos: &Demos) -> Option<Inside> {
        if !demos.edits() {
            return None;
        }
        let mut pairs: Vec<(Image, Image)> = Vec::new();
        let mut whole = true;
        for (input, output) in demos.pairs() {
            let areas = self.areas(input);
            if areas.is_empty() || areas.len() > MAX_PARTS {
                return None;
            }
            let mut explained = input.clone();
            for &area in &areas {
                let pair = (input.crop(area), output.crop(area));
                explained.paste(area, &pair.1);
                whole &= area.h * area.w * 2 > input.area();
                if !pairs.contains(&pair) {
                    // One part cannot become two different things.
                    if pairs.iter().any(|known| known.0 == pair.0) {
                        return None;
                    }
                    pairs.push(pair);
                }
            }
            if explained != *output {
                return None;
            }
        }
        if !(2..=MAX_PAIRS).contains(&pairs.len()) || whole {
            return None;
        }
        Inside::new(pairs, surcharge::PARTS, self.words(), self)
    }
}

impl Passage for Parts {
    fn enter(&self, input: &Image) -> Option<Vec<Image>> {
        Some(self.areas(input).into_iter().map(|area| input.crop(area)).collect())
    }

    fn leave(&self, input: &Image, answers: Vec<Image>) -> Option<Image> {
        let mut output = input.clone();
        for (area, answer) in self.areas(input).into_iter().zip(&answers) {
            if (answer.h, answer.w) == (area.h, area.w) {
                output.paste(area, answer);
            }
        }
        Some(output)
    }
}
