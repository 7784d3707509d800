//! The minimum, median and maximum of repeated measurements.

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

/// The minimum, median and maximum of several times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    pub min: Duration,
    pub median: Duration,
    pub max: Duration,
}

impl Spread {
    /// Returns `None` for no times. The median of an even number of times is the mean of the two in the
    /// middle.
    pub fn of(times: &[Duration]) -> Option<Spread> {
        let mut times = times.to_vec();
        times.sort();
        let (min, max) = (*times.first()?, *times.last()?);
        let middle = times.len() / 2;
        let median =
            if times.len() % 2 == 1 { times[middle] } else { (times[middle - 1] + times[middle]) / 2 };
        Some(Spread { min, median, max })
    }
}

impl Serialize for Spread {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ns = |time: Duration| time.as_nanos() as u64;
        let Spread { min, median, max } = *self;
        Nanoseconds { min_ns: ns(min), median_ns: ns(median), max_ns: ns(max) }.serialize(serializer)
    }
}

impl JsonSchema for Spread {
    fn schema_name() -> Cow<'static, str> {
        "Spread".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Nanoseconds::json_schema(generator)
    }
}

/// The shortest, median and longest of several times.
#[derive(JsonSchema, Serialize)]
struct Nanoseconds {
    /// Shortest time in nanoseconds.
    min_ns: u64,
    /// Median time in nanoseconds.
    median_ns: u64,
    /// Longest time in nanoseconds.
    max_ns: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_odd_and_even_counts() {
        let of = |times: &[u64]| {
            let times: Vec<_> = times.iter().map(|ms| Duration::from_millis(*ms)).collect();
            Spread::of(&times).map(|it| [it.min, it.median, it.max].map(|time| time.as_millis()))
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[7]), Some([7, 7, 7]));
        assert_eq!(of(&[9, 1, 4]), Some([1, 4, 9]));
        assert_eq!(of(&[9, 1, 4, 6]), Some([1, 5, 9]));
    }
}
