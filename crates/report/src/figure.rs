//! Figures, with a type for each way of obtaining them.

use std::fmt;

use batt_base::time::brief_ns;
use schemars::JsonSchema;
use serde::Serialize;

/// Measured time in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, JsonSchema, Serialize)]
#[serde(transparent)]
pub struct Measured(pub u64);

/// Time in nanoseconds that was not measured directly: a share of a node's time, by fuel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, JsonSchema, Serialize)]
#[serde(transparent)]
pub struct Apportioned(pub u64);

/// A projected figure: an estimate with its interval. Unless the field that holds it says otherwise, it is a
/// time in nanoseconds and the interval is of 95 %.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, JsonSchema, Serialize)]
pub struct Projected {
    /// Lower end of the interval.
    pub low: f64,
    /// The estimate.
    pub middle: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Projected {
    pub fn exactly(ns: f64) -> Projected {
        Projected { low: ns, middle: ns, high: ns }
    }

    pub fn plus(self, other: Projected) -> Projected {
        let Projected { low, middle, high } = other;
        Projected { low: self.low + low, middle: self.middle + middle, high: self.high + high }
    }

    pub fn over(self, parts: f64) -> Projected {
        Projected { low: self.low / parts, middle: self.middle / parts, high: self.high / parts }
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&brief_ns(self.0 as f64))
    }
}

impl fmt::Display for Apportioned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.pad(""),
            ns => f.pad(&format!("~{}", brief_ns(ns as f64))),
        }
    }
}

impl fmt::Display for Projected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Projected { low, middle, high } = *self;
        match low == high {
            true => f.pad(&format!("≈ {}", brief_ns(middle))),
            false => f.pad(&format!("≈ {} ({} to {})", brief_ns(middle), brief_ns(low), brief_ns(high))),
        }
    }
}
