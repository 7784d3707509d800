//! The driver: hands out pieces to machines and takes their answers.

mod account;
mod machines;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use batt_base::number::count;
use batt_trace::{Spot, Trace};
use rayon::prelude::*;

use crate::cluster::piece::{Answer, Package, Piece, PieceResult, Reply};
use crate::cluster::timeline::{Timeline, unix_now};
use crate::cluster::{Cluster, ClusterError, Delivery, Execution, PieceEnd};
use crate::control::Control;
use crate::error::JobError;
use crate::pool::Pool;

pub(crate) use account::{Driven, Used};
use machines::Machine;

/// How long the driver waits for replies at a time.
const WAIT: Duration = Duration::from_millis(20);
/// A piece that failed this often, or on this many machines, ends the job.
const MAX_FAILURES: usize = 5;
/// The end of errors after which the job can continue.
const SAVED: &str = "results are saved, and the same job continues from them";
/// Batches grow until one takes this long, so that messages take a small part of the time.
const BATCH_SECONDS: f64 = 0.1;
const MAX_BATCH: usize = 64;
/// A piece that takes this many times the mean is given to another machine as well, when that has nothing else to do.
const SLOW_FACTOR: f64 = 2.0;
const SLOW_SECONDS: f64 = 0.3;

/// The work that a driver hands out. Pieces are identified by the index of their task.
pub(crate) trait Work {
    /// Returns the next piece for a machine, if one is waiting. `is_healthy` tells about other machines.
    fn next(&mut self, machine: &str, is_healthy: &dyn Fn(&str) -> bool) -> Option<(usize, Piece)>;

    /// Returns the number of pieces that are waiting.
    fn waiting(&self) -> usize;

    /// Returns the part that checks answers, on several threads.
    fn verifier(&self) -> &dyn Verify;

    /// Takes an answer from a machine.
    fn take(&mut self, task: usize, machine: &str, result: PieceResult);

    /// Whether slow pieces may run twice.
    fn may_duplicate(&self) -> bool {
        true
    }
}

/// Checks answers.
pub(crate) trait Verify: Sync {
    /// Checks an answer by running its programs. The error says what is wrong with it.
    fn verify(&self, task: usize, result: &PieceResult) -> Result<(), String>;
}

/// Hands out pieces, and keeps account of machines and batches.
pub(crate) struct Driver<'d> {
    cluster: &'d dyn Cluster,
    control: &'d Control,
    pool: &'d Pool,
    trace: Option<&'d Trace>,
    machines: BTreeMap<String, Machine>,
    /// Machines that answered wrongly or have another version.
    excluded: BTreeSet<String>,
    batches: BTreeMap<u64, Batch>,
    flying: BTreeMap<usize, Flying>,
    /// Tasks whose pieces were lost.
    lost: VecDeque<usize>,
    n_batches: u64,
    /// Sum of the times of the pieces, and their number.
    seconds: (f64, usize),
    n_pieces: usize,
    n_executions: usize,
    started: bool,
    none_since: Option<Instant>,
    timeline: Timeline,
}

struct Batch {
    machine: String,
    /// Task and generation of each piece.
    pieces: Vec<(usize, u64)>,
    sent: Instant,
    sent_unix: u64,
}

/// A piece that is on its way or at work.
struct Flying {
    piece: Piece,
    /// Tells it from an earlier piece of the same task.
    generation: u64,
    /// Machines that work on it.
    machines: Vec<String>,
    sent: Instant,
    failures: usize,
    /// Machines that failed on it, or were lost meanwhile. Others try it next.
    failed_on: BTreeSet<String>,
    /// The reason of the last failure.
    why: String,
}

impl<'d> Driver<'d> {
    /// Publishes the package and waits for the first machine.
    fn new(driven: &Driven<'d>, package: &Package) -> Result<Driver<'d>, JobError> {
        let Driven { cluster, control, pool, trace } = *driven;
        cluster.publish(package.to_bytes()).map_err(lost_cluster)?;
        let mut driver = Driver {
            cluster,
            control,
            pool,
            trace,
            machines: BTreeMap::new(),
            excluded: BTreeSet::new(),
            batches: BTreeMap::new(),
            flying: BTreeMap::new(),
            lost: VecDeque::new(),
            n_batches: 0,
            seconds: (0.0, 0),
            n_pieces: 0,
            n_executions: 0,
            started: false,
            none_since: None,
            timeline: Timeline::new(trace),
        };
        driver.wait_for_machines()?;
        Ok(driver)
    }

    fn enter(&self, spot: Spot) -> Option<batt_trace::MainSpan<'d>> {
        self.trace.map(|trace| trace.enter(spot))
    }

    /// Hands out all pieces and takes their answers. After a stop, takes what arrives within a short time.
    pub(crate) fn run(&mut self, work: &mut dyn Work) -> Result<(), JobError> {
        let _span = self.enter(Spot::HAND_OUT);
        let ended = self.distribute(work);
        if ended.is_err() {
            self.cluster.stop();
        }
        ended
    }

    fn distribute(&mut self, work: &mut dyn Work) -> Result<(), JobError> {
        loop {
            self.refresh_machines()?;
            if self.control.is_stopped() {
                return self.drain(work);
            }
            if !self.control.is_paused() {
                self.hand_out(work)?;
            }
            if self.flying.is_empty() && work.waiting() == 0 {
                return Ok(());
            }
            self.receive(work, WAIT)?;
        }
    }

    /// Stops the machines and takes the results that they have so far.
    fn drain(&mut self, work: &mut dyn Work) -> Result<(), JobError> {
        self.cluster.stop();
        let end = Instant::now() + self.control.grace();
        while !self.flying.is_empty() && Instant::now() < end {
            self.receive(work, WAIT.min(end.saturating_duration_since(Instant::now())))?;
        }
        self.flying.clear();
        self.lost.clear();
        Ok(())
    }

    /// Puts the pieces of a batch back, unless they are at work elsewhere.
    fn repeat(&mut self, batch: u64, end: PieceEnd, why: &str) {
        let Some(batch) = self.batches.remove(&batch) else { return };
        for (task, generation) in &batch.pieces {
            let flying = self.flying.get_mut(task).filter(|it| it.generation == *generation);
            let Some(flying) = flying else { continue };
            flying.machines.retain(|machine| *machine != batch.machine);
            flying.failed_on.insert(batch.machine.clone());
            // A piece is not to blame for a machine that dies or lies, unless several do.
            flying.failures += usize::from(end == PieceEnd::Failed);
            why.clone_into(&mut flying.why);
            let idle = flying.machines.is_empty();
            self.log(*task, &batch.machine, None, end);
            if idle && !self.lost.contains(task) {
                self.lost.push_back(*task);
            }
        }
    }

    /// Reports an execution.
    fn log(&self, task: usize, machine: &str, seconds: Option<f64>, end: PieceEnd) {
        if let Some(flying) = self.flying.get(&task) {
            let machine = &self.name(machine);
            self.cluster.executed(&Execution { task: &flying.piece.id, machine, seconds, end });
        }
    }

    fn hand_out(&mut self, work: &mut dyn Work) -> Result<(), JobError> {
        loop {
            // The machine with the most free room goes first.
            let room = |id: &String| {
                let machine = &self.machines[id];
                let used = self.batches.values().filter(|batch| batch.machine == *id).count();
                // One more than it can work on, so that it never waits for a message.
                (machine.info.cores + 1).saturating_sub(used)
            };
            let healthy = self.machines.iter().filter(|(_, machine)| machine.healthy).map(|(id, _)| id);
            let mut free: Vec<(usize, String)> =
                healthy.map(|id| (room(id), id.clone())).filter(|(room, _)| *room > 0).collect();
            free.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            let mut sent = false;
            for (room, id) in free {
                let batch = self.next_batch(work, &id, room)?;
                if !batch.is_empty() {
                    sent = true;
                    self.send(&id, batch)?;
                }
            }
            if !sent {
                return Ok(());
            }
        }
    }

    /// Returns the tasks of the next batch for a machine: lost pieces, then waiting ones, then slow ones.
    fn next_batch(
        &mut self,
        work: &mut dyn Work,
        machine: &str,
        room: usize,
    ) -> Result<Vec<usize>, JobError> {
        let size = self.batch_size(work.waiting() + self.lost.len());
        let mut tasks = Vec::new();
        for task in std::mem::take(&mut self.lost) {
            let Some(flying) = self.flying.get(&task) else { continue };
            let Flying { piece, failures, failed_on, why, .. } = flying;
            if *failures >= MAX_FAILURES || failed_on.len() >= MAX_FAILURES {
                let (id, n) = (&piece.id, failed_on.len());
                return Err(JobError::Cluster(format!(
                    "task {id} failed on {}, last: {why}; exclude the task, or repair the machines; {SAVED}",
                    count(n, "machine")
                )));
            }
            // Another machine tries it, if there is one that has not failed on it.
            let fresh = |(id, machine): (&String, &Machine)| machine.healthy && !failed_on.contains(id);
            let here = !failed_on.contains(machine) || !self.machines.iter().any(fresh);
            if here && tasks.len() < size {
                tasks.push(task);
            } else {
                self.lost.push_back(task);
            }
        }
        let healthy: BTreeSet<&str> =
            self.machines.iter().filter(|(_, machine)| machine.healthy).map(|(id, _)| id.as_str()).collect();
        while tasks.len() < size
            && let Some((task, piece)) = work.next(machine, &|id| healthy.contains(id))
        {
            self.n_pieces += 1;
            let (generation, sent) = (self.n_pieces as u64, Instant::now());
            let (machines, failed_on) = (Vec::new(), BTreeSet::new());
            let flying =
                Flying { piece, generation, machines, sent, failures: 0, failed_on, why: String::new() };
            self.flying.insert(task, flying);
            tasks.push(task);
        }
        // A machine with a free core may as well try the piece that others take long for.
        if tasks.is_empty() && self.lost.is_empty() && room > 1 && work.may_duplicate() {
            tasks.extend(self.slowest(machine));
        }
        Ok(tasks)
    }

    /// Returns the piece that is at work the longest, on one other machine, if it is slow.
    fn slowest(&self, machine: &str) -> Option<usize> {
        let limit = (self.mean_seconds() * SLOW_FACTOR).max(SLOW_SECONDS);
        let slow = self.flying.iter().filter(|(_, flying)| {
            flying.machines.len() == 1
                && flying.machines[0] != machine
                && flying.sent.elapsed().as_secs_f64() > limit
        });
        slow.min_by_key(|(_, flying)| flying.sent).map(|(task, _)| *task)
    }

    fn mean_seconds(&self) -> f64 {
        self.seconds.0 / self.seconds.1.max(1) as f64
    }

    fn batch_size(&self, waiting: usize) -> usize {
        if self.seconds.1 == 0 {
            return 1;
        }
        let wanted = (BATCH_SECONDS / self.mean_seconds().max(1e-6)) as usize;
        // Small batches at the end, so that no machine waits for another.
        let fair = waiting / (2 * self.cores().max(1));
        wanted.min(fair).clamp(1, MAX_BATCH)
    }

    fn send(&mut self, machine: &str, tasks: Vec<usize>) -> Result<(), JobError> {
        let pieces: Vec<&Piece> = tasks.iter().map(|task| &self.flying[task].piece).collect();
        let bytes = serde_json::to_vec(&pieces).unwrap_or_default();
        self.n_batches += 1;
        let batch = self.n_batches;
        let (sent, sent_unix) = (Instant::now(), unix_now());
        self.cluster.send(machine, batch, bytes).map_err(lost_cluster)?;
        self.n_executions += tasks.len();
        let mut pieces = Vec::new();
        for task in tasks {
            if let Some(flying) = self.flying.get_mut(&task) {
                if flying.machines.is_empty() {
                    flying.sent = sent;
                }
                flying.machines.push(machine.to_owned());
                pieces.push((task, flying.generation));
            }
        }
        self.batches.insert(batch, Batch { machine: machine.to_owned(), pieces, sent, sent_unix });
        Ok(())
    }

    fn receive(&mut self, work: &mut dyn Work, wait: Duration) -> Result<(), JobError> {
        let deliveries = {
            let _waiting = self.enter(Spot::IDLE);
            self.cluster.receive(wait).map_err(lost_cluster)?
        };
        for delivery in deliveries {
            match delivery {
                Delivery::Lost { batch, why } => {
                    let machine = self.batches.get(&batch).map(|batch| batch.machine.clone());
                    self.refresh_machines()?;
                    // A machine that died is lost as a whole; otherwise the call failed.
                    if let Some(machine) = machine.filter(|_| self.batches.contains_key(&batch)) {
                        self.repeat(batch, PieceEnd::Failed, &why);
                        self.blame(&machine, &why);
                    }
                }
                Delivery::Reply { batch, reply } => self.reply(work, batch, &reply),
            }
        }
        Ok(())
    }

    fn reply(&mut self, work: &mut dyn Work, number: u64, reply: &[u8]) {
        // Late replies of machines that were given up are of no use: their pieces are repeated.
        let Some(batch) = self.batches.get(&number) else { return };
        let (machine, received) = (batch.machine.clone(), unix_now());
        let parsed = serde_json::from_slice::<Reply>(reply).map_err(|error| error.to_string());
        let checked = parsed.and_then(|reply| {
            let answers = self.verified(work.verifier(), &batch.pieces, &reply.answers)?;
            Ok((answers, reply))
        });
        let (verdicts, reply) = match checked {
            Ok(checked) => checked,
            Err(why) => return self.reject(&machine, &why),
        };
        if let Some(why) = verdicts.into_iter().find_map(Result::err) {
            return self.reject(&machine, &why);
        }
        let Some(batch) = self.batches.remove(&number) else { return };
        if let Some(times) = reply.times {
            self.timeline.add(&machine, batch.sent_unix, received, times);
        }
        let _span = self.enter(Spot::COLLECT);
        for ((task, generation), answer) in batch.pieces.into_iter().zip(reply.answers) {
            self.answer(work, task, generation, &machine, answer, batch.sent);
        }
    }

    /// Checks the answers to the pieces that are still open. The outer error is that of the whole reply.
    fn verified(
        &self,
        verifier: &dyn Verify,
        pieces: &[(usize, u64)],
        answers: &[Answer],
    ) -> Result<Vec<Result<(), String>>, String> {
        if answers.len() != pieces.len() {
            return Err(format!("{} for {}", count(answers.len(), "answer"), count(pieces.len(), "piece")));
        }
        let _span = self.enter(Spot::CHECK);
        let check = |((task, generation), answer): (&(usize, u64), &Answer)| {
            let Some(flying) = self.flying.get(task).filter(|it| it.generation == *generation) else {
                return Ok(());
            };
            if flying.piece.id != answer.id {
                return Err(format!("an answer to {} instead of {}", answer.id, flying.piece.id));
            }
            match &answer.result {
                PieceResult::Stopped | PieceResult::Failed { .. } => Ok(()),
                result => verifier.verify(*task, result),
            }
        };
        Ok(self.pool.install(|| pieces.par_iter().zip(answers).map(check).collect()))
    }

    fn answer(
        &mut self,
        work: &mut dyn Work,
        task: usize,
        generation: u64,
        machine: &str,
        answer: Answer,
        sent: Instant,
    ) {
        let open = self.flying.get_mut(&task).filter(|it| it.generation == generation);
        let Some(flying) = open else {
            let (name, seconds) = (self.name(machine), Some(answer.seconds));
            let (task, end) = (&*answer.id, PieceEnd::Duplicate);
            return self.cluster.executed(&Execution { task, machine: &name, seconds, end });
        };
        flying.machines.retain(|it| it != machine);
        let failed = match &answer.result {
            PieceResult::Failed { why } => Some(why.clone()),
            PieceResult::Stopped => Some("it was stopped".to_owned()),
            _ => None,
        };
        if let Some(why) = failed {
            flying.failures += 1;
            flying.failed_on.insert(machine.to_owned());
            why.clone_into(&mut flying.why);
            let idle = flying.machines.is_empty();
            self.log(task, machine, Some(answer.seconds), PieceEnd::Failed);
            if self.control.is_stopped() {
                // There is nothing more to expect of it.
                self.flying.remove(&task);
            } else {
                if idle {
                    self.lost.push_back(task);
                }
                self.blame(machine, &why);
            }
            return;
        }
        self.log(task, machine, Some(answer.seconds), PieceEnd::Accepted);
        self.flying.remove(&task);
        self.seconds =
            (self.seconds.0 + answer.seconds.min(sent.elapsed().as_secs_f64()), self.seconds.1 + 1);
        if let Some(machine) = self.machines.get_mut(machine) {
            (machine.pieces, machine.failures) = (machine.pieces + 1, 0);
        }
        work.take(task, machine, answer.result);
    }

    /// Ends the job, because it can no longer succeed.
    pub(crate) fn give_up(&self) {
        self.control.give_up();
    }
}

fn lost_cluster(ClusterError(why): ClusterError) -> JobError {
    JobError::Cluster(why)
}
