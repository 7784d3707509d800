//! Colours that an object may take from elsewhere.

use super::relation::seen;
use super::{Object, canonical, holes};
use crate::code::{Code, Expr};
use crate::image::{Direction, Image, OUTSIDE, least_frequent, most_frequent};

/// An object among those of its image.
pub(crate) struct Chosen<'a> {
    pub image: &'a Image,
    pub objects: &'a [Object],
    pub i: usize,
    pub background: u8,
    /// Present if sources by relations are asked for.
    pub shapes: Option<&'a Shapes>,
}

/// The shapes of objects in the forms in which they are compared.
pub(crate) struct Shapes {
    turned: Vec<Image>,
    scaled: Vec<Image>,
    both: Vec<Image>,
    holes: Vec<usize>,
}

impl Shapes {
    pub(crate) fn new(objects: &[Object]) -> Shapes {
        let masks: Vec<Image> = objects.iter().map(Object::mask).collect();
        let scaled: Vec<Image> =
            masks.iter().map(|m| m.scale().map_or_else(|| m.clone(), |k| m.shrunk(k))).collect();
        Shapes {
            turned: masks.iter().map(canonical).collect(),
            both: scaled.iter().map(canonical).collect(),
            scaled,
            holes: masks.iter().map(holes).collect(),
        }
    }
}

/// Declares the sources with their words and values; the second list is for rules by relations.
macro_rules! sources {
    ($($id:ident: $words:literal, $value:expr;)* -- $($related:ident: $related_words:literal, $related_value:expr;)*) => {
        /// A source of a colour for an object.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum ColorSource { $($id,)* $($related,)* }

        impl ColorSource {
            pub(crate) const PLAIN: &[ColorSource] = &[$(ColorSource::$id),*];
            pub(crate) const BY_RELATIONS: &[ColorSource] = &[$(ColorSource::$related),*];

            pub(crate) fn words(self) -> &'static str {
                match self {
                    $(ColorSource::$id => $words,)*
                    $(ColorSource::$related => $related_words,)*
                }
            }

            /// The colour, the object's own if the source has none.
            pub(crate) fn color(self, it: &Chosen<'_>) -> u8 {
                match self {
                    $(ColorSource::$id => ($value as fn(&Chosen<'_>) -> u8)(it),)*
                    $(ColorSource::$related => ($related_value as fn(&Chosen<'_>) -> u8)(it),)*
                }
            }
        }
    };
}

sources! {
    Commonest: "the commonest colour",
        |it| most_frequent(&it.image.counts(), |c| c != it.background).unwrap_or(it.background);
    Rarest: "the rarest colour", |it| least_frequent(&it.image.counts(), |c| c != it.background).unwrap_or(0);
    Largest: "the colour of the largest object",
        |it| it.objects.iter().max_by_key(|p| p.size()).map_or(0, |p| p.color);
    Smallest: "the colour of the smallest object",
        |it| it.objects.iter().min_by_key(|p| p.size()).map_or(0, |p| p.color);
    NearestOther: "the colour of the nearest object of another colour",
        |it| it.color_of(it.differing().min_by_key(|p| it.distance(p)));
    NearestCell: "the colour of the nearest single cell",
        |it| it.color_of(it.others().filter(|p| p.size() == 1).min_by_key(|p| it.distance(p)));
    OfItsShape: "the colour of the other object of its shape", |it| {
        let mask = it.object().mask();
        it.color_of(it.differing().find(|p| p.size() == it.object().size() && p.mask() == mask))
    };
    InItsRows: "the other colour in its rows",
        |it| it.color_of(it.differing().find(|p| it.object().shares_rows(p)));
    InItsColumns: "the other colour in its columns",
        |it| it.color_of(it.differing().find(|p| it.object().shares_columns(p)));
    Inside: "the colour of the object inside it",
        |it| it.color_of(it.others().find(|p| it.object().box_holds(p)));
    OwnRarest: "its rarest colour",
        |it| least_frequent(&it.object().counts(it.image), |_| true).unwrap_or(it.object().color);
    Own: "its main colour", |it| it.object().color;
    --
    EqualTurned: "the colour of the object equal to it up to turning", |it| it.only(|s, k| s.turned[k] == s.turned[it.i]);
    EqualScaled: "the colour of the object equal to it up to scale", |it| it.only(|s, k| s.scaled[k] == s.scaled[it.i]);
    EqualScaledTurned: "the colour of the object equal to it up to scale and turning",
        |it| it.only(|s, k| s.both[k] == s.both[it.i]);
    EqualHoles: "the colour of the object with as many holes",
        |it| it.only(|s, k| s.holes[k] == s.holes[it.i] && s.holes[it.i] > 0);
    EqualSize: "the colour of the object of its size", |it| it.only(|_, k| it.objects[k].size() == it.object().size());
    EqualBox: "the colour of the object with a box of its size",
        |it| it.only(|_, k| it.objects[k].h() == it.object().h() && it.objects[k].w() == it.object().w());
    EqualHeight: "the colour of the object of its height", |it| it.only(|_, k| it.objects[k].h() == it.object().h());
    EqualWidth: "the colour of the object of its width", |it| it.only(|_, k| it.objects[k].w() == it.object().w());
    SeenEast: "the colour seen to the east", |it| it.seen(Direction::East, false);
    SeenSouth: "the colour seen to the south", |it| it.seen(Direction::South, false);
    SeenWest: "the colour seen to the west", |it| it.seen(Direction::West, false);
    SeenNorth: "the colour seen to the north", |it| it.seen(Direction::North, false);
    LastEast: "the last colour to the east", |it| it.seen(Direction::East, true);
    LastSouth: "the last colour to the south", |it| it.seen(Direction::South, true);
    LastWest: "the last colour to the west", |it| it.seen(Direction::West, true);
    LastNorth: "the last colour to the north", |it| it.seen(Direction::North, true);
    Touching: "the colour that touches it", |it| it.touching();
    Around: "the colour of the smallest box around it", |it| {
        let around = it.others().filter(|p| p.box_holds(it.object()));
        it.color_of(around.min_by_key(|p| p.h() * p.w()))
    };
}

impl<'a> Chosen<'a> {
    fn object(&self) -> &'a Object {
        &self.objects[self.i]
    }

    fn others(&self) -> impl Iterator<Item = &'a Object> {
        let i = self.i;
        self.objects.iter().enumerate().filter(move |(k, _)| *k != i).map(|(_, other)| other)
    }

    /// The objects of other colours.
    fn differing(&self) -> impl Iterator<Item = &'a Object> {
        let own = self.object().color;
        self.others().filter(move |other| other.color != own)
    }

    fn color_of(&self, object: Option<&Object>) -> u8 {
        object.map_or(self.object().color, |object| object.color)
    }

    /// The steps between the boxes of this object and another.
    fn distance(&self, other: &Object) -> i32 {
        let gap = |a0: usize, a1: usize, b0: usize, b1: usize| {
            (b0 as i32 - a1 as i32).max(a0 as i32 - b1 as i32).max(0)
        };
        let o = self.object();
        gap(o.y0, o.y1, other.y0, other.y1) + gap(o.x0, o.x1, other.x0, other.x1)
    }

    /// The colour of the objects of another colour that are alike, if they agree.
    fn only(&self, alike: impl Fn(&Shapes, usize) -> bool) -> u8 {
        let own = self.object().color;
        let Some(shapes) = self.shapes else { return own };
        let mut colors = (0..self.objects.len())
            .filter(|&k| k != self.i && self.objects[k].color != own && alike(shapes, k))
            .map(|k| self.objects[k].color);
        let first = colors.next();
        first.filter(|first| colors.all(|c| c == *first)).unwrap_or(own)
    }

    fn seen(&self, direction: Direction, last: bool) -> u8 {
        match seen(self.image, self.object(), direction, self.background, last) {
            OUTSIDE => self.object().color,
            color => color,
        }
    }

    fn touching(&self) -> u8 {
        let o = self.object();
        let mut counts = [0usize; 10];
        for &(y, x) in &o.cells {
            for direction in Direction::ALL {
                let color = self.image.beside(y, x, direction);
                if color != OUTSIDE && color != self.background && color != o.color {
                    counts[usize::from(color)] += 1;
                }
            }
        }
        most_frequent(&counts, |_| true).unwrap_or(o.color)
    }
}

impl ColorSource {
    /// The function from an object to the colour, among all objects of a grid, in the language.
    pub(crate) fn code(self, code: &mut Code, grid: &Expr, objects: &Expr) -> Option<Expr> {
        let text = match self {
            ColorSource::NearestOther => {
                let alike = format!("compose(lbind(colorfilter, {objects}), color)");
                let others = format!("compose(lbind(difference, {objects}), {alike})");
                format!("compose(color, fork(argmin, {others}, lbind(lbind, manhattan)))")
            }
            ColorSource::Own => "mostcolor".to_owned(),
            ColorSource::OwnRarest => "leastcolor".to_owned(),
            ColorSource::Commonest | ColorSource::Rarest | ColorSource::Largest | ColorSource::Smallest => {
                let filled = code.template("remove(B, palette(I))", grid);
                let color = match self {
                    ColorSource::Commonest => format!("argmax({filled}, lbind(colorcount, {grid}))"),
                    ColorSource::Rarest => format!("argmin({filled}, lbind(colorcount, {grid}))"),
                    ColorSource::Largest => format!("color(argmax({objects}, size))"),
                    _ => format!("color(argmin({objects}, size))"),
                };
                let color = code.line(color);
                // A function that gives this colour for every object.
                format!("compose(first, lbind(astuple, {color}))")
            }
            _ => return None,
        };
        Some(code.line(text))
    }
}
