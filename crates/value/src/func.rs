//! Function values: primitives, and combinators with the values they captured.

use crate::Value;

/// A primitive as a value. There is one `Symbol` per primitive. Ids are in the order of names, so comparing
/// ids compares names.
#[derive(Debug)]
pub struct Symbol {
    pub id: u16,
    pub arity: u8,
    pub name: &'static str,
}

/// The combinators whose results are functions. Their numbers are part of the canonical bytes of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum Op {
    Chain = 0,
    Compose = 1,
    Fork = 2,
    Lbind = 3,
    Matcher = 4,
    Rbind = 5,
    /// A rule learned from samples. It captures the learner, its two arguments and the samples.
    Learned = 6,
}

impl Op {
    /// All combinators, by number.
    pub const ALL: [Op; 7] =
        [Op::Chain, Op::Compose, Op::Fork, Op::Lbind, Op::Matcher, Op::Rbind, Op::Learned];

    pub fn name(self) -> &'static str {
        match self {
            Op::Chain => "chain",
            Op::Compose => "compose",
            Op::Fork => "fork",
            Op::Lbind => "lbind",
            Op::Matcher => "matcher",
            Op::Rbind => "rbind",
            Op::Learned => "learned",
        }
    }

    pub fn from_name(name: &str) -> Option<Op> {
        Op::ALL.into_iter().find(|op| op.name() == name)
    }

    /// Returns the number of values that the combinator captures.
    pub fn n_captured(self) -> usize {
        match self {
            Op::Learned => 4,
            Op::Chain | Op::Fork => 3,
            Op::Compose | Op::Lbind | Op::Matcher | Op::Rbind => 2,
        }
    }
}

/// A combinator with the values it captured: `compose(rot90, first)`.
#[derive(Debug)]
pub struct Closure<'a> {
    pub op: Op,
    /// The number of arguments that a call takes.
    pub arity: u8,
    pub(crate) depth: u16,
    pub(crate) weight: u32,
    pub captured: &'a [Value<'a>],
}

impl Closure<'_> {
    /// Returns the number of arguments that the closure takes. `None` if it binds a value that
    /// is not a function.
    ///
    /// Binding looks at the declared number of parameters, as arc-dsl does: two leave one, three leave two,
    /// and any other number is treated as four.
    pub(crate) fn arity_of(op: Op, captured: &[Value<'_>]) -> Option<u8> {
        Closure::arity_given(op, captured[0].func_arity())
    }

    /// Returns the number of arguments that a closure takes, given that of the first captured value.
    pub fn arity_given(op: Op, first: Option<u8>) -> Option<u8> {
        match op {
            Op::Chain | Op::Compose | Op::Fork | Op::Matcher | Op::Learned => Some(1),
            Op::Lbind | Op::Rbind => Some(match first? {
                2 => 1,
                3 => 2,
                _ => 3,
            }),
        }
    }
}
