//! Features of an object: each with its kind, weight, words and value.

use std::collections::BTreeMap;

use super::{Object, holes};
use crate::feature::features;
use crate::image::{Direction, Image, Symmetry, cap, least_frequent};

/// All objects of an image, with the figures that features compare.
pub(crate) struct Crowd<'a> {
    image: &'a Image,
    objects: &'a [Object],
    background: u8,
    masks: Vec<Image>,
    colors: Vec<Colors>,
    n_holes: Vec<usize>,
    n_of_shape: Vec<usize>,
    n_of_color: [usize; 10],
    n_of_size: BTreeMap<usize, usize>,
    extremes: Extremes,
}

/// The largest and smallest figures of all objects.
struct Extremes {
    largest: usize,
    smallest: usize,
    most_colors: usize,
    most_holes: usize,
    most_of_rarest: usize,
    commonest_shape: usize,
    top: usize,
    bottom: usize,
    left: usize,
    right: usize,
}

/// The colours of one object.
struct Colors {
    number: usize,
    rarest: u8,
    /// The number of cells in the rarest colour; 0 if there is only one.
    of_rarest: usize,
}

/// Above this number of objects, touching is not worth its time.
const MAX_TOUCHING: usize = 80;
/// Objects of fewer cells have no holes.
const MIN_HOLLOW: usize = 4;

impl<'a> Crowd<'a> {
    pub(crate) fn new(image: &'a Image, objects: &'a [Object], background: u8) -> Crowd<'a> {
        let masks: Vec<Image> = objects.iter().map(Object::mask).collect();
        let mut by_shape: BTreeMap<(usize, &[u8]), usize> = BTreeMap::new();
        for mask in &masks {
            *by_shape.entry((mask.w, &mask.cells)).or_default() += 1;
        }
        let n_of_shape: Vec<usize> = masks.iter().map(|mask| by_shape[&(mask.w, &mask.cells[..])]).collect();
        let mut n_of_color = [0usize; 10];
        let mut n_of_size: BTreeMap<usize, usize> = BTreeMap::new();
        for object in objects {
            n_of_color[usize::from(object.color)] += 1;
            *n_of_size.entry(object.size()).or_default() += 1;
        }
        let colors: Vec<Colors> = objects.iter().map(|object| Colors::of(object, image)).collect();
        let n_holes: Vec<usize> = masks
            .iter()
            .zip(objects)
            .map(|(mask, object)| if object.size() < MIN_HOLLOW { 0 } else { holes(mask) })
            .collect();
        let most = |figure: &dyn Fn(&Object) -> usize| objects.iter().map(figure).max().unwrap_or(0);
        let least = |figure: &dyn Fn(&Object) -> usize| objects.iter().map(figure).min().unwrap_or(0);
        let extremes = Extremes {
            largest: most(&Object::size),
            smallest: least(&Object::size),
            most_colors: colors.iter().map(|colors| colors.number).max().unwrap_or(0),
            most_holes: n_holes.iter().copied().max().unwrap_or(0),
            most_of_rarest: colors.iter().map(|colors| colors.of_rarest).max().unwrap_or(0),
            commonest_shape: n_of_shape.iter().copied().max().unwrap_or(0),
            top: least(&|object| object.y0),
            bottom: most(&|object| object.y1),
            left: least(&|object| object.x0),
            right: most(&|object| object.x1),
        };
        Crowd {
            image,
            objects,
            background,
            masks,
            colors,
            n_holes,
            n_of_shape,
            n_of_color,
            n_of_size,
            extremes,
        }
    }

    /// The values of all features for every object.
    pub(crate) fn values(&self) -> Vec<Vec<u8>> {
        let of = |i: usize| ObjectFeature::ALL.iter().map(|feature| feature.value(self, i)).collect();
        (0..self.objects.len()).map(of).collect()
    }

    fn is_symmetric(&self, i: usize, symmetry: Symmetry) -> bool {
        let mask = &self.masks[i];
        *mask == mask.turned(symmetry)
    }

    fn is_square(&self, i: usize) -> bool {
        self.masks[i].h == self.masks[i].w
    }

    /// The number of objects with a smaller figure.
    fn rank(&self, i: usize, figure: impl Fn(&Object) -> (usize, usize)) -> usize {
        let own = figure(&self.objects[i]);
        self.objects.iter().filter(|other| figure(other) < own).count()
    }

    fn touches_another_color(&self, i: usize) -> bool {
        self.objects.len() <= MAX_TOUCHING
            && self.objects[i].cells.iter().any(|&(y, x)| {
                Direction::ALL.iter().any(|direction| {
                    let color = self.image.beside(y, x, *direction);
                    color < 10 && color != self.background && color != self.image.at(y, x)
                })
            })
    }
}

impl Colors {
    fn of(object: &Object, image: &Image) -> Colors {
        let counts = object.counts(image);
        let number = counts.iter().filter(|&&n| n > 0).count();
        let rarest = least_frequent(&counts, |_| true).unwrap_or(0);
        Colors { number, rarest, of_rarest: if number > 1 { counts[usize::from(rarest)] } else { 0 } }
    }
}

features! {
    /// A feature of an object among the objects of its image.
    ObjectFeature(crowd: &Crowd<'_>, i: usize) {
        Color: Color 1.0, "its colour", crowd.objects[i].color;
        Size: Count 0.9, "its size", cap(crowd.objects[i].size());
        Largest: Flag 1.0, "it is the largest", u8::from(crowd.objects[i].size() == crowd.extremes.largest);
        Smallest: Flag 1.0, "it is the smallest",
            u8::from(crowd.objects[i].size() == crowd.extremes.smallest);
        Height: Count 0.8, "its height", cap(crowd.masks[i].h);
        Width: Count 0.8, "its width", cap(crowd.masks[i].w);
        Square: Flag 1.0, "its box is square", u8::from(crowd.is_square(i));
        Tall: Flag 1.0, "it is taller than wide", u8::from(crowd.masks[i].h > crowd.masks[i].w);
        Colors: Count 1.0, "its number of colours", cap(crowd.colors[i].number);
        MostColors: Flag 1.0, "it has the most colours",
            u8::from(crowd.colors[i].number == crowd.extremes.most_colors);
        Holes: Count 1.0, "its number of holes", cap(crowd.n_holes[i]);
        MostHoles: Flag 1.0, "it has the most holes",
            u8::from(crowd.n_holes[i] > 0 && crowd.n_holes[i] == crowd.extremes.most_holes);
        FillsBox: Flag 1.0, "it fills its box", u8::from(crowd.objects[i].size() == crowd.masks[i].area());
        LeftRightSymmetric: Flag 1.0, "it is left-right symmetric",
            u8::from(crowd.is_symmetric(i, Symmetry::LeftRight));
        UpDownSymmetric: Flag 1.0, "it is up-down symmetric", u8::from(crowd.is_symmetric(i, Symmetry::UpDown));
        DiagonallySymmetric: Flag 1.0, "it is diagonally symmetric",
            u8::from(crowd.is_square(i)
                && (crowd.is_symmetric(i, Symmetry::Transpose) || crowd.is_symmetric(i, Symmetry::Antitranspose)));
        TouchesBorder: Flag 1.03, "it touches the border", u8::from(crowd.objects[i].touches_border(crowd.image));
        SameShape: Count 0.9, "the number of objects of its shape", cap(crowd.n_of_shape[i]);
        UniqueShape: Flag 1.0, "its shape is unique", u8::from(crowd.n_of_shape[i] == 1);
        SameColor: Count 0.8, "the number of objects of its colour",
            cap(crowd.n_of_color[usize::from(crowd.objects[i].color)]);
        UniqueColor: Flag 1.0, "its colour is unique",
            u8::from(crowd.n_of_color[usize::from(crowd.objects[i].color)] == 1);
        Topmost: Flag 1.0, "it is topmost",
            u8::from(crowd.objects[i].y0 == crowd.extremes.top);
        Bottommost: Flag 1.0, "it is bottommost", u8::from(crowd.objects[i].y1 == crowd.extremes.bottom);
        Leftmost: Flag 1.0, "it is leftmost",
            u8::from(crowd.objects[i].x0 == crowd.extremes.left);
        Rightmost: Flag 1.0, "it is rightmost", u8::from(crowd.objects[i].x1 == crowd.extremes.right);
        OddSize: Flag 1.0, "its size is odd", (crowd.objects[i].size() % 2) as u8;
        UniqueSize: Flag 1.0, "its size is unique", u8::from(crowd.n_of_size[&crowd.objects[i].size()] == 1);
        RankBySize: Code 0.8, "its rank by size",
            cap(crowd.n_of_size.keys().rev().position(|&size| size == crowd.objects[i].size()).unwrap_or(0));
        RankFromTop: Code 0.6, "its rank from the top", cap(crowd.rank(i, |o| (o.y0, o.x0)));
        RankFromLeft: Code 0.6, "its rank from the left", cap(crowd.rank(i, |o| (o.x0, o.y0)));
        RarestColor: Color 0.8, "its rarest colour", crowd.colors[i].rarest;
        OfRarestColor: Count 0.8, "the number of its cells of the rarest colour", cap(crowd.colors[i].of_rarest);
        MostOfRarestColor: Flag 1.0, "it has the most cells of its rarest colour",
            u8::from(crowd.colors[i].of_rarest > 0 && crowd.colors[i].of_rarest == crowd.extremes.most_of_rarest);
        TouchesAnotherColor: Flag 1.0, "it touches another colour", u8::from(crowd.touches_another_color(i));
        CommonestShape: Flag 1.0, "its shape is the commonest",
            u8::from(crowd.n_of_shape[i] > 1 && crowd.n_of_shape[i] == crowd.extremes.commonest_shape);
        BoxFilled: Count 0.8, "tenths of its box filled",
            cap(crowd.objects[i].size() * 10 / crowd.masks[i].area());
    }
}
