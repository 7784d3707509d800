//! Images enlarged, shrunk and tiled.

use super::{List, picked};
use crate::code::number;
use crate::image::Image;

pub(super) fn sizes(list: &mut List) {
    for k in 2..4 {
        list.add(format!("ENLARGED_{k}_TIMES"), format!("enlarged {k} times"), move |g| g.enlarged(k))
            .step()
            .code(format!("upscale(I, {})", number(k as i64)));
    }
    list.add(
        "ENLARGED_BY_SIZE",
        "enlarged by its own size",
        |g| {
            if g.h == g.w { g.enlarged(g.h) } else { None }
        },
    )
    .code("upscale(I, height(I))");
    list.add("ENLARGED_BY_COLORS", "enlarged by its number of colours", |g| {
        g.enlarged(g.colors_but(0).len())
    })
    .code("upscale(I, size(remove(ZERO, palette(I))))");
    list.add("ENLARGED_BY_CELLS", "enlarged by its number of coloured cells", |g| {
        g.enlarged(g.cells.iter().filter(|&&c| c != 0).count())
    })
    .code("upscale(I, size(difference(asindices(I), ofcolor(I, ZERO))))");
    list.add("SHRUNK", "shrunk to one cell a block", |g| Some(g.shrunk(g.scale()?))).step();
    list.add("WITHOUT_REPEATED_LINES", "without repeated rows and columns", |g| Some(deduplicated(g)))
        .step()
        .code("dmirror(dedupe(dmirror(dedupe(I))))");
    for (i, (rows, cols)) in [(1, 2), (2, 1), (2, 2), (3, 3), (1, 3), (3, 1)].into_iter().enumerate() {
        list.add(format!("TILED_{rows}_BY_{cols}"), format!("tiled {rows}×{cols}"), move |g| {
            g.tiled(rows, cols, false)
        })
        .step_if(i < 4)
        .code(tile_code(rows, cols, false));
        if i < 4 {
            let name = format!("MIRROR_TILED_{rows}_BY_{cols}");
            list.add(name, format!("mirror-tiled {rows}×{cols}"), move |g| g.tiled(rows, cols, true))
                .step_if(i < 3)
                .code(tile_code(rows, cols, true));
        }
    }
}

/// Tiles of a grid in the language.
pub(crate) fn tile_code(rows: usize, cols: usize, mirrored: bool) -> String {
    let line = |n: usize, join: &str, turn: &str, first: &str| {
        let turned = if mirrored { format!("{turn}({first})") } else { first.to_owned() };
        (1..n).fold(first.to_owned(), |line, i| {
            let next = if i % 2 == 1 { turned.as_str() } else { first };
            format!("{join}({line}, {next})")
        })
    };
    line(rows, "vconcat", "hmirror", &line(cols, "hconcat", "vmirror", "I"))
}

fn deduplicated(g: &Image) -> Image {
    let rows: Vec<_> =
        (0..g.h).filter(|&y| y == 0 || (0..g.w).any(|x| g.at(y, x) != g.at(y - 1, x))).collect();
    let cols: Vec<_> =
        (0..g.w).filter(|&x| x == 0 || (0..g.h).any(|y| g.at(y, x) != g.at(y, x - 1))).collect();
    picked(g, &rows, &cols)
}
