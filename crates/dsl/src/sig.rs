//! Types of the language, and the other properties of a primitive's declaration.

use std::fmt;
use std::sync::LazyLock;

/// A type of the language. The checker, the search and readers rely on types; at run time the language is as
/// dynamic as Python.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum Ty {
    Any,
    None,
    Bool,
    Int,
    /// An integer that stands for a colour.
    Color,
    /// An integer that counts from the front (0, 1, …) or from the back (−1, −2, …).
    Rank,
    /// An integer below 4 that selects one of four options.
    Choice4,
    /// An integer below 8 that selects one of eight options.
    Choice8,
    /// Two integers: a location, a direction or a size.
    Pair,
    /// An integer or a pair.
    Num,
    /// A tuple of rows of colours.
    Grid,
    /// A colour and a location.
    Cell,
    /// A set of locations.
    Indices,
    /// A set of cells.
    Object,
    /// Indices or an object.
    Patch,
    /// An object or a grid.
    Element,
    /// A patch or a grid.
    Piece,
    /// The demonstration pairs: a tuple of (input, output).
    Samples,
    Tuple(Box<Ty>),
    Set(Box<Ty>),
    /// A tuple or a set.
    Container(Box<Ty>),
    Func(Vec<Ty>, Box<Ty>),
    Var(char),
}

impl Ty {
    pub fn tuple(of: Ty) -> Ty {
        Ty::Tuple(Box::new(of))
    }

    pub fn set(of: Ty) -> Ty {
        Ty::Set(Box::new(of))
    }

    pub fn container(of: Ty) -> Ty {
        Ty::Container(Box::new(of))
    }

    pub fn func(params: Vec<Ty>, result: Ty) -> Ty {
        Ty::Func(params, Box::new(result))
    }

    /// Returns the type of the members of a container; `Any` if it is unknown.
    pub fn member(&self) -> &Ty {
        static ROW: LazyLock<Ty> = LazyLock::new(|| Ty::tuple(Ty::Color));
        static SAMPLE: LazyLock<Ty> = LazyLock::new(|| Ty::tuple(Ty::Grid));
        match self {
            Ty::Pair => &Ty::Int,
            Ty::Grid => &ROW,
            Ty::Indices => &Ty::Pair,
            Ty::Object => &Ty::Cell,
            Ty::Samples => &SAMPLE,
            Ty::Tuple(of) | Ty::Set(of) | Ty::Container(of) => of,
            _ => &Ty::Any,
        }
    }

    /// Returns the kinds of run-time values that the type admits.
    pub fn kinds(&self) -> Kinds {
        match self {
            Ty::Any | Ty::Var(_) => Kinds::ALL,
            Ty::None => Kinds::NONE,
            Ty::Bool | Ty::Int | Ty::Color | Ty::Rank | Ty::Choice4 | Ty::Choice8 => Kinds::INT,
            Ty::Pair | Ty::Grid | Ty::Cell | Ty::Samples | Ty::Tuple(_) => Kinds::TUPLE,
            Ty::Num => Kinds::INT | Kinds::TUPLE,
            // A tuple of cells is accepted like a set of cells.
            Ty::Indices | Ty::Object | Ty::Patch => Kinds::TUPLE | Kinds::SET,
            Ty::Set(_) => Kinds::SET,
            Ty::Element | Ty::Piece | Ty::Container(_) => Kinds::TUPLE | Kinds::SET,
            Ty::Func(..) => Kinds::FUNC,
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Tuple(of) => write!(f, "Tuple<{of}>"),
            Ty::Set(of) => write!(f, "Set<{of}>"),
            Ty::Container(of) => write!(f, "Container<{of}>"),
            Ty::Func(params, result) => {
                f.write_str("(")?;
                for (i, param) in params.iter().enumerate() {
                    write!(f, "{}{param}", if i == 0 { "" } else { ", " })?;
                }
                write!(f, ") -> {result}")
            }
            Ty::Var(letter) => write!(f, "{letter}"),
            plain => write!(f, "{plain:?}"),
        }
    }
}

/// A set of run-time kinds; booleans are integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kinds(u8);

impl Kinds {
    pub const NONE: Kinds = Kinds(1);
    pub const INT: Kinds = Kinds(2);
    pub const TUPLE: Kinds = Kinds(4);
    pub const SET: Kinds = Kinds(8);
    pub const FUNC: Kinds = Kinds(16);
    pub const ALL: Kinds = Kinds(31);

    pub fn disjoint(self, other: Kinds) -> bool {
        self.0 & other.0 == 0
    }
}

impl std::ops::BitOr for Kinds {
    type Output = Kinds;

    fn bitor(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }
}

/// The fuel that a call costs, by the [weights](batt_value::Value::weight) of its arguments and its result.
/// Kernels charge the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cost {
    /// Costs 1.
    Constant,
    /// Costs 4, because a function takes more memory than a number.
    Closure,
    /// Costs 1 plus the weights of the arguments and the result.
    PerCell,
    /// Costs as `PerCell`, plus a 64th of the product of the two largest weights among the arguments.
    PerPair,
    /// Costs 1 plus the weights of the arguments. Calls of function arguments are charged separately, and
    /// each result that is kept or compared costs its weight.
    PerCall,
}

impl Cost {
    pub fn name(self) -> &'static str {
        match self {
            Cost::Constant => "constant",
            Cost::Closure => "closure",
            Cost::PerCell => "per cell",
            Cost::PerPair => "per pair of cells",
            Cost::PerCall => "per call",
        }
    }
}

/// How the checker infers the result type of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Infer {
    /// From the declared signature; the arguments bind its type variables.
    Declared,
    /// The type of the first argument.
    SameAsFirst,
    /// The function type of the first argument, without its first parameter.
    BindFirst,
    /// The function type of the first argument, without its last parameter.
    BindLast,
}
