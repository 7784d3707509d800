//! The named constants of both dialects.

/// What a constant is for: a mutation stays within the family.
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
    /// Options of learners: what a rule may speak of, and where it is learned.
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

/// The constant called `name`.
pub fn constant(name: &str) -> Option<&'static Constant> {
    CONSTANTS.iter().find(|constant| constant.name == name)
}

/// All named constants, family by family.
pub fn constants() -> &'static [Constant] {
    CONSTANTS
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
    Learn {
        ONE_STEP = Int(0), TWO_STEPS = Int(1), SPECIAL_STEPS = Int(2),
        NEAR = Int(0), NEAR_RING = Int(1), RAYS = Int(2), LINES = Int(3), OBJECTS = Int(4), BOXES = Int(5),
        NEAREST = Int(6), VIEWS = Int(7), EVERYTHING = Int(8), FREE = Int(9), FREE_SMALL = Int(10),
        UNDIRECTED = Int(11), DIRECTED = Int(12), PLAIN = Int(13), MIRRORS = Int(14), SPECIAL = Int(15),
        SPECIAL_OBJECTS = Int(16), SPECIAL_BOXES = Int(17),
        PROPERTIES = Int(0), RELATIONS = Int(1), COUNTING = Int(1),
        HIDDEN = Int(0), GROUND = Int(1), BEYOND = Int(2),
        MAJORITY = Int(0), FREQUENCY = Int(1), FREQUENCY_BUT_BLACK = Int(2), RARITY = Int(3),
        EACH_OBJECT = Int(0), EACH_COLOR_OBJECT = Int(1), EACH_ON_MAJORITY = Int(2), EACH_LINE_CELL = Int(3),
        EACH_ROW = Int(4), EACH_COLUMN = Int(5),
        LARGEST_OBJECT = Int(10), NOT_GROUND = Int(11), LARGEST_BOX = Int(12),
        LINE_CELLS = Int(0), BLOCKS = Int(1),
        ENLARGED = Int(0), MIRRORED_RIGHT = Int(1), MIRRORED_DOWN = Int(2), MIRRORED_BOTH = Int(3),
        DOUBLED_RIGHT = Int(4), DOUBLED_DOWN = Int(5), FRAMED = Int(6),
        AT_TOP_LEFT = Int(0), AT_BOTTOM_LEFT = Int(1), AT_TOP_RIGHT = Int(2), AT_BOTTOM_RIGHT = Int(3),
        AT_CENTRE = Int(4), SPREAD_CENTRE = Int(5), TILED = Int(6), SCALED = Int(7), MIRROR_TILED = Int(8),
        IN_BLOCKS = Int(9), SPREAD_TOP_LEFT = Int(10),
    }
}
