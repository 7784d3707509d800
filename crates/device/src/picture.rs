//! Values in the form in which they travel to a device and back.

use batt_value::{Arena, Fail, Grid, Pair, Patch, Planes, Value, fingerprint};

use crate::code::Kind;

/// The largest side of a picture.
pub const MAX_SIDE: usize = 32;
/// Places further from the origin stay on the CPU.
const MAX_PLACE: i64 = 1 << 14;
/// The colours that a device can count.
pub(crate) const MAX_COLOR: i8 = 14;

/// Pictures for a batch: grids, indices and objects.
#[derive(Default, Clone, Debug)]
pub struct Pictures {
    /// For each picture the first word of its data, its kind, its height and width, and its top and left.
    pub(crate) heads: Vec<[u32; 4]>,
    /// Cells, four to a word, then a mask with a word for each row.
    pub(crate) data: Vec<u32>,
}

impl Pictures {
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Returns the kind of a picture, if there is one with this number.
    pub(crate) fn kind(&self, number: u32) -> Option<Kind> {
        let head = self.heads.get(number as usize)?;
        [Kind::Grid, Kind::Indices, Kind::Object].into_iter().find(|kind| *kind as u32 == head[1])
    }

    /// Adds a value and returns its number. Returns `None` if a device cannot hold it: it is too large, has
    /// other colours, or is another kind of value.
    pub fn add(&mut self, value: Value<'_>) -> Option<u32> {
        let start = self.data.len();
        let (kind, height, width, top, left) = match value {
            Value::Grid(grid) if grid.height().max(grid.width()) <= MAX_SIDE => {
                if grid.cells().iter().any(|cell| !(0..=MAX_COLOR).contains(cell)) {
                    return None;
                }
                self.data.extend(grid.cells().chunks(4).map(packed));
                (Kind::Grid, grid.height(), grid.width(), 0, 0)
            }
            Value::Patch(patch) => {
                let (top, left, height, width) = patch.bounds();
                let near = |place: i64| place.abs() <= MAX_PLACE;
                if height.max(width) > MAX_SIDE as i64 || !near(top) || !near(left) {
                    return None;
                }
                let (height, width) = (height as usize, width as usize);
                let kind = if patch.is_object() { Kind::Object } else { Kind::Indices };
                if patch.is_object() {
                    self.data.extend(cells(patch, height, width)?.chunks(4).map(packed));
                }
                self.data.extend((0..height).map(|row| mask(patch, row)));
                (kind, height, width, top, left)
            }
            _ => return None,
        };
        let place = (top as u32) << 16 | (left as u32 & 0xffff);
        self.heads.push([start as u32, kind as u32, (height | width << 8) as u32, place]);
        Some(self.heads.len() as u32 - 1)
    }
}

fn packed(cells: &[i8]) -> u32 {
    cells.iter().rev().fold(0, |word, &cell| word << 8 | u32::from(cell as u8))
}

fn mask(patch: &Patch<'_>, row: usize) -> u32 {
    patch.planes().fold(0, |mask, (_, plane)| mask | plane[row] as u32)
}

/// Returns the cells in the box of an object, 0 where it has none. Returns `None` if two colours share a place.
fn cells(patch: &Patch<'_>, height: usize, width: usize) -> Option<Vec<i8>> {
    let mut cells = vec![0; height * width];
    let mut n = 0;
    for (color, plane) in patch.planes() {
        if !(0..=i64::from(MAX_COLOR)).contains(&color) {
            return None;
        }
        for (word, row) in plane.iter().zip(cells.chunks_exact_mut(width)) {
            row.iter_mut()
                .enumerate()
                .filter(|(j, _)| word >> j & 1 == 1)
                .for_each(|(_, cell)| *cell = color as i8);
        }
    }
    for row in 0..height {
        n += mask(patch, row).count_ones() as usize;
    }
    (n == patch.count()).then_some(cells)
}

/// The value that a device gives for a job.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'b> {
    pub kind: Kind,
    pub height: usize,
    pub width: usize,
    /// Top row and left column of the box of a patch.
    pub place: (i64, i64),
    /// The fuel of all calls.
    pub bill: u64,
    fingerprint: u64,
    /// The number of members of a patch.
    count: usize,
    /// One bit for each colour of an object.
    colors: u16,
    number: i64,
    words: &'b [u32],
}

impl<'b> Answer<'b> {
    /// Reads an answer. Returns `None` if the job was passed on, and an error if it makes no sense.
    pub(crate) fn read(head: &[u32; 8], out: &'b [u32]) -> Result<Option<Answer<'b>>, &'static str> {
        let [status, place, bill, members, low, high, start, number] = *head;
        let kind = match status >> 24 {
            0 => Kind::Grid,
            1 => Kind::Indices,
            2 => Kind::Object,
            3 => Kind::Number,
            4 => Kind::Labels,
            _ => return Err("an answer has an unknown kind"),
        };
        match status & 0xff {
            0 => {}
            1 => return Ok(None),
            _ => return Err("an answer has an unknown status"),
        }
        let (height, width) = ((status >> 8 & 0xff) as usize, (status >> 16 & 0xff) as usize);
        let size = match kind {
            Kind::Grid => (height * width).div_ceil(4),
            Kind::Indices => height,
            Kind::Object => (height * width).div_ceil(4) + height,
            Kind::Number => 0,
            Kind::Labels => (height * width).div_ceil(2),
        };
        let sensible = height.max(width) <= MAX_SIDE && (height == 0) == (width == 0);
        if !sensible || matches!(kind, Kind::Grid | Kind::Labels) && height == 0 {
            return Err("an answer has an impossible size");
        }
        let words =
            out.get(start as usize..).and_then(|out| out.get(..size)).ok_or("an answer is cut off")?;
        Ok(Some(Answer {
            kind,
            height,
            width,
            place: (i64::from(place as i32 >> 16), i64::from(place as i16)),
            bill: bill.into(),
            fingerprint: u64::from(high) << 32 | u64::from(low),
            count: (members & 0xffff) as usize,
            colors: (members >> 16) as u16,
            number: i64::from(number as i32),
            words,
        }))
    }

    /// Returns whether the value is a patch in bit planes or a grid, and not a list of places or cells far apart,
    /// or an empty set.
    pub fn is_compact(&self) -> bool {
        match self.kind {
            Kind::Grid | Kind::Number | Kind::Labels => true,
            Kind::Indices | Kind::Object => {
                let n_planes = self.colors.count_ones().max(1) as usize;
                self.count > 0 && Arena::fits_planes(n_planes * self.height, self.count)
            }
        }
    }

    /// Returns the [fingerprint] of the value without making it, if possible. Makes it in `arena` otherwise; `x` is the value in the first hole.
    pub fn fingerprint(&self, arena: &Arena, x: Value<'_>) -> Result<u64, Fail> {
        match self.kind {
            Kind::Number => Ok(fingerprint(Value::Int(self.number))),
            Kind::Grid | Kind::Indices | Kind::Object if self.is_compact() => Ok(self.fingerprint),
            _ => Ok(fingerprint(self.value(arena, x)?)),
        }
    }

    fn cell(&self, at: usize) -> i8 {
        self.words[at / 4].to_le_bytes()[at % 4] as i8
    }

    /// Makes the value in an arena; `x` is the value in the first hole, whose cells are those of labelled objects.
    pub fn value<'a>(&self, arena: &'a Arena, x: Value<'_>) -> Result<Value<'a>, Fail> {
        let (row, col) = self.place;
        match self.kind {
            Kind::Labels => match x {
                Value::Grid(grid) if (grid.height(), grid.width()) == (self.height, self.width) => {
                    objects(arena, grid, self.words)
                }
                _ => Err(Fail::Kind),
            },
            Kind::Number => Ok(Value::Int(self.number)),
            Kind::Grid => arena.new_grid(self.height, self.width, |cells| {
                for (cells, word) in cells.chunks_mut(4).zip(self.words) {
                    cells.iter_mut().zip(word.to_le_bytes()).for_each(|(cell, byte)| *cell = byte as i8);
                }
            }),
            Kind::Indices => {
                let rows: Vec<u64> = self.words.iter().map(|&word| word.into()).collect();
                self.patch(arena, Planes { row, col, height: self.height, colors: 0, words: &rows })
            }
            Kind::Object => {
                let masks = &self.words[(self.height * self.width).div_ceil(4)..];
                let mut words = Vec::new();
                let mut colors = 0u16;
                for color in (0..=MAX_COLOR).filter(|color| self.colors >> color & 1 == 1) {
                    colors |= 2 << color;
                    words.extend(masks.iter().enumerate().map(|(i, &mask)| {
                        let has = |j: &usize| mask >> j & 1 == 1 && self.cell(i * self.width + j) == color;
                        (0..self.width).filter(has).fold(0u64, |word, j| word | 1 << j)
                    }));
                }
                self.patch(arena, Planes { row, col, height: self.height, colors, words: &words })
            }
        }
    }

    fn patch<'a>(&self, arena: &'a Arena, planes: Planes<'_>) -> Result<Value<'a>, Fail> {
        if self.height == 0 {
            return Ok(Value::EMPTY_SET);
        }
        if let Some(patch) = arena.patch(planes) {
            return patch;
        }
        // Too few members for bit planes.
        let mut items = Vec::new();
        let colors = (-1..15i64).filter(|color| planes.colors >> (color + 1) & 1 == 1);
        let colors: Vec<Option<i64>> =
            if planes.colors == 0 { vec![None] } else { colors.map(Some).collect() };
        for (plane, color) in planes.words.chunks_exact(self.height).zip(colors) {
            for (i, word) in plane.iter().enumerate() {
                for j in (0..64).filter(|j| word >> j & 1 == 1) {
                    let (row, col) = (planes.row + i as i64, planes.col + j);
                    let place = Pair::new(row, col).map(Value::Pair).ok_or(Fail::Overflow)?;
                    items.push(match color {
                        None => place,
                        Some(color) => arena.tuple(&[Value::Int(color), place])?,
                    });
                }
            }
        }
        arena.set(&items)
    }
}

/// Makes the set of objects from the labels of the cells of a grid.
fn objects<'a>(arena: &'a Arena, grid: &Grid<'_>, labels: &[u32]) -> Result<Value<'a>, Fail> {
    let label = |at: usize| (labels[at / 2] >> (16 * (at % 2))) & 0xffff;
    let mut found: Vec<(u32, Vec<Value<'a>>)> = Vec::new();
    for (at, &color) in grid.cells().iter().enumerate() {
        let label = label(at);
        if label == 0xffff {
            continue;
        }
        let place =
            Pair::new((at / grid.width()) as i64, (at % grid.width()) as i64).ok_or(Fail::Overflow)?;
        let cell = arena.tuple(&[Value::Int(color.into()), Value::Pair(place)])?;
        match found.iter_mut().find(|(other, _)| *other == label) {
            Some((_, cells)) => cells.push(cell),
            None => found.push((label, vec![cell])),
        }
    }
    let objects = found.iter().map(|(_, cells)| arena.set(cells)).collect::<Result<Vec<_>, _>>()?;
    arena.set(&objects)
}
