//! What a search may use: time or fuel, memory, threads; and the seed.

use std::time::Duration;

use arcbatt::solve::FUEL_PER_SECOND;

#[derive(clap::Args)]
pub(crate) struct Means {
    /// Time for everything (12h, 90m, 1h30m); all of it is used where there is something left to try
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with_all = ["per_task", "fuel_per_task"])]
    pub(crate) budget: Option<Duration>,
    /// Fuel for each task, given as processor time on a usual machine (10s); the result is the same on any machine
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with = "fuel_per_task")]
    per_task: Option<Duration>,
    /// Fuel for each task [default: 80000000, worth about a second]
    #[arg(long, value_name = "N")]
    fuel_per_task: Option<u64>,
    /// For what is drawn by lot
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Memory to stay within, 400MB at least: fewer threads run if that takes it (4GB, 500MB)
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "4GB")]
    memory: u64,
    /// Threads; 0 is one for each core
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

/// Counted for each thread: the 96 MB of values that the search from the task may keep, several times what the largest
/// grids take, and its part of what is remembered.
const MEMORY_PER_THREAD: u64 = 400 << 20;
/// What part of the memory is for what searches remember.
const REMEMBERED: u64 = 4;

impl Means {
    pub(crate) fn threads(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let wanted = if self.threads == 0 { cores } else { self.threads };
        // Less than one thread needs is not taken.
        wanted.min((self.memory / MEMORY_PER_THREAD) as usize)
    }

    /// For what is remembered. It does not depend on the threads, or what is found would.
    pub(crate) fn to_remember(&self) -> u64 {
        self.memory / REMEMBERED
    }

    /// The fuel that a task may use; `None` if only time limits it.
    pub(crate) fn fuel(&self) -> Option<u64> {
        match (self.budget, self.per_task, self.fuel_per_task) {
            (Some(_), ..) => None,
            (None, Some(time), _) => Some((time.as_secs_f64() * FUEL_PER_SECOND) as u64),
            (None, None, fuel) => Some(fuel.unwrap_or(FUEL_PER_SECOND as u64)),
        }
    }

    /// Whether the time is over; a little is kept for what runs to end and for the files.
    pub(crate) fn late(&self, elapsed: Duration) -> bool {
        let keep = |budget: Duration| (budget / 50).min(Duration::from_secs(20));
        self.budget.is_some_and(|budget| elapsed + keep(budget) >= budget)
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let mut seconds = 0.0;
    let mut number = String::new();
    for c in text.chars() {
        if c.is_ascii_digit() || c == '.' {
            number.push(c);
            continue;
        }
        let unit = match c {
            'd' => 86_400.0,
            'h' => 3_600.0,
            'm' => 60.0,
            's' => 1.0,
            _ => return Err(format!("`{c}` is no unit of time; write 12h, 90m, 10s or 1h30m")),
        };
        let value: f64 = number.parse().map_err(|_| format!("a number is missing before `{c}`"))?;
        seconds += value * unit;
        number.clear();
    }
    if !number.is_empty() {
        return Err(format!("{number} what? Write {number}s, {number}m or {number}h"));
    }
    if !(seconds > 0.0 && seconds < 1e9) {
        return Err("a time above zero is needed, such as 12h, 90m or 10s".to_owned());
    }
    Ok(Duration::from_secs_f64(seconds))
}

fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "GB" | "G" | "GIB" => 1 << 30,
        "MB" | "M" | "MIB" => 1 << 20,
        _ => return Err("write 4GB or 500MB".to_owned()),
    };
    let number: f64 = digits.parse().map_err(|_| "write 4GB or 500MB".to_owned())?;
    let bytes = (number * unit as f64) as u64;
    if bytes < MEMORY_PER_THREAD {
        let least = MEMORY_PER_THREAD >> 20;
        return Err(format!("at least {least}MB are needed: so much is counted for one thread"));
    }
    Ok(bytes)
}

/// `1 h 05 min`, `3 min 20 s`, `12.3 s`
pub(crate) fn time(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        3600.. => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
        60.. => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}
