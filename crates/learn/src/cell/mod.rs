//! Cells: the features that rules test and the colours that they copy, in groups.

mod around;
mod boxes;
mod line;
mod nearest;
mod own;
mod region;
mod sheet;
mod sight;
mod view;

use std::sync::LazyLock;

use crate::feature::{Feature, Test};
use crate::image::Image;

pub(crate) use sheet::{Sheet, Written, write_grid};

/// A group of features and actions; a vocabulary is a list of groups.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub(crate) enum Group {
    /// Own colour and constants; part of every vocabulary.
    Own,
    /// The eight neighbours.
    Near,
    /// The ring at distance two.
    Ring,
    /// The colours seen in eight directions.
    Sight,
    /// The row and the column.
    Lines,
    Position,
    /// The mirrored cells.
    Mirror,
    /// The object that holds the cell.
    Object,
    /// The smallest box that holds the cell.
    Box,
    /// The nearest object.
    Nearest,
    /// The same cell in transforms of the image.
    Views,
    /// The same cell in the special transforms.
    SpecialViews,
}

impl Group {
    pub(crate) const ALL: [Group; 12] = [
        Group::Own,
        Group::Near,
        Group::Ring,
        Group::Sight,
        Group::Lines,
        Group::Position,
        Group::Mirror,
        Group::Object,
        Group::Box,
        Group::Nearest,
        Group::Views,
        Group::SpecialViews,
    ];
    /// All but the special views.
    pub(crate) const PLAIN: &[Group] = Group::ALL.split_at(11).0;

    /// The values of the group for every cell of an image.
    pub(crate) fn sheet(self, image: &Image) -> Sheet {
        let mut sheet = Sheet::new(image.area());
        self.fill(image, &mut sheet);
        sheet
    }

    /// The descriptions of its features and actions, the same for every image.
    fn described(self) -> &'static sheet::Descriptions {
        static ALL: LazyLock<Vec<sheet::Descriptions>> = LazyLock::new(|| {
            let cell = Image::new(1, 1, 0);
            let describe = |group: &Group| {
                let mut sheet = Sheet::describing(1);
                group.fill(&cell, &mut sheet);
                sheet.descriptions.unwrap_or_default()
            };
            Group::ALL.iter().map(describe).collect()
        });
        &ALL[self as usize]
    }

    pub(crate) fn features(self) -> impl ExactSizeIterator<Item = (CellFeature, &'static Feature)> {
        let features = self.described().features.iter().enumerate();
        features.map(move |(i, (feature, _))| (CellFeature { group: self, column: i as u16 }, feature))
    }

    pub(crate) fn actions(self) -> impl ExactSizeIterator<Item = CellAction> {
        (0..self.described().actions.len()).map(move |i| CellAction { group: self, column: i as u16 })
    }

    fn fill(self, image: &Image, sheet: &mut Sheet) {
        match self {
            Group::Own => own::color(image, sheet),
            Group::Near => around::near(image, sheet),
            Group::Ring => around::ring(image, sheet),
            Group::Sight => sight::rays(image, sheet),
            Group::Lines => line::lines(image, sheet),
            Group::Position => line::position(image, sheet),
            Group::Mirror => own::mirror(image, sheet),
            Group::Object => region::object(image, sheet),
            Group::Box => boxes::boxes(image, sheet),
            Group::Nearest => nearest::nearest(image, sheet),
            Group::Views => view::views(image, sheet, false),
            Group::SpecialViews => view::views(image, sheet, true),
        }
    }
}

/// A feature of a cell: a column of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CellFeature {
    pub group: Group,
    pub column: u16,
}

/// A colour that a cell may take: an action of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CellAction {
    pub group: Group,
    pub column: u16,
}

impl CellFeature {
    pub(crate) fn feature(self) -> &'static Feature {
        &self.group.described().features[usize::from(self.column)].0
    }

    pub(crate) fn written(self) -> Option<&'static Written> {
        self.group.described().features[usize::from(self.column)].1.as_ref()
    }
}

impl CellAction {
    /// The action that keeps a cell as it is.
    pub(crate) const KEEP: CellAction = CellAction { group: Group::Own, column: 0 };

    pub(crate) fn words(self) -> String {
        self.group.described().actions[usize::from(self.column)].0.to_string()
    }

    pub(crate) fn written(self) -> Option<&'static Written> {
        self.group.described().actions[usize::from(self.column)].1.as_ref()
    }
}

/// A test of a cell in words.
pub(crate) fn test_words(test: &Test<CellFeature>) -> String {
    test.words(test.feature.feature())
}

/// A value for every cell.
fn cells(image: &Image, value: impl Fn(i32, i32) -> u8) -> Vec<u8> {
    let (h, w) = (image.h as i32, image.w as i32);
    (0..h).flat_map(|y| (0..w).map(move |x| (y, x))).map(|(y, x)| value(y, x)).collect()
}
