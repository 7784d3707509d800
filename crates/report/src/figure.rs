//! Figures that know where they come from.

use std::fmt;

use batt_base::time::brief_ns;
use serde::Serialize;

/// Nanoseconds between stamps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize)]
#[serde(transparent)]
pub struct Measured(pub u64);

/// Nanoseconds of a node that were given to one of the functions working in it, by fuel and what fuel costs there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize)]
#[serde(transparent)]
pub struct Apportioned(pub u64);

/// Nanoseconds that nobody has seen: the middle of an interval that holds 95 % of the cases.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Serialize)]
pub struct Projected {
    pub low: f64,
    pub middle: f64,
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
