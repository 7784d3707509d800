//! Names of options in the language.

use std::fmt;

/// The name of an option: a constant of the language.
///
/// Names are part of the language: a stored program keeps its meaning as long as no name changes its meaning. The value
/// of the constant is computed from the name, so it does not depend on the order of declarations, and an option of
/// another learner is an error instead of another meaning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(&'static str);

impl Name {
    pub const fn new(name: &'static str) -> Name {
        Name(name)
    }

    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// The value of the constant: the FNV-1a hash of the name, between 2²⁰ and 2³¹.
    pub const fn value(self) -> i64 {
        let mut hash = 0x811c_9dc5_u32;
        let mut i = 0;
        while i < self.0.len() {
            hash = (hash ^ self.0.as_bytes()[i] as u32).wrapping_mul(0x0100_0193);
            i += 1;
        }
        (hash % ((1 << 31) - (1 << 20)) + (1 << 20)) as i64
    }
}

impl From<&'static str> for Name {
    fn from(name: &'static str) -> Name {
        Name(name)
    }
}

/// For names that are put together when the list of views is made; they live as long as the program.
impl From<String> for Name {
    fn from(name: String) -> Name {
        Name(name.leak())
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
