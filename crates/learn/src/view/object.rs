//! Some objects kept, the others removed.

use super::{List, each, fall};
use crate::code::number;
use crate::image::{Image, most_frequent};
use crate::object::{Object, Segmentation, equal_parts};

/// More objects than this are a texture.
const MAX_OBJECTS: usize = 60;

pub(super) fn objects(list: &mut List) {
    fall::objects(list);
    for (name, words, largest) in [("LARGEST", "largest", true), ("SMALLEST", "smallest", false)] {
        let extreme = if largest { "valmax" } else { "valmin" };
        let keep = |objects: &str| {
            let chosen = format!("sizefilter({objects}, {extreme}({objects}, size))");
            format!("paint(canvas(B, shape(I)), merge({chosen}))")
        };
        let drop = |objects: &str| {
            let chosen = format!("sizefilter({objects}, {extreme}({objects}, size))");
            format!("fill(I, B, merge({chosen}))")
        };
        let only_color = list
            .add(
                format!("ONLY_{name}_COLOR_OBJECTS"),
                format!("only the {words} one-colour objects"),
                move |g| kept(g, Segmentation::Mono8, largest, true),
            )
            .step()
            .feature()
            .selected()
            .code(keep("objects(I, T, T, T)"));
        if largest {
            only_color.before_small_rules();
        }
        list.add(format!("ONLY_{name}_OBJECTS"), format!("only the {words} objects"), move |g| {
            kept(g, Segmentation::Multi8, largest, true)
        })
        .feature()
        .code(keep("objects(I, F, T, T)"));
        let without = list
            .add(
                format!("WITHOUT_{name}_COLOR_OBJECTS"),
                format!("without the {words} one-colour objects"),
                move |g| kept(g, Segmentation::Mono8, largest, false),
            )
            .step()
            .code(drop("objects(I, T, T, T)"));
        if largest {
            without.before_small_rules();
        }
    }
    list.add("ONLY_SINGLE_COLORS", "only the colours that occur once", |g| {
        let counts = g.counts();
        let once = |c: u8| c != 0 && counts[usize::from(c)] == 1;
        (1..10).any(once).then(|| g.masked(once, 0))
    })
    .step()
    .selected()
    .before_small_rules()
    .code("paint(canvas(ZERO, shape(I)), merge(sizefilter(partition(I), ONE)))");
    for k in 2..5 {
        let n = number(k as i64);
        list.add(
            format!("COMMONEST_OF_{k}_BY_{k}_PARTS"),
            format!("the commonest colours of {k}×{k} parts"),
            move |g| part_colors(g, k),
        )
        .selected()
        .code(format!("apply(lbind(apply, mostcolor), apply(rbind(hsplit, {n}), vsplit(I, {n})))"));
    }
    list.add("COLOR_OBJECT_BOXES_FILLED", "boxes of one-colour objects filled", |g| {
        let ground = g.background();
        let mut view = g.clone();
        for object in Segmentation::Mono8.objects(g) {
            each(object.area(), |y, x| {
                if view.at(y, x) == ground {
                    view.set(y, x, object.color);
                }
            });
        }
        Some(view)
    })
    .feature()
    .code("underpaint(I, mapply(fork(recolor, color, backdrop), objects(I, T, T, T)))");
}

pub(super) fn without_single_cells(list: &mut List) {
    list.add("WITHOUT_SINGLE_CELLS", "without single cells", |g| Some(without_small(g, 1)))
        .step()
        .feature()
        .before_cells()
        .before_small_rules()
        .code("fill(I, B, merge(sizefilter(objects(I, T, T, T), ONE)))");
}

pub(super) fn without_small_objects(list: &mut List) {
    for k in 2..5 {
        list.add(
            format!("WITHOUT_OBJECTS_UP_TO_{k}"),
            format!("without objects of up to {k} cells"),
            move |g| Some(without_small(g, k)),
        )
        .code(format!(
            "fill(I, B, merge(sfilter(objects(I, T, T, T), compose(lbind(greater, {}), size))))",
            number(k as i64 + 1)
        ));
    }
}

/// Paints cells in one colour.
pub(crate) fn draw_cells(view: &mut Image, cells: &[(usize, usize)], color: u8) {
    for &(y, x) in cells {
        view.set(y, x, color);
    }
}

fn part_colors(g: &Image, k: usize) -> Option<Image> {
    let parts = equal_parts(g, k, k)?;
    Some(Image::from_fn(k, k, |y, x| {
        let part = &parts[y * k + x];
        let mut counts = part.counts();
        if counts[0] * 2 < part.area() {
            counts[0] = 0;
        }
        most_frequent(&counts, |_| true).unwrap_or(0)
    }))
}

fn kept(g: &Image, segmentation: Segmentation, largest: bool, keep: bool) -> Option<Image> {
    let objects = segmentation.objects(g);
    if objects.is_empty() || objects.len() > MAX_OBJECTS {
        return None;
    }
    let sizes = objects.iter().map(Object::size);
    let size = if largest { sizes.max()? } else { sizes.min()? };
    let mut view = Image::new(g.h, g.w, g.background());
    for object in objects.iter().filter(|o| (o.size() == size) == keep) {
        for &(y, x) in &object.cells {
            view.set(y, x, g.at(y, x));
        }
    }
    Some(view)
}

fn without_small(g: &Image, up_to: usize) -> Image {
    let ground = g.background();
    let mut view = g.clone();
    for object in Segmentation::Mono8.objects(g).iter().filter(|o| o.size() <= up_to) {
        draw_cells(&mut view, &object.cells, ground);
    }
    view
}
