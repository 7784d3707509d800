//! Function values: a primitive by name, or a combinator over its arguments.

use crate::Value;

/// A primitive as a value. There is one `Symbol` per primitive; `id` ascends with `name`, so comparing ids is
/// comparing names.
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
    /// A rule learned from samples: it holds the learner, its two arguments and the samples.
    Learned = 6,
}

impl Op {
    /// By number.
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

    /// How many values the combinator holds.
    pub fn held(self) -> usize {
        match self {
            Op::Learned => 4,
            Op::Chain | Op::Fork => 3,
            Op::Compose | Op::Lbind | Op::Matcher | Op::Rbind => 2,
        }
    }
}

/// A combinator applied to what it holds: `compose(rot90, first)`.
#[derive(Debug)]
pub struct Closure<'a> {
    pub op: Op,
    /// How many arguments a call takes.
    pub arity: u8,
    pub(crate) depth: u16,
    pub(crate) weight: u32,
    pub held: &'a [Value<'a>],
}

impl Closure<'_> {
    /// How many arguments the closure takes, for what it holds. `None`: binding needs a function.
    ///
    /// Binding looks at the declared number of parameters, as the reference does: two leave one, three leave
    /// two, and anything else is taken for a function of four.
    pub(crate) fn arity_of(op: Op, held: &[Value<'_>]) -> Option<u8> {
        Closure::arity_over(op, held[0].func_arity())
    }

    /// The same, from the number of arguments that the first value it holds takes.
    pub fn arity_over(op: Op, first: Option<u8>) -> Option<u8> {
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
