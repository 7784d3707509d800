//! The value type, and access to its members regardless of its form.

use crate::patch::PatchIter;
use crate::{Arena, Cell, Closure, Grid, Pair, Patch, Row, Symbol};

/// A value inside a run: `Copy`, 16 bytes. Each variant is one 8-byte scalar, so it is passed in registers.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    None,
    Bool(Bool),
    Int(i64),
    /// A tuple of two integers.
    Pair(Pair),
    /// A tuple of an integer and a pair.
    Cell(Cell),
    /// A tuple of small integers.
    Row(&'a Row<'a>),
    /// A tuple of rows of one width.
    Grid(&'a Grid<'a>),
    /// Any other tuple.
    Tuple(&'a Tuple<'a>),
    /// A set of pairs or of cells.
    Patch(&'a Patch<'a>),
    /// Any other set.
    Set(&'a Set<'a>),
    /// A primitive.
    Prim(&'static Symbol),
    /// A combinator with the values it captured.
    Func(&'a Closure<'a>),
}

/// `bool`, eight bytes wide (see [`Value`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Bool {
    False = 0,
    True = 1,
}

/// The type of a value, as CPython's `type()` reports it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Kind {
    None,
    Bool,
    Int,
    Tuple,
    Set,
    Func,
}

/// A tuple that has no compact form.
#[derive(Debug)]
pub struct Tuple<'a> {
    pub(crate) items: &'a [Value<'a>],
    pub(crate) weight: u32,
    pub(crate) depth: u16,
}

/// A set that does not fit in a [`Patch`], such as the empty set. Items are in ascending order.
#[derive(Debug)]
pub struct Set<'a> {
    pub(crate) items: &'a [Value<'a>],
    pub(crate) weight: u32,
    pub(crate) depth: u16,
}

impl<'a> Tuple<'a> {
    pub fn items(&self) -> &'a [Value<'a>] {
        self.items
    }
}

impl<'a> Set<'a> {
    pub fn items(&self) -> &'a [Value<'a>] {
        self.items
    }
}

static EMPTY_TUPLE: Tuple<'static> = Tuple { items: &[], weight: 1, depth: 1 };
static EMPTY_SET: Set<'static> = Set { items: &[], weight: 1, depth: 1 };

impl<'a> Value<'a> {
    pub const FALSE: Value<'static> = Value::Bool(Bool::False);
    pub const TRUE: Value<'static> = Value::Bool(Bool::True);
    pub const EMPTY_TUPLE: Value<'static> = Value::Tuple(&EMPTY_TUPLE);
    pub const EMPTY_SET: Value<'static> = Value::Set(&EMPTY_SET);

    pub fn kind(self) -> Kind {
        match self {
            Value::None => Kind::None,
            Value::Bool(_) => Kind::Bool,
            Value::Int(_) => Kind::Int,
            Value::Pair(_) | Value::Cell(_) | Value::Row(_) | Value::Grid(_) | Value::Tuple(_) => Kind::Tuple,
            Value::Patch(_) | Value::Set(_) => Kind::Set,
            Value::Prim(_) | Value::Func(_) => Kind::Func,
        }
    }

    pub fn is_tuple(self) -> bool {
        self.kind() == Kind::Tuple
    }

    pub fn is_set(self) -> bool {
        self.kind() == Kind::Set
    }

    pub fn as_pair(self) -> Option<Pair> {
        match self {
            Value::Pair(pair) => Some(pair),
            _ => None,
        }
    }

    /// Returns the integer. Booleans are integers, as in Python.
    pub fn as_int(self) -> Option<i64> {
        match self {
            Value::Int(int) => Some(int),
            Value::Bool(bool) => Some(bool as i64),
            _ => None,
        }
    }

    /// Returns Python's truth value: zero, `None` and empty containers are false.
    pub fn truth(self) -> bool {
        match self {
            Value::None => false,
            Value::Bool(bool) => bool == Bool::True,
            Value::Int(int) => int != 0,
            _ => self.len() != Some(0),
        }
    }

    /// Returns the number of members of a tuple or set.
    #[expect(
        clippy::len_without_is_empty,
        reason = "a scalar has no length, so is_empty would be undefined for it"
    )]
    pub fn len(self) -> Option<usize> {
        match self {
            Value::Pair(_) | Value::Cell(_) => Some(2),
            Value::Row(row) => Some(row.cells.len()),
            Value::Grid(grid) => Some(grid.height()),
            Value::Tuple(tuple) => Some(tuple.items.len()),
            Value::Patch(patch) => Some(patch.count()),
            Value::Set(set) => Some(set.items.len()),
            Value::None | Value::Bool(_) | Value::Int(_) | Value::Prim(_) | Value::Func(_) => None,
        }
    }

    /// Returns the members of a tuple in order, or those of a set in ascending order. Rows of a grid are
    /// allocated in `arena`.
    pub fn items(self, arena: &'a Arena) -> Option<Items<'a>> {
        self.len()?;
        Some(Items { members: View::Value(self).members(), arena })
    }

    /// Returns member `index` of a tuple.
    pub fn get(self, arena: &'a Arena, index: usize) -> Option<Value<'a>> {
        match self {
            Value::Pair(pair) => [pair.row(), pair.col()].get(index).map(|&int| Value::Int(int)),
            Value::Cell(cell) => match index {
                0 => Some(Value::Int(cell.color())),
                1 => Some(Value::Pair(cell.place())),
                _ => None,
            },
            Value::Row(row) => row.cells.get(index).map(|&int| Value::Int(int.into())),
            Value::Grid(grid) => (index < grid.height()).then(|| arena.row(grid.row(index))),
            Value::Tuple(tuple) => tuple.items.get(index).copied(),
            _ => None,
        }
    }

    /// Returns the number of arguments that a function takes.
    pub fn func_arity(self) -> Option<u8> {
        match self {
            Value::Prim(symbol) => Some(symbol.arity),
            Value::Func(closure) => Some(closure.arity),
            _ => None,
        }
    }

    /// Returns the number of nodes of the value as a tree: 1 for a scalar, 1 plus the weights of its members
    /// for a container. It does not depend on the form, and the arena's caps bound it.
    #[inline]
    pub fn weight(self) -> u32 {
        match self {
            Value::Int(_) => 1,
            Value::Grid(grid) => 1 + grid.height + grid.cells.len() as u32,
            Value::Patch(patch) => patch.extent().0,
            other => other.extent().0,
        }
    }

    /// Returns the nesting depth of the value: 0 for a scalar.
    pub fn depth(self) -> u16 {
        self.extent().1
    }

    /// Returns weight and depth. PERF: the most frequent members of containers come first, because a jump
    /// table costs more than the rest.
    #[inline(always)]
    pub(crate) fn extent(self) -> (u32, u16) {
        match self {
            Value::Pair(_) => (3, 1),
            Value::Cell(_) => (5, 2),
            Value::Patch(patch) => patch.extent(),
            other => other.other_extent(),
        }
    }

    #[inline(never)]
    fn other_extent(self) -> (u32, u16) {
        match self {
            Value::None | Value::Bool(_) | Value::Int(_) | Value::Prim(_) => (1, 0),
            Value::Pair(_) => (3, 1),
            Value::Cell(_) => (5, 2),
            Value::Row(row) => (1 + row.cells.len() as u32, 1),
            Value::Grid(grid) => (1 + grid.height + grid.cells.len() as u32, 2),
            Value::Tuple(tuple) => (tuple.weight, tuple.depth),
            Value::Patch(patch) => patch.extent(),
            Value::Set(set) => (set.weight, set.depth),
            Value::Func(closure) => (closure.weight, closure.depth),
        }
    }
}

impl From<bool> for Value<'_> {
    fn from(bool: bool) -> Self {
        if bool { Value::TRUE } else { Value::FALSE }
    }
}

impl From<i64> for Value<'_> {
    fn from(int: i64) -> Self {
        Value::Int(int)
    }
}

/// The members of a container. See [`Value::items`].
#[derive(Clone)]
pub struct Items<'a> {
    members: Members<'a>,
    arena: &'a Arena,
}

impl<'a> Iterator for Items<'a> {
    type Item = Value<'a>;

    #[inline]
    fn next(&mut self) -> Option<Value<'a>> {
        self.members.next().map(|view| match view {
            View::Value(value) => value,
            View::Ints(ints) => self.arena.row(ints),
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.members.size_hint()
    }

    /// Matches on the form once, not for every member.
    fn fold<B, F: FnMut(B, Value<'a>) -> B>(self, start: B, mut add: F) -> B {
        match self.members {
            Members::Values(values) => values.iter().fold(start, |sum, value| add(sum, *value)),
            Members::Ints(ints) => ints.iter().fold(start, |sum, int| add(sum, Value::Int((*int).into()))),
            Members::Rows(width, cells) => {
                cells.chunks_exact(width).fold(start, |sum, row| add(sum, self.arena.row(row)))
            }
            Members::Patch(iter) => iter.fold(start, add),
            Members::Two(items, next) => items.iter().skip(next).fold(start, |sum, item| add(sum, *item)),
        }
    }
}

impl ExactSizeIterator for Items<'_> {}

/// A value, or a row inside a grid for which no value has been made yet.
#[derive(Clone, Copy)]
pub(crate) enum View<'v> {
    Value(Value<'v>),
    Ints(&'v [i8]),
}

impl<'v> View<'v> {
    /// Returns the members of a container or the values that a function captured; nothing for a scalar.
    pub(crate) fn members(self) -> Members<'v> {
        let value = match self {
            View::Ints(ints) => return Members::Ints(ints),
            View::Value(value) => value,
        };
        match value {
            Value::Pair(pair) => Members::Two([Value::Int(pair.row()), Value::Int(pair.col())], 0),
            Value::Cell(cell) => Members::Two([Value::Int(cell.color()), Value::Pair(cell.place())], 0),
            Value::Row(row) => Members::Ints(row.cells),
            Value::Grid(grid) => Members::Rows(grid.width(), grid.cells),
            Value::Tuple(tuple) => Members::Values(tuple.items),
            Value::Patch(patch) => Members::Patch(patch.iter()),
            Value::Set(set) => Members::Values(set.items),
            Value::Func(closure) => Members::Values(closure.captured),
            Value::None | Value::Bool(_) | Value::Int(_) | Value::Prim(_) => Members::Values(&[]),
        }
    }
}

/// The members of a container in its own form.
#[derive(Clone)]
pub(crate) enum Members<'v> {
    Two([Value<'v>; 2], usize),
    Ints(&'v [i8]),
    Rows(usize, &'v [i8]),
    Values(&'v [Value<'v>]),
    Patch(PatchIter<'v>),
}

impl<'v> Iterator for Members<'v> {
    type Item = View<'v>;

    #[inline]
    fn next(&mut self) -> Option<View<'v>> {
        match self {
            Members::Two(items, next) => {
                let item = items.get(*next).copied();
                *next += 1;
                item.map(View::Value)
            }
            Members::Ints(ints) => {
                let (first, rest) = ints.split_first()?;
                *ints = rest;
                Some(View::Value(Value::Int((*first).into())))
            }
            Members::Rows(width, cells) => {
                if cells.is_empty() {
                    return None;
                }
                let (row, rest) = cells.split_at(*width);
                *cells = rest;
                Some(View::Ints(row))
            }
            Members::Values(values) => {
                let (first, rest) = values.split_first()?;
                *values = rest;
                Some(View::Value(*first))
            }
            Members::Patch(iter) => iter.next().map(View::Value),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let n = match self {
            Members::Two(_, next) => 2usize.saturating_sub(*next),
            Members::Ints(ints) => ints.len(),
            Members::Rows(width, cells) => cells.len() / width,
            Members::Values(values) => values.len(),
            Members::Patch(iter) => iter.len(),
        };
        (n, Some(n))
    }
}
