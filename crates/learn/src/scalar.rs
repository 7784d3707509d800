//! Numbers and colours read off an image.

use std::sync::LazyLock;

use crate::Words;
use crate::code::{Expr, number};
use crate::image::{Image, Symmetry, color_name, least_frequent, most_frequent};
use crate::object::{Lines, Object, Segmentation};

/// An image with the counts that several scalars need.
pub(crate) struct Measured<'a> {
    image: &'a Image,
    counts: [usize; 10],
    /// One-colour objects joined by edges.
    objects: Vec<Object>,
    lines: Option<Lines>,
}

impl<'a> Measured<'a> {
    fn new(image: &'a Image) -> Measured<'a> {
        let objects = Segmentation::Mono4.objects(image);
        Measured { image, counts: image.counts(), objects, lines: Lines::find(image) }
    }

    fn n_colors(&self) -> usize {
        self.counts.iter().filter(|&&n| n > 0).count()
    }

    /// The number of objects of a colour.
    fn n_of(&self, color: u8) -> usize {
        self.objects.iter().filter(|object| object.color == color).count()
    }

    fn count_objects(&self, segmentation: Segmentation) -> usize {
        segmentation.objects(self.image).len()
    }

    fn is_symmetric(&self, symmetry: Symmetry) -> bool {
        *self.image == self.image.turned(symmetry)
    }

    fn commonest(&self) -> Option<u8> {
        most_frequent(&self.counts, |c| c != 0)
    }
}

/// Declares the scalars with their words and values. Those of a colour are declared for all ten.
macro_rules! scalars {
    ($($id:ident$(($color:ident))?: $words:expr, $value:expr;)*) => {
        /// A number or colour read off an image.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Scalar { $($id$((scalars!(@u8 $color)))?),* }

        impl Scalar {
            /// All scalars; earlier ones are preferred.
            pub(crate) fn all() -> &'static [Scalar] {
                static ALL: LazyLock<Vec<Scalar>> = LazyLock::new(|| {
                    let mut all = Vec::new();
                    $(scalars!(@push all $id $($color)?);)*
                    all
                });
                &ALL
            }

            pub(crate) fn words(self) -> Words {
                match self { $(Scalar::$id$(($color))? => Words::from($words),)* }
            }

            fn value(self, it: &Measured<'_>) -> usize {
                match self { $(Scalar::$id$(($color))? => ($value)(it),)* }
            }
        }
    };
    (@u8 $color:ident) => { u8 };
    (@push $all:ident $id:ident) => { $all.extend([Scalar::$id]) };
    (@push $all:ident $id:ident $color:ident) => { $all.extend((0..10).map(Scalar::$id)) };
}

scalars! {
    Height: "the height", |it: &Measured<'_>| it.image.h;
    Width: "the width", |it: &Measured<'_>| it.image.w;
    Colors: "the number of colours, black too", |it: &Measured<'_>| it.n_colors();
    ColorsButBlack: "the number of colours",
        |it: &Measured<'_>| it.n_colors() - usize::from(it.counts[0] > 0);
    ColoredCells: "the number of coloured cells", |it: &Measured<'_>| it.image.area() - it.counts[0];
    ObjectsByEdges: "the number of one-colour objects joined by edges", |it: &Measured<'_>| it.objects.len();
    OneColorObjects: "the number of one-colour objects",
        |it: &Measured<'_>| it.count_objects(Segmentation::Mono8);
    Objects: "the number of objects", |it: &Measured<'_>| it.count_objects(Segmentation::Multi8);
    ManyColorObjectsByEdges: "the number of objects joined by edges",
        |it: &Measured<'_>| it.count_objects(Segmentation::Multi4);
    ObjectsOf(color): format!("the number of objects in {}", color_name(color)),
        |it: &Measured<'_>| it.n_of(color);
    CellsOf(color): format!("the amount of {}", color_name(color)),
        |it: &Measured<'_>| it.counts[usize::from(color)];
    CommonestColor: "the commonest colour", |it: &Measured<'_>| it.commonest().unwrap_or(0).into();
    RarestColor: "the rarest colour",
        |it: &Measured<'_>| least_frequent(&it.counts, |c| c != 0).unwrap_or(0).into();
    MajorityColor: "the commonest colour of all", |it: &Measured<'_>| it.image.majority().into();
    LargestColor: "the colour of the largest object",
        |it: &Measured<'_>| it.objects.iter().max_by_key(|o| o.size()).map_or(0, |o| o.color.into());
    LargestSize: "the size of the largest object",
        |it: &Measured<'_>| it.objects.iter().map(Object::size).max().unwrap_or(0);
    LeftRightSymmetric: "left-right symmetry",
        |it: &Measured<'_>| usize::from(it.is_symmetric(Symmetry::LeftRight));
    UpDownSymmetric: "up-down symmetry", |it: &Measured<'_>| usize::from(it.is_symmetric(Symmetry::UpDown));
    DiagonallySymmetric: "diagonal symmetry",
        |it: &Measured<'_>| usize::from(it.image.h == it.image.w && it.is_symmetric(Symmetry::Transpose));
    LargerObjects: "the number of objects of more than one cell",
        |it: &Measured<'_>| it.objects.iter().filter(|o| o.size() > 1).count();
    RepeatedColors: "the number of colours with more than one object",
        |it: &Measured<'_>| (0..10).filter(|&c| it.n_of(c) > 1).count();
    ColorOfMostObjects: "the colour with the most objects",
        |it: &Measured<'_>| (0..10u8).rev().max_by_key(|&c| it.n_of(c)).map_or(0, usize::from);
    LineRows: "the number of rows between lines",
        |it: &Measured<'_>| it.lines.as_ref().map_or(0, |lines| lines.rows.len());
    LineColumns: "the number of columns between lines",
        |it: &Measured<'_>| it.lines.as_ref().map_or(0, |lines| lines.cols.len());
    BlackCells: "the number of black cells", |it: &Measured<'_>| it.counts[0];
    CommonestCells: "the amount of the commonest colour",
        |it: &Measured<'_>| it.commonest().map_or(0, |c| it.counts[usize::from(c)]);
}

impl Scalar {
    pub(crate) fn is_color(self) -> bool {
        use Scalar::{ColorOfMostObjects, CommonestColor, LargestColor, MajorityColor, RarestColor};
        matches!(self, CommonestColor | RarestColor | MajorityColor | LargestColor | ColorOfMostObjects)
    }

    /// Whether it is the height or the width.
    pub(crate) fn is_side(self) -> bool {
        matches!(self, Scalar::Height | Scalar::Width)
    }

    /// Height for width and width for height.
    pub(crate) fn mirrored(self) -> Scalar {
        match self {
            Scalar::Height => Scalar::Width,
            Scalar::Width => Scalar::Height,
            other => other,
        }
    }
}

/// The values of all scalars for one image.
#[derive(Clone, Debug)]
pub(crate) struct Scalars(Vec<i32>);

impl Scalars {
    pub(crate) fn of(image: &Image) -> Scalars {
        let measured = Measured::new(image);
        let values = Scalar::all().iter().map(|scalar| scalar.value(&measured).min(250) as i32);
        Scalars(values.collect())
    }

    pub(crate) fn get(&self, scalar: Scalar) -> i32 {
        let place = Scalar::all().iter().position(|known| *known == scalar);
        place.map_or(0, |place| self.0[place])
    }
}

impl Scalar {
    /// The number or colour in the language.
    pub(crate) fn code(self, grid: &Expr) -> Option<String> {
        let filled = format!("remove(ZERO, palette({grid}))");
        Some(match self {
            Scalar::Height => format!("height({grid})"),
            Scalar::Width => format!("width({grid})"),
            Scalar::Colors => format!("numcolors({grid})"),
            Scalar::ColorsButBlack => format!("size({filled})"),
            Scalar::ColoredCells => {
                format!("size(difference(asindices({grid}), ofcolor({grid}, ZERO)))")
            }
            Scalar::ObjectsByEdges => format!("size(objects({grid}, T, F, T))"),
            Scalar::OneColorObjects => format!("size(objects({grid}, T, T, T))"),
            Scalar::Objects => format!("size(objects({grid}, F, T, T))"),
            Scalar::ManyColorObjectsByEdges => format!("size(objects({grid}, F, F, T))"),
            Scalar::ObjectsOf(color) => {
                format!("size(colorfilter(objects({grid}, T, F, T), {}))", number(color.into()))
            }
            Scalar::CellsOf(color) => format!("colorcount({grid}, {})", number(color.into())),
            Scalar::CommonestColor => format!("argmax({filled}, lbind(colorcount, {grid}))"),
            Scalar::RarestColor => format!("argmin({filled}, lbind(colorcount, {grid}))"),
            Scalar::MajorityColor => format!("mostcolor({grid})"),
            Scalar::LargestColor => format!("color(argmax(objects({grid}, T, F, T), size))"),
            Scalar::LargestSize => format!("valmax(objects({grid}, T, F, T), size)"),
            Scalar::BlackCells => format!("colorcount({grid}, ZERO)"),
            Scalar::CommonestCells => format!("valmax({filled}, lbind(colorcount, {grid}))"),
            Scalar::LeftRightSymmetric => format!("equality({grid}, vmirror({grid}))"),
            Scalar::UpDownSymmetric => format!("equality({grid}, hmirror({grid}))"),
            Scalar::DiagonallySymmetric => format!("equality({grid}, dmirror({grid}))"),
            Scalar::LargerObjects => {
                format!("size(sfilter(objects({grid}, T, F, T), compose(rbind(greater, ONE), size)))")
            }
            Scalar::RepeatedColors | Scalar::ColorOfMostObjects | Scalar::LineRows | Scalar::LineColumns => {
                return None;
            }
        })
    }
}
