//! Pieces of an image that can be chosen, listed or filled.

use crate::feature::{Feature, count, flag};
use crate::image::{Area, Image, cap, most_frequent};
use crate::object::{Lines, N_OBJECT_FEATURES, OBJECT_FEATURES, Object, Seg, canonical, object_features};
use crate::rows::named;

/// Where pieces come from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub(crate) enum Family {
    Mono4,
    Mono8,
    /// The boxes of many-coloured objects.
    MultiBoxes,
    /// The boxes of one-coloured objects.
    MonoBoxes,
    Multi4,
    /// The boxes of all regions, the background's too.
    Regions,
    LineCells,
    EqualParts,
    /// The box of each colour.
    ColorBoxes,
    /// The insides of boxes.
    Insides,
    /// The boxes of objects on the commonest colour.
    OnMajority,
}

pub(crate) const FAMILIES: [Family; 11] = [
    Family::Mono4,
    Family::Mono8,
    Family::MultiBoxes,
    Family::MonoBoxes,
    Family::Multi4,
    Family::Regions,
    Family::LineCells,
    Family::EqualParts,
    Family::ColorBoxes,
    Family::Insides,
    Family::OnMajority,
];

/// A picture and where it was found.
#[derive(Clone)]
pub(crate) struct Piece {
    pub image: Image,
    pub object: Object,
}

impl Family {
    pub(crate) fn pieces(self, g: &Image) -> Vec<Piece> {
        let ground = g.background();
        let alone = |seg: Seg| {
            let show = |object: Object| Piece { image: object.alone(g, ground), object };
            seg.objects(g).into_iter().map(show).collect()
        };
        let boxes = |seg: Seg| {
            let show = |object: Object| Piece { image: g.crop(object.area()), object };
            seg.objects(g).into_iter().map(show).collect::<Vec<_>>()
        };
        match self {
            Family::Mono4 => alone(Seg::Mono4),
            Family::Mono8 => alone(Seg::Mono8),
            Family::MultiBoxes => boxes(Seg::Multi8),
            Family::MonoBoxes => boxes(Seg::Mono8),
            Family::Multi4 => alone(Seg::Multi4),
            Family::Regions => boxes(Seg::Everything4),
            Family::LineCells => Lines::find(g).map_or_else(Vec::new, |lines| cut(g, ground, &lines.areas())),
            Family::EqualParts => equal(g).map_or_else(Vec::new, |areas| cut(g, ground, &areas)),
            Family::ColorBoxes => boxes(Seg::ByColor),
            Family::Insides => {
                let inside = |object: Object| {
                    let Area { y, x, h, w } = object.area();
                    let image = g.crop(Area { y: y + 1, x: x + 1, h: h - 2, w: w - 2 });
                    Piece { image, object }
                };
                let hollow = Seg::Mono8.objects(g).into_iter().filter(|o| o.h() > 2 && o.w() > 2);
                hollow.map(inside).collect()
            }
            Family::OnMajority => boxes(Seg::MultiOnMajority),
        }
    }

    pub(crate) fn words(self) -> &'static str {
        match self {
            Family::Mono4 => "one-colour object joined by edges",
            Family::Mono8 => "one-colour object",
            Family::MultiBoxes => "box of an object",
            Family::MonoBoxes => "box of a one-colour object",
            Family::Multi4 => "object joined by edges",
            Family::Regions => "box of a region",
            Family::LineCells => "cell of the line grid",
            Family::EqualParts => "equal part",
            Family::ColorBoxes => "box of a colour",
            Family::Insides => "inside of a box",
            Family::OnMajority => "box of an object on the commonest colour",
        }
    }
}

fn cut(g: &Image, ground: u8, areas: &[Area]) -> Vec<Piece> {
    let piece = |&area: &Area| {
        let image = g.crop(area);
        let places = (0..image.area()).filter(|&i| image.cells[i] != ground);
        let mut cells: Vec<_> = places.map(|i| (area.y + i / image.w, area.x + i % image.w)).collect();
        if cells.is_empty() {
            cells.push((area.y, area.x));
        }
        let color = most_frequent(&image.counts(), |c| c != ground).unwrap_or(0);
        let (y1, x1) = (area.y + area.h - 1, area.x + area.w - 1);
        Piece { image, object: Object { cells, y0: area.y, x0: area.x, y1, x1, color } }
    };
    areas.iter().map(piece).collect()
}

/// Two or three parts along the longer side, or the quarters of a square.
fn equal(g: &Image) -> Option<Vec<Area>> {
    for (rows, cols) in [(1, 2), (2, 1), (1, 3), (3, 1), (2, 2)] {
        let long = match (rows, cols) {
            (1, _) => g.w >= 2 * g.h,
            (_, 1) => g.h >= 2 * g.w,
            _ => g.h == g.w,
        };
        let (h, w) = (g.h / rows, g.w / cols);
        let even = g.h.is_multiple_of(rows) && g.w.is_multiple_of(cols);
        if long && even && (h == w || rows * cols == 2) {
            let places = (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j)));
            return Some(places.map(|(i, j)| Area { y: i * h, x: j * w, h, w }).collect());
        }
    }
    None
}

const PICTURE_FEATURES: [Feature; 8] = [
    flag("its picture is left-right symmetric", 0.95),
    flag("its picture is up-down symmetric", 0.95),
    flag("its picture is diagonally symmetric", 0.95),
    count("the number of colours in its picture", 0.95),
    count("the number of pieces with its picture", 0.95),
    count("the number of pieces of its shape up to turning", 0.95),
    count("the area of its picture", 0.95),
    count("the number of parts in its picture", 0.95),
];

pub(crate) const N_PIECE_FEATURES: usize = N_OBJECT_FEATURES + PICTURE_FEATURES.len();

pub(crate) fn piece_features() -> Vec<Feature<String>> {
    let mut features = named(&OBJECT_FEATURES);
    features.extend(named(&PICTURE_FEATURES));
    features
}

/// The values of [`piece_features`].
pub(crate) fn describe(g: &Image, pieces: &[Piece]) -> Vec<Vec<u8>> {
    let ground = g.background();
    let objects: Vec<Object> = pieces.iter().map(|piece| piece.object.clone()).collect();
    let mut features = object_features(g, &objects, ground);
    let shapes: Vec<Image> =
        pieces.iter().map(|p| canonical(&p.image.map(|c| u8::from(c != ground)))).collect();
    for (i, row) in features.iter_mut().enumerate() {
        let image = &pieces[i].image;
        let reading = crate::object::Reading { ground: Some(ground), diagonal: true, one_color: true };
        row.extend([
            u8::from(*image == image.turned(1)),
            u8::from(*image == image.turned(2)),
            u8::from(image.h == image.w && *image == image.turned(4)),
            image.counts().iter().filter(|&&n| n > 0).count() as u8,
            cap(pieces.iter().filter(|p| p.image == *image).count()),
            cap(shapes.iter().filter(|shape| **shape == shapes[i]).count()),
            cap(image.area()),
            cap(crate::object::components(image, reading).0.len()),
        ]);
    }
    features
}
