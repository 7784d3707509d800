//! Simulates a job on a cluster: a driver hands out tasks one after the other, and each core takes the next
//! task when it is free.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use batt_base::Rng;

/// The measured times of a job, in nanoseconds.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    /// Work of each task. Not empty, and every time is above 0.
    pub(crate) work: Vec<f64>,
    /// Time of a core for each task that is not work: to set it up, and to wait for the network.
    pub(crate) overhead: f64,
    /// Time that the driver needs for each task.
    pub(crate) driver: f64,
}

/// A simulated job. Times are in nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Simulated {
    pub(crate) wall: f64,
    /// Time from the moment when the first core has no more work until the end.
    pub(crate) tail: f64,
    /// Share of the time of all cores in which they work.
    pub(crate) utilisation: f64,
    pub(crate) bounds: Bounds,
}

/// Lower bounds of the wall time. The largest is the bottleneck.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Bounds {
    /// Time if all cores were always busy.
    pub(crate) cores: f64,
    /// Time of the driver for all tasks.
    pub(crate) driver: f64,
    /// Time of the longest task.
    pub(crate) longest: f64,
}

/// Returns how many of the last tasks are simulated one by one. The tasks before them keep all cores busy, so
/// that their time is a product. Their number is a multiple of the number of cores.
pub(crate) fn simulated_tasks(tasks: u64, cores: u64) -> u64 {
    let most = simulated_at_most(cores);
    if tasks <= most { tasks } else { most + (tasks - most) % cores }
}

/// Limits the time of a simulation to about a tenth of a second. At least two tasks for each core are simulated,
/// so that the cores do not stay in step.
fn simulated_at_most(cores: u64) -> u64 {
    (4 * cores).clamp(100_000, 2_000_000).max(2 * cores)
}

impl Model {
    /// Draws as many tasks as were measured, because another record would have had other tasks.
    pub(crate) fn resampled(&self, rng: &mut Rng) -> Model {
        let work = (0..self.work.len()).map(|_| rng.pick(&self.work)).collect();
        Model { work, ..*self }
    }

    pub(crate) fn mean(&self) -> f64 {
        self.work.iter().sum::<f64>() / self.work.len() as f64
    }

    /// Returns the time from one finished task to the next, if there are always more tasks.
    fn interval(&self, cores: u64) -> f64 {
        f64::max((self.mean() + self.overhead) / cores as f64, self.driver)
    }

    /// Runs tasks that are drawn from the measured ones.
    pub(crate) fn run(&self, tasks: u64, cores: u64, rng: &mut Rng) -> Simulated {
        let simulated = simulated_tasks(tasks, cores);
        let before = (tasks - simulated) as f64;
        let mut queue = Queue::new(cores.min(simulated), self.driver);
        let (mut work, mut longest) = (before * self.mean(), 0.0);
        for _ in 0..simulated {
            let task = rng.pick(&self.work);
            work += task;
            longest = f64::max(longest, task);
            queue.run(task + self.overhead);
        }
        let wall = before * self.interval(cores) + queue.end;
        // A core without a single task has none from the start.
        let first_free = if cores > simulated { 0.0 } else { queue.first_free() };
        let all_cores = cores as f64;
        Simulated {
            wall,
            tail: queue.end - f64::max(first_free, queue.last_start),
            utilisation: work / (all_cores * wall),
            bounds: Bounds {
                cores: (work + tasks as f64 * self.overhead) / all_cores,
                driver: tasks as f64 * self.driver,
                longest: longest + self.overhead,
            },
        }
    }

    /// Returns how many tasks can be run in the time, counting them until one ends too late.
    pub(crate) fn fitting(&self, time: f64, cores: u64, rng: &mut Rng) -> u64 {
        let interval = self.interval(cores);
        let most = simulated_at_most(cores);
        // Enough to fill the time, and as many again in case that the tasks drawn are short.
        let before = ((time / interval) as u64).saturating_sub(most) / cores * cores;
        let left = time - before as f64 * interval;
        let mut queue = Queue::new(cores, self.driver);
        let ended = (0..2 * most).take_while(|_| {
            queue.run(rng.pick(&self.work) + self.overhead);
            queue.end <= left
        });
        before + ended.count() as u64
    }
}

/// The cores and the driver.
struct Queue {
    /// When each core is free, the first one on top. Times are not negative, so their bits have the same order.
    free: BinaryHeap<Reverse<u64>>,
    driver: f64,
    /// When the last task was handed out.
    handed_out: f64,
    /// When the last task started.
    last_start: f64,
    /// When all tasks have ended.
    end: f64,
}

impl Queue {
    fn new(cores: u64, driver: f64) -> Queue {
        let free = (0..cores).map(|_| Reverse(0)).collect();
        Queue { free, driver, handed_out: 0.0, last_start: 0.0, end: 0.0 }
    }

    fn first_free(&self) -> f64 {
        self.free.peek().map_or(0.0, |Reverse(bits)| f64::from_bits(*bits))
    }

    /// Runs a task on the core that is free first.
    fn run(&mut self, ns: f64) {
        let Some(mut first) = self.free.peek_mut() else { return };
        self.handed_out += self.driver;
        self.last_start = f64::max(f64::from_bits(first.0), self.handed_out);
        let end = self.last_start + ns;
        *first = Reverse(end.to_bits());
        self.end = f64::max(self.end, end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(work: &[f64], overhead: f64, driver: f64, tasks: u64, cores: u64) -> Simulated {
        let model = Model { work: work.to_vec(), overhead, driver };
        model.run(tasks, cores, &mut Rng::of(1, "test", 0))
    }

    #[test]
    fn equal_tasks_fill_all_cores() {
        // Also beyond the number of tasks that are simulated one by one.
        for (tasks, cores) in [(12, 4), (1_000, 8), (1_200_000, 24), (3_000_000_000, 1_500)] {
            let job = run(&[50.0], 0.0, 0.0, tasks, cores);
            assert_eq!(job.wall, (tasks / cores) as f64 * 50.0, "{tasks} on {cores}");
            assert_eq!((job.tail, job.utilisation), (0.0, 1.0));
        }
        // One task more takes one more round, in which the other cores have nothing to do.
        let job = run(&[50.0], 0.0, 0.0, 13, 4);
        assert_eq!((job.wall, job.tail, job.utilisation), (200.0, 50.0, 13.0 * 50.0 / 800.0));
        // The overhead takes time but is no work.
        let job = run(&[50.0], 25.0, 0.0, 12, 4);
        assert_eq!((job.wall, job.utilisation), (225.0, 12.0 * 50.0 / 900.0));
    }

    #[test]
    fn cores_without_tasks_are_idle_all_the_time() {
        let job = run(&[50.0], 0.0, 0.0, 3, 1_000_000);
        assert_eq!((job.wall, job.tail), (50.0, 50.0));
        assert_eq!(job.utilisation, 150.0 / 50e6);
        assert!(job.bounds.longest > job.bounds.cores);
    }

    #[test]
    fn a_long_task_is_the_tail() {
        // Queue order: the long task comes last, when three of four cores are about to be free.
        let mut queue = Queue::new(4, 0.0);
        (0..7).for_each(|_| queue.run(10.0));
        queue.run(1_000.0);
        assert_eq!((queue.end, queue.first_free()), (1_010.0, 20.0));
        // Drawn: one of a thousand is long, so that 2,000 tasks have some.
        let mut work = vec![10.0; 999];
        work.push(100_000.0);
        let job = run(&work, 0.0, 0.0, 2_000, 500);
        assert!(job.wall >= 100_000.0 && job.tail > 90_000.0, "{job:?}");
        assert!(job.bounds.longest > job.bounds.cores.max(job.bounds.driver));
    }

    #[test]
    fn a_slow_driver_is_the_limit() {
        for tasks in [1_000, 5_000_000] {
            let job = run(&[50.0], 0.0, 7.0, tasks, 100);
            // The last task is handed out after all the time of the driver, and then takes its own time.
            assert_eq!(job.wall, tasks as f64 * 7.0 + 50.0);
            assert_eq!(job.tail, 50.0);
            assert!(job.bounds.driver > job.bounds.cores.max(job.bounds.longest));
        }
        // With few cores it is hidden behind their work, but for the first tasks.
        let job = run(&[50.0], 0.0, 7.0, 1_000, 2);
        assert_eq!(job.wall, 7.0 + 7.0 + 500.0 * 50.0);
    }

    #[test]
    fn more_cores_are_never_slower() {
        let work: Vec<f64> = (1..80).map(|i| f64::from(i * i)).collect();
        let mut last = f64::INFINITY;
        for cores in [1, 2, 3, 4, 7, 8, 16, 31, 64, 1_000] {
            let wall = run(&work, 3.0, 0.5, 5_000, cores).wall;
            assert!(wall <= last, "{cores} cores: {wall} after {last}");
            last = wall;
        }
    }

    #[test]
    fn the_body_and_the_whole_agree() {
        // Small enough to simulate by hand, large enough that most is a product.
        let work: Vec<f64> = (1..50).map(f64::from).collect();
        let model = Model { work, overhead: 2.0, driver: 0.1 };
        let (tasks, cores) = (400_000, 8);
        assert!(simulated_tasks(tasks, cores) < tasks / 2);
        let part = model.run(tasks, cores, &mut Rng::of(1, "test", 0)).wall;
        let mut queue = Queue::new(cores, model.driver);
        let mut rng = Rng::of(2, "test", 0);
        (0..tasks).for_each(|_| queue.run(rng.pick(&model.work) + model.overhead));
        assert!((part / queue.end - 1.0).abs() < 0.005, "{part} and {}", queue.end);
    }

    #[test]
    fn what_fits_takes_the_time() {
        let equal = Model { work: vec![50.0], overhead: 0.0, driver: 0.0 };
        let fitting = |time| equal.fitting(time, 4, &mut Rng::of(1, "test", 0));
        assert_eq!([49.0, 50.0, 99.0, 100.0, 50e6].map(fitting), [0, 4, 4, 8, 4_000_000]);
        let driven = Model { work: vec![50.0], overhead: 0.0, driver: 7.0 };
        assert_eq!(driven.fitting(7_050.0, 100, &mut Rng::of(1, "test", 0)), 1_000);
        // The job with that number of tasks fits, and the next larger one does not.
        let model = Model { work: (1..80).map(f64::from).collect(), overhead: 1.0, driver: 0.1 };
        let tasks = model.fitting(10_000.0, 16, &mut Rng::of(1, "test", 0));
        let wall = |tasks| model.run(tasks, 16, &mut Rng::of(1, "test", 0)).wall;
        assert!(wall(tasks) <= 10_000.0 && wall(tasks + 1) > 10_000.0);
    }
}
