//! Parts of an image: crops, equal parts, cells between lines.

use super::{List, picked};
use crate::image::{Area, Image, most_frequent};
use crate::object::{Lines, equal_parts};

pub(super) fn crops(list: &mut List) {
    list.add("CROPPED_TO_COLORED", "cropped to what is not black", |g| crop_to(g, |c| c != 0))
        .step()
        .code("subgrid(difference(asindices(I), ofcolor(I, ZERO)), I)");
    list.add("CROPPED_TO_UNCOMMON", "cropped to what is not the commonest colour", |g| {
        let majority = g.majority();
        crop_to(g, |c| c != majority)
    })
    .step()
    .code("subgrid(difference(asindices(I), ofcolor(I, mostcolor(I))), I)");
    list.add("WITHOUT_BORDER", "without its border", |g| {
        (g.h > 2 && g.w > 2).then(|| g.crop(Area { y: 1, x: 1, h: g.h - 2, w: g.w - 2 }))
    })
    .step()
    .code("trim(I)");
    for (rows, cols) in [(2, 1), (1, 2), (2, 2), (3, 1), (1, 3), (3, 3)] {
        for part in 0..(rows * cols).min(3) {
            list.add(
                format!("PART_{}_OF_{rows}_BY_{cols}", part + 1),
                format!("part {} of {rows}×{cols}", part + 1),
                move |g| equal_parts(g, rows, cols)?.into_iter().nth(part),
            )
            .step_if(part == 0)
            .code(part_code(rows, cols, part));
        }
    }
    for part in 0..4 {
        list.add(
            format!("PART_{}_BETWEEN_LINES", part + 1),
            format!("part {} between the lines", part + 1),
            move |g| {
                let areas = Lines::find(g)?.areas();
                areas.get(part).map(|&area| g.crop(area))
            },
        )
        .step_if(part == 0);
    }
}

/// One of equal parts in the language. The middle one of three is the first after the first is removed.
fn part_code(rows: usize, cols: usize, part: usize) -> String {
    let pick = |list: String, place: usize, n: usize| match place {
        0 => format!("first({list})"),
        _ if place + 1 == n => format!("last({list})"),
        _ => format!("first(remove(first({list}), {list}))"),
    };
    let number = |n: usize| if n == 2 { "TWO" } else { "THREE" };
    let row = if rows == 1 {
        "I".to_owned()
    } else {
        pick(format!("vsplit(I, {})", number(rows)), part / cols, rows)
    };
    if cols == 1 { row } else { pick(format!("hsplit({row}, {})", number(cols)), part % cols, cols) }
}

pub(super) fn without_lines(list: &mut List) {
    list.add("WITHOUT_LINES", "without the lines", |g| {
        let lines = Lines::find(g)?;
        let expand = |bands: &[(usize, usize)]| bands.iter().flat_map(|b| b.0..b.0 + b.1).collect::<Vec<_>>();
        Some(picked(g, &expand(&lines.rows), &expand(&lines.cols)))
    })
    .step()
    .code("compress(I)");
    list.add("LINE_GRID_CELLS", "one cell for each cell of the line grid", grid_cells)
        .step()
        .code("dmirror(dedupe(dmirror(dedupe(compress(I)))))");
    list.add("WITHOUT_EMPTY_LINES", "without empty rows and columns", |g| {
        let ground = g.background();
        let rows: Vec<_> = (0..g.h).filter(|&y| (0..g.w).any(|x| g.at(y, x) != ground)).collect();
        let cols: Vec<_> = (0..g.w).filter(|&x| (0..g.h).any(|y| g.at(y, x) != ground)).collect();
        (!rows.is_empty()).then(|| picked(g, &rows, &cols))
    })
    .step()
    .code("compress(I)");
}

pub(super) fn crop_to(g: &Image, wanted: impl Fn(u8) -> bool) -> Option<Image> {
    Some(g.crop(g.bounds(wanted)?))
}

/// One cell for each cell of the line grid: its commonest colour other than black and the lines.
pub(crate) fn grid_cells(g: &Image) -> Option<Image> {
    let lines = Lines::find(g)?;
    Some(Image::from_fn(lines.rows.len(), lines.cols.len(), |i, j| {
        let (row, col) = (lines.rows[i], lines.cols[j]);
        let cell = g.crop(Area { y: row.0, x: col.0, h: row.1, w: col.1 });
        let counts = cell.counts();
        let marked = most_frequent(&counts, |c| c != 0 && c != lines.color);
        marked.or_else(|| most_frequent(&counts, |_| true)).unwrap_or(0)
    }))
}
