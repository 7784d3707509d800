//! The time of all threads by category, of machines and of devices. Every function is in exactly one category.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use batt_base::number::{count, grouped, percent};
use batt_base::time::brief_ns;
use batt_record::profile::{Booked, Function, Lane, Profile};
use batt_trace::Category;
use schemars::JsonSchema;
use serde::Serialize;

use crate::facts::Facts;
use crate::figure::Measured;
use crate::noise::Range;
use crate::table::Table;
use crate::validity::recorder_inside;
use crate::view::advice::Advice;
use crate::view::devices::{DeviceRow, write_devices};

/// The time of all threads by category.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct Framework {
    /// Wall time.
    pub wall: Measured,
    /// Number of threads.
    pub lanes: usize,
    /// Wall times of all threads together. The categories sum to it.
    pub lane_time: Measured,
    /// Time of all threads without waiting.
    pub busy: Measured,
    /// The categories: unaccounted time first, then the largest.
    pub categories: Vec<CategoryRow>,
    /// The time of all devices by category. Empty without devices.
    pub device_categories: Vec<CategoryRow>,
    /// The devices. Empty if there were none.
    pub devices: Vec<DeviceRow>,
    /// The machines of a cluster. Empty if the job ran on one machine.
    pub machines: Vec<MachineRow>,
    /// The process that handed out the work. Null if the job ran on one machine.
    pub driver: Option<DriverRow>,
    /// Estimated cost of the recorder in nanoseconds. The categories include it.
    pub recorder_inside: f64,
    /// Number of times that the recorder read the clock.
    pub stamps: u64,
    /// Number of calls that the recorder counted.
    pub counted: u64,
    pub advice: Advice,
    /// Whether the ranges are shown.
    #[serde(skip)]
    ranges: bool,
}

/// A category of functions.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct CategoryRow {
    /// Name of the category.
    pub name: String,
    /// Self time of its functions.
    pub time: Measured,
    /// Share of the time of all threads, or of all devices, from 0 to 1.
    pub share: f64,
    /// Range of the share, which contains the disturbance and the usual difference between recordings.
    pub range: Range,
    /// Its functions, slowest first.
    pub functions: Vec<FunctionRow>,
}

/// The self time of a function.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct FunctionRow {
    /// Name of the function.
    pub name: String,
    /// Phase of the job.
    pub phase: String,
    /// Self time.
    pub time: Measured,
    /// Number of intervals.
    pub stamps: u64,
}

/// A machine of a cluster.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct MachineRow {
    /// Name of the machine.
    pub name: String,
    /// Number of cores.
    pub cores: usize,
    /// Number of tasks that it worked on.
    pub tasks: usize,
    /// Wall times of its threads together.
    pub lane_time: Measured,
    /// Time of its threads without waiting.
    pub busy: Measured,
    /// Time that its threads waited for work.
    pub idle: Measured,
    /// Time that its threads waited for work in transit.
    pub network: Measured,
    /// Time on its clock minus the time on the clock of the profile, in nanoseconds.
    pub clock_offset: i64,
    /// Uncertainty of the offset: half of the round trip, in nanoseconds. Null if not measured.
    pub clock_error: Option<u64>,
    /// True if it was lost or dropped before the end.
    pub lost: bool,
}

/// The process that handed out the work to the machines of a cluster.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct DriverRow {
    /// Wall times of its threads together.
    pub lane_time: Measured,
    /// Time of its threads without waiting.
    pub busy: Measured,
}

/// The time of some lanes.
struct LaneSums {
    total: u64,
    idle: u64,
    network: u64,
    tasks: usize,
}

impl LaneSums {
    /// Sums up the lanes of a machine, or those of the process that started the job.
    fn new(facts: &Facts<'_>, machine: Option<u32>) -> LaneSums {
        let profile = facts.profile;
        let tasks =
            || profile.tasks.iter().filter(move |task| profile.lanes[task.lane as usize].machine == machine);
        let lanes = || facts.threads().filter(move |lane| lane.machine == machine);
        let time = |category: Category| {
            let between = lanes().flat_map(|lane| &lane.between);
            let booked = between.chain(tasks().flat_map(|task| &task.booked));
            booked.filter(|it| facts.function(it.0).category == category.name()).map(|it| it.1).sum()
        };
        LaneSums {
            total: lanes().map(|lane| lane.end - lane.start).sum(),
            idle: time(Category::Idle),
            network: time(Category::Network),
            tasks: tasks().map(|task| &task.id).collect::<BTreeSet<_>>().len(),
        }
    }

    fn busy(&self) -> Measured {
        Measured(self.total - self.idle - self.network)
    }
}

impl MachineRow {
    fn new(facts: &Facts<'_>, place: usize) -> MachineRow {
        let machine = &facts.profile.machines[place];
        let sums = LaneSums::new(facts, Some(place as u32));
        MachineRow {
            name: machine.name.clone(),
            cores: machine.cores,
            tasks: sums.tasks,
            lane_time: Measured(sums.total),
            busy: sums.busy(),
            idle: Measured(sums.idle),
            network: Measured(sums.network),
            clock_offset: machine.clock_offset,
            clock_error: machine.round_trip.map(|ns| ns / 2),
            lost: !machine.stayed,
        }
    }

    /// Returns the offset with its uncertainty, in words.
    fn clock(&self) -> String {
        let offset = brief_ns(self.clock_offset as f64);
        match self.clock_error {
            Some(error) => format!("{offset} ± {}", brief_ns(error as f64)),
            None => format!("{offset} ± ?"),
        }
    }
}

impl Framework {
    pub fn new(facts: &Facts<'_>) -> Framework {
        let profile = facts.profile;
        let within = profile.tasks.iter().flat_map(|task| &task.booked);
        let of_threads = facts.threads().flat_map(|lane| &lane.between).chain(within);
        let is_device = |lane: &&Lane| lane.device.is_some();
        let of_devices = profile.lanes.iter().filter(is_device).flat_map(|lane| &lane.between);
        let mut categories = categories(profile, of_threads);
        // Threads have no time of devices.
        categories.retain(|row| row.time.0 > 0 || !Category::DEVICE.iter().any(|it| it.name() == row.name));
        let mut device_categories = self::categories(profile, of_devices);
        device_categories.retain(|row| row.time.0 > 0);
        let lane_time: u64 = facts.threads().map(|lane| lane.end - lane.start).sum();
        let whole = facts.exposed_run().within(lane_time);
        for row in &mut categories {
            let is_mine = |function: &Function| function.category == row.name;
            row.range = facts.exposed(is_mine).share_of(&whole, facts.spread(is_mine));
        }
        Framework {
            advice: Advice::new(facts),
            ranges: facts.disturbance.is_large(),
            wall: Measured(facts.wall()),
            lanes: facts.threads().count(),
            lane_time: Measured(lane_time),
            busy: Measured(facts.busy()),
            categories,
            device_categories,
            devices: (0..profile.devices.len()).map(|place| DeviceRow::new(facts, place)).collect(),
            machines: (0..profile.machines.len()).map(|place| MachineRow::new(facts, place)).collect(),
            driver: facts.is_cluster().then(|| {
                let sums = LaneSums::new(facts, None);
                DriverRow { lane_time: Measured(sums.total), busy: sums.busy() }
            }),
            recorder_inside: recorder_inside(facts),
            stamps: facts.threads().map(|lane| lane.stamps).sum(),
            counted: facts.threads().map(|lane| lane.counted).sum(),
        }
    }
}

/// Sums up times by category: unaccounted time first, then the largest.
fn categories<'b>(profile: &Profile, booked: impl Iterator<Item = &'b Booked>) -> Vec<CategoryRow> {
    let mut sums = vec![(0, 0); profile.functions.len()];
    for (function, ns, stamps) in booked {
        let sum = &mut sums[*function as usize];
        *sum = (sum.0 + ns, sum.1 + stamps);
    }
    let total: u64 = sums.iter().map(|(ns, _)| ns).sum();
    let mut categories: BTreeMap<&str, CategoryRow> = BTreeMap::new();
    for (function, (ns, stamps)) in profile.functions.iter().zip(sums) {
        let row = categories.entry(&function.category).or_insert_with(|| CategoryRow {
            name: function.category.clone(),
            time: Measured(0),
            share: 0.0,
            range: (0.0, 0.0),
            functions: Vec::new(),
        });
        row.time.0 += ns;
        // The waiting of a machine is found from messages, without stamps.
        if stamps > 0 || ns > 0 {
            let (name, phase) = (function.name.clone(), function.phase.clone());
            row.functions.push(FunctionRow { name, phase, time: Measured(ns), stamps });
        }
    }
    let mut categories: Vec<CategoryRow> = categories.into_values().collect();
    for row in &mut categories {
        row.share = row.time.0 as f64 / total.max(1) as f64;
        row.range = (row.share, row.share);
        row.functions.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.name.cmp(&b.name)));
    }
    let is_accounted = |row: &CategoryRow| row.name != Category::Unaccounted.name();
    categories.sort_by(|a, b| {
        is_accounted(a)
            .cmp(&is_accounted(b))
            .then_with(|| b.time.cmp(&a.time))
            .then_with(|| a.name.cmp(&b.name))
    });
    categories
}

impl fmt::Display for Framework {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Framework { wall, lanes, lane_time, busy, .. } = self;
        let devices = match self.devices.len() {
            0 => String::new(),
            n => format!(" · {}", count(n, "device")),
        };
        writeln!(f, "wall {wall} · {lanes} lanes · {lane_time} of lane time, {busy} busy{devices}")?;
        write!(f, "{}", self.advice)?;
        write!(f, "{}", table("category", &self.categories, *lane_time, self.ranges))?;
        writeln!(
            f,
            "these rows include about {} for the recorder's {} stamps and {} counted calls, by calibration",
            brief_ns(self.recorder_inside),
            grouped(self.stamps),
            grouped(self.counted)
        )?;
        self.write_machines(f)?;
        if self.devices.is_empty() {
            return Ok(());
        }
        let total = Measured(self.device_categories.iter().map(|row| row.time.0).sum());
        write!(f, "\n{}", table("device category", &self.device_categories, total, false))?;
        write_devices(f, &self.devices)
    }
}

fn table(head: &str, categories: &[CategoryRow], total: Measured, ranges: bool) -> Table {
    const TOP: usize = 5;
    let mut table = Table::new(&[head, "self", "share", "top functions"], 3);
    let share = |row: &CategoryRow| if ranges { between(row.range) } else { percent(row.share) };
    for row in categories {
        let top = row.functions.iter().take(TOP).filter(|it| it.time.0 > 0);
        let top: Vec<_> = top.map(|it| format!("{} {}", it.name, it.time)).collect();
        table.row([row.name.clone(), row.time.to_string(), share(row), top.join(" · ")]);
    }
    table.row(["sum".to_owned(), total.to_string(), percent(1.0)]);
    table
}

/// Formats a range of shares.
pub(crate) fn between((low, high): Range) -> String {
    let (low, high) = (percent(low), percent(high));
    if low == high { low } else { format!("{low} to {high}") }
}

impl Framework {
    /// Writes the table of machines, if there are any.
    fn write_machines(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(driver) = &self.driver else { return Ok(()) };
        let head = ["machine", "cores", "tasks", "busy", "idle", "network", "clock offset", ""];
        let mut table = Table::new(&head, head.len() - 1);
        for row in &self.machines {
            let share = |time: Measured| percent(time.0 as f64 / row.lane_time.0.max(1) as f64);
            table.row([
                row.name.clone(),
                row.cores.to_string(),
                grouped(row.tasks as u64),
                share(row.busy),
                share(row.idle),
                share(row.network),
                row.clock(),
                if row.lost { "lost" } else { "" }.to_owned(),
            ]);
        }
        let share = percent(driver.busy.0 as f64 / driver.lane_time.0.max(1) as f64);
        write!(f, "\n{table}")?;
        writeln!(
            f,
            "shares are of the time of a machine's lanes; the driver was busy for {share} of its time"
        )
    }
}
