//! The eight directions.

/// A direction on the grid: straight ones first, then diagonal ones. The order is part of what trees learn, because
/// some features hold the number of a direction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Direction {
    East,
    South,
    West,
    North,
    SouthEast,
    SouthWest,
    NorthWest,
    NorthEast,
}

use Direction::{East, North, NorthEast, NorthWest, South, SouthEast, SouthWest, West};

impl Direction {
    pub(crate) const ALL: [Direction; 8] =
        [East, South, West, North, SouthEast, SouthWest, NorthWest, NorthEast];
    pub(crate) const STRAIGHT: [Direction; 4] = [East, South, West, North];
    pub(crate) const DIAGONAL: [Direction; 4] = [SouthEast, SouthWest, NorthWest, NorthEast];

    /// One step: rows down, columns to the right.
    #[inline]
    pub(crate) const fn step(self) -> (i32, i32) {
        match self {
            East => (0, 1),
            South => (1, 0),
            West => (0, -1),
            North => (-1, 0),
            SouthEast => (1, 1),
            SouthWest => (1, -1),
            NorthWest => (-1, -1),
            NorthEast => (-1, 1),
        }
    }

    pub(crate) const fn opposite(self) -> Direction {
        match self {
            East => West,
            South => North,
            West => East,
            North => South,
            SouthEast => NorthWest,
            SouthWest => NorthEast,
            NorthWest => SouthEast,
            NorthEast => SouthWest,
        }
    }

    pub(crate) fn is_diagonal(self) -> bool {
        self >= SouthEast
    }

    /// The place one step away.
    #[inline]
    pub(crate) fn from(self, y: usize, x: usize) -> (i32, i32) {
        let (dy, dx) = self.step();
        (y as i32 + dy, x as i32 + dx)
    }

    pub(crate) const fn words(self) -> &'static str {
        match self {
            East => "east",
            South => "south",
            West => "west",
            North => "north",
            SouthEast => "south-east",
            SouthWest => "south-west",
            NorthWest => "north-west",
            NorthEast => "north-east",
        }
    }
}
