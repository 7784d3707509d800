//! Compares two records: separates more work from slower work.

use std::collections::BTreeMap;
use std::fmt;

use batt_base::number::percent;
use batt_base::time::brief_ns;
use batt_record::{self as record, profile::Repeat};
use batt_trace::Spot;
use schemars::JsonSchema;
use serde::Serialize;

use crate::facts::{Facts, ReportError, is_of_device, is_waiting};
use crate::stats::{Resampler, median, quantile};
use crate::table::Table;

/// The changes between two records.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct Compare {
    /// Number of repetitions compared, before and after. The first of several is skipped.
    pub repeats: (usize, usize),
    /// Differences in tasks, programs, options or machine, in words.
    pub notes: Vec<String>,
    /// Change of the wall time.
    pub wall: Change,
    /// Change of the time of all threads without waiting.
    pub busy: Change,
    /// Change of each function, largest first.
    pub functions: Vec<Change>,
    /// True if every call was timed (`--deep`).
    pub deep: bool,
    /// True if the busy time has certainly grown by more than `fail_above`.
    pub regression: bool,
    /// The limit of `--fail-above`, in percent.
    pub fail_above: Option<f64>,
}

/// How a time changed. Times are medians over repetitions.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct Change {
    /// Name of the function, or `wall` or `busy time`.
    pub name: String,
    /// Time before, in nanoseconds.
    pub before: f64,
    /// Time after, in nanoseconds.
    pub after: f64,
    /// `after / before - 1`. Null if there was nothing before.
    pub ratio: Option<f64>,
    /// 95 % interval of the ratio, which contains the disturbance too. Null with fewer than three repetitions.
    pub interval: Option<(f64, f64)>,
    /// The part of the ratio that comes from more fuel. Null if no fuel was used.
    pub more_work: Option<f64>,
    /// The part of the ratio that comes from slower fuel. Null if no fuel was used.
    pub slower: Option<f64>,
    /// The conclusion from the interval.
    pub verdict: Verdict,
}

/// The conclusion from the interval of a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ChangeVerdict")]
pub enum Verdict {
    /// All of the interval is below 0.
    Faster,
    /// All of the interval is above 0.
    Slower,
    /// Nothing changed.
    Same,
    /// The interval contains 0, or there is none.
    CannotTell,
}

impl Verdict {
    fn new(interval: Option<(f64, f64)>) -> Verdict {
        match interval {
            Some((_, high)) if high < 0.0 => Verdict::Faster,
            Some((low, _)) if low > 0.0 => Verdict::Slower,
            Some((0.0, 0.0)) => Verdict::Same,
            _ => Verdict::CannotTell,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Verdict::Faster => "faster",
            Verdict::Slower => "slower",
            Verdict::Same => "same",
            Verdict::CannotTell => "cannot tell",
        }
    }
}

impl Compare {
    /// Compares A with B. `fail_above` is the growth of busy time, in percent, that counts as a regression.
    pub fn new(a: &Facts<'_>, b: &Facts<'_>, fail_above: Option<f64>) -> Result<Compare, ReportError> {
        let mut notes = Vec::new();
        if a.record.setup.data.hash != b.record.setup.data.hash {
            notes.push("the tasks differ".to_owned());
        }
        let hashes = |facts: &Facts<'_>| {
            facts.record.programs.iter().map(|program| program.hash.clone()).collect::<Vec<_>>()
        };
        if hashes(a) != hashes(b) {
            notes.push("the programs differ".to_owned());
        }
        let (mine, theirs) = (&a.record.setup, &b.record.setup);
        if mine.options != theirs.options || a.record.kind != b.record.kind {
            notes.push("the options differ, and so does the work".to_owned());
        }
        if mine.version != theirs.version || mine.dsl != theirs.dsl {
            notes.push("the versions of batt or of its primitives differ".to_owned());
        }
        let setting = |facts: &Facts<'_>| record::Environment {
            seconds: 0.0,
            started: None,
            command: None,
            program_files: Vec::new(),
            devices: Vec::new(),
            ..facts.record.environment.clone()
        };
        if setting(a) != setting(b) {
            notes.push("threads, kernels or machine differ".to_owned());
        }
        let devices = |facts: &Facts<'_>| {
            let devices = facts.record.environment.devices.iter().chain(&facts.profile.devices);
            devices.map(|it| (it.name.clone(), it.driver.clone())).collect::<Vec<_>>()
        };
        if devices(a) != devices(b) {
            notes.push("the devices differ".to_owned());
        }
        if fail_above.is_some_and(f64::is_nan) {
            return Err(ReportError::Question("--fail-above needs a percentage".to_owned()));
        }
        if a.profile.deep != b.profile.deep {
            return Err(ReportError::Question(
                "only one of the records was made with --deep; their times cannot be compared".to_owned(),
            ));
        }
        let (mine, theirs) = (repetitions(a), repetitions(b));
        let waiting = |name: &str| [Spot::IDLE, Spot::NETWORK].iter().any(|spot| spot.info().name == name);
        let of_device = |name: &str| DEVICE.iter().any(|spot| spot.info().name == name);
        let sum = |repeat: &Sums| {
            repeat
                .by_name
                .iter()
                .filter(|(name, _)| !waiting(name) && !of_device(name))
                .fold((0.0, 0.0), |sum, (_, it)| (sum.0 + it.0, sum.1 + it.1))
        };
        let wall = change("wall", &mine, &theirs, |repeat| (repeat.wall, 0.0));
        let busy = change("busy time", &mine, &theirs, sum);
        let mut names: Vec<&String> = mine.iter().chain(&theirs).flat_map(|it| it.by_name.keys()).collect();
        names.sort();
        names.dedup();
        let functions = names.into_iter().filter(|name| !waiting(name)).map(|name| {
            change(name, &mine, &theirs, |repeat| repeat.by_name.get(name).copied().unwrap_or((0.0, 0.0)))
        });
        let mut functions: Vec<Change> = functions.collect();
        functions.sort_by(|a, b| {
            let by = |it: &Change| (it.after - it.before).abs();
            by(b).total_cmp(&by(a)).then_with(|| a.name.cmp(&b.name))
        });
        // It is a regression only if the whole interval is above the limit.
        let regression = match (fail_above, busy.interval) {
            (Some(limit), Some((low, _))) => low * 100.0 > limit,
            (Some(_), None) => {
                return Err(ReportError::Question(
                    "--fail-above needs intervals; record both with `--repeat 4` or more".to_owned(),
                ));
            }
            (None, _) => false,
        };
        let repeats = (mine.len(), theirs.len());
        let deep = a.profile.deep;
        Ok(Compare { repeats, notes, wall, busy, functions, deep, regression, fail_above })
    }
}

/// The functions of devices. They are compared, but are not part of the busy time of threads.
const DEVICE: [Spot; 4] = [Spot::UPLOAD, Spot::KERNEL, Spot::DOWNLOAD, Spot::DRIVER];

/// One repetition: its wall time, and time and fuel by function name.
struct Sums {
    wall: f64,
    /// Disturbance as a share of the busy time; 0 if not measured.
    disturbed: f64,
    by_name: BTreeMap<String, (f64, f64)>,
}

/// Returns the repetitions. If there are several, the first is skipped because it is cold.
fn repetitions(facts: &Facts<'_>) -> Vec<Sums> {
    let sums = |repeat: &Repeat| Sums {
        wall: repeat.wall as f64,
        disturbed: disturbed_share(facts, repeat),
        by_name: repeat
            .functions
            .iter()
            .map(|(function, ns, fuel)| (facts.function(*function).name.clone(), (*ns as f64, *fuel as f64)))
            .collect(),
    };
    facts.profile.warm_repeats().iter().map(sums).collect()
}

/// Returns the disturbance of a repetition as a share of its busy time.
fn disturbed_share(facts: &Facts<'_>, repeat: &Repeat) -> f64 {
    let functions = repeat.functions.iter().map(|it| (facts.function(it.0), it.1));
    let busy = functions.filter(|(it, _)| !is_waiting(it) && !is_of_device(it)).map(|(_, ns)| ns);
    (repeat.disturbed.unwrap_or(0) as f64 / busy.sum::<u64>().max(1) as f64).min(1.0)
}

/// Widens the interval of a ratio, so that it contains what the times would be without disturbance.
fn widened((low, high): (f64, f64), a: &[Sums], b: &[Sums]) -> (f64, f64) {
    let disturbed = |sums: &[Sums]| median(&sums.iter().map(|it| it.disturbed).collect::<Vec<_>>());
    let [before, after] = [a, b].map(|sums| 1.0 - disturbed(sums).unwrap_or(0.0));
    ((1.0 + low) * after - 1.0, (1.0 + high) / before.max(0.01) - 1.0)
}

fn change(name: &str, a: &[Sums], b: &[Sums], of: impl Fn(&Sums) -> (f64, f64)) -> Change {
    let column = |sums: &[Sums]| sums.iter().map(|it| of(it).0).collect::<Vec<_>>();
    let fuel = |sums: &[Sums]| median(&sums.iter().map(|it| of(it).1).collect::<Vec<_>>()).unwrap_or(0.0);
    let (before, after) = (column(a), column(b));
    let (fuel_before, fuel_after) = (fuel(a), fuel(b));
    let middle = |values: &[f64]| median(values).unwrap_or(0.0);
    let ratio = |before: f64, after: f64| match (before > 0.0, after > 0.0) {
        (true, _) => Some(after / before - 1.0),
        (false, true) => None,
        (false, false) => Some(0.0),
    };
    let all = ratio(middle(&before), middle(&after));
    let interval = interval(&before, &after, ratio).map(|interval| widened(interval, a, b));
    let more_work = ratio(fuel_before, fuel_after).filter(|_| fuel_before > 0.0 && fuel_after > 0.0);
    Change {
        name: name.to_owned(),
        before: middle(&before),
        after: middle(&after),
        ratio: all,
        interval,
        verdict: Verdict::new(interval),
        more_work,
        slower: more_work.zip(all).map(|(more, all)| (1.0 + all) / (1.0 + more) - 1.0),
    }
}

/// Computes the interval by resampling repetitions. Fewer than three say nothing about their spread.
fn interval(before: &[f64], after: &[f64], ratio: impl Fn(f64, f64) -> Option<f64>) -> Option<(f64, f64)> {
    if before.len() < 3 || after.len() < 3 {
        return None;
    }
    let mut resampler = Resampler::new();
    let mut draw = |values: &[f64]| {
        let drawn: Vec<f64> = (0..values.len()).map(|_| resampler.pick(values)).collect();
        median(&drawn).unwrap_or(0.0)
    };
    let ratios: Option<Vec<f64>> = (0..1000).map(|_| ratio(draw(before), draw(after))).collect();
    let ratios = ratios?;
    Some((quantile(&ratios, 0.025)?, quantile(&ratios, 0.975)?))
}

impl fmt::Display for Compare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 20;
        for note in &self.notes {
            writeln!(f, "note: {note}")?;
        }
        if self.wall.interval.is_none() {
            writeln!(f, "note: no intervals; record both with `--repeat 4` or more")?;
        }
        let mut table = Table::new(&["", "before", "after", "change", "95 %", "more work", "slower", ""], 7);
        let signed = |share: f64| format!("{}{}", if share >= 0.0 { "+" } else { "" }, percent(share));
        let shown = [&self.wall, &self.busy].into_iter().chain(self.functions.iter().take(SHOWN));
        for change in shown {
            let maybe = |share: Option<f64>| share.map_or(String::new(), signed);
            let interval = change.interval.map(|(low, high)| format!("{} to {}", signed(low), signed(high)));
            table.row([
                change.name.clone(),
                brief_ns(change.before),
                brief_ns(change.after),
                change.ratio.map_or("new".to_owned(), signed),
                interval.unwrap_or_default(),
                maybe(change.more_work),
                maybe(change.slower),
                change.verdict.name().to_owned(),
            ]);
        }
        write!(f, "{table}")?;
        if self.functions.len() > SHOWN {
            writeln!(f, "and {} functions that changed less", self.functions.len() - SHOWN)?;
        }
        if !self.deep {
            writeln!(
                f,
                "calls through function values count for the node that makes them; --deep separates them"
            )?;
        }
        if let Some(limit) = self.fail_above {
            let verdict = if self.regression { "REGRESSION" } else { "no regression" };
            writeln!(f, "{verdict} of more than {limit} % in busy time")?;
        }
        Ok(())
    }
}
