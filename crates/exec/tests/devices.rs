//! The queue and the host threads of devices, with devices that only pass jobs on.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::time::{Duration, Instant};

use batt_device::{Answerer, Answers, Batch, Code, DeviceError, Job, Program};
use batt_exec::devices::{Devices, Helper, HelperReport, Ticket};

/// A device that calls a function for each batch.
struct Fake<F>(F);

impl<F: FnMut(&Batch) -> Result<(), DeviceError> + Send> Answerer for Fake<F> {
    fn answer(&mut self, batch: &Batch) -> Result<Answers, DeviceError> {
        (self.0)(batch)?;
        Ok(Answers::passed_on(batch.jobs.len()))
    }
}

/// Returns a device that is opened by `open`, and then calls `each` for each batch.
fn helper(
    min_jobs: u64,
    open: impl FnOnce() -> Result<(), DeviceError> + Send + 'static,
    each: impl FnMut(&Batch) -> Result<(), DeviceError> + Send + 'static,
) -> Helper {
    let open = move || {
        open()?;
        Ok(Box::new(Fake(each)) as Box<dyn Answerer>)
    };
    Helper { name: format!("from {min_jobs}"), min_jobs, open: Box::new(open), lane: None }
}

fn willing(min_jobs: u64) -> Helper {
    helper(min_jobs, || Ok(()), |_| Ok(()))
}

fn failure() -> DeviceError {
    DeviceError::Driver { call: "clFinish", code: -5 }
}

/// Returns a function that blocks until the sender sends a word or is dropped.
fn gate() -> (Sender<()>, impl FnMut() -> Result<(), DeviceError> + Send + 'static) {
    let (sender, receiver): (Sender<()>, Receiver<()>) = channel();
    (sender, move || {
        // A dropped sender opens it as well.
        let _ = receiver.recv();
        Ok(())
    })
}

fn batch(n_jobs: usize) -> Batch {
    let program = Arc::new(Program::new(vec![Some(Code::Label { options: 0 })]));
    Batch { program, jobs: vec![Job { operation: 0, holes: [0; 4] }; n_jobs], ..Batch::default() }
}

/// Waits until a condition holds, at most ten seconds.
fn wait_until(condition: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(10);
    while !condition() {
        assert!(Instant::now() < end, "it takes too long");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn losses(devices: &Devices) -> Vec<Option<String>> {
    devices.reports().into_iter().map(|report| report.lost).collect()
}

#[test]
fn devices_work_at_the_same_time() {
    let both = Arc::new(Barrier::new(2));
    let meeting = || {
        let both = Arc::clone(&both);
        helper(
            1,
            || Ok(()),
            move |_| {
                both.wait();
                Ok(())
            },
        )
    };
    let devices = Devices::start(vec![meeting(), meeting()]).patient();
    let tickets: Vec<Ticket> = (0..6).map(|_| devices.ask(batch(5)).unwrap()).collect();
    for ticket in &tickets {
        assert_eq!(ticket.answers().unwrap().len(), 5);
        ticket.count(2, 1);
    }
    let expected = HelperReport {
        name: "from 1".to_owned(),
        is_open: true,
        batches: 3,
        jobs: 15,
        answered: 0,
        used: 6,
        late: 3,
        lost: None,
    };
    assert_eq!(devices.reports(), [expected.clone(), expected]);
    assert_eq!(devices.tick(), []);
    devices.close();
    assert!(devices.ask(batch(5)).is_none() && devices.is_full());
}

#[test]
fn small_batches_stay_on_the_cpu() {
    let devices = Devices::start(vec![willing(100), willing(10)]).patient();
    assert!(!devices.may_take(9) && devices.ask(batch(9)).is_none());
    for n_jobs in [10, 99] {
        assert!(devices.ask(batch(n_jobs)).unwrap().answers().is_some());
    }
    let jobs: Vec<u64> = devices.reports().iter().map(|report| report.jobs).collect();
    assert_eq!(jobs, [0, 109]);
}

#[test]
fn the_batch_of_a_lost_device_goes_to_another() {
    let hang = Mutex::new(None);
    for (name, expected) in [
        ("fails", "clFinish failed with OUT_OF_RESOURCES (-5)"),
        ("panics", "its host thread panicked"),
        ("hangs", "it does not answer any more"),
    ] {
        // The second device opens when the first has the batch, and begins when it is lost.
        let (has_batch, opens) = channel();
        let bad = helper(1, || Ok(()), {
            let (sender, mut wait) = gate();
            *hang.lock().unwrap() = Some(sender);
            move |_| {
                has_batch.send(()).unwrap();
                match name {
                    "fails" => Err(failure()),
                    "panics" => panic!("this panic belongs to the test"),
                    _ => wait(),
                }
            }
        });
        let good = helper(1, move || opens.recv().map_err(|_| failure()), |_| Ok(()));
        let devices = Devices::start(vec![bad, good]).patient().with_max_ticks(3);
        let ticket = devices.ask(batch(7)).unwrap();
        let told = std::thread::scope(|scope| {
            let answers = scope.spawn(|| ticket.answers().unwrap().len());
            let mut told = Vec::new();
            wait_until(|| devices.reports()[1].is_open);
            wait_until(|| losses(&devices)[0].is_some() || name == "hangs");
            (0..5).for_each(|_| told.extend(devices.tick()));
            assert_eq!(answers.join().unwrap(), 7, "{name}");
            told
        });
        assert_eq!(told.len(), 1, "a loss is reported once: {told:?}");
        assert!(told[0].1.starts_with(expected), "{told:?}");
        let reports = devices.reports();
        assert_eq!((reports[0].batches, reports[1].batches, reports[1].lost.clone()), (0, 1, None));
        devices.close();
    }
}

#[test]
fn without_a_device_left_nothing_waits() {
    for (name, max_ticks) in [("fails", u64::MAX), ("panics", u64::MAX), ("hangs", 2)] {
        let (_sender, mut wait) = gate();
        let bad = helper(
            1,
            || Ok(()),
            move |_| match name {
                "fails" => Err(failure()),
                "panics" => panic!("this panic belongs to the test"),
                _ => wait(),
            },
        );
        let devices = Devices::start(vec![bad, willing(1_000)]).patient().with_max_ticks(max_ticks);
        // One batch is with the device when it is lost, and the others are in the queue.
        let tickets: Vec<Ticket> = (0..3).filter_map(|_| devices.ask(batch(7))).collect();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                wait_until(|| {
                    devices.tick();
                    losses(&devices)[0].is_some()
                })
            });
            assert!(tickets.iter().all(|ticket| ticket.answers().is_none()), "{name}");
        });
        assert!(devices.ask(batch(7)).is_none());
        assert!(devices.any_left() && losses(&devices)[1].is_none());
    }
}

#[test]
fn devices_that_do_not_open_are_lost() {
    let (_sender, wait) = gate();
    let devices = Devices::start(vec![
        helper(1, || Err(failure()), |_| Ok(())),
        helper(1, || panic!("this panic belongs to the test"), |_| Ok(())),
        helper(1, wait, |_| Ok(())),
    ]);
    let devices = devices.patient().with_max_ticks(1);
    let ticket = devices.ask(batch(7));
    wait_until(|| losses(&devices).iter().flatten().count() == 2);
    assert!(devices.any_left());
    // Opening may take twelve times as long as a batch.
    let told: Vec<_> = (0..20).flat_map(|_| devices.tick()).map(|(_, reason)| reason).collect();
    assert_eq!(told.len(), 3);
    assert_eq!(told[1..], ["its host thread panicked", "its driver does not finish compiling the kernels"]);
    assert!(ticket.is_none_or(|ticket| ticket.answers().is_none()));
    assert!(!devices.any_left() && !devices.any_busy());
    devices.close();
}

#[test]
fn the_time_of_opening_is_not_that_of_the_first_batch() {
    let (open, wait) = gate();
    let devices = Devices::start(vec![helper(1, wait, |_| Ok(()))]).patient().with_max_ticks(3);
    let ticket = devices.ask(batch(7)).unwrap();
    (0..30).for_each(|_| assert_eq!(devices.tick(), []));
    open.send(()).unwrap();
    assert_eq!(ticket.answers().unwrap().len(), 7);
    // Nor is time without a batch.
    (0..30).for_each(|_| assert_eq!(devices.tick(), []));
    assert!(devices.ask(batch(7)).unwrap().answers().is_some());
    assert_eq!(losses(&devices), [None]);
}

#[test]
fn a_dropped_ticket_takes_its_batch_back() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (go, mut wait) = gate();
    let slow = helper(1, || Ok(()), {
        let seen = Arc::clone(&seen);
        move |batch| {
            seen.lock().unwrap().push(batch.jobs.len());
            wait()
        }
    });
    let devices = Devices::start(vec![slow]).patient();
    let first = devices.ask(batch(1)).unwrap();
    wait_until(|| !seen.lock().unwrap().is_empty());
    let (second, third) = (devices.ask(batch(2)).unwrap(), devices.ask(batch(3)).unwrap());
    drop((first, second));
    drop(go);
    assert!(third.answers().is_some());
    assert_eq!(*seen.lock().unwrap(), [1, 3]);
}

#[test]
fn the_queue_is_short_unless_the_cpu_waits() {
    for is_patient in [false, true] {
        let (_go, wait) = gate();
        let opening = helper(1, wait, |_| Ok(()));
        let devices = Devices::start(vec![opening]);
        let devices = if is_patient { devices.patient() } else { devices };
        let tickets: Vec<Ticket> = (0..100).filter_map(|_| devices.ask(batch(1))).collect();
        assert_eq!((tickets.len(), devices.is_full()), if is_patient { (100, false) } else { (64, true) });
        if !is_patient {
            assert!(tickets[0].answers().is_none());
        }
        drop(tickets);
        assert!(!devices.is_full(), "batches that were taken back do not count");
    }
}

#[test]
fn closing_does_not_wait_long_for_a_device_that_hangs() {
    let (_sender, mut wait) = gate();
    let hangs = helper(1, || Ok(()), move |_| wait());
    let (_never, wait) = gate();
    let opens = helper(100, wait, |_| Ok(()));
    let devices = Devices::start(vec![hangs, opens, willing(100)]).patient();
    let tickets = [devices.ask(batch(1)).unwrap(), devices.ask(batch(1)).unwrap()];
    std::thread::scope(|scope| {
        let waiting = tickets.each_ref().map(|ticket| scope.spawn(|| ticket.answers().is_none()));
        wait_until(|| devices.reports()[0].is_open && devices.any_busy());
        // A device that was not opened in time is not lost.
        let lost: Vec<_> = devices.drop_busy().into_iter().map(|(name, _)| name).collect();
        assert!(lost == ["from 1"] && !devices.any_busy(), "{lost:?}");
        devices.close();
        assert!(waiting.into_iter().all(|thread| thread.join().unwrap()), "nobody waits after the end");
    });
    assert!(!devices.reports()[1].is_open);
}

/// A device that calls a function when it is freed.
struct Freed<F: FnMut()>(F);

impl<F: FnMut() + Send> Answerer for Freed<F> {
    fn answer(&mut self, batch: &Batch) -> Result<Answers, DeviceError> {
        Ok(Answers::passed_on(batch.jobs.len()))
    }
}

impl<F: FnMut()> Drop for Freed<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Starts a device, lets it answer a batch, and returns it.
fn freed_by(free: impl FnMut() + Send + 'static) -> Devices {
    let open = move || Ok(Box::new(Freed(free)) as Box<dyn Answerer>);
    let helper = Helper { name: "freed".to_owned(), min_jobs: 1, open: Box::new(open), lane: None };
    let devices = Devices::start(vec![helper]).patient();
    assert!(devices.ask(batch(1)).unwrap().answers().is_some());
    devices
}

#[test]
fn closing_waits_until_devices_are_free() {
    let (begun, begins) = channel();
    let (go, mut wait) = gate();
    let is_free = Arc::new(AtomicUsize::new(0));
    let devices = freed_by({
        let is_free = Arc::clone(&is_free);
        move || {
            begun.send(()).unwrap();
            wait().unwrap();
            is_free.store(1, Ordering::Relaxed);
        }
    });
    std::thread::scope(|scope| {
        let closing = scope.spawn(|| {
            devices.close();
            is_free.load(Ordering::Relaxed)
        });
        begins.recv().unwrap();
        drop(go);
        assert_eq!(closing.join().unwrap(), 1);
    });
}

#[test]
fn closing_does_not_wait_long_for_a_driver_that_never_frees_its_device() {
    for is_lost in [false, true] {
        let (_never, mut wait) = gate();
        let devices = freed_by(move || wait().unwrap());
        if is_lost {
            let ticket = devices.ask(batch(1)).unwrap();
            assert!(ticket.answers().is_some());
            ticket.distrust("a wrong value");
        }
        devices.close();
        assert_eq!(losses(&devices)[0].is_some(), is_lost);
    }
}

#[test]
fn a_wrong_answer_drops_its_device() {
    let devices = Devices::start(vec![willing(1)]).patient();
    let (first, second) = (devices.ask(batch(1)).unwrap(), devices.ask(batch(1)).unwrap());
    assert!(first.answers().is_some() && second.answers().is_some());
    first.distrust("a wrong value");
    assert!(first.answers().is_none() && second.answers().is_none(), "nothing of it is used any more");
    assert!(devices.tick()[0].1.contains("a wrong value") && devices.tick().is_empty());
}

#[test]
fn too_few_answers_are_an_error() {
    struct Short;
    impl Answerer for Short {
        fn answer(&mut self, batch: &Batch) -> Result<Answers, DeviceError> {
            let mut answers = Answers::passed_on(batch.jobs.len());
            answers.truncate(2);
            Ok(answers)
        }
    }
    let open = || Ok(Box::new(Short) as Box<dyn Answerer>);
    let short = Helper { name: "short".to_owned(), min_jobs: 1, open: Box::new(open), lane: None };
    let devices = Devices::start(vec![short]).patient();
    let ticket = devices.ask(batch(3));
    assert!(ticket.is_some_and(|ticket| ticket.answers().is_none()));
    assert!(devices.tick()[0].1.contains("2 answers to 3 jobs"), "{:?}", losses(&devices));
}

/// Many threads ask, wait and drop tickets, while two of four devices are lost in between.
#[test]
fn no_ticket_is_forgotten() {
    const THREADS: usize = 4;
    const BATCHES: usize = 500;
    for round in 0..20 {
        let n_answered = Arc::new(AtomicUsize::new(0));
        let device = |lost_at: usize| {
            let (n_answered, mut n) = (Arc::clone(&n_answered), 0);
            helper(
                1,
                || Ok(()),
                move |_| {
                    n += 1;
                    if n == lost_at {
                        return Err(failure());
                    }
                    n_answered.fetch_add(1, Ordering::Relaxed);
                    Ok(())
                },
            )
        };
        let helpers = vec![device(round), device(10 * round + 1), device(usize::MAX), device(usize::MAX)];
        let devices = Devices::start(helpers).patient();
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    for n in 0..BATCHES {
                        let ticket = devices.ask(batch(1)).unwrap();
                        // Answers of a device that is lost meanwhile are not used.
                        if n % 3 != 0 && ticket.answers().is_none() {
                            assert!(losses(&devices).iter().any(Option::is_some));
                        }
                    }
                });
            }
        });
        devices.close();
        let batches: u64 = devices.reports().iter().map(|report| report.batches).sum();
        assert_eq!(batches as usize, n_answered.load(Ordering::Relaxed));
        assert!(batches as usize >= THREADS * BATCHES * 3 / 5);
    }
}
