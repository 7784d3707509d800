//! Machines that join, leave, fail or answer wrongly.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use batt_base::number::count;
use batt_trace::Spot;

use super::{Driver, SAVED, WAIT, lost_cluster};
use crate::cluster::{MachineInfo, PieceEnd};
use crate::error::JobError;

/// How long the driver waits for a first machine, or for another one when all are lost.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long machines may take to start. Later ones join when they are ready.
const START: Duration = Duration::from_secs(60);
/// A machine that fails this often in a row is used no longer.
const MAX_FAILURES_IN_A_ROW: usize = 3;

/// A machine that took part, also if it is lost by now.
pub(super) struct Machine {
    pub(super) info: MachineInfo,
    pub(super) healthy: bool,
    /// Pieces whose answer was taken from it.
    pub(super) pieces: usize,
    /// Failures since its last answer.
    pub(super) failures: usize,
}

impl Driver<'_> {
    /// Waits until all machines have started, so that their versions are compared before the work begins.
    pub(super) fn wait_for_machines(&mut self) -> Result<(), JobError> {
        let begun = Instant::now();
        loop {
            let starting = self.cluster.starting().map_err(lost_cluster)?;
            self.refresh_machines()?;
            let late = begun.elapsed() > START;
            if self.control.is_stopped() || (self.cores() > 0 && (starting.is_empty() || late)) {
                for name in starting.iter().filter(|_| late) {
                    let seconds = START.as_secs();
                    self.control.warn(format!(
                        "machine {name} did not start within {seconds} seconds; other work may occupy its cores"
                    ));
                }
                self.started = true;
                return Ok(());
            }
            let _waiting = self.enter(Spot::IDLE);
            std::thread::sleep(WAIT);
        }
    }

    /// Returns the number of pieces that all healthy machines work on at a time.
    pub(crate) fn cores(&self) -> usize {
        self.healthy().map(|machine| machine.info.cores).sum()
    }

    pub(super) fn healthy(&self) -> impl Iterator<Item = &Machine> {
        self.machines.values().filter(|machine| machine.healthy)
    }

    /// Takes note of machines that joined or left.
    pub(super) fn refresh_machines(&mut self) -> Result<(), JobError> {
        let now: BTreeMap<String, MachineInfo> = self
            .cluster
            .machines()
            .map_err(lost_cluster)?
            .into_iter()
            .map(|it| (it.id.clone(), it))
            .collect();
        let gone = self.machines.iter().filter(|(id, machine)| machine.healthy && !now.contains_key(*id));
        for id in gone.map(|(id, _)| id.clone()).collect::<Vec<_>>() {
            let why = self.cluster.why_lost(&id);
            self.lose(&id, why.as_deref().unwrap_or("it does not answer"));
        }
        for (id, info) in now {
            if self.excluded.contains(&id) {
                continue;
            }
            if let Some(different) = different_version(&info) {
                if !self.started {
                    return Err(JobError::Cluster(different));
                }
                self.exclude(&id, &different, PieceEnd::Lost);
                continue;
            }
            match self.machines.get_mut(&id) {
                Some(machine) => {
                    if !machine.healthy {
                        self.control.warn(format!("machine {} answers again", info.name));
                    }
                    (machine.info, machine.healthy) = (info, true);
                }
                None => {
                    tracing::info!(machine = info.name, cores = info.cores, "machine joined");
                    self.timeline.join(&id);
                    self.machines.insert(id, Machine { info, healthy: true, pieces: 0, failures: 0 });
                }
            }
        }
        let n = self.healthy().count();
        self.control.update(|status| status.machines = Some(n));
        match (n, self.none_since) {
            (0, None) => self.none_since = Some(Instant::now()),
            (0, Some(since)) if since.elapsed() > PATIENCE => {
                let what = match self.excluded.len() {
                    0 => format!("no machine of the cluster answered for {} seconds", PATIENCE.as_secs()),
                    n => format!(
                        "no machine of the cluster can be used; {} were excluded",
                        count(n, "machine")
                    ),
                };
                return Err(JobError::Cluster(format!("{what}; {SAVED}")));
            }
            (0, Some(_)) => {}
            _ => self.none_since = None,
        }
        Ok(())
    }

    /// Uses a machine no longer until it answers again.
    fn lose(&mut self, id: &str, why: &str) {
        let name = self.name(id);
        self.release(id, &format!("lost machine {name}: {why}"), PieceEnd::Lost);
    }

    /// Drops a machine whose answer is wrong.
    pub(super) fn reject(&mut self, id: &str, why: &str) {
        self.exclude(id, &format!("it gave a wrong answer ({why})"), PieceEnd::Rejected);
    }

    /// Uses a machine no longer.
    fn exclude(&mut self, id: &str, why: &str, end: PieceEnd) {
        let name = self.name(id);
        self.cluster.exclude(id, why);
        self.excluded.insert(id.to_owned());
        self.release(id, &format!("machine {name} is no longer used: {why}"), end);
    }

    /// Repeats the pieces of a machine elsewhere, and warns about it.
    fn release(&mut self, id: &str, warning: &str, end: PieceEnd) {
        let Some(machine) = self.machines.get_mut(id).filter(|machine| machine.healthy) else {
            return self.control.warn(warning.to_owned());
        };
        machine.healthy = false;
        let batches = self.batches.iter().filter(|(_, batch)| batch.machine == id);
        let batches: Vec<u64> = batches.map(|(batch, _)| *batch).collect();
        let n: usize = batches.iter().map(|batch| self.batches[batch].pieces.len()).sum();
        let again = if n == 0 { String::new() } else { format!("; repeating {}", count(n, "piece")) };
        self.control.warn(format!("{warning}{again}"));
        for batch in batches {
            self.repeat(batch, end, warning);
        }
    }

    pub(super) fn name(&self, machine: &str) -> String {
        self.machines.get(machine).map_or(machine, |it| &it.info.name).to_owned()
    }

    /// Counts a failure of a machine. One that keeps failing is used no longer, if there are others.
    pub(super) fn blame(&mut self, id: &str, why: &str) {
        let others = self.healthy().count() > 1;
        if let Some(machine) = self.machines.get_mut(id) {
            machine.failures += 1;
            if machine.failures >= MAX_FAILURES_IN_A_ROW && others && machine.healthy {
                self.exclude(
                    id,
                    &format!("it failed {MAX_FAILURES_IN_A_ROW} times in a row ({why})"),
                    PieceEnd::Lost,
                );
            }
        }
    }
}

/// Describes a machine that has another version.
fn different_version(info: &MachineInfo) -> Option<String> {
    let (version, dsl) = (env!("CARGO_PKG_VERSION"), batt_dsl::version().to_string());
    let MachineInfo { name, version: theirs, dsl: their_dsl, .. } = info;
    (theirs != version || *their_dsl != dsl).then(|| {
        format!(
            "machine {name} has arcbatt {theirs} with DSL {their_dsl}, this machine has arcbatt {version} with DSL \
             {dsl}; install the same version on all machines"
        )
    })
}
