/// The reason why a call has no value. Failure is data: it affects only the nodes that depend on it.
///
/// Eight bytes wide, so that `Result<Value, Fail>` still fits in two registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
#[repr(u64)]
pub enum Fail {
    /// An argument of the wrong kind, or a call with the wrong number of arguments.
    Kind,
    /// A member of an empty container was needed.
    Empty,
    /// An index, a step or a divisor that the operation does not accept.
    Range,
    /// An integer that does not fit in 64 bits.
    Overflow,
    /// A value or the nesting of calls would exceed its cap.
    TooLarge,
    /// The program has used up its fuel.
    Fuel,
    /// The deadline has passed.
    Deadline,
    /// A panic in the engine, caught at the node.
    Bug,
}

impl Fail {
    pub const ALL: [Fail; 8] = [
        Fail::Kind,
        Fail::Empty,
        Fail::Range,
        Fail::Overflow,
        Fail::TooLarge,
        Fail::Fuel,
        Fail::Deadline,
        Fail::Bug,
    ];

    /// Returns the one-word name used in examples, test vectors and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Fail::Kind => "Kind",
            Fail::Empty => "Empty",
            Fail::Range => "Range",
            Fail::Overflow => "Overflow",
            Fail::TooLarge => "TooLarge",
            Fail::Fuel => "Fuel",
            Fail::Deadline => "Deadline",
            Fail::Bug => "Bug",
        }
    }

    /// Returns a description for people.
    pub fn describe(self) -> &'static str {
        match self {
            Fail::Kind => "wrong kind of argument",
            Fail::Empty => "empty container",
            Fail::Range => "out of range",
            Fail::Overflow => "integer overflow",
            Fail::TooLarge => "too large",
            Fail::Fuel => "out of fuel",
            Fail::Deadline => "deadline passed",
            Fail::Bug => "bug in the engine",
        }
    }
}

impl std::fmt::Display for Fail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.describe())
    }
}
