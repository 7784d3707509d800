//! Features: what trees may ask about a row, how a question counts and how it reads.

use crate::Words;
use crate::image::color_name;

/// How the values of a feature may be compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Flag,
    Color,
    /// Numbers that may be compared by size.
    Count,
    /// Numbers that are names only.
    Code,
}

/// A feature of the rows of a tree.
#[derive(Clone, Debug)]
pub(crate) struct Feature {
    pub words: Words,
    pub kind: Kind,
    /// A factor on the information gain of its tests: how well such tests carried over to unseen tasks.
    ///
    /// Chosen on ARC-AGI-1 training tasks. 1 is the default; positions and counts, which often fit by accident, weigh
    /// less, questions about the background and the border a little more.
    pub weight: f64,
}

impl Feature {
    pub(crate) fn new(kind: Kind, weight: f64, words: impl Into<Words>) -> Feature {
        Feature { words: words.into(), kind, weight }
    }
}

/// A question about a row: does the feature have this value, or at least this value?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Test<F> {
    pub feature: F,
    pub value: u8,
    pub at_least: bool,
}

impl<F> Test<F> {
    #[inline]
    pub(crate) fn holds(&self, found: u8) -> bool {
        if self.at_least { found >= self.value } else { found == self.value }
    }

    pub(crate) fn words(&self, feature: &Feature) -> String {
        let words = &feature.words;
        match (feature.kind, self.value, self.at_least) {
            (Kind::Flag, 1, _) => words.to_string(),
            (Kind::Flag, 0, _) => format!("not ({words})"),
            (Kind::Color, value, _) => format!("{words} is {}", color_name(value)),
            (_, value, true) => format!("{words} ≥ {value}"),
            (_, value, false) => format!("{words} = {value}"),
        }
    }
}

/// Declares features as one enum: for each its kind, its weight, its words and its value.
///
/// The order is the order in which trees prefer equally good tests.
macro_rules! features {
    (
        $(#[$meta:meta])*
        $name:ident($($arg:ident: $ty:ty),*) {
            $($id:ident: $kind:ident $weight:literal, $words:literal, $value:expr;)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub(crate) enum $name { $($id),* }

        impl $name {
            pub(crate) const ALL: &[$name] = &[$($name::$id),*];

            pub(crate) fn feature(self) -> $crate::feature::Feature {
                match self {
                    $($name::$id => $crate::feature::Feature::new(
                        $crate::feature::Kind::$kind, $weight, $words,
                    ),)*
                }
            }

            pub(crate) fn value(self, $($arg: $ty),*) -> u8 {
                match self { $($name::$id => $value,)* }
            }

            pub(crate) fn index(self) -> usize {
                self as usize
            }
        }
    };
}
pub(crate) use features;
