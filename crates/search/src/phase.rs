//! The phases of the search for one task, from cheap to expensive.

use std::fmt;
use std::str::FromStr;

/// A phase of the search.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum SearchPhase {
    /// Known programs, then plain learners and those in parts, boxes and matrices.
    #[default]
    Cheap,
    /// Large vocabularies, other backgrounds, two transforms, transforms first.
    Middle,
    /// Contexts in contexts.
    Expensive,
    /// Programs put together call by call.
    Enumerate,
    /// Changes of known programs.
    Breed,
    /// All learners in all contexts, then in all pairs of contexts, from this place of the list on.
    Deeper(usize),
}

impl SearchPhase {
    /// The phase after this one. Where a deeper phase continues depends on the contexts that fit.
    pub(crate) fn next(self) -> SearchPhase {
        match self {
            SearchPhase::Cheap => SearchPhase::Middle,
            SearchPhase::Middle => SearchPhase::Expensive,
            SearchPhase::Expensive => SearchPhase::Enumerate,
            SearchPhase::Enumerate => SearchPhase::Breed,
            SearchPhase::Breed => SearchPhase::Deeper(0),
            SearchPhase::Deeper(place) => SearchPhase::Deeper(place + 1),
        }
    }
}

/// The name in records: `deeper 12` for a place of the deeper phase.
impl fmt::Display for SearchPhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchPhase::Cheap => f.write_str("cheap"),
            SearchPhase::Middle => f.write_str("middle"),
            SearchPhase::Expensive => f.write_str("expensive"),
            SearchPhase::Enumerate => f.write_str("enumerate"),
            SearchPhase::Breed => f.write_str("breed"),
            SearchPhase::Deeper(place) => write!(f, "deeper {place}"),
        }
    }
}

/// The text is not the name of a phase.
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
                let place = name.strip_prefix("deeper ").and_then(|place| place.parse().ok());
                SearchPhase::Deeper(place.ok_or(UnknownPhase)?)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::SearchPhase;

    #[test]
    fn names_are_read_back() {
        let mut phase = SearchPhase::Cheap;
        for _ in 0..8 {
            assert_eq!(phase.to_string().parse(), Ok(phase));
            phase = phase.next();
        }
        assert!("deeper".parse::<SearchPhase>().is_err() && "3".parse::<SearchPhase>().is_err());
    }
}
