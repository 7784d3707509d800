//! Options of learners and contexts: enums whose variants have names in the language.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::{Context, Learner, Name, Repetition, Words};

/// An option with its name and what it means, for the manual.
#[derive(Clone, Debug)]
pub struct OptionDoc {
    pub name: Name,
    pub words: Words,
}

/// Declares an option: for each variant its documentation and the constant that names it in the language.
macro_rules! options {
    (
        $(#[$meta:meta])*
        $option:ident { $($(#[doc = $doc:literal])* $id:ident = $name:literal,)* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $option { $($(#[doc = $doc])* $id),* }

        impl $option {
            /// All variants, in the order in which they are tried.
            pub const ALL: &[$option] = &[$($option::$id),*];

            /// The constant of the language that names the option.
            pub const fn name(self) -> $crate::Name {
                match self { $($option::$id => $crate::Name::new($name)),* }
            }

            /// The documentation of the option.
            pub(crate) fn doc(self) -> $crate::OptionDoc {
                let words = match self { $($option::$id => concat!($($doc),*).trim(),)* };
                $crate::OptionDoc { name: self.name(), words: words.into() }
            }

            /// The option that a value of the language means.
            pub fn from_value(value: i64) -> Option<$option> {
                $option::ALL.iter().copied().find(|option| option.name().value() == value)
            }
        }
    };
}
pub(crate) use options;

/// Declares the choices of one part of a rule, each with its words. Unlike [`options!`], programs do not name them.
macro_rules! choices {
    ($(#[$meta:meta])* $name:ident { $($(#[doc = $doc:literal])* $id:ident: $words:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum $name { $($(#[doc = $doc])* $id),* }

        impl $name {
            /// All choices; of equally good ones the first is learned.
            pub(crate) const ALL: &[$name] = &[$($name::$id),*];

            pub(crate) const fn words(self) -> &'static str {
                match self { $($name::$id => $words),* }
            }
        }
    };
}
pub(crate) use choices;

/// The options of a primitive that learns or transforms, in the order of the manual; empty if it has none.
pub fn options_of(primitive: &str) -> Vec<OptionDoc> {
    match primitive {
        "view" => Context::options_of("learn_after"),
        "complete" => Repetition::ALL.iter().map(|option| option.doc()).collect(),
        _ if Context::is_primitive(primitive) => Context::options_of(primitive),
        _ => Learner::options_of(primitive),
    }
}

/// All names of options, each once, with what they mean. They are constants of the language.
pub fn constants() -> &'static [OptionDoc] {
    static ALL: LazyLock<Vec<OptionDoc>> = LazyLock::new(|| {
        let mut primitives: Vec<&str> = Learner::all().into_iter().map(Learner::primitive).collect();
        primitives.extend(Context::all().into_iter().map(Context::primitive));
        primitives.push("complete");
        // Options of one primitive follow each other.
        primitives.dedup();
        let mut known = BTreeSet::new();
        let mut all = Vec::new();
        for primitive in primitives {
            all.extend(options_of(primitive).into_iter().filter(|option| known.insert(option.name)));
        }
        all
    });
    &ALL
}
