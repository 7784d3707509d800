//! Progress of a running job: a bar on a terminal, plain lines elsewhere.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use arcbatt::base::number::count;
use arcbatt::base::time;
use arcbatt::record::Kind;
use arcbatt::record::live::Status;
use arcbatt::{Event, Job, Outcome, Running};
use indicatif::{ProgressBar, ProgressStyle};

use crate::{output, signal};

/// Starts a job, shows its progress, and waits for its end. Ctrl-C stops it.
pub(crate) fn follow(job: Job) -> anyhow::Result<Outcome> {
    signal::install_handler()?;
    let running = job.start()?;
    let mut display = Display::new();
    let mut stopping = false;
    while !running.is_finished() {
        running.wait_for_end(INTERVAL);
        if signal::stopped() && !stopping {
            stopping = true;
            running.stop();
        }
        while let Some(event) = running.next_event(Duration::ZERO) {
            display.event(&event, &running);
        }
        display.show(&running);
    }
    while let Some(event) = running.next_event(Duration::ZERO) {
        display.event(&event, &running);
    }
    display.clear();
    Ok(running.wait()?)
}

/// How often the display is updated.
const INTERVAL: Duration = Duration::from_millis(50);

enum Display {
    Bar { bar: ProgressBar, due: Instant },
    Lines(Lines),
    Nothing,
}

impl Display {
    fn new() -> Display {
        if output::quiet() {
            return Display::Nothing;
        }
        let style = ProgressStyle::with_template("{wide_bar} {msg}").ok();
        match style.filter(|_| std::io::stderr().is_terminal()) {
            Some(style) => {
                let bar = ProgressBar::new(0).with_style(style);
                Display::Bar { bar, due: Instant::now() + INTERVAL * 4 }
            }
            None => Display::Lines(Lines { due: Instant::now() + Lines::FIRST, tenth: 0 }),
        }
    }

    fn event(&mut self, event: &Event, running: &Running) {
        match event {
            Event::Warning { text } => match self {
                Display::Bar { bar, .. } => bar.suspend(|| output::warning(text)),
                _ => output::warning(text),
            },
            Event::Started { tasks, resumed, programs, threads } => {
                tracing::info!(tasks, resumed, programs, threads, "started");
            }
            Event::TaskDone { task, solved } => tracing::debug!(task, solved, "task done"),
            Event::Improved { task, sure } => tracing::debug!(task, sure, "improved"),
            Event::Round { number, open } => tracing::info!(number, open, "round"),
            Event::Saved { path } => tracing::info!(path = %path.display(), "saved"),
            Event::Stopped | Event::Finished => {
                let status = running.status();
                tracing::info!(seconds = status.seconds, done = status.done, total = status.total, "ended");
            }
        }
    }

    fn show(&mut self, running: &Running) {
        match self {
            Display::Bar { bar, due } if Instant::now() >= *due => {
                *due = Instant::now() + INTERVAL * 2;
                let status = running.status();
                bar.set_length(status.total as u64);
                bar.set_position(status.done as u64);
                bar.set_message(line(&status));
            }
            Display::Lines(lines) => lines.show(running),
            _ => {}
        }
    }

    fn clear(&self) {
        if let Display::Bar { bar, .. } = self {
            bar.finish_and_clear();
        }
    }
}

/// Plain lines for logs: one per minute, and one for every tenth of the tasks. A job that ends within seconds prints
/// none.
struct Lines {
    due: Instant,
    /// Number of tenths reported so far.
    tenth: usize,
}

impl Lines {
    const FIRST: Duration = Duration::from_secs(5);
    const EVERY: Duration = Duration::from_secs(60);

    fn show(&mut self, running: &Running) {
        let late = Instant::now() >= self.due;
        if self.tenth == 0 && !late {
            return;
        }
        let status = running.status();
        let tenth = status.done * 10 / status.total.max(1) + 1;
        if !late && tenth <= self.tenth {
            return;
        }
        (self.due, self.tenth) = (Instant::now() + Lines::EVERY, tenth);
        let elapsed = time::long(Duration::from_secs_f64(status.seconds));
        // A failure to print progress must not end the job.
        let _ = writeln!(std::io::stderr(), "progress: {elapsed}: {}", line(&status));
    }
}

/// Formats the status: `17 of 400 tasks done, 27 with an answer, 56737 candidates/s, 12.0 s left`.
fn line(status: &Status) -> String {
    let Status { kind, done, total, solved, tried, seconds, left, .. } = status;
    let mut text = format!("{done} of {} done", count(*total, "task"));
    match kind {
        Kind::Run => text.push_str(&format!(", {solved} right")),
        Kind::Solve | Kind::Search => {
            let rate = *tried as f64 / seconds.max(1e-3);
            let solved_as = if *kind == Kind::Solve { "with an answer" } else { "solved" };
            text.push_str(&format!(", {solved} {solved_as}, {rate:.0} candidates/s"));
        }
    }
    if let Some(left) = left {
        text.push_str(&format!(", {} left", time::long(Duration::from_secs_f64(*left))));
    }
    text
}
