//! Kernels for sets of places and cells as bit planes.

use batt_dsl::Cx;
use batt_value::{Arena, Bitmap, Fail, Pair, Patch, Planes, Value};
use smallvec::{SmallVec, smallvec};

use super::Answer;
use super::container::{filter_list, insert_into_list, union_lists};

register! {
    P1: palette, merge, backdrop, delta, box = outline, outbox, inbox, corners, dneighbors, ineighbors, neighbors,
        vfrontier, hfrontier, hmirror, vmirror, dmirror;
    P2: combine, difference, intersection, insert, remove, connect, shoot, colorfilter, sizefilter;
}

pub(super) type Words = SmallVec<[u64; 20]>;

/// Returns top, left, bottom and right of a patch, all inclusive.
pub(super) fn bounds<'a>(arena: &'a Arena, patch: Value<'a>) -> Option<(i64, i64, i64, i64)> {
    let (row, col, height, width) = match as_patch(arena, patch) {
        Some(patch) => patch.bounds(),
        None => Pair::bounds(listed_places(patch)?.into_iter().map(Some))?,
    };
    Some((row, col, row + height - 1, col + width - 1))
}

/// Returns the places of a set in list form or of a tuple, in its order.
pub(super) fn listed_places(value: Value<'_>) -> Option<SmallVec<[Pair; 32]>> {
    match value {
        Value::Set(set) => places(set.items()).collect(),
        Value::Tuple(tuple) => places(tuple.items()).collect(),
        Value::Grid(grid) if grid.width() == 2 => {
            grid.rows().map(|row| Pair::new(row[0].into(), row[1].into())).collect()
        }
        _ => None,
    }
}

fn places(values: &[Value<'_>]) -> impl Iterator<Item = Option<Pair>> {
    values.iter().map(|value| value.as_pair())
}

/// Returns a patch, or makes one of a tuple of places or cells. A tuple of small places has the form of a
/// grid of width 2.
pub(super) fn as_patch<'a>(arena: &'a Arena, value: Value<'a>) -> Option<&'a Patch<'a>> {
    match value {
        Value::Patch(patch) => Some(patch),
        Value::Tuple(tuple) => match tuple.items().first()? {
            Value::Cell(_) | Value::Pair(_) => arena.patch_of(tuple.items()),
            _ => None,
        },
        Value::Grid(grid) if grid.width() == 2 => {
            let place = |row: &[i8]| Some(Value::Pair(Pair::new(row[0].into(), row[1].into())?));
            let places: Option<SmallVec<[Value<'a>; 32]>> = grid.rows().map(place).collect();
            arena.patch_of(&places?)
        }
        _ => None,
    }
}

fn palette<'a>(cx: &mut Cx<'a>, element: Value<'a>) -> Answer<'a> {
    match element {
        Value::Patch(patch) if patch.is_object() => {
            let colors: SmallVec<[Value<'a>; 16]> =
                patch.planes().map(|(color, _)| Value::Int(color)).collect();
            Some(cx.arena.set(&colors))
        }
        Value::Grid(grid) => {
            let colors: SmallVec<[Value<'a>; 16]> = super::grid::histogram(grid.cells())?
                .colors()
                .map(|(color, _)| Value::Int(color.into()))
                .collect();
            Some(cx.arena.set(&colors))
        }
        _ => None,
    }
}

fn colorfilter<'a>(cx: &mut Cx<'a>, objs: Value<'a>, value: Value<'a>) -> Answer<'a> {
    let (Value::Set(set), Value::Int(color)) = (objs, value) else { return None };
    let mut kept: SmallVec<[Value<'a>; 12]> = SmallVec::new();
    for item in set.items() {
        match item {
            Value::Patch(patch) if patch.is_object() => {
                if i64::from(patch.colors().trailing_zeros()) - 1 == color {
                    kept.push(*item);
                }
            }
            _ => return None,
        }
    }
    Some(subset(cx.arena, objs, &kept))
}

fn sizefilter<'a>(cx: &mut Cx<'a>, container: Value<'a>, n: Value<'a>) -> Answer<'a> {
    let (Value::Set(set), Value::Int(n)) = (container, n) else { return None };
    let mut kept: SmallVec<[Value<'a>; 12]> = SmallVec::new();
    for item in set.items() {
        if item.len()? as i64 == n {
            kept.push(*item);
        }
    }
    Some(subset(cx.arena, container, &kept))
}

/// Makes a set of some members of `set`, in its order.
fn subset<'a>(arena: &'a Arena, set: Value<'a>, kept: &[Value<'a>]) -> Result<Value<'a>, Fail> {
    if set.len() == Some(kept.len()) { Ok(set) } else { arena.set_ascending(kept) }
}

fn merge<'a>(cx: &mut Cx<'a>, containers: Value<'a>) -> Answer<'a> {
    match containers {
        Value::Set(set) => union(cx.arena, set.items()),
        Value::Tuple(tuple) => concat_rows(cx.arena, tuple.items()),
        _ => None,
    }
}

/// Concatenates the rows of all grids, if they have one width.
fn concat_rows<'a>(arena: &'a Arena, grids: &[Value<'a>]) -> Answer<'a> {
    let Value::Grid(first) = grids.first()? else { return None };
    let mut n_rows = 0;
    for grid in grids {
        match grid {
            Value::Grid(grid) if grid.width() == first.width() => n_rows += grid.height(),
            _ => return None,
        }
    }
    Some(arena.new_grid(n_rows, first.width(), |cells| {
        let mut rest = cells;
        for grid in grids {
            let Value::Grid(grid) = grid else { continue };
            let (to, after) = rest.split_at_mut(grid.cells().len());
            to.copy_from_slice(grid.cells());
            rest = after;
        }
    }))
}

/// Makes the union of patches of one kind; empty sets among them are ignored.
pub(super) fn union<'a>(arena: &'a Arena, patches: &[Value<'a>]) -> Answer<'a> {
    let mut object = None;
    let (mut top, mut left, mut bottom, mut right) = (i64::MAX, i64::MAX, i64::MIN, i64::MIN);
    let mut colors = 0;
    let mut only = None;
    let (mut n, mut count) = (0, 0);
    let mut listed = false;
    for item in patches {
        let (is_object, bounds) = match *item {
            Value::Patch(patch) => {
                colors |= patch.colors();
                count += patch.count();
                (patch.is_object(), patch.bounds())
            }
            Value::Set(set) if set.items().is_empty() => continue,
            Value::Set(set) => {
                listed = true;
                count += set.items().len();
                (false, Pair::bounds(places(set.items()))?)
            }
            _ => return None,
        };
        if *object.get_or_insert(is_object) != is_object {
            return None;
        }
        let (row, col, height, width) = bounds;
        (top, left) = (top.min(row), left.min(col));
        (bottom, right) = (bottom.max(row + height), right.max(col + width));
        only = Some(*item);
        n += 1;
    }
    if n <= 1 {
        return Some(Ok(only.unwrap_or(Value::EMPTY_SET)));
    }
    let fits = right - left <= Patch::MAX_WIDTH && bottom - top <= Patch::MAX_HEIGHT;
    if !fits || listed {
        let cells =
            wide_union(arena, patches, Bitmap::new(arena, (top, left), (bottom, right), colors, count)?)?;
        return Some(if fits { arena.set_ascending(cells) } else { arena.list_set(cells) });
    }
    let height = (bottom - top) as usize;
    let starts = plane_starts(colors, height);
    let n_words = height * n_planes(colors);
    if !Arena::fits_planes(n_words, count) {
        return None;
    }
    let words = arena.words(n_words, 0);
    for item in patches {
        let Value::Patch(patch) = item else { continue };
        let (row, col, _, _) = patch.bounds();
        let (skip, shift) = ((row - top) as usize, col - left);
        let add = |to: &mut [u64], plane: &[u64]| {
            to.iter_mut().zip(plane).for_each(|(to, from)| *to |= from << shift);
        };
        if n_words == height {
            add(&mut words[skip..], patch.rows());
            continue;
        }
        for (color, plane) in patch.planes() {
            add(&mut words[starts[(color + 1) as usize & 15] + skip..], plane);
        }
    }
    arena.patch_counted(Planes { row: top, col: left, height, colors, words }, (right - left) as u32)
}

/// Returns the number of planes of a patch with these colours.
pub(super) fn n_planes(colors: u16) -> usize {
    // Most patches have one plane.
    if colors & colors.wrapping_sub(1) == 0 { 1 } else { colors.count_ones() as usize }
}

/// Returns the start of each colour's plane, from colour -1 on, if planes are `height` words long.
pub(super) fn plane_starts(colors: u16, height: usize) -> [usize; 16] {
    let mut starts = [0; 16];
    let mut rest = colors & colors.wrapping_sub(1);
    let mut next = height;
    while rest != 0 {
        starts[rest.trailing_zeros() as usize & 15] = next;
        next += height;
        rest &= rest - 1;
    }
    starts
}

/// Returns the members of a union that does not fit in bit planes.
fn wide_union<'a>(
    arena: &'a Arena,
    patches: &[Value<'a>],
    mut bitmap: Bitmap<'a>,
) -> Option<&'a [Value<'a>]> {
    for item in patches {
        match item {
            Value::Patch(patch) => bitmap.add_patch(patch),
            Value::Set(set) => places(set.items()).flatten().for_each(|place| bitmap.add(place)),
            _ => return None,
        }
    }
    bitmap.values(arena)
}

/// Returns the index of the plane of a colour among `colors`.
pub(super) fn plane_index(colors: u16, color: i64) -> usize {
    (colors & ((1u16 << (color + 1)) - 1)).count_ones() as usize
}

pub(super) fn combine<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> Answer<'a> {
    match (a, b) {
        (Value::Set(p), Value::Set(q)) => {
            union(cx.arena, &[a, b]).or_else(|| union_lists(cx.arena, p.items(), q.items()))
        }
        (Value::Patch(_) | Value::Set(_), Value::Patch(_) | Value::Set(_)) => union(cx.arena, &[a, b]),
        _ => None,
    }
}

/// Shifts a word to the right by `by` columns, or to the left if it is negative.
pub(super) fn aligned(word: u64, by: i64) -> u64 {
    match by {
        0..64 => word << by,
        -63..0 => word >> -by,
        _ => 0,
    }
}

/// Returns the members of `a` that are in `b`, or if `keep` is false those that are not.
fn select<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>, keep: bool) -> Answer<'a> {
    let (Value::Patch(p), Value::Patch(q)) = (a, b) else { return None };
    if p.is_object() != q.is_object() {
        return None;
    }
    let (row, col, height, width) = p.bounds();
    let (other_row, other_col, other_height, other_width) = q.bounds();
    // The rows that both boxes have.
    let (first, last) = (row.max(other_row) - row, (row + height).min(other_row + other_height) - row);
    if first >= last || col >= other_col + other_width || other_col >= col + width {
        return Some(Ok(if keep { Value::EMPTY_SET } else { a }));
    }
    let (height, first, last) = (height as usize, first as usize, last as usize);
    let skip = (row + first as i64 - other_row) as usize;
    if p.rows().len() == height && p.colors() == q.colors() {
        // The boxes overlap, so they are less than 64 columns apart.
        let (left, right) = ((other_col - col).max(0), (col - other_col).max(0));
        let common = |(word, other): (&u64, &u64)| word & (other << left >> right);
        let (p_rows, q_rows) = (&p.rows()[first..last], &q.rows()[skip..]);
        if p_rows.iter().zip(q_rows).all(|both| common(both) == 0) {
            return Some(Ok(if keep { Value::EMPTY_SET } else { a }));
        }
        let words = cx.arena.copy_words(if keep { p_rows } else { p.rows() });
        let to = if keep { &mut *words } else { &mut words[first..last] };
        for (to, both) in to.iter_mut().zip(p_rows.iter().zip(q_rows)) {
            let common = common(both);
            *to = if keep { common } else { *to ^ common };
        }
        let row = if keep { row + first as i64 } else { row };
        return cx.arena.patch_plane(row, col, p.colors(), words);
    }
    let mut words: Words = if keep { smallvec![0; p.rows().len()] } else { Words::from_slice(p.rows()) };
    let mut changed = 0;
    for (i, (color, plane)) in p.planes().enumerate() {
        let other = q.planes().find(|(other, _)| *other == color);
        let Some((_, other)) = other else {
            changed |= u64::from(keep);
            continue;
        };
        let to = &mut words[i * height..][..height];
        for ((to, word), other) in to[first..last].iter_mut().zip(&plane[first..last]).zip(&other[skip..]) {
            let common = word & aligned(*other, other_col - col);
            *to = if keep { common } else { word ^ common };
            changed |= *to ^ word;
        }
        if keep && last - first < height {
            // The box is tight, so losing the first or the last row is a change.
            changed = 1;
        }
    }
    if changed == 0 {
        return Some(Ok(a));
    }
    cx.arena.patch(Planes { row, col, height, colors: p.colors(), words: &words })
}

pub(super) fn difference<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> Answer<'a> {
    match (a, b) {
        (Value::Set(_), Value::Set(other)) => filter_list(cx.arena, a, other.items(), false),
        _ => select(cx, a, b, false),
    }
}

pub(super) fn intersection<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> Answer<'a> {
    match (a, b) {
        (Value::Set(set), _) if set.items().is_empty() && b.is_set() => Some(Ok(a)),
        (_, Value::Set(set)) if set.items().is_empty() && a.is_set() => Some(Ok(b)),
        (Value::Set(set), Value::Patch(patch)) | (Value::Patch(patch), Value::Set(set)) => {
            places_in_patch(cx.arena, set.items(), patch)
        }
        // The members come from the smaller set, as in CPython.
        (Value::Set(p), Value::Set(q)) if p.items().len() < q.items().len() => {
            filter_list(cx.arena, a, q.items(), true)
        }
        (Value::Set(p), Value::Set(_)) => filter_list(cx.arena, b, p.items(), true),
        _ => select(cx, a, b, true),
    }
}

/// Returns the places of a set in list form that are also in a patch.
fn places_in_patch<'a>(arena: &'a Arena, items: &[Value<'a>], patch: &Patch<'a>) -> Answer<'a> {
    let mut kept: SmallVec<[Value<'a>; 32]> = SmallVec::new();
    for item in items {
        let Value::Pair(place) = item else { return None };
        if patch.covers(place.row(), place.col()) && !patch.is_object() {
            kept.push(*item);
        }
    }
    Some(arena.set_ascending(&kept))
}

fn insert<'a>(cx: &mut Cx<'a>, value: Value<'a>, container: Value<'a>) -> Answer<'a> {
    let patch = match container {
        Value::Patch(patch) => patch,
        _ => return insert_into_list(cx.arena, container, value),
    };
    match value {
        Value::Pair(_) if !patch.is_object() => {}
        Value::Cell(_) if patch.is_object() => {}
        _ => return None,
    }
    let one = cx.arena.set(&[value]).ok()?;
    union(cx.arena, &[container, one])
}

fn remove<'a>(cx: &mut Cx<'a>, value: Value<'a>, container: Value<'a>) -> Answer<'a> {
    match (value, container) {
        (Value::Pair(_), Value::Patch(patch)) if !patch.is_object() => {
            let one = cx.arena.set(&[value]).ok()?;
            select(cx, container, one, false)
        }
        (Value::Cell(_), Value::Patch(patch)) if patch.is_object() => {
            let one = cx.arena.set(&[value]).ok()?;
            select(cx, container, one, false)
        }
        (Value::Patch(_), Value::Set(set)) => {
            let kept = set.items().iter().filter(|item| !batt_value::order::equal(**item, value));
            let kept: SmallVec<[Value<'a>; 12]> = kept.copied().collect();
            Some(subset(cx.arena, container, &kept))
        }
        _ => None,
    }
}

/// Returns a word with the lowest `width` bits set.
pub(super) fn ones(width: i64) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

fn rectangle<'a>(arena: &'a Arena, row: i64, col: i64, height: i64, width: i64) -> Answer<'a> {
    if !(1..=255).contains(&height) || !(1..=64).contains(&width) {
        return None;
    }
    let words = arena.words(height as usize, ones(width));
    let planes = Planes { row, col, height: height as usize, colors: 0, words };
    arena.patch_tight(planes, width as u32, (height * width) as u32)
}

fn backdrop<'a>(cx: &mut Cx<'a>, patch: Value<'a>) -> Answer<'a> {
    let Value::Patch(patch) = patch else { return None };
    let (row, col, height, width) = patch.bounds();
    rectangle(cx.arena, row, col, height, width)
}

fn delta<'a>(cx: &mut Cx<'a>, patch: Value<'a>) -> Answer<'a> {
    let is_tuple = patch.is_tuple();
    let patch = as_patch(cx.arena, patch)?;
    // The body fails on tuples of places.
    if is_tuple && !patch.is_object() {
        return None;
    }
    let (row, col, height, width) = patch.bounds();
    // The body makes the set of all places of the box, which would have to be within the caps.
    if cx.arena.admit((3 * height * width) as usize).is_err() {
        return None;
    }
    let words = cx.arena.words(height as usize, ones(width));
    for (_, plane) in patch.planes() {
        words.iter_mut().zip(plane).for_each(|(to, from)| *to &= !from);
    }
    cx.arena.patch_plane(row, col, 0, words)
}

/// Makes the outline of the rectangle between two corners, given in any order.
fn ring<'a>(arena: &'a Arena, a: (i64, i64), b: (i64, i64)) -> Answer<'a> {
    let (top, bottom) = (a.0.min(b.0), a.0.max(b.0));
    let (left, right) = (a.1.min(b.1), a.1.max(b.1));
    let (height, width) = (bottom - top + 1, right - left + 1);
    if height > 255 || width > 64 {
        return wide_ring(arena, (top, left), (bottom, right));
    }
    let words = arena.words(height as usize, 1 | 1 << (width - 1));
    words[0] = ones(width);
    words[height as usize - 1] = ones(width);
    let inside = (height - 2).max(0) * (width - 2).max(0);
    let planes = Planes { row: top, col: left, height: height as usize, colors: 0, words };
    arena.patch_tight(planes, width as u32, (height * width - inside) as u32)
}

/// Makes a ring that does not fit in a bit plane.
fn wide_ring<'a>(arena: &'a Arena, (top, left): (i64, i64), (bottom, right): (i64, i64)) -> Answer<'a> {
    if bottom - top > 1000 || right - left > 1000 {
        return None;
    }
    let mut places: SmallVec<[Value<'a>; 32]> =
        SmallVec::with_capacity(2 * (bottom - top + right - left + 2) as usize);
    for row in top..=bottom {
        // Rows between the first and the last one have only the two sides.
        let step = if row == top || row == bottom { 1 } else { (right - left).max(1) };
        for col in (left..=right).step_by(step as usize) {
            places.push(Value::Pair(Pair::new(row, col)?));
        }
    }
    Some(arena.set_ascending(&places))
}

fn outline<'a>(cx: &mut Cx<'a>, patch: Value<'a>) -> Answer<'a> {
    let (top, left, bottom, right) = bounds(cx.arena, patch)?;
    ring(cx.arena, (top, left), (bottom, right))
}

fn outbox<'a>(cx: &mut Cx<'a>, patch: Value<'a>) -> Answer<'a> {
    let (top, left, bottom, right) = bounds(cx.arena, patch)?;
    ring(cx.arena, (top - 1, left - 1), (bottom + 1, right + 1))
}

fn inbox<'a>(cx: &mut Cx<'a>, patch: Value<'a>) -> Answer<'a> {
    let (top, left, bottom, right) = bounds(cx.arena, patch)?;
    ring(cx.arena, (top + 1, left + 1), (bottom - 1, right - 1))
}

fn corners<'a>(cx: &mut Cx<'a>, patch: Value<'a>) -> Answer<'a> {
    let (top, left, bottom, right) = bounds(cx.arena, patch)?;
    let corners = [(top, left), (top, right), (bottom, left), (bottom, right)];
    let corners = corners
        .map(|(row, col)| Value::Pair(Pair::new(row, col).expect("the places of a patch fit in 17 bits")));
    Some(cx.arena.set(&corners))
}

fn around<'a>(cx: &mut Cx<'a>, loc: Value<'a>, words: &'static [u64; 3], count: u32) -> Answer<'a> {
    let Value::Pair(loc) = loc else { return None };
    let planes = Planes { row: loc.row() - 1, col: loc.col() - 1, height: 3, colors: 0, words };
    cx.arena.patch_tight(planes, 3, count)
}

fn dneighbors<'a>(cx: &mut Cx<'a>, loc: Value<'a>) -> Answer<'a> {
    around(cx, loc, &[0b010, 0b101, 0b010], 4)
}

fn ineighbors<'a>(cx: &mut Cx<'a>, loc: Value<'a>) -> Answer<'a> {
    around(cx, loc, &[0b101, 0b000, 0b101], 4)
}

fn neighbors<'a>(cx: &mut Cx<'a>, loc: Value<'a>) -> Answer<'a> {
    around(cx, loc, &[0b111, 0b101, 0b111], 8)
}

fn vfrontier<'a>(cx: &mut Cx<'a>, location: Value<'a>) -> Answer<'a> {
    let Value::Pair(location) = location else { return None };
    rectangle(cx.arena, 0, location.col(), 30, 1)
}

fn hfrontier<'a>(cx: &mut Cx<'a>, location: Value<'a>) -> Answer<'a> {
    let Value::Pair(location) = location else { return None };
    rectangle(cx.arena, location.row(), 0, 1, 30)
}

pub(super) fn connect<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> Answer<'a> {
    let (Value::Pair(a), Value::Pair(b)) = (a, b) else { return None };
    line(cx.arena, (a.row(), a.col()), (b.row(), b.col()))
}

fn shoot<'a>(cx: &mut Cx<'a>, start: Value<'a>, direction: Value<'a>) -> Answer<'a> {
    let (Value::Pair(start), Value::Pair(direction)) = (start, direction) else { return None };
    let (row, col) = (start.row(), start.col());
    line(cx.arena, (row, col), (row + 42 * direction.row(), col + 42 * direction.col()))
}

/// Makes the straight line between two places; empty if they are not on a row, a column or a diagonal.
fn line<'a>(arena: &'a Arena, a: (i64, i64), b: (i64, i64)) -> Answer<'a> {
    let (down, right) = (b.0 - a.0, b.1 - a.1);
    let (top, left) = (a.0.min(b.0), a.1.min(b.1));
    if down == 0 || right == 0 {
        return rectangle(arena, top, left, down.abs() + 1, right.abs() + 1);
    }
    if down.abs() != right.abs() {
        return Some(Ok(Value::EMPTY_SET));
    }
    let n = down.abs() + 1;
    if n > 64 {
        return None;
    }
    let falling = (down > 0) == (right > 0);
    let words = arena.words(n as usize, 0);
    for (i, word) in words.iter_mut().enumerate() {
        *word = 1 << if falling { i } else { n as usize - 1 - i };
    }
    arena.patch_tight(
        Planes { row: top, col: left, height: n as usize, colors: 0, words },
        n as u32,
        n as u32,
    )
}

/// Returns the places of a patch as one plane, regardless of colours.
pub(super) fn flatten<'a>(arena: &'a Arena, patch: &Patch<'a>) -> &'a [u64] {
    let (first, others) = patch.rows().split_at(patch.bounds().2 as usize);
    if others.is_empty() {
        return first;
    }
    let words = arena.copy_words(first);
    for plane in others.chunks_exact(first.len()) {
        words.iter_mut().zip(plane).for_each(|(to, from)| *to |= from);
    }
    words
}

fn hmirror<'a>(cx: &mut Cx<'a>, piece: Value<'a>) -> Answer<'a> {
    let patch = match piece {
        Value::Grid(grid) => return super::grid::hmirror(cx.arena, grid),
        Value::Patch(patch) => patch,
        _ => return None,
    };
    let (row, col, height, width) = patch.bounds();
    let words = cx.arena.words(patch.rows().len(), 0);
    words.copy_from_slice(patch.rows());
    words.chunks_exact_mut(height as usize).for_each(<[u64]>::reverse);
    let planes = Planes { row, col, height: height as usize, colors: patch.colors(), words };
    cx.arena.patch_tight(planes, width as u32, patch.count() as u32)
}

pub(super) fn vmirror<'a>(cx: &mut Cx<'a>, piece: Value<'a>) -> Answer<'a> {
    let patch = match piece {
        Value::Grid(grid) => return super::grid::vmirror(cx.arena, grid),
        Value::Patch(patch) => patch,
        _ => return None,
    };
    let (row, col, height, width) = patch.bounds();
    let words = cx.arena.words(patch.rows().len(), 0);
    words.iter_mut().zip(patch.rows()).for_each(|(to, word)| *to = word.reverse_bits() >> (64 - width));
    let planes = Planes { row, col, height: height as usize, colors: patch.colors(), words };
    cx.arena.patch_tight(planes, width as u32, patch.count() as u32)
}

pub(super) fn dmirror<'a>(cx: &mut Cx<'a>, piece: Value<'a>) -> Answer<'a> {
    let patch = match piece {
        Value::Grid(grid) => return super::grid::dmirror(cx.arena, grid),
        Value::Patch(patch) => patch,
        _ => return None,
    };
    let (row, col, height, width) = patch.bounds();
    if height > 64 {
        return None;
    }
    // Mirrored, the planes have another number of words.
    let n_words = n_planes(patch.colors()) * width as usize;
    if !Arena::fits_planes(n_words, patch.count()) {
        return None;
    }
    let words = cx.arena.words(n_words, 0);
    for (p, (_, plane)) in patch.planes().enumerate() {
        for (i, word) in plane.iter().enumerate() {
            let mut word = *word;
            while word != 0 {
                words[p * width as usize + word.trailing_zeros() as usize] |= 1 << i;
                word &= word - 1;
            }
        }
    }
    let planes = Planes { row, col, height: width as usize, colors: patch.colors(), words };
    cx.arena.patch_tight(planes, height as u32, patch.count() as u32)
}

/// Turns every cell into a square of `by` × `by` cells.
pub(super) fn upscale_object<'a>(arena: &'a Arena, patch: &Patch<'a>, by: usize) -> Answer<'a> {
    let (row, col, height, width) = patch.bounds();
    if !patch.is_object() || width as usize * by > 64 || height as usize * by > 255 {
        return None;
    }
    let words = arena.words(patch.rows().len() * by, 0);
    for (to, word) in words.chunks_exact_mut(by).zip(patch.rows()) {
        let mut bits = *word;
        let mut wide = 0;
        while bits != 0 {
            wide |= ones(by as i64) << (bits.trailing_zeros() as usize * by);
            bits &= bits - 1;
        }
        to.fill(wide);
    }
    let planes = Planes { row, col, height: height as usize * by, colors: patch.colors(), words };
    arena.patch_tight(planes, width as u32 * by as u32, (patch.count() * by * by) as u32)
}
