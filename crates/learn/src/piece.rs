//! Pieces of an image that can be chosen, listed or filled.

use crate::code::{Code, Expr};
use crate::feature::{Feature, features};
use crate::image::{Area, Image, Symmetry, cap, most_frequent};
use crate::object::{Crowd, Lines, Object, ObjectFeature, Reading, Segmentation, canonical, components};

/// A way to cut pieces out of an image.
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

impl Family {
    pub(crate) const ALL: &[Family] = &[
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
}

/// A picture and where it was found.
#[derive(Clone)]
pub(crate) struct Piece {
    pub image: Image,
    pub object: Object,
}

impl Family {
    pub(crate) fn pieces(self, g: &Image) -> Vec<Piece> {
        let ground = g.background();
        let alone = |segmentation: Segmentation| {
            let show = |object: Object| Piece { image: object.alone(g, ground), object };
            segmentation.objects(g).into_iter().map(show).collect()
        };
        let boxes = |segmentation: Segmentation| {
            let show = |object: Object| Piece { image: g.crop(object.area()), object };
            segmentation.objects(g).into_iter().map(show).collect::<Vec<_>>()
        };
        match self {
            Family::Mono4 => alone(Segmentation::Mono4),
            Family::Mono8 => alone(Segmentation::Mono8),
            Family::MultiBoxes => boxes(Segmentation::Multi8),
            Family::MonoBoxes => boxes(Segmentation::Mono8),
            Family::Multi4 => alone(Segmentation::Multi4),
            Family::Regions => boxes(Segmentation::Everything4),
            Family::LineCells => Lines::find(g).map_or_else(Vec::new, |lines| cut(g, ground, &lines.areas())),
            Family::EqualParts => equal(g).map_or_else(Vec::new, |areas| cut(g, ground, &areas)),
            Family::ColorBoxes => boxes(Segmentation::ByColor),
            Family::Insides => {
                let inside = |object: Object| {
                    let Area { y, x, h, w } = object.area();
                    let image = g.crop(Area { y: y + 1, x: x + 1, h: h - 2, w: w - 2 });
                    Piece { image, object }
                };
                let hollow = Segmentation::Mono8.objects(g).into_iter().filter(|o| o.h() > 2 && o.w() > 2);
                hollow.map(inside).collect()
            }
            Family::OnMajority => boxes(Segmentation::MultiOnMajority),
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

impl Family {
    /// The pieces of a grid in the language, and whether they are patches (or else grids).
    pub(crate) fn code(self, code: &mut Code, grid: &Expr) -> Option<(Expr, bool)> {
        let segmentation = match self {
            Family::Mono4 => Segmentation::Mono4,
            Family::Mono8 | Family::MonoBoxes | Family::Insides => Segmentation::Mono8,
            Family::MultiBoxes => Segmentation::Multi8,
            Family::Multi4 => Segmentation::Multi4,
            Family::Regions => Segmentation::Everything4,
            Family::ColorBoxes => Segmentation::ByColor,
            Family::OnMajority => Segmentation::MultiOnMajority,
            Family::EqualParts => {
                let halves = format!("branch(portrait({grid}), vsplit({grid}, TWO), hsplit({grid}, TWO))");
                return Some((code.line(halves), false));
            }
            Family::LineCells => return None,
        };
        Some((segmentation.code(code, grid)?, true))
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

/// A piece among those of its image.
pub(crate) struct Picked<'a> {
    pieces: &'a [Piece],
    i: usize,
    background: u8,
    /// The shapes of all pieces up to turning.
    shapes: &'a [Image],
}

impl<'a> Picked<'a> {
    fn image(&self) -> &'a Image {
        &self.pieces[self.i].image
    }

    fn is_symmetric(&self, symmetry: Symmetry) -> bool {
        *self.image() == self.image().turned(symmetry)
    }
}

features! {
    /// A feature of the picture of a piece.
    PictureFeature(piece: &Picked<'_>) {
        LeftRightSymmetric: Flag 0.95, "its picture is left-right symmetric",
            u8::from(piece.is_symmetric(Symmetry::LeftRight));
        UpDownSymmetric: Flag 0.95, "its picture is up-down symmetric",
            u8::from(piece.is_symmetric(Symmetry::UpDown));
        DiagonallySymmetric: Flag 0.95, "its picture is diagonally symmetric",
            u8::from(piece.image().h == piece.image().w && piece.is_symmetric(Symmetry::Transpose));
        Colors: Count 0.95, "the number of colours in its picture",
            piece.image().counts().iter().filter(|&&n| n > 0).count() as u8;
        SamePicture: Count 0.95, "the number of pieces with its picture",
            cap(piece.pieces.iter().filter(|other| other.image == *piece.image()).count());
        SameShape: Count 0.95, "the number of pieces of its shape up to turning",
            cap(piece.shapes.iter().filter(|shape| **shape == piece.shapes[piece.i]).count());
        Area: Count 0.95, "the area of its picture", cap(piece.image().area());
        Parts: Count 0.95, "the number of parts in its picture", {
            let reading = Reading { ground: Some(piece.background), diagonal: true, one_color: true };
            cap(components(piece.image(), reading).0.len())
        };
    }
}

/// A feature of a piece: of the object it was cut around, or of its picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PieceFeature {
    Object(ObjectFeature),
    Picture(PictureFeature),
}

impl PieceFeature {
    /// All features, in the order of the values of [`describe`].
    pub(crate) fn all() -> impl Iterator<Item = PieceFeature> {
        let objects = ObjectFeature::ALL.iter().map(|&feature| PieceFeature::Object(feature));
        objects.chain(PictureFeature::ALL.iter().map(|&feature| PieceFeature::Picture(feature)))
    }

    pub(crate) fn feature(self) -> Feature {
        match self {
            PieceFeature::Object(feature) => feature.feature(),
            PieceFeature::Picture(feature) => feature.feature(),
        }
    }

    pub(crate) fn index(self) -> usize {
        match self {
            PieceFeature::Object(feature) => feature.index(),
            PieceFeature::Picture(feature) => ObjectFeature::ALL.len() + feature.index(),
        }
    }
}

/// The features of pieces with their descriptions.
pub(crate) fn piece_features() -> Vec<(PieceFeature, Feature)> {
    PieceFeature::all().map(|feature| (feature, feature.feature())).collect()
}

/// The values of [`piece_features`] for every piece.
pub(crate) fn describe(g: &Image, pieces: &[Piece]) -> Vec<Vec<u8>> {
    let background = g.background();
    let objects: Vec<Object> = pieces.iter().map(|piece| piece.object.clone()).collect();
    let mut features = Crowd::new(g, &objects, background).values();
    let shapes: Vec<Image> =
        pieces.iter().map(|p| canonical(&p.image.map(|c| u8::from(c != background)))).collect();
    for (i, row) in features.iter_mut().enumerate() {
        let piece = Picked { pieces, i, background, shapes: &shapes };
        row.extend(PictureFeature::ALL.iter().map(|feature| feature.value(&piece)));
    }
    features
}
