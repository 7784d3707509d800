//! The object or region that holds a cell.

use super::{Sheet, Written};
use crate::feature::Kind;
use crate::image::{Direction, Image, OUTSIDE, most_frequent};
use crate::object::{Crowd, Object, ObjectFeature, Reading, Segmentation, components, regions8};

/// More objects than this are a texture.
pub(super) const MANY_OBJECTS: usize = 150;
/// The value of an object's feature if there is no object.
pub(super) const NO_OBJECT: u8 = 254;

/// Features that say nothing of regions, because these include the background: extremes, ranks by place and minor
/// colours.
const NOT_OF_REGIONS: [ObjectFeature; 9] = [
    ObjectFeature::MostColors,
    ObjectFeature::MostHoles,
    ObjectFeature::Topmost,
    ObjectFeature::Bottommost,
    ObjectFeature::Leftmost,
    ObjectFeature::Rightmost,
    ObjectFeature::RarestColor,
    ObjectFeature::OfRarestColor,
    ObjectFeature::MostOfRarestColor,
];

pub(super) fn object(g: &Image, sheet: &mut Sheet) {
    let ground = g.background();
    for (segmentation, reading, what) in [
        (Segmentation::Everything4, Reading { ground: None, diagonal: false, one_color: true }, "region"),
        (
            Segmentation::Mono8,
            Reading { ground: Some(ground), diagonal: true, one_color: true },
            "one-colour object",
        ),
        (Segmentation::Multi8, Reading { ground: Some(ground), diagonal: true, one_color: false }, "object"),
    ] {
        let (objects, owner) = components(g, reading);
        let features =
            if objects.len() > MANY_OBJECTS { Vec::new() } else { Crowd::new(g, &objects, ground).values() };
        let value = |i: usize, feature: ObjectFeature| match owner[i] {
            Some(o) if !features.is_empty() => features[o as usize][feature.index()],
            _ => NO_OBJECT,
        };
        let is_region = segmentation == Segmentation::Everything4;
        for &id in ObjectFeature::ALL {
            if is_region && NOT_OF_REGIONS.contains(&id) {
                continue;
            }
            let feature = id.feature();
            let words = || format!("of its {what}: {}", feature.words);
            let values = (0..g.area()).map(|i| value(i, id)).collect();
            sheet
                .column(feature.kind, feature.weight, words, values)
                .code(|| Written::Object(segmentation, id));
        }
        if is_region {
            touching(g, &objects, &owner, sheet);
            inside_region(g, &objects, &owner, sheet);
        } else {
            let minor = |i: usize| match value(i, ObjectFeature::RarestColor) {
                NO_OBJECT => ground,
                color => color,
            };
            sheet.action(|| format!("the rarest colour of its {what}"), (0..g.area()).map(minor).collect());
            let major = |i: usize| owner[i].map_or(ground, |o| objects[o as usize].color);
            sheet
                .action(|| format!("the main colour of its {what}"), (0..g.area()).map(major).collect())
                .code(|| {
                    let objects = if segmentation == Segmentation::Mono8 { "T" } else { "F" };
                    Written::grid(format!(
                        "paint(I, mapply(fork(recolor, mostcolor, identity), objects(I, {objects}, T, T)))"
                    ))
                });
        }
    }
    let (regions, owner) = regions8(g);
    let at_border = |i: usize| u8::from(owner[i].is_some_and(|o| regions[o as usize].touches_border(g)));
    sheet
        .flag(1.03, || "its region reaches the border over corners", (0..g.area()).map(at_border).collect())
        .code(|| Written::mask("toindices(merge(sfilter(objects(I, T, T, F), rbind(bordering, I))))"));
}

/// The colours that touch a region.
fn touching(g: &Image, regions: &[Object], owner: &[Option<u32>], sheet: &mut Sheet) {
    let around: Vec<(u8, u8)> = regions
        .iter()
        .enumerate()
        .map(|(i, region)| {
            let mut counts = [0usize; 10];
            for &(y, x) in &region.cells {
                for direction in Direction::STRAIGHT {
                    let (ny, nx) = direction.from(y, x);
                    let color = g.get(ny, nx);
                    if color != OUTSIDE && owner[ny as usize * g.w + nx as usize] != Some(i as u32) {
                        counts[usize::from(color)] += 1;
                    }
                }
            }
            let n = counts.iter().filter(|&&n| n > 0).count() as u8;
            (most_frequent(&counts, |_| true).unwrap_or(OUTSIDE), n)
        })
        .collect();
    let of = |i: usize| owner[i].map_or((OUTSIDE, 0), |o| around[o as usize]);
    let n = g.area();
    // The cells around a region: those next to its cells that are inside the grid and not its own.
    const AROUND: &str = "rbind(toobject, I)";
    let border = "fork(difference, compose(lbind(mapply, dneighbors), toindices), toindices)";
    sheet.color(1.0, || "the colour around its region", (0..n).map(|i| of(i).0).collect()).code(|| {
        let color = format!("compose(mostcolor, compose({AROUND}, {border}))");
        Written::grid(format!("paint(I, mapply(fork(recolor, {color}, identity), objects(I, T, F, F)))"))
    });
    sheet.count(1.0, || "the number of colours around its region", (0..n).map(|i| of(i).1).collect());
    let enclosed =
        |i: usize| u8::from(of(i).1 == 1 && owner[i].is_some_and(|o| !regions[o as usize].touches_border(g)));
    sheet.flag(1.0, || "its region is enclosed by one colour", (0..n).map(enclosed).collect()).code(|| {
        let one = format!("matcher(compose(numcolors, compose({AROUND}, {border})), ONE)");
        let inner = "compose(flip, rbind(bordering, I))";
        Written::mask(format!("toindices(merge(sfilter(objects(I, T, F, F), fork(both, {one}, {inner}))))"))
    });
}

/// The place of a cell in the box of its region.
fn inside_region(g: &Image, regions: &[Object], owner: &[Option<u32>], sheet: &mut Sheet) {
    let place = |value: &dyn Fn(&Object, usize, usize) -> usize| {
        let cell = |i: usize| owner[i].map_or(0, |o| value(&regions[o as usize], i / g.w, i % g.w) as u8);
        (0..g.area()).map(cell).collect::<Vec<u8>>()
    };
    sheet.count(0.8, || "its row in its region", place(&|o, y, _| y - o.y0));
    sheet.count(0.8, || "its column in its region", place(&|o, _, x| x - o.x0));
    sheet.count(
        1.0,
        || "its distance to the edge of its region's box",
        place(&|o, y, x| (y - o.y0).min(x - o.x0).min(o.y1 - y).min(o.x1 - x)),
    );
    let on_diagonal = |o: &Object, y: usize, x: usize| y - o.y0 == x - o.x0 || y - o.y0 == o.x1 - x;
    sheet
        .flag(
            1.0,
            || "it lies on a diagonal of its region's box",
            place(&|o, y, x| usize::from(on_diagonal(o, y, x))),
        )
        .code(|| {
            let diagonals =
                "fork(combine, fork(connect, ulcorner, lrcorner), fork(connect, urcorner, llcorner))";
            Written::mask(format!(
                "mapply(fork(intersection, {diagonals}, toindices), sfilter(objects(I, T, F, F), square))"
            ))
        });
    let middle = |o: &Object, y: usize, x: usize| {
        2 * usize::from(y - o.y0 == o.y1 - y) + usize::from(x - o.x0 == o.x1 - x)
    };
    sheet.column(Kind::Code, 1.0, || "its place relative to its region's middle lines", place(&middle));
    let corner = |o: &Object, y: usize, x: usize| (y == o.y0 || y == o.y1) && (x == o.x0 || x == o.x1);
    sheet
        .flag(1.0, || "it is a corner of its region's box", place(&|o, y, x| usize::from(corner(o, y, x))))
        .code(|| Written::mask("mapply(fork(intersection, corners, toindices), objects(I, T, F, F))"));
    sheet
        .flag(1.0, || "its place in its region is odd", place(&|o, y, x| (y - o.y0 + x - o.x0) % 2))
        .code(|| odd_in_region("fork(add, first, last)"));
    let half = |twice: usize, length: usize| match (2 * twice).cmp(&(length - 1)) {
        std::cmp::Ordering::Less => 0,
        std::cmp::Ordering::Equal => 1,
        std::cmp::Ordering::Greater => 2,
    };
    sheet.count(1.0, || "its vertical half of its region", place(&|o, y, _| half(y - o.y0, o.h())));
    sheet.count(1.0, || "its horizontal half of its region", place(&|o, _, x| half(x - o.x0, o.w())));
    sheet
        .flag(1.0, || "its column in its region is odd", place(&|o, _, x| (x - o.x0) % 2))
        .code(|| odd_in_region("last"));
    sheet
        .flag(1.0, || "its row in its region is odd", place(&|o, y, _| (y - o.y0) % 2))
        .code(|| odd_in_region("first"));
}

/// The cells of all regions whose place in the region's box is odd.
///
/// Each region is moved to the corner of the grid, filtered there and moved back.
fn odd_in_region(of: &str) -> Written {
    let odd = format!("rbind(sfilter, compose(flip, compose(even, {of})))");
    let filtered = format!("compose({odd}, compose(toindices, normalize))");
    Written::mask(format!("mapply(fork(shift, {filtered}, ulcorner), objects(I, T, F, F))"))
}
