//! Values side by side: what a function gets when it is called on many arguments at once.

use std::cmp::Ordering;
use std::ops::Range;

use crate::{Arena, Closure, Op, Pair, Patch, Value};

/// Values side by side, by what they are.
#[derive(Clone, Copy, Debug)]
pub enum Column<'a> {
    /// All the same.
    Same(Value<'a>),
    Bools(&'a [bool]),
    Ints(&'a [i64]),
    Pairs(&'a [Pair]),
    Values(&'a [Value<'a>]),
    /// Tuples of two, as two columns.
    Twos(&'a [Column<'a>; 2]),
    /// One combinator over columns of what it holds.
    Funcs(Op, &'a [Column<'a>]),
    /// The values of a column so long, over and over.
    Tiled(&'a Column<'a>, usize),
    /// Each value of a column so many times.
    Stretched(&'a Column<'a>, usize),
}

/// The values of a column; see [`Column::list`].
#[derive(Clone, Copy, Debug)]
pub struct List<'a> {
    values: &'a [Value<'a>],
    /// 0 if there is but one value, for all places.
    mask: usize,
}

impl<'a> List<'a> {
    #[inline(always)]
    pub fn at(&self, place: usize) -> Value<'a> {
        self.values[place & self.mask]
    }
}

use Column::{Bools, Funcs, Ints, Pairs, Same, Stretched, Tiled, Twos, Values};

impl<'a> Column<'a> {
    /// The members of a container.
    pub fn of(arena: &'a Arena, container: Value<'a>) -> Option<Column<'a>> {
        Some(match container {
            Value::Row(row) => Ints(arena.gather(row.cells().iter().map(|&cell| cell.into()))),
            Value::Patch(patch) if patch.is_object() => {
                Column::twos(arena, Ints(colors(arena, patch)), Pairs(places(arena, patch)))
            }
            Value::Patch(patch) => Pairs(places(arena, patch)),
            Value::Grid(grid) if grid.width() == 2 => {
                let (pairs, _) = grid.cells().as_chunks::<2>();
                Pairs(arena.gather(pairs.iter().map(|[row, col]| Pair::near((*row).into(), (*col).into()))))
            }
            Value::Set(set) => Column::from_slice(arena, set.items()),
            Value::Tuple(tuple) => Column::from_slice(arena, tuple.items()),
            _ => Column::collect(arena, container.items(arena)?.map(Some))?,
        })
    }

    fn from_slice(arena: &'a Arena, values: &'a [Value<'a>]) -> Column<'a> {
        fn two<'a>(value: &Value<'a>) -> Option<[Value<'a>; 2]> {
            match value {
                Value::Tuple(tuple) => tuple.items().try_into().ok(),
                // Two small places are a grid of two rows.
                Value::Grid(grid) => {
                    let [a, b, c, d] =
                        *<&[i8; 4]>::try_from(grid.cells()).ok().filter(|_| grid.width() == 2)?;
                    let pair = |row: i8, col: i8| Pair::new(row.into(), col.into()).map(Value::Pair);
                    Some([pair(a, b)?, pair(c, d)?])
                }
                _ => None,
            }
        }
        let narrow = match values {
            [Value::Tuple(_) | Value::Grid(_), ..] if values.iter().all(|value| two(value).is_some()) => {
                let part = |k: usize| {
                    let parts = values.iter().map(|value| two(value).map(|items| items[k]));
                    Column::collect(arena, parts)
                };
                part(0).zip(part(1)).map(|(a, b)| Column::twos(arena, a, b))
            }
            [Value::Int(_) | Value::Pair(_) | Value::Bool(_), ..] => {
                Column::collect(arena, values.iter().map(|value| Some(*value)))
            }
            _ => None,
        };
        narrow.unwrap_or(Values(values))
    }

    /// The values one after the other, each kept as what the first one is, as long as all are.
    pub fn collect(
        arena: &'a Arena,
        mut values: impl ExactSizeIterator<Item = Option<Value<'a>>>,
    ) -> Option<Column<'a>> {
        /// A column that is being filled.
        enum Open<'a> {
            Bools(&'a mut [bool]),
            Ints(&'a mut [i64]),
            Pairs(&'a mut [Pair]),
            Values(&'a mut [Value<'a>]),
        }
        let n = values.len();
        let mut column = match values.next()?? {
            Value::Int(int) => Open::Ints(arena.repeat(n, int)),
            Value::Pair(pair) => Open::Pairs(arena.repeat(n, pair)),
            value @ Value::Bool(_) => Open::Bools(arena.repeat(n, value.truth())),
            value => Open::Values(arena.repeat(n, value)),
        };
        for (place, value) in (1..n).zip(values) {
            let value = value?;
            match (&mut column, value) {
                (Open::Ints(ints), Value::Int(int)) => ints[place] = int,
                (Open::Pairs(pairs), Value::Pair(pair)) => pairs[place] = pair,
                (Open::Bools(bools), Value::Bool(_)) => bools[place] = value.truth(),
                (Open::Values(values), _) => values[place] = value,
                (mixed, _) => {
                    let values = arena.repeat(n, value);
                    for (at, value) in values[..place].iter_mut().enumerate() {
                        *value = match mixed {
                            Open::Bools(bools) => bools[at].into(),
                            Open::Ints(ints) => Value::Int(ints[at]),
                            Open::Pairs(pairs) => Value::Pair(pairs[at]),
                            Open::Values(values) => values[at],
                        };
                    }
                    column = Open::Values(values);
                }
            }
        }
        Some(match column {
            Open::Bools(bools) => Bools(bools),
            Open::Ints(ints) => Ints(ints),
            Open::Pairs(pairs) => Pairs(pairs),
            Open::Values(values) => Values(values),
        })
    }

    pub fn twos(arena: &'a Arena, a: Column<'a>, b: Column<'a>) -> Column<'a> {
        Twos(arena.keep([a, b]))
    }

    /// A value that is there already; functions and tuples have to be made.
    #[inline]
    pub fn simple(&self, place: usize) -> Option<Value<'a>> {
        Some(match self {
            Same(value) => *value,
            Bools(bools) => bools[place].into(),
            Ints(ints) => Value::Int(ints[place]),
            Pairs(pairs) => Value::Pair(pairs[place]),
            Values(values) => values[place],
            Tiled(column, m) => return column.simple(place % m),
            Stretched(column, times) => return column.simple(place / times),
            Twos(_) | Funcs(..) => return None,
        })
    }

    #[inline]
    pub fn get(&self, arena: &'a Arena, place: usize) -> Option<Value<'a>> {
        match self {
            Values(values) => values.get(place).copied(),
            Twos(_) | Funcs(..) => self.made(arena, place),
            _ => self.simple(place),
        }
    }

    /// A tuple or a function.
    #[inline(never)]
    fn made(&self, arena: &'a Arena, place: usize) -> Option<Value<'a>> {
        let part = |column: &Column<'a>| column.get(arena, place);
        match self {
            Twos(parts) => arena.tuple(&[part(&parts[0])?, part(&parts[1])?]).ok(),
            Funcs(op, held) => {
                let held = arena.try_gather(held.iter().map(part))?;
                arena.closure(*op, held).ok()
            }
            _ => self.simple(place),
        }
    }

    /// The values, made if they are not there.
    pub fn values(self, arena: &'a Arena, n: usize) -> Option<&'a [Value<'a>]> {
        Some(match self {
            Values(values) => values,
            Same(value) => arena.repeat(n, value),
            Bools(bools) => arena.gather(bools.iter().map(|bool| Value::from(*bool))),
            Ints(ints) => arena.gather(ints.iter().map(|int| Value::Int(*int))),
            Pairs(pairs) => arena.gather(pairs.iter().map(|pair| Value::Pair(*pair))),
            Twos(_) | Funcs(..) => arena.try_gather((0..n).map(|place| self.get(arena, place)))?,
            Tiled(..) | Stretched(..) => return self.flat(arena, n).values(arena, n),
        })
    }

    /// The values for a loop.
    pub fn list(self, arena: &'a Arena, n: usize) -> Option<List<'a>> {
        Some(match self {
            Same(value) => List { values: arena.repeat(1, value), mask: 0 },
            _ => List { values: self.values(arena, n)?, mask: usize::MAX },
        })
    }

    /// What all values weigh together.
    pub fn weight(&self, n: usize) -> u64 {
        match self {
            Same(value) => n as u64 * u64::from(value.weight()),
            Bools(_) | Ints(_) => n as u64,
            Pairs(_) => 3 * n as u64,
            Values(values) => values.iter().map(|value| u64::from(value.weight())).sum(),
            Tiled(column, m) => column.weight(*m) * (n / m) as u64,
            Stretched(column, times) => column.weight(n / times) * *times as u64,
            Twos(parts) => n as u64 + parts.iter().map(|column| column.weight(n)).sum::<u64>(),
            Funcs(_, held) => n as u64 + held.iter().map(|column| column.weight(n)).sum::<u64>(),
        }
    }

    /// What each value weighs, if all weigh the same.
    pub fn unit(&self) -> Option<u64> {
        match self {
            Same(value) => Some(value.weight().into()),
            Bools(_) | Ints(_) => Some(1),
            Pairs(_) => Some(3),
            Tiled(column, _) | Stretched(column, _) => column.unit(),
            Twos(parts) => Some(1 + parts[0].unit()? + parts[1].unit()?),
            Values(_) | Funcs(..) => None,
        }
    }

    /// The heaviest and the deepest that any value may be.
    fn bounds(&self) -> (u64, u16) {
        match self {
            Same(value) => (value.weight().into(), value.depth()),
            Bools(_) | Ints(_) => (1, 0),
            Pairs(_) => (3, 1),
            Values(values) => values.iter().fold((0, 0), |(weight, depth), value| {
                (weight.max(value.weight().into()), depth.max(value.depth()))
            }),
            Tiled(column, _) | Stretched(column, _) => column.bounds(),
            Twos(parts) => container_of(*parts),
            Funcs(_, held) => container_of(held),
        }
    }

    /// Itself, if the caps admit all values.
    pub fn admitted(self, arena: &'a Arena) -> Option<Column<'a>> {
        let (weight, depth) = self.bounds();
        let caps = arena.caps();
        (weight <= caps.weight.into() && depth <= caps.depth).then_some(self)
    }

    /// How many arguments the functions of the column take, if all take as many.
    pub fn arity(&self) -> Option<u8> {
        match self {
            Same(value) => value.func_arity(),
            Funcs(op, held) => Closure::arity_over(*op, held.first()?.arity()),
            _ => None,
        }
    }

    pub fn truths(self, arena: &'a Arena, n: usize) -> &'a [bool] {
        match self {
            Bools(bools) => bools,
            Twos(_) | Funcs(..) => arena.repeat(n, true),
            _ => arena.gather((0..n).map(|place| self.simple(place).is_some_and(Value::truth))),
        }
    }

    /// Where the greatest or the least value of `range` comes first. Numbers and pairs only: others may not compare.
    pub fn best(&self, range: Range<usize>, wanted: Ordering) -> Option<usize> {
        fn first<T: Copy>(values: &[T], range: Range<usize>, beats: impl Fn(T, T) -> bool) -> Option<usize> {
            range.reduce(|best, place| if beats(values[place], values[best]) { place } else { best })
        }
        match self {
            Ints(ints) => first(ints, range, |a, b| a.cmp(&b) == wanted),
            Pairs(pairs) => first(pairs, range, |a, b| (a.row(), a.col()).cmp(&(b.row(), b.col())) == wanted),
            Same(Value::Int(_) | Value::Pair(_)) if !range.is_empty() => Some(range.start),
            _ => None,
        }
    }

    /// The places of the values as these ascend, equal ones in their order. Numbers and pairs only, as above.
    pub fn ascending(&self, arena: &'a Arena, n: usize) -> Option<&'a [usize]> {
        let places = arena.repeat(n, 0);
        places.iter_mut().zip(0..).for_each(|(to, place)| *to = place);
        match self {
            Ints(ints) => places.sort_by_key(|place| ints[*place]),
            Pairs(pairs) => places.sort_by_key(|place| pairs[*place].key()),
            Same(Value::Int(_) | Value::Pair(_)) => {}
            _ => return None,
        }
        Some(places)
    }

    /// The `n` values over and over.
    pub fn tiled(self, arena: &'a Arena, n: usize) -> Column<'a> {
        match self {
            Same(_) => self,
            Twos([a, b]) => Column::twos(arena, a.tiled(arena, n), b.tiled(arena, n)),
            Funcs(op, held) => Funcs(op, arena.gather(held.iter().map(|column| column.tiled(arena, n)))),
            _ => Tiled(arena.keep(self), n),
        }
    }

    /// Each value `times` over.
    pub fn stretched(self, arena: &'a Arena, times: usize) -> Column<'a> {
        let all = |column: Column<'a>| column.stretched(arena, times);
        match self {
            Same(_) => self,
            Twos([a, b]) => Column::twos(arena, all(*a), all(*b)),
            Funcs(op, held) => Funcs(op, arena.gather(held.iter().map(|column| all(*column)))),
            _ => Stretched(arena.keep(self), times),
        }
    }

    /// The same `n` values one after the other.
    pub fn flat(self, arena: &'a Arena, n: usize) -> Column<'a> {
        match self {
            Tiled(column, m) => column.picked(arena, (0..n).map(|place| place % m)),
            Stretched(column, times) => column.picked(arena, (0..n).map(|place| place / times)),
            _ => self,
        }
    }

    /// The values at these places.
    pub fn picked(
        &self,
        arena: &'a Arena,
        places: impl ExactSizeIterator<Item = usize> + Clone,
    ) -> Column<'a> {
        let pick = |column: &Column<'a>| column.picked(arena, places.clone());
        match self {
            Same(value) => Same(*value),
            Bools(bools) => Bools(arena.gather(places.map(|place| bools[place]))),
            Ints(ints) => Ints(arena.gather(places.map(|place| ints[place]))),
            Pairs(pairs) => Pairs(arena.gather(places.map(|place| pairs[place]))),
            Values(values) => Values(arena.gather(places.map(|place| values[place]))),
            Twos([a, b]) => Column::twos(arena, pick(a), pick(b)),
            Funcs(op, held) => Funcs(*op, arena.gather(held.iter().map(pick))),
            Tiled(column, m) => {
                column.picked(arena, arena.gather(places.map(|place| place % m)).iter().copied())
            }
            Stretched(column, times) => {
                column.picked(arena, arena.gather(places.map(|place| place / times)).iter().copied())
            }
        }
    }

    /// Where the values are; two columns that lie in one place are one.
    pub fn address(&self) -> usize {
        match self {
            Same(_) => 0,
            Tiled(column, _) | Stretched(column, _) => std::ptr::from_ref(*column).addr(),
            Bools(bools) => bools.as_ptr().addr(),
            Ints(ints) => ints.as_ptr().addr(),
            Pairs(pairs) => pairs.as_ptr().addr(),
            Values(values) => values.as_ptr().addr(),
            Twos(parts) => parts.as_ptr().addr(),
            Funcs(_, held) => held.as_ptr().addr(),
        }
    }
}

/// Weight and depth of what holds these.
fn container_of(parts: &[Column<'_>]) -> (u64, u16) {
    let all = parts.iter().map(Column::bounds);
    all.fold((1, 1), |(weight, depth), part| (weight + part.0, depth.max(part.1 + 1)))
}

/// The places of a patch, in the order of its members.
fn places<'a>(arena: &'a Arena, patch: &Patch<'_>) -> &'a [Pair] {
    let places = arena.repeat(patch.count(), Pair::near(0, 0));
    let mut next = 0;
    for (_, plane) in patch.planes() {
        for (row, word) in (i32::from(patch.row)..).zip(plane) {
            let mut bits = *word;
            while bits != 0 {
                places[next] = Pair::near(row, i32::from(patch.col) + bits.trailing_zeros() as i32);
                next += 1;
                bits &= bits - 1;
            }
        }
    }
    places
}

/// The colours of an object, in the order of its members.
fn colors<'a>(arena: &'a Arena, patch: &Patch<'_>) -> &'a [i64] {
    let colors = arena.repeat(patch.count(), patch.first_key().0);
    if patch.rows.len() == usize::from(patch.height) {
        return colors;
    }
    let mut rest = &mut *colors;
    for (color, plane) in patch.planes() {
        let count = plane.iter().map(|word| word.count_ones()).sum::<u32>();
        let (these, others) = rest.split_at_mut(count as usize);
        these.fill(color);
        rest = others;
    }
    colors
}
