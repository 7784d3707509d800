//! Ways to run. The reference backend is the oracle of all others.

pub(crate) mod reference;
