//! The named constants of both dialects.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The purpose of a constant. A mutation replaces a constant by one of the same family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConstantFamily {
    Bool,
    Int,
    Color,
    /// Ranks from the front and from the back.
    Rank,
    /// Selectors of packed options.
    Choice,
    /// Mirrors and rotations.
    Angle,
    Scale,
    Pair,
    /// Options of learners and contexts, and views.
    Learn,
}

/// A named constant.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    pub name: &'static str,
    pub family: ConstantFamily,
    pub value: ConstantValue,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConstantValue {
    Bool(bool),
    Int(i64),
    Pair(i64, i64),
}

impl std::fmt::Display for ConstantValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ConstantValue::Bool(bool) => f.write_str(if *bool { "True" } else { "False" }),
            ConstantValue::Int(int) => write!(f, "{int}"),
            ConstantValue::Pair(row, col) => write!(f, "({row}, {col})"),
        }
    }
}

/// Returns the constant called `name`.
pub fn constant(name: &str) -> Option<&'static Constant> {
    plain_constants().iter().find(|constant| constant.name == name).or_else(|| learn_constant(name))
}

/// Returns the option of a learner, or the view, called `name`.
pub fn learn_constant(name: &str) -> Option<&'static Constant> {
    static BY_NAME: LazyLock<BTreeMap<&'static str, &'static Constant>> = LazyLock::new(|| {
        let learn = constants().iter().filter(|constant| constant.family == ConstantFamily::Learn);
        learn.map(|constant| (constant.name, constant)).collect()
    });
    // PERF: most programs use no learner. Their names cannot be these, so the list of views is not made for them.
    let may_be_one = name.len() > 2 && name.starts_with(|c: char| c.is_ascii_uppercase());
    may_be_one.then(|| BY_NAME.get(name).copied()).flatten()
}

/// All named constants but the options of learners and the views, of which there are many.
pub fn plain_constants() -> &'static [Constant] {
    CONSTANTS
}

/// All named constants, family by family. Those of learners are declared by `batt-learn`.
pub fn constants() -> &'static [Constant] {
    static ALL: LazyLock<Vec<Constant>> = LazyLock::new(|| {
        let learn = batt_learn::constants().iter().map(|option| Constant {
            name: option.name.as_str(),
            family: ConstantFamily::Learn,
            value: ConstantValue::Int(option.name.value()),
        });
        CONSTANTS.iter().copied().chain(learn).collect()
    });
    &ALL
}

macro_rules! constants {
    ($($family:ident { $($name:ident = $make:ident($($arg:expr),*)),* $(,)? })*) => {
        static CONSTANTS: &[Constant] = &[$($(
            Constant {
                name: stringify!($name),
                family: ConstantFamily::$family,
                value: ConstantValue::$make($($arg),*),
            },
        )*)*];
    };
}

constants! {
    Bool {
        F = Bool(false), T = Bool(true),
    }
    Int {
        NEG_TEN = Int(-10), NEG_NINE = Int(-9), NEG_EIGHT = Int(-8), NEG_SEVEN = Int(-7), NEG_SIX = Int(-6),
        NEG_FIVE = Int(-5), NEG_FOUR = Int(-4), NEG_THREE = Int(-3), NEG_TWO = Int(-2), NEG_ONE = Int(-1),
        ZERO = Int(0), ONE = Int(1), TWO = Int(2), THREE = Int(3), FOUR = Int(4), FIVE = Int(5),
        SIX = Int(6), SEVEN = Int(7), EIGHT = Int(8), NINE = Int(9), TEN = Int(10), HUNDRED = Int(100),
        THOUSAND = Int(1000),
    }
    Color {
        BLACK = Int(0), BLUE = Int(1), RED = Int(2), GREEN = Int(3), YELLOW = Int(4), GRAY = Int(5),
        MAGENTA = Int(6), ORANGE = Int(7), CYAN = Int(8), BURGUNDY = Int(9),
    }
    Rank {
        F0 = Int(0), F1 = Int(1), F2 = Int(2), F3 = Int(3), F4 = Int(4), F5 = Int(5), F6 = Int(6),
        F7 = Int(7), F8 = Int(8), F9 = Int(9), L1 = Int(-1), L2 = Int(-2), L3 = Int(-3), L4 = Int(-4),
        L5 = Int(-5), L6 = Int(-6), L7 = Int(-7), L8 = Int(-8), L9 = Int(-9), L10 = Int(-10),
    }
    Choice {
        R0 = Int(0), R1 = Int(1), R2 = Int(2), R3 = Int(3), R4 = Int(4), R5 = Int(5), R6 = Int(6),
        R7 = Int(7), R8 = Int(8), R9 = Int(9),
    }
    Angle {
        A0 = Int(0), A1 = Int(1), A2 = Int(2), A3 = Int(3), A4 = Int(4), A5 = Int(5), A6 = Int(6),
        A7 = Int(7), A8 = Int(8), A9 = Int(9),
    }
    Scale {
        SM2 = Int(2), SM3 = Int(3), SD2 = Int(-2), SD3 = Int(-3),
    }
    Pair {
        DOWN = Pair(1, 0), RIGHT = Pair(0, 1), UP = Pair(-1, 0), LEFT = Pair(0, -1), ORIGIN = Pair(0, 0),
        UNITY = Pair(1, 1), NEG_UNITY = Pair(-1, -1), UP_RIGHT = Pair(-1, 1), DOWN_LEFT = Pair(1, -1),
        ZERO_BY_TWO = Pair(0, 2), TWO_BY_ZERO = Pair(2, 0), TWO_BY_TWO = Pair(2, 2),
        THREE_BY_THREE = Pair(3, 3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for (i, constant) in constants().iter().enumerate() {
            let known = constants()[..i].iter().find(|known| known.name == constant.name);
            assert!(known.is_none(), "{} is declared twice", constant.name);
            assert!(crate::symbol(constant.name).is_none(), "{} is a primitive too", constant.name);
        }
    }
}
