//! The one order, equality and identity of values. No other code compares values in its own way.
//!
//! - [`cmp`] is the canonical order in which sets iterate: `None` < numbers < tuples < sets < functions;
//!   numbers by value, tuples member by member, sets as their ascending lists of members, functions by name
//!   and then by the values they captured.
//! - [`equal`] is Python's `==`: `True` equals `1`. Functions are equal if they are the same primitive, or
//!   the same combinator with equal captured values. It agrees with `cmp`.
//! - [`identical`] also requires the same kinds at all levels: `True` and `1` are different answers.
//! - [`less`] is Python's `<`: not defined for all values, and "proper subset" for sets.

use std::cmp::Ordering;

use crate::value::View;
use crate::{Arena, Bitmap, Kind, Pair, Value};

/// Compares in the canonical order.
pub fn cmp(a: Value<'_>, b: Value<'_>) -> Ordering {
    use Value::*;
    match (a, b) {
        (Int(a), Int(b)) => a.cmp(&b),
        (Pair(a), Pair(b)) => (a.row(), a.col()).cmp(&(b.row(), b.col())),
        (Cell(a), Cell(b)) => a.cmp(&b),
        (Row(a), Row(b)) => a.cells.cmp(b.cells),
        (Prim(a), Prim(b)) => a.id.cmp(&b.id),
        (Grid(a), Grid(b)) if a.width == b.width => a.cells.cmp(b.cells),
        // Rows of different lengths differ, so the first rows decide.
        (Grid(a), Grid(b)) => a.row(0).cmp(b.row(0)),
        (Patch(a), Patch(b)) if a.is_object() == b.is_object() => cmp_patches(a, b),
        (Set(a), Set(b)) => cmp_slices(a.items, b.items),
        (Tuple(a), Tuple(b)) => cmp_slices(a.items, b.items),
        _ => View::Value(a).cmp(View::Value(b)),
    }
}

/// Returns the values in canonical order, keeping the first of equal ones; `None` if they are in that form
/// already. Values of one form are sorted by integer keys.
pub(crate) fn sort<'a>(arena: &'a Arena, values: &[Value<'a>]) -> Option<&'a [Value<'a>]> {
    if let Some(places) = sort_places(arena, values) {
        return Some(places);
    }
    let Some(keys) = keys(arena, values) else {
        if values.is_sorted_by(|a, b| cmp(*a, *b).is_lt()) {
            return None;
        }
        let sorted = arena.copy(values);
        sorted.sort_by(|a, b| cmp(*a, *b));
        let n = dedup(sorted, |a, b| equal(*a, *b));
        return Some(&sorted[..n]);
    };
    if keys.len() == values.len() && keys.is_sorted_by(|a, b| a.0 < b.0) {
        return None;
    }
    let value = |at: u32| values[at as usize];
    keys.sort_unstable_by(|a, b| {
        a.0.cmp(&b.0).then_with(|| cmp_same_key(value(a.1), value(b.1)).then(a.1.cmp(&b.1)))
    });
    let n = dedup(keys, |a, b| a.0 == b.0 && equal(value(a.1), value(b.1)));
    Some(arena.gather(keys[..n].iter().map(|key| value(key.1))))
}

/// [`sort`] for many places that are not too far apart.
fn sort_places<'a>(arena: &'a Arena, values: &[Value<'a>]) -> Option<&'a [Value<'a>]> {
    values.get(MIN_FOR_BITMAP)?.as_pair()?;
    let places = || values.iter().map(|value| value.as_pair());
    let (top, left, height, width) = Pair::bounds(places())?;
    let mut bitmap = Bitmap::new(arena, (top, left), (top + height, left + width), 0, values.len())?;
    places().flatten().for_each(|place| bitmap.add(place));
    bitmap.values(arena)
}

/// Fewer values are faster to sort.
const MIN_FOR_BITMAP: usize = 32;

/// Returns the keys of the values with their indices, if all have one form. Empty sets are allowed among
/// patches: they sort first, and only the first one is kept.
fn keys<'a>(arena: &'a Arena, values: &[Value<'a>]) -> Option<&'a mut [(u64, u32)]> {
    let expected = Some(values.iter().find_map(|value| form(*value))?);
    let patches = matches!(expected, Some(Form::Indices | Form::Object));
    let keys = arena.repeat(values.len(), (0, 0));
    let (mut n, mut has_empty) = (0, false);
    for (value, at) in values.iter().zip(0..) {
        let key = match *value {
            value if form(value) == expected => key(value)?,
            Value::Set(set) if set.items.is_empty() && patches => {
                if std::mem::replace(&mut has_empty, true) {
                    continue;
                }
                0
            }
            _ => return None,
        };
        keys[n] = (key, at);
        n += 1;
    }
    Some(&mut keys[..n])
}

/// Moves the first of each group of equal neighbours to the front and returns the number of groups.
fn dedup<T: Copy>(sorted: &mut [T], same: impl Fn(&T, &T) -> bool) -> usize {
    let mut n = 1;
    for at in 1..sorted.len() {
        if !same(&sorted[n - 1], &sorted[at]) {
            sorted[n] = sorted[at];
            n += 1;
        }
    }
    n
}

/// Forms whose values have a [`key`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Int,
    Pair,
    Cell,
    Indices,
    Object,
}

fn form(value: Value<'_>) -> Option<Form> {
    match value {
        Value::Int(_) => Some(Form::Int),
        Value::Pair(_) => Some(Form::Pair),
        Value::Cell(_) => Some(Form::Cell),
        Value::Patch(patch) => Some(if patch.is_object() { Form::Object } else { Form::Indices }),
        _ => None,
    }
}

/// Returns an integer that orders values of one form. Patches with the same key may differ.
fn key(value: Value<'_>) -> Option<u64> {
    match value {
        Value::Int(int) => Some(int as u64 ^ 1 << 63),
        Value::Pair(pair) => Some(pair.key()),
        Value::Cell(cell) => Some(cell.key()),
        Value::Patch(patch) => {
            let (color, row, col) = patch.first_key();
            let biased = |n: i64| (n + (1 << 16)) as u64;
            Some(biased(color) << 40 | biased(row) << 20 | biased(col))
        }
        _ => None,
    }
}

/// Compares as Python's `==` does.
pub fn equal(a: Value<'_>, b: Value<'_>) -> bool {
    use Value::*;
    match (a, b) {
        (Int(a), Int(b)) => a == b,
        (Pair(a), Pair(b)) => a == b,
        (Cell(a), Cell(b)) => a == b,
        (Row(a), Row(b)) => a.cells == b.cells,
        (Grid(a), Grid(b)) => a.width == b.width && a.cells == b.cells,
        (Patch(a), Patch(b)) => same_patch(a, b),
        (Tuple(a), Tuple(b)) if std::ptr::eq(a, b) => true,
        (Set(a), Set(b)) if std::ptr::eq(a, b) => true,
        (Func(a), Func(b)) if std::ptr::eq(a, b) => true,
        _ => match (a.len(), b.len()) {
            (Some(n), Some(m)) if n != m => false,
            _ => cmp(a, b).is_eq(),
        },
    }
}

/// Returns whether the values are equal and of the same kinds at all levels.
pub fn identical(a: Value<'_>, b: Value<'_>) -> bool {
    use Value::*;
    // Each value has one form, so different forms are different values.
    match (a, b) {
        (None, None) => true,
        (Bool(a), Bool(b)) => a == b,
        (Int(_), Int(_)) | (Pair(_), Pair(_)) | (Cell(_), Cell(_)) => equal(a, b),
        (Row(_), Row(_)) | (Grid(_), Grid(_)) | (Patch(_), Patch(_)) => equal(a, b),
        (Tuple(a), Tuple(b)) => same_members(a.items, b.items),
        (Set(a), Set(b)) => same_members(a.items, b.items),
        (Prim(a), Prim(b)) => a.id == b.id,
        (Func(a), Func(b)) => a.op == b.op && same_members(a.captured, b.captured),
        _ => false,
    }
}

/// Compares as Python's `<` does; `None` where Python raises a type error.
pub fn less(a: Value<'_>, b: Value<'_>) -> Option<bool> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a < b),
        (Value::Pair(a), Value::Pair(b)) => Some((a.row(), a.col()) < (b.row(), b.col())),
        _ => View::Value(a).less(View::Value(b)),
    }
}

/// Objects are mostly disjoint, so the first members nearly always decide.
fn cmp_patches(a: &crate::Patch<'_>, b: &crate::Patch<'_>) -> Ordering {
    a.first_key().cmp(&b.first_key()).then_with(|| cmp_same_first(a, b))
}

/// Compares values of one form that have the same [`key`].
fn cmp_same_key(a: Value<'_>, b: Value<'_>) -> Ordering {
    match (a, b) {
        (Value::Patch(a), Value::Patch(b)) => cmp_same_first(a, b),
        _ => cmp(a, b),
    }
}

/// Compares patches that have the same first member.
fn cmp_same_first(a: &crate::Patch<'_>, b: &crate::Patch<'_>) -> Ordering {
    let single = |patch: &crate::Patch<'_>| patch.rows.len() == usize::from(patch.height);
    match i32::from(a.col) - i32::from(b.col) {
        by if single(a) && single(b) && (0..=64 - i32::from(a.width)).contains(&by) => cmp_plane(a, b, by),
        by if single(a) && single(b) && (0..=64 - i32::from(b.width)).contains(&-by) => {
            cmp_plane(b, a, -by).reverse()
        }
        -64..=64 => cmp_planes(a, b),
        _ => cmp_members(View::Value(Value::Patch(a)), View::Value(Value::Patch(b))),
    }
}

/// [`cmp_same_first`] for patches of one plane each; shifting the words of `a` left by `by` aligns them with
/// `b`. The first member that only one patch has decides: that patch is smaller, unless the other one ends
/// there.
fn cmp_plane(a: &crate::Patch<'_>, b: &crate::Patch<'_>, by: i32) -> Ordering {
    for (row, (x, y)) in a.rows.iter().zip(b.rows).enumerate() {
        let (x, y) = (x << by, *y);
        if x == y {
            continue;
        }
        let bit = (x ^ y) & (x ^ y).wrapping_neg();
        let (other, rest) = if x & bit != 0 { (b, y) } else { (a, x) };
        let continues = rest & !(bit | (bit - 1)) != 0 || row + 1 < other.rows.len();
        return if (x & bit != 0) == continues { Ordering::Less } else { Ordering::Greater };
    }
    a.rows.len().cmp(&b.rows.len())
}

/// [`cmp_same_first`] for patches of one kind that are at most 64 columns apart.
fn cmp_planes(a: &crate::Patch<'_>, b: &crate::Patch<'_>) -> Ordering {
    let left = a.col.min(b.col);
    let top = i32::from(a.row.min(b.row));
    let bottom = (i32::from(a.row) + i32::from(a.height)).max(i32::from(b.row) + i32::from(b.height));
    let word = |patch: &crate::Patch<'_>, plane: &[u64], row: i32| {
        let word = usize::try_from(row - i32::from(patch.row)).ok().and_then(|row| plane.get(row));
        u128::from(word.copied().unwrap_or(0)) << (patch.col - left)
    };
    let mut colors = (a.colors | b.colors).max(1);
    while colors != 0 {
        let color = colors & colors.wrapping_neg();
        let (a_plane, b_plane) = (a.plane(color), b.plane(color));
        for row in top..bottom {
            let (x, y) = (word(a, a_plane, row), word(b, b_plane, row));
            if x == y {
                continue;
            }
            let bit = (x ^ y) & (x ^ y).wrapping_neg();
            let (other, plane, rest) = if x & bit != 0 { (b, b_plane, y) } else { (a, a_plane, x) };
            let continues = rest & !(bit | (bit - 1)) != 0
                || (row + 1..bottom).any(|row| word(other, plane, row) != 0)
                || other.colors & !(color | (color - 1)) != 0;
            return if (x & bit != 0) == continues { Ordering::Less } else { Ordering::Greater };
        }
        colors ^= color;
    }
    Ordering::Equal
}

fn cmp_slices(a: &[Value<'_>], b: &[Value<'_>]) -> Ordering {
    for (a, b) in a.iter().zip(b) {
        match cmp(*a, *b) {
            Ordering::Equal => {}
            unequal => return unequal,
        }
    }
    a.len().cmp(&b.len())
}

fn same_members(a: &[Value<'_>], b: &[Value<'_>]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| identical(*a, *b))
}

fn same_patch(a: &crate::Patch<'_>, b: &crate::Patch<'_>) -> bool {
    (a.row, a.col, a.height, a.width, a.colors, a.count)
        == (b.row, b.col, b.height, b.width, b.colors, b.count)
        && a.rows == b.rows
}

impl View<'_> {
    fn kind(self) -> Kind {
        match self {
            View::Value(value) => value.kind(),
            View::Ints(_) => Kind::Tuple,
        }
    }

    /// Returns the rank of the kind: `None` < numbers < tuples < sets < functions.
    fn rank(self) -> u8 {
        match self.kind() {
            Kind::None => 0,
            Kind::Bool | Kind::Int => 1,
            Kind::Tuple => 2,
            Kind::Set => 3,
            Kind::Func => 4,
        }
    }

    fn len(self) -> usize {
        match self {
            View::Value(value) => value.len().unwrap_or(0),
            View::Ints(ints) => ints.len(),
        }
    }

    fn cmp(self, other: View<'_>) -> Ordering {
        self.rank().cmp(&other.rank()).then_with(|| match (self, other) {
            (View::Value(Value::None), _) => Ordering::Equal,
            (View::Ints(a), View::Ints(b)) => a.cmp(b),
            (View::Value(a), View::Value(b)) if self.rank() == 1 => a.as_int().cmp(&b.as_int()),
            (View::Value(a), View::Value(b)) if self.rank() == 4 => {
                func_name(a).cmp(func_name(b)).then_with(|| cmp_members(self, other))
            }
            _ => cmp_members(self, other),
        })
    }

    fn equal(self, other: View<'_>) -> bool {
        match (self, other) {
            (View::Value(a), View::Value(b)) => equal(a, b),
            (View::Ints(a), View::Ints(b)) => a == b,
            _ => self.cmp(other).is_eq(),
        }
    }

    fn less(self, other: View<'_>) -> Option<bool> {
        match (self.kind(), other.kind()) {
            (Kind::Bool | Kind::Int, Kind::Bool | Kind::Int) => Some(self.cmp(other).is_lt()),
            (Kind::Tuple, Kind::Tuple) => {
                // The first members that differ decide, and they must be comparable.
                for (a, b) in self.members().zip(other.members()) {
                    if !a.equal(b) {
                        return a.less(b);
                    }
                }
                Some(self.len() < other.len())
            }
            (Kind::Set, Kind::Set) => Some(self.len() < other.len() && subset(self, other)),
            _ => None,
        }
    }
}

fn func_name(value: Value<'_>) -> &'static str {
    match value {
        Value::Prim(symbol) => symbol.name,
        Value::Func(closure) => closure.op.name(),
        _ => "",
    }
}

fn cmp_members(a: View<'_>, b: View<'_>) -> Ordering {
    let (mut a, mut b) = (a.members(), b.members());
    loop {
        match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(a), Some(b)) => match a.cmp(b) {
                Ordering::Equal => {}
                unequal => return unequal,
            },
        }
    }
}

/// Returns whether every member of `a` is in `b`; both are ascending.
fn subset(a: View<'_>, b: View<'_>) -> bool {
    let mut b = b.members();
    a.members().all(|a| {
        b.by_ref().find_map(|b| match b.cmp(a) {
            Ordering::Less => None,
            Ordering::Equal => Some(true),
            Ordering::Greater => Some(false),
        }) == Some(true)
    })
}
