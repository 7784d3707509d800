//! Rectangles found in an image.

use super::List;
use crate::image::{Area, Image};
use crate::object::{Object, Segmentation};

pub(super) fn largest(list: &mut List) {
    for (name, words, empty) in [
        ("LARGEST_EMPTY_RECTANGLE", "the largest empty rectangle", true),
        ("LARGEST_SOLID_RECTANGLE", "the largest solid rectangle", false),
    ] {
        list.add(name, words, move |g| {
            let ground = g.background();
            let area = largest_rectangle(g, |c| (c == ground) == empty, 1)?;
            let mut view = Image::new(g.h, g.w, 0);
            view.paste(area, &Image::new(area.h, area.w, 1));
            Some(view)
        });
    }
}

pub(super) fn insides(list: &mut List) {
    list.add("CROPPED_TO_PLAIN_RECTANGLE", "cropped to the largest plain rectangle", |g| {
        Some(g.crop(largest_rectangle(g, |_| true, 2)?))
    });
    list.add("INSIDE_OF_FRAME", "the inside of the largest frame", |g| {
        let frames = Segmentation::Mono8.objects(g).into_iter().filter(|o| is_frame(g, o));
        let frame = frames.max_by_key(|o| o.area().h * o.area().w)?;
        Some(g.crop(inside(frame.area())?))
    })
    .code("trim(subgrid(argmax(sfilter(objects(I, T, T, T), fork(equality, toindices, box)), size), I))");
    list.add("INSIDE_OF_CORNERS", "the inside of four corner marks", |g| {
        let ground = g.background();
        let marks = g.colors_but(ground).into_iter().filter_map(|color| {
            let object = Object::of_color(g, color)?;
            let corners = [
                (object.y0, object.x0),
                (object.y0, object.x1),
                (object.y1, object.x0),
                (object.y1, object.x1),
            ];
            (object.size() == 4 && corners.iter().all(|c| object.cells.contains(c))).then_some(object)
        });
        Some(g.crop(marks.into_iter().find_map(|object| inside(object.area()))?))
    })
    .code("trim(subgrid(extract(partition(I), fork(equality, toindices, corners)), I))");
}

/// The largest rectangle of one wanted colour, with sides of at least `side`.
fn largest_rectangle(g: &Image, wanted: impl Fn(u8) -> bool, side: usize) -> Option<Area> {
    let mut best: Option<Area> = None;
    for y in 0..g.h {
        for x in 0..g.w {
            let color = g.at(y, x);
            if !wanted(color) {
                continue;
            }
            let mut width = g.w - x;
            for h in 1..=g.h - y {
                width = (0..width).take_while(|&dx| g.at(y + h - 1, x + dx) == color).count();
                if width == 0 {
                    break;
                }
                let larger = best.is_none_or(|b| h * width > b.h * b.w);
                if larger && h >= side && width >= side {
                    best = Some(Area { y, x, h, w: width });
                }
            }
        }
    }
    best
}

fn is_frame(g: &Image, o: &Object) -> bool {
    (o.x0..=o.x1).all(|x| g.at(o.y0, x) == o.color && g.at(o.y1, x) == o.color)
        && (o.y0..=o.y1).all(|y| g.at(y, o.x0) == o.color && g.at(y, o.x1) == o.color)
}

fn inside(area: Area) -> Option<Area> {
    (area.h > 2 && area.w > 2).then(|| Area { y: area.y + 1, x: area.x + 1, h: area.h - 2, w: area.w - 2 })
}
