//! THE order, equality and identity of values. Nothing else in the engine compares values by itself.
//!
//! - [`cmp`] is the canonical order in which sets iterate: `None` < numbers < tuples < sets < functions;
//!   numbers by value, tuples member by member, sets as their ascending member lists, functions by name and
//!   then by what they hold.
//! - [`equal`] is Python's `==`: `True` equals `1`. Functions are equal when they are the same primitive, or the
//!   same combinator over equal values. Two values are equal exactly when `cmp` says so.
//! - [`identical`] also wants the same kinds all the way down: `True` and `1` are different answers.
//! - [`less`] is Python's `<`, which some pairs do not have, and which on sets means "proper subset".

use std::cmp::Ordering;

use crate::value::View;
use crate::{Arena, Bitmap, Kind, Pair, Value};

/// The canonical order.
pub fn cmp(a: Value<'_>, b: Value<'_>) -> Ordering {
    use Value::*;
    match (a, b) {
        (Int(a), Int(b)) => a.cmp(&b),
        (Pair(a), Pair(b)) => (a.row(), a.col()).cmp(&(b.row(), b.col())),
        (Cell(a), Cell(b)) => a.cmp(&b),
        (Row(a), Row(b)) => a.cells.cmp(b.cells),
        (Prim(a), Prim(b)) => a.id.cmp(&b.id),
        (Grid(a), Grid(b)) if a.width == b.width => a.cells.cmp(b.cells),
        // Rows of unequal length differ, so the first ones decide.
        (Grid(a), Grid(b)) => a.row(0).cmp(b.row(0)),
        (Patch(a), Patch(b)) if a.is_object() == b.is_object() => cmp_patches(a, b),
        (Set(a), Set(b)) => cmp_slices(a.items, b.items),
        (Tuple(a), Tuple(b)) => cmp_slices(a.items, b.items),
        _ => View::Value(a).cmp(View::Value(b)),
    }
}

/// The values in the canonical order, each once, of equal ones the first; `None` if they are so already. Values of one
/// form are sorted by numbers.
pub(crate) fn ascending<'a>(arena: &'a Arena, values: &[Value<'a>]) -> Option<&'a [Value<'a>]> {
    if let Some(places) = read_off(arena, values) {
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
        a.0.cmp(&b.0).then_with(|| cmp_tied(value(a.1), value(b.1)).then(a.1.cmp(&b.1)))
    });
    let n = dedup(keys, |a, b| a.0 == b.0 && equal(value(a.1), value(b.1)));
    Some(arena.gather(keys[..n].iter().map(|key| value(key.1))))
}

/// The same for many places, if they are not too far apart.
fn read_off<'a>(arena: &'a Arena, values: &[Value<'a>]) -> Option<&'a [Value<'a>]> {
    values.get(MANY)?.as_pair()?;
    let places = || values.iter().map(|value| value.as_pair());
    let (top, left, height, width) = Pair::bounds(places())?;
    let mut bitmap = Bitmap::new(arena, (top, left), (top + height, left + width), 0, values.len())?;
    places().flatten().for_each(|place| bitmap.add(place));
    bitmap.values(arena)
}

/// Fewer values are sorted sooner.
const MANY: usize = 32;

/// The keys of the values with their places, if all are of one form. Of empty sets, which come before all others, the
/// first is enough.
fn keys<'a>(arena: &'a Arena, values: &[Value<'a>]) -> Option<&'a mut [(u64, u32)]> {
    let kind = Some(values.iter().find_map(|value| form(*value))?);
    let patches = matches!(kind, Some(Form::Indices | Form::Object));
    let keys = arena.repeat(values.len(), (0, 0));
    let (mut n, mut empty) = (0, false);
    for (value, at) in values.iter().zip(0..) {
        let key = match *value {
            value if form(value) == kind => key(value)?,
            Value::Set(set) if set.items.is_empty() && patches => {
                if std::mem::replace(&mut empty, true) {
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

/// Moves the first of equal neighbours to the front and says how many there are.
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

/// A number that orders values of one form, as far as they differ in it.
fn key(value: Value<'_>) -> Option<u64> {
    match value {
        Value::Int(int) => Some(int as u64 ^ 1 << 63),
        Value::Pair(pair) => Some(pair.key()),
        Value::Cell(cell) => Some(cell.key()),
        Value::Patch(patch) => {
            let (color, row, col) = patch.first_key();
            let above = |n: i64| (n + (1 << 16)) as u64;
            Some(above(color) << 40 | above(row) << 20 | above(col))
        }
        _ => None,
    }
}

/// Python's `==`.
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

/// Equal, and of the same kinds all the way down.
pub fn identical(a: Value<'_>, b: Value<'_>) -> bool {
    use Value::*;
    // A value has one form, so different forms are different values.
    match (a, b) {
        (None, None) => true,
        (Bool(a), Bool(b)) => a == b,
        (Int(_), Int(_)) | (Pair(_), Pair(_)) | (Cell(_), Cell(_)) => equal(a, b),
        (Row(_), Row(_)) | (Grid(_), Grid(_)) | (Patch(_), Patch(_)) => equal(a, b),
        (Tuple(a), Tuple(b)) => same_members(a.items, b.items),
        (Set(a), Set(b)) => same_members(a.items, b.items),
        (Prim(a), Prim(b)) => a.id == b.id,
        (Func(a), Func(b)) => a.op == b.op && same_members(a.held, b.held),
        _ => false,
    }
}

/// Python's `<`: `None` where Python raises a type error.
pub fn less(a: Value<'_>, b: Value<'_>) -> Option<bool> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a < b),
        (Value::Pair(a), Value::Pair(b)) => Some((a.row(), a.col()) < (b.row(), b.col())),
        _ => View::Value(a).less(View::Value(b)),
    }
}

/// Their first members decide nearly always, since objects are disjoint.
fn cmp_patches(a: &crate::Patch<'_>, b: &crate::Patch<'_>) -> Ordering {
    a.first_key().cmp(&b.first_key()).then_with(|| cmp_tied_patches(a, b))
}

/// The order of values of one form with one [`key`].
fn cmp_tied(a: Value<'_>, b: Value<'_>) -> Ordering {
    match (a, b) {
        (Value::Patch(a), Value::Patch(b)) => cmp_tied_patches(a, b),
        _ => cmp(a, b),
    }
}

/// The order of patches that have their first member in common.
fn cmp_tied_patches(a: &crate::Patch<'_>, b: &crate::Patch<'_>) -> Ordering {
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

/// The same for patches of one plane each, `a` at most as far right as its words allow. The first member that only
/// one of them has decides: that one is smaller, unless the other has no more members and so is a prefix.
fn cmp_plane(a: &crate::Patch<'_>, b: &crate::Patch<'_>, by: i32) -> Ordering {
    for (row, (x, y)) in a.rows.iter().zip(b.rows).enumerate() {
        let (x, y) = (x << by, *y);
        if x == y {
            continue;
        }
        let bit = (x ^ y) & (x ^ y).wrapping_neg();
        let (other, rest) = if x & bit != 0 { (b, y) } else { (a, x) };
        let goes_on = rest & !(bit | (bit - 1)) != 0 || row + 1 < other.rows.len();
        return if (x & bit != 0) == goes_on { Ordering::Less } else { Ordering::Greater };
    }
    a.rows.len().cmp(&b.rows.len())
}

/// The same for patches of one kind that stand at most 64 columns apart.
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
            let goes_on = rest & !(bit | (bit - 1)) != 0
                || (row + 1..bottom).any(|row| word(other, plane, row) != 0)
                || other.colors & !(color | (color - 1)) != 0;
            return if (x & bit != 0) == goes_on { Ordering::Less } else { Ordering::Greater };
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

    /// `None` < numbers < tuples < sets < functions.
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
                // The first place where they differ decides, and it must be comparable.
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

/// Whether every member of `a` is in `b`; both ascend.
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
