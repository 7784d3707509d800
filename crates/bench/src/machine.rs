//! Where a measurement was made.

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
    pub fn this() -> Machine {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let info = std::fs::read_to_string("/proc/cpuinfo").ok();
        let cpu = info.and_then(|info| field(&info, "model name").map(str::to_owned));
        Machine { cores, cpu, system: std::env::consts::OS }
    }
}

/// The most memory in bytes that this process has held since it started; only Linux tells.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kib: u64 = field(&status, "VmHWM")?.strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

/// How long this thread has been on a processor; only Linux tells.
fn processor_time() -> Option<Duration> {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(times.split(' ').next()?.parse().ok()?))
}

/// The system counts a thread's time in ticks of a few milliseconds.
const MANY_TICKS: Duration = Duration::from_millis(100);

/// Measures the time of this thread, a longer one on a processor where the system tells it: on a busy machine the
/// wall's clock says little.
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

/// The value of a line `name : value`.
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
