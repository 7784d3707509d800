//! Columns of values: the arguments and results of many calls of a function at once.

use std::cmp::Ordering;
use std::ops::Range;

use crate::{Arena, Closure, Op, Pair, Patch, Value};

/// A list of values, stored by kind.
#[derive(Clone, Copy, Debug)]
pub enum Column<'a> {
    /// The same value throughout.
    Same(Value<'a>),
    Bools(&'a [bool]),
    Ints(&'a [i64]),
    Pairs(&'a [Pair]),
    Values(&'a [Value<'a>]),
    /// Tuples of two members, as two columns.
    Zipped(&'a [Column<'a>; 2]),
    /// One combinator, with a column for each value it captures.
    Funcs(Op, &'a [Column<'a>]),
    /// A column of the given length, repeated as a whole.
    Tiled(&'a Column<'a>, usize),
    /// A column with each value repeated the given number of times.
    Repeated(&'a Column<'a>, usize),
}

/// The values of a column; see [`Column::list`].
#[derive(Clone, Copy, Debug)]
pub struct List<'a> {
    values: &'a [Value<'a>],
    /// 0 if one value stands for all indices, else all ones.
    mask: usize,
}

impl<'a> List<'a> {
    #[inline(always)]
    pub fn at(&self, index: usize) -> Value<'a> {
        self.values[index & self.mask]
    }
}

use Column::{Bools, Funcs, Ints, Pairs, Repeated, Same, Tiled, Values, Zipped};

impl<'a> Column<'a> {
    /// Makes a column of the members of a container.
    pub fn of(arena: &'a Arena, container: Value<'a>) -> Option<Column<'a>> {
        Some(match container {
            Value::Row(row) => Ints(arena.gather(row.cells().iter().map(|&cell| cell.into()))),
            Value::Patch(patch) if patch.is_object() => {
                Column::zipped(arena, Ints(colors(arena, patch)), Pairs(places(arena, patch)))
            }
            Value::Patch(patch) => Pairs(places(arena, patch)),
            Value::Grid(grid) if grid.width() == 2 => {
                let (pairs, _) = grid.cells().as_chunks::<2>();
                Pairs(
                    arena.gather(pairs.iter().map(|[row, col]| Pair::from_i32((*row).into(), (*col).into()))),
                )
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
                // A tuple of two small places has the form of a grid of two rows.
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
                part(0).zip(part(1)).map(|(a, b)| Column::zipped(arena, a, b))
            }
            [Value::Int(_) | Value::Pair(_) | Value::Bool(_), ..] => {
                Column::collect(arena, values.iter().map(|value| Some(*value)))
            }
            _ => None,
        };
        narrow.unwrap_or(Values(values))
    }

    /// Collects values into a column of the kind of the first one, or of any kind if they differ.
    pub fn collect(
        arena: &'a Arena,
        mut values: impl ExactSizeIterator<Item = Option<Value<'a>>>,
    ) -> Option<Column<'a>> {
        /// A column that is being filled.
        enum Builder<'a> {
            Bools(&'a mut [bool]),
            Ints(&'a mut [i64]),
            Pairs(&'a mut [Pair]),
            Values(&'a mut [Value<'a>]),
        }
        let n = values.len();
        let mut column = match values.next()?? {
            Value::Int(int) => Builder::Ints(arena.repeat(n, int)),
            Value::Pair(pair) => Builder::Pairs(arena.repeat(n, pair)),
            value @ Value::Bool(_) => Builder::Bools(arena.repeat(n, value.truth())),
            value => Builder::Values(arena.repeat(n, value)),
        };
        for (index, value) in (1..n).zip(values) {
            let value = value?;
            match (&mut column, value) {
                (Builder::Ints(ints), Value::Int(int)) => ints[index] = int,
                (Builder::Pairs(pairs), Value::Pair(pair)) => pairs[index] = pair,
                (Builder::Bools(bools), Value::Bool(_)) => bools[index] = value.truth(),
                (Builder::Values(values), _) => values[index] = value,
                (mixed, _) => {
                    let values = arena.repeat(n, value);
                    for (at, value) in values[..index].iter_mut().enumerate() {
                        *value = match mixed {
                            Builder::Bools(bools) => bools[at].into(),
                            Builder::Ints(ints) => Value::Int(ints[at]),
                            Builder::Pairs(pairs) => Value::Pair(pairs[at]),
                            Builder::Values(values) => values[at],
                        };
                    }
                    column = Builder::Values(values);
                }
            }
        }
        Some(match column {
            Builder::Bools(bools) => Bools(bools),
            Builder::Ints(ints) => Ints(ints),
            Builder::Pairs(pairs) => Pairs(pairs),
            Builder::Values(values) => Values(values),
        })
    }

    pub fn zipped(arena: &'a Arena, a: Column<'a>, b: Column<'a>) -> Column<'a> {
        Zipped(arena.alloc([a, b]))
    }

    /// Returns a value that is stored as such. Functions and tuples need to be built.
    #[inline]
    pub fn stored(&self, index: usize) -> Option<Value<'a>> {
        Some(match self {
            Same(value) => *value,
            Bools(bools) => bools[index].into(),
            Ints(ints) => Value::Int(ints[index]),
            Pairs(pairs) => Value::Pair(pairs[index]),
            Values(values) => values[index],
            Tiled(column, m) => return column.stored(index % m),
            Repeated(column, times) => return column.stored(index / times),
            Zipped(_) | Funcs(..) => return None,
        })
    }

    #[inline]
    pub fn get(&self, arena: &'a Arena, index: usize) -> Option<Value<'a>> {
        match self {
            Values(values) => values.get(index).copied(),
            Zipped(_) | Funcs(..) => self.build(arena, index),
            _ => self.stored(index),
        }
    }

    /// Builds a tuple or a function.
    #[inline(never)]
    fn build(&self, arena: &'a Arena, index: usize) -> Option<Value<'a>> {
        let part = |column: &Column<'a>| column.get(arena, index);
        match self {
            Zipped(parts) => arena.tuple(&[part(&parts[0])?, part(&parts[1])?]).ok(),
            Funcs(op, captured) => {
                let captured = arena.try_gather(captured.iter().map(part))?;
                arena.closure(*op, captured).ok()
            }
            _ => self.stored(index),
        }
    }

    /// Returns all values as a slice, built if necessary.
    pub fn values(self, arena: &'a Arena, n: usize) -> Option<&'a [Value<'a>]> {
        Some(match self {
            Values(values) => values,
            Same(value) => arena.repeat(n, value),
            Bools(bools) => arena.gather(bools.iter().map(|bool| Value::from(*bool))),
            Ints(ints) => arena.gather(ints.iter().map(|int| Value::Int(*int))),
            Pairs(pairs) => arena.gather(pairs.iter().map(|pair| Value::Pair(*pair))),
            Zipped(_) | Funcs(..) => arena.try_gather((0..n).map(|index| self.get(arena, index)))?,
            Tiled(..) | Repeated(..) => return self.flatten(arena, n).values(arena, n),
        })
    }

    /// Returns the values for access by index in a loop.
    pub fn list(self, arena: &'a Arena, n: usize) -> Option<List<'a>> {
        Some(match self {
            Same(value) => List { values: arena.repeat(1, value), mask: 0 },
            _ => List { values: self.values(arena, n)?, mask: usize::MAX },
        })
    }

    /// Returns the sum of the weights of all values.
    pub fn weight(&self, n: usize) -> u64 {
        match self {
            Same(value) => n as u64 * u64::from(value.weight()),
            Bools(_) | Ints(_) => n as u64,
            Pairs(_) => 3 * n as u64,
            Values(values) => values.iter().map(|value| u64::from(value.weight())).sum(),
            Tiled(column, m) => column.weight(*m) * (n / m) as u64,
            Repeated(column, times) => column.weight(n / times) * *times as u64,
            Zipped(parts) => n as u64 + parts.iter().map(|column| column.weight(n)).sum::<u64>(),
            Funcs(_, captured) => n as u64 + captured.iter().map(|column| column.weight(n)).sum::<u64>(),
        }
    }

    /// Returns the weight of each value, if it is known to be the same for all.
    pub fn uniform_weight(&self) -> Option<u64> {
        match self {
            Same(value) => Some(value.weight().into()),
            Bools(_) | Ints(_) => Some(1),
            Pairs(_) => Some(3),
            Tiled(column, _) | Repeated(column, _) => column.uniform_weight(),
            Zipped(parts) => Some(1 + parts[0].uniform_weight()? + parts[1].uniform_weight()?),
            Values(_) | Funcs(..) => None,
        }
    }

    /// Returns upper bounds for the weight and the depth of the values.
    fn max_extent(&self) -> (u64, u16) {
        match self {
            Same(value) => (value.weight().into(), value.depth()),
            Bools(_) | Ints(_) => (1, 0),
            Pairs(_) => (3, 1),
            Values(values) => values.iter().fold((0, 0), |(weight, depth), value| {
                (weight.max(value.weight().into()), depth.max(value.depth()))
            }),
            Tiled(column, _) | Repeated(column, _) => column.max_extent(),
            Zipped(parts) => container_extent(*parts),
            Funcs(_, captured) => container_extent(captured),
        }
    }

    /// Returns the column, if all values are within the caps.
    pub fn within_caps(self, arena: &'a Arena) -> Option<Column<'a>> {
        let (weight, depth) = self.max_extent();
        let caps = arena.caps();
        (weight <= caps.weight.into() && depth <= caps.depth).then_some(self)
    }

    /// Returns the number of arguments of the functions in the column, if all take the same number.
    pub fn arity(&self) -> Option<u8> {
        match self {
            Same(value) => value.func_arity(),
            Funcs(op, captured) => Closure::arity_given(*op, captured.first()?.arity()),
            _ => None,
        }
    }

    pub fn truth_values(self, arena: &'a Arena, n: usize) -> &'a [bool] {
        match self {
            Bools(bools) => bools,
            Zipped(_) | Funcs(..) => arena.repeat(n, true),
            _ => arena.gather((0..n).map(|index| self.stored(index).is_some_and(Value::truth))),
        }
    }

    /// Returns the index of the first greatest or least value in `range`. Only for numbers and pairs: other
    /// values may not be comparable.
    pub fn best(&self, range: Range<usize>, wanted: Ordering) -> Option<usize> {
        fn first<T: Copy>(values: &[T], range: Range<usize>, beats: impl Fn(T, T) -> bool) -> Option<usize> {
            range.reduce(|best, index| if beats(values[index], values[best]) { index } else { best })
        }
        match self {
            Ints(ints) => first(ints, range, |a, b| a.cmp(&b) == wanted),
            Pairs(pairs) => first(pairs, range, |a, b| (a.row(), a.col()).cmp(&(b.row(), b.col())) == wanted),
            Same(Value::Int(_) | Value::Pair(_)) if !range.is_empty() => Some(range.start),
            _ => None,
        }
    }

    /// Returns the indices of the values in ascending order of these; the sort is stable. Only for numbers
    /// and pairs.
    pub fn sorted_indices(&self, arena: &'a Arena, n: usize) -> Option<&'a [usize]> {
        let indices = arena.repeat(n, 0);
        indices.iter_mut().zip(0..).for_each(|(to, index)| *to = index);
        match self {
            Ints(ints) => indices.sort_by_key(|index| ints[*index]),
            Pairs(pairs) => indices.sort_by_key(|index| pairs[*index].key()),
            Same(Value::Int(_) | Value::Pair(_)) => {}
            _ => return None,
        }
        Some(indices)
    }

    /// Repeats the column of `n` values as a whole.
    pub fn tiled(self, arena: &'a Arena, n: usize) -> Column<'a> {
        match self {
            Same(_) => self,
            Zipped([a, b]) => Column::zipped(arena, a.tiled(arena, n), b.tiled(arena, n)),
            Funcs(op, captured) => {
                Funcs(op, arena.gather(captured.iter().map(|column| column.tiled(arena, n))))
            }
            _ => Tiled(arena.alloc(self), n),
        }
    }

    /// Repeats each value `times` times.
    pub fn repeated(self, arena: &'a Arena, times: usize) -> Column<'a> {
        let all = |column: Column<'a>| column.repeated(arena, times);
        match self {
            Same(_) => self,
            Zipped([a, b]) => Column::zipped(arena, all(*a), all(*b)),
            Funcs(op, captured) => Funcs(op, arena.gather(captured.iter().map(|column| all(*column)))),
            _ => Repeated(arena.alloc(self), times),
        }
    }

    /// Returns the same `n` values without `Tiled` or `Repeated` at the top.
    pub fn flatten(self, arena: &'a Arena, n: usize) -> Column<'a> {
        match self {
            Tiled(column, m) => column.pick(arena, (0..n).map(|index| index % m)),
            Repeated(column, times) => column.pick(arena, (0..n).map(|index| index / times)),
            _ => self,
        }
    }

    /// Returns the values at these indices.
    pub fn pick(
        &self,
        arena: &'a Arena,
        indices: impl ExactSizeIterator<Item = usize> + Clone,
    ) -> Column<'a> {
        let pick = |column: &Column<'a>| column.pick(arena, indices.clone());
        match self {
            Same(value) => Same(*value),
            Bools(bools) => Bools(arena.gather(indices.map(|index| bools[index]))),
            Ints(ints) => Ints(arena.gather(indices.map(|index| ints[index]))),
            Pairs(pairs) => Pairs(arena.gather(indices.map(|index| pairs[index]))),
            Values(values) => Values(arena.gather(indices.map(|index| values[index]))),
            Zipped([a, b]) => Column::zipped(arena, pick(a), pick(b)),
            Funcs(op, captured) => Funcs(*op, arena.gather(captured.iter().map(pick))),
            Tiled(column, m) => {
                column.pick(arena, arena.gather(indices.map(|index| index % m)).iter().copied())
            }
            Repeated(column, times) => {
                column.pick(arena, arena.gather(indices.map(|index| index / times)).iter().copied())
            }
        }
    }

    /// Returns the address of the values. Columns with the same address and length are equal.
    pub fn address(&self) -> usize {
        match self {
            Same(_) => 0,
            Tiled(column, _) | Repeated(column, _) => std::ptr::from_ref(*column).addr(),
            Bools(bools) => bools.as_ptr().addr(),
            Ints(ints) => ints.as_ptr().addr(),
            Pairs(pairs) => pairs.as_ptr().addr(),
            Values(values) => values.as_ptr().addr(),
            Zipped(parts) => parts.as_ptr().addr(),
            Funcs(_, captured) => captured.as_ptr().addr(),
        }
    }
}

/// Returns upper bounds for the weight and the depth of a container of these parts.
fn container_extent(parts: &[Column<'_>]) -> (u64, u16) {
    let all = parts.iter().map(Column::max_extent);
    all.fold((1, 1), |(weight, depth), part| (weight + part.0, depth.max(part.1 + 1)))
}

/// Returns the places of a patch, in the order of its members.
fn places<'a>(arena: &'a Arena, patch: &Patch<'_>) -> &'a [Pair] {
    let places = arena.repeat(patch.count(), Pair::from_i32(0, 0));
    let mut next = 0;
    for (_, plane) in patch.planes() {
        for (row, word) in (i32::from(patch.row)..).zip(plane) {
            let mut bits = *word;
            while bits != 0 {
                places[next] = Pair::from_i32(row, i32::from(patch.col) + bits.trailing_zeros() as i32);
                next += 1;
                bits &= bits - 1;
            }
        }
    }
    places
}

/// Returns the colours of an object, in the order of its members.
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
