//! The smallest box of an object that holds a cell.

use std::sync::Arc;

use super::region::{MANY_OBJECTS, NO_OBJECT};
use super::{Sheet, Written, cells};
use crate::code::number;
use crate::image::{Area, Image, color_name};
use crate::object::{Crowd, Object, ObjectFeature, Segmentation};

pub(super) fn boxes(g: &Image, sheet: &mut Sheet) {
    let ground = g.background();
    for (segmentation, what) in [(Segmentation::Mono8, "one-colour object"), (Segmentation::Multi8, "object")]
    {
        let mut objects = segmentation.objects(g);
        if objects.len() > MANY_OBJECTS {
            objects.clear();
        }
        objects.sort_by_key(|o| std::cmp::Reverse(o.h() * o.w()));
        let mut holder: Vec<Option<usize>> = vec![None; g.area()];
        for (i, o) in objects.iter().enumerate() {
            let Area { y, x, h, w } = o.area();
            for row in y..y + h {
                holder[row * g.w + x..row * g.w + x + w].fill(Some(i));
            }
        }
        let features = Crowd::new(g, &objects, ground).values();
        let column = |none: u8, value: &dyn Fn(usize, &Object, usize, usize) -> u8| {
            let cell = |i: usize| holder[i].map_or(none, |o| value(o, &objects[o], i / g.w, i % g.w));
            (0..g.area()).map(cell).collect::<Vec<u8>>()
        };
        sheet.color(
            1.0,
            || format!("the colour of the {what} whose box holds it"),
            column(ground, &|_, o, _, _| o.color),
        );
        sheet.action(
            || format!("the rarest colour of the {what} whose box holds it"),
            column(ground, &|i, _, _, _| features[i][ObjectFeature::RarestColor.index()]),
        );
        sheet.flag(1.0, || format!("it lies in the box of some {what}"), column(0, &|_, _, _, _| 1)).code(
            || {
                Written::Mask(Arc::new(move |code, grid| {
                    let objects = segmentation.code(code, grid)?;
                    Some(code.line(format!("mapply(backdrop, {objects})")))
                }))
            },
        );
        sheet.count(
            1.0,
            || format!("its distance to the edge of the {what}'s box"),
            column(NO_OBJECT, &|_, o, y, x| (y - o.y0).min(x - o.x0).min(o.y1 - y).min(o.x1 - x) as u8),
        );
        for id in [
            ObjectFeature::Size,
            ObjectFeature::Largest,
            ObjectFeature::Smallest,
            ObjectFeature::Colors,
            ObjectFeature::MostColors,
            ObjectFeature::Holes,
            ObjectFeature::FillsBox,
            ObjectFeature::SameShape,
            ObjectFeature::UniqueShape,
            ObjectFeature::RankBySize,
        ] {
            let feature = id.feature();
            let words = || format!("of the {what} whose box holds it: {}", feature.words);
            let values = column(NO_OBJECT, &|i, _, _, _| features[i][id.index()]);
            sheet.column(feature.kind, feature.weight, words, values);
        }
        for (way, how) in ["left-right", "up-down", "half a turn"].into_iter().enumerate() {
            let opposite = |_: usize, o: &Object, y: usize, x: usize| {
                let (my, mx) = (o.y0 + o.y1 - y, o.x0 + o.x1 - x);
                [g.at(y, mx), g.at(my, x), g.at(my, mx)][way]
            };
            sheet.color(
                1.0,
                || format!("the cell opposite ({how}) in the {what}'s box"),
                column(ground, &opposite),
            );
        }
    }
    for color in 1..10 {
        let area = g.bounds(|c| c == color);
        let inside = |y: i32, x: i32| {
            area.is_some_and(|a| {
                let (y, x) = (y as usize, x as usize);
                y >= a.y && y < a.y + a.h && x >= a.x && x < a.x + a.w
            })
        };
        let words = || format!("it lies in the box of {}", color_name(color));
        sheet
            .flag(1.0, words, cells(g, |y, x| u8::from(inside(y, x))))
            .code(|| Written::mask(format!("backdrop(ofcolor(I, {}))", number(color.into()))));
    }
}
