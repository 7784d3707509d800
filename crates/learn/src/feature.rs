//! What a column of numbers means: how trees may test it and how a test reads.

use crate::image::color_name;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Flag,
    Color,
    /// Numbers that may be compared.
    Count,
    /// Numbers that are names only.
    Code,
}

/// A feature of the rows of a tree.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Feature<N = &'static str> {
    pub name: N,
    pub kind: Kind,
    /// A factor on the gain of its tests: how well such tests carried over to unseen tasks.
    pub weight: f64,
}

pub(crate) const fn flag(name: &'static str, weight: f64) -> Feature {
    Feature { name, kind: Kind::Flag, weight }
}

pub(crate) const fn color(name: &'static str, weight: f64) -> Feature {
    Feature { name, kind: Kind::Color, weight }
}

pub(crate) const fn count(name: &'static str, weight: f64) -> Feature {
    Feature { name, kind: Kind::Count, weight }
}

pub(crate) const fn code(name: &'static str, weight: f64) -> Feature {
    Feature { name, kind: Kind::Code, weight }
}

impl<N: AsRef<str>> Feature<N> {
    /// A test in words.
    pub(crate) fn test(&self, value: u8, at_least: bool) -> String {
        let name = self.name.as_ref();
        match (self.kind, value, at_least) {
            (Kind::Flag, 1, _) => name.to_owned(),
            (Kind::Flag, 0, _) => format!("not ({name})"),
            (Kind::Color, _, _) => format!("{name} is {}", color_name(value)),
            (_, _, true) => format!("{name} ≥ {value}"),
            _ => format!("{name} = {value}"),
        }
    }
}
