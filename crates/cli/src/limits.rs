//! The limits of one run of a program.

use std::time::Duration;

use arcbatt::base::time;
use arcbatt::dsl::Limits;

#[derive(clap::Args)]
pub(crate) struct RunLimits {
    /// Fuel for each run
    #[arg(long, value_name = "N", default_value_t = Limits::STANDARD.fuel)]
    fuel: u64,
    /// Stop after this time even if fuel is left (90s, 1m30s; plain numbers are seconds)
    #[arg(short = 't', long, value_name = "TIME", default_value = "60s", value_parser = time::parse)]
    pub(crate) timeout: Duration,
}

impl RunLimits {
    pub(crate) fn limits(&self) -> Limits {
        Limits { fuel: self.fuel, ..Limits::STANDARD }
    }
}
