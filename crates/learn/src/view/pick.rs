//! One object of an image, chosen by one property.

use super::List;
use crate::image::Image;
use crate::object::ObjectFeature::{
    Color, Colors, Holes, LeftRightSymmetric, OfRarestColor, SameColor, SameShape, Size, TouchesBorder,
    UniqueColor,
};
use crate::object::{Crowd, ObjectFeature, Segmentation};

/// How an object is chosen.
#[derive(Clone, Copy)]
enum Pick {
    Most(ObjectFeature),
    Least(ObjectFeature),
    /// The only one with its value.
    Only(ObjectFeature),
}

/// Name, words, choice, and the choice in the language from a set of objects `X`.
const PICKS: [(&str, &str, Pick, Option<&str>); 14] = [
    ("LARGEST", "of the largest size", Pick::Most(Size), Some("argmax(X, size)")),
    ("SMALLEST", "of the smallest size", Pick::Least(Size), Some("argmin(X, size)")),
    ("MOST_COLORS", "with the most colours", Pick::Most(Colors), Some("argmax(X, numcolors)")),
    ("MOST_HOLES", "with the most holes", Pick::Most(Holes), None),
    (
        "COMMONEST_SHAPE",
        "of the commonest shape",
        Pick::Most(SameShape),
        Some(
            "extract(X, matcher(compose(toindices, normalize), \
             mostcommon(apply(compose(toindices, normalize), totuple(X)))))",
        ),
    ),
    (
        "RAREST_SHAPE",
        "of the rarest shape",
        Pick::Least(SameShape),
        Some(
            "extract(X, matcher(compose(toindices, normalize), \
             leastcommon(apply(compose(toindices, normalize), totuple(X)))))",
        ),
    ),
    (
        "OWN_COLOR",
        "that alone has its colour",
        Pick::Only(Color),
        Some("extract(X, matcher(color, leastcommon(apply(color, totuple(X)))))"),
    ),
    (
        "OWN_SYMMETRY",
        "that alone is (not) symmetric",
        Pick::Only(LeftRightSymmetric),
        Some(
            "extract(X, matcher(fork(equality, toindices, compose(toindices, vmirror)), \
             leastcommon(apply(fork(equality, toindices, compose(toindices, vmirror)), totuple(X)))))",
        ),
    ),
    ("OWN_HOLES", "that alone has its number of holes", Pick::Only(Holes), None),
    (
        "MOST_OF_RAREST_COLOR",
        "with most cells of its rarest colour",
        Pick::Most(OfRarestColor),
        Some("argmax(X, fork(colorcount, identity, leastcolor))"),
    ),
    (
        "UNIQUE_COLOR",
        "of a unique colour",
        Pick::Most(UniqueColor),
        Some("extract(X, matcher(color, leastcommon(apply(color, totuple(X)))))"),
    ),
    (
        "AWAY_FROM_BORDER",
        "away from the border",
        Pick::Least(TouchesBorder),
        Some("extract(X, compose(flip, rbind(bordering, I)))"),
    ),
    (
        "OBJECT_OF_RAREST_COLOR",
        "of the rarest colour",
        Pick::Least(SameColor),
        Some("extract(X, matcher(color, leastcommon(apply(color, totuple(X)))))"),
    ),
    (
        "OWN_SIZE",
        "that alone has its size",
        Pick::Only(Size),
        Some("extract(X, matcher(size, leastcommon(apply(size, totuple(X)))))"),
    ),
];

pub(super) fn selections(list: &mut List) {
    for (i, (segmentation, name, words, objects)) in [
        (
            Segmentation::Mono4,
            "COLOR_OBJECT_BY_EDGES",
            "one-colour object joined by edges",
            "objects(I, T, F, T)",
        ),
        (Segmentation::Mono8, "COLOR_OBJECT", "one-colour object", "objects(I, T, T, T)"),
        (Segmentation::Multi4, "OBJECT_BY_EDGES", "box of objects joined by edges", "objects(I, F, F, T)"),
        (Segmentation::Multi8, "OBJECT", "box of objects", "objects(I, F, T, T)"),
    ]
    .into_iter()
    .enumerate()
    {
        for (k, &(pick_name, pick_words, pick, code)) in PICKS.iter().enumerate() {
            let view = list
                .add(format!("{name}_{pick_name}"), format!("the {words} {pick_words}"), move |g| {
                    picked_object(g, segmentation, pick)
                })
                .step_if(k < 3 || i == 3)
                .selected();
            if let Some(code) = code {
                let chosen = code.replace('X', objects);
                view.code(format!("subgrid({chosen}, I)"));
                if matches!(segmentation, Segmentation::Mono4 | Segmentation::Mono8) {
                    view.code(format!("subgrid({chosen}, paint(canvas(B, shape(I)), {chosen}))"));
                }
            }
        }
    }
}

/// More objects than this are a texture.
const MAX_OBJECTS: usize = 60;

fn picked_object(g: &Image, segmentation: Segmentation, pick: Pick) -> Option<Image> {
    let ground = g.background();
    let objects = segmentation.objects(g);
    if objects.is_empty() || objects.len() > MAX_OBJECTS {
        return None;
    }
    let crowd = Crowd::new(g, &objects, ground);
    let values = |feature: ObjectFeature| -> Vec<u8> {
        (0..objects.len()).map(|i| feature.value(&crowd, i)).collect()
    };
    let show = |i: usize| match segmentation {
        Segmentation::Mono4 | Segmentation::Mono8 => objects[i].alone(g, ground),
        _ => g.crop(objects[i].area()),
    };
    let extreme = |values: &[u8], value: Option<&u8>| {
        let best: Vec<usize> = (0..objects.len()).filter(|&i| Some(&values[i]) == value).collect();
        let first = objects[best[0]].alone(g, ground);
        best.iter().all(|&i| objects[i].alone(g, ground) == first).then_some(best[0])
    };
    let chosen = match pick {
        Pick::Most(feature) => {
            let values = values(feature);
            extreme(&values, values.iter().max())
        }
        Pick::Least(feature) => {
            let values = values(feature);
            extreme(&values, values.iter().min())
        }
        Pick::Only(feature) => {
            let values = values(feature);
            let alone = |&i: &usize| values.iter().filter(|value| **value == values[i]).count() == 1;
            let mut only = (0..objects.len()).filter(alone);
            only.next().filter(|_| only.next().is_none() && objects.len() > 2)
        }
    };
    chosen.map(show)
}
