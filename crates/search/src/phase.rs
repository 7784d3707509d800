//! The phases of the search for one task, from cheap to expensive.

use std::fmt;
use std::str::FromStr;

/// A phase of the search.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum SearchPhase {
    /// Known programs, then plain learners and learners in parts, boxes and matrices.
    #[default]
    Cheap,
    /// Learners with large vocabularies, other backgrounds, two transforms, or a transform first.
    Middle,
    /// Learners in nested contexts.
    Expensive,
    /// Programs built call by call from the task alone.
    Enumerate,
    /// Mutations of known programs.
    Breed,
    /// All learners in all contexts, then in all pairs of contexts, from this position of the list.
    Deeper(usize),
}

impl SearchPhase {
    /// Returns the next phase. After a deeper phase, the next position depends on which contexts fit.
    pub(crate) fn next(self) -> SearchPhase {
        match self {
            SearchPhase::Cheap => SearchPhase::Middle,
            SearchPhase::Middle => SearchPhase::Expensive,
            SearchPhase::Expensive => SearchPhase::Enumerate,
            SearchPhase::Enumerate => SearchPhase::Breed,
            SearchPhase::Breed => SearchPhase::Deeper(0),
            SearchPhase::Deeper(position) => SearchPhase::Deeper(position + 1),
        }
    }
}

/// Formats the name in records. A deeper phase includes its position: `deeper 12`.
impl fmt::Display for SearchPhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchPhase::Cheap => f.write_str("cheap"),
            SearchPhase::Middle => f.write_str("middle"),
            SearchPhase::Expensive => f.write_str("expensive"),
            SearchPhase::Enumerate => f.write_str("enumerate"),
            SearchPhase::Breed => f.write_str("breed"),
            SearchPhase::Deeper(position) => write!(f, "deeper {position}"),
        }
    }
}

/// The error for a text that is not the name of a phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownPhase;

impl FromStr for SearchPhase {
    type Err = UnknownPhase;

    fn from_str(name: &str) -> Result<SearchPhase, UnknownPhase> {
        Ok(match name {
            "cheap" => SearchPhase::Cheap,
            "middle" => SearchPhase::Middle,
            "expensive" => SearchPhase::Expensive,
            "enumerate" => SearchPhase::Enumerate,
            "breed" => SearchPhase::Breed,
            _ => {
                let position = name.strip_prefix("deeper ").and_then(|position| position.parse().ok());
                SearchPhase::Deeper(position.ok_or(UnknownPhase)?)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::SearchPhase;

    #[test]
    fn names_parse_to_their_phases() {
        let mut phase = SearchPhase::Cheap;
        for _ in 0..8 {
            assert_eq!(phase.to_string().parse(), Ok(phase));
            phase = phase.next();
        }
        assert!("deeper".parse::<SearchPhase>().is_err() && "3".parse::<SearchPhase>().is_err());
    }
}
