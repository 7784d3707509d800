//! Tells whoever looks how far a run is, by a file beside its record.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use arcbatt::record::live::{Live, Now};

use crate::files;

/// The file of a run, or none where no record is written.
pub(crate) struct Pulse(Option<Mutex<Beat>>);

struct Beat {
    live: Live,
    /// When the next line is due.
    due: Instant,
}

/// A person who looks is served well enough.
const EVERY: Duration = Duration::from_secs(1);

impl Pulse {
    pub(crate) fn new(record: Option<&Path>) -> Pulse {
        // A run is not worth less because nobody can look at it.
        let live = record.filter(|path| files::is_plain(path)).and_then(|record| Live::begin(record).ok());
        Pulse(live.map(|live| Mutex::new(Beat { live, due: Instant::now() })))
    }

    /// Says how far the run is, if that is due.
    pub(crate) fn tell(&self, now: impl FnOnce() -> Now) {
        let Some(beat) = &self.0 else { return };
        let beat = &mut *beat.lock().unwrap_or_else(PoisonError::into_inner);
        if Instant::now() >= beat.due {
            let _ = beat.live.tell(&now());
            beat.due = Instant::now() + EVERY;
        }
    }
}

/// How often the record of a run is brought up to date while it goes on.
pub(crate) const SAVE_EVERY: Duration = Duration::from_secs(5);
