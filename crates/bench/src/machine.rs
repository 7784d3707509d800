//! The machine of a measurement, and the clocks and counters that its system offers.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;

/// The machine that was measured on.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "BenchMachine")]
pub struct Machine {
    /// Number of cores.
    pub cores: usize,
    /// Name of the processor. Null if the system does not report it.
    pub cpu: Option<String>,
    /// Operating system.
    pub system: &'static str,
}

impl Machine {
    /// Describes the machine that this process runs on.
    pub fn this() -> Machine {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let info = std::fs::read_to_string("/proc/cpuinfo").ok();
        let cpu = info.and_then(|info| field(&info, "model name").map(str::to_owned));
        Machine { cores, cpu, system: std::env::consts::OS }
    }
}

/// Returns the peak memory of this process in bytes. Only Linux reports it.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kib: u64 = field(&status, "VmHWM")?.strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

/// Returns the processor time of this thread. Only Linux reports it.
fn processor_time() -> Option<Duration> {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(times.split(' ').next()?.parse().ok()?))
}

/// Returns the processor time of all child processes that have ended. Only Unix reports it.
#[cfg(unix)]
pub(crate) fn time_of_children() -> Option<Duration> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    let microseconds = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Some(Duration::from_micros(microseconds.try_into().ok()?))
}

#[cfg(not(unix))]
pub(crate) fn time_of_children() -> Option<Duration> {
    None
}

/// Shorter times are taken from the wall clock: the system counts a thread's processor time in ticks of a few
/// milliseconds.
const MANY_TICKS: Duration = Duration::from_millis(100);

/// Measures the processor time of this thread, or the wall time if that is short or the system does not
/// report processor time. Wall time says little on a busy machine.
pub(crate) struct StopWatch {
    processor: Option<Duration>,
    wall: Instant,
}

impl StopWatch {
    pub(crate) fn start() -> StopWatch {
        StopWatch { processor: processor_time(), wall: Instant::now() }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        let wall = self.wall.elapsed();
        if wall < MANY_TICKS {
            return wall;
        }
        let on_processor = self.processor.zip(processor_time()).map(|(start, now)| now.saturating_sub(start));
        on_processor.unwrap_or(wall)
    }
}

/// Returns the value of a line `name : value`.
fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut fields = text.lines().filter_map(|line| line.split_once(':'));
    fields.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_proc_files() {
        let text = "processor\t: 0\nmodel name\t: A Processor: fast\nVmHWM:\t  1234 kB\n";
        assert_eq!(field(text, "model name"), Some("A Processor: fast"));
        assert_eq!(field(text, "VmHWM"), Some("1234 kB"));
        assert_eq!(field(text, "none"), None);
    }
}
