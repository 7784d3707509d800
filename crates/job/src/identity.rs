//! Which jobs are the same: a job continues from the files of the same job only.

use batt_lang::Program;
use batt_record::{Kind, Options, Setup};
use batt_value::ContentHash;

/// A hash of all that identifies a job: tasks, programs, and the options that change what is found for a given effort.
/// How much effort is allowed is no part of it, so a job can continue with more.
pub(crate) fn identity(kind: Kind, setup: &Setup, programs: &[Program]) -> String {
    let Setup { dsl, data, options, .. } = setup;
    let Options { fuel, all_pairs, all_demos, seed, mode, without, store, .. } = options;
    let mut text = format!(
        "{} {dsl} {} {fuel:?} {all_pairs} {all_demos} {seed:?} {mode:?} {without:?} {store:?}\n",
        kind.name(),
        data.hash
    );
    for program in programs {
        text.push_str(&format!("{} {}\n", program.name(), program.hash()));
    }
    ContentHash::of(text.as_bytes()).to_string()
}

/// Describes a job in a few words.
pub(crate) fn describe(kind: &str, setup: &Setup) -> String {
    let Setup { data, options, .. } = setup;
    let mut words = format!("{kind} of {} ({} tasks", data.name, data.tasks);
    if let Some(seed) = options.seed {
        words.push_str(&format!(", seed {seed}"));
    }
    if !options.given.is_empty() {
        words.push_str(&format!(", {} programs given", options.given.len()));
    }
    if let Some(store) = &options.store {
        words.push_str(&format!(", store {store}"));
    }
    if !options.without.is_empty() {
        words.push_str(&format!(", without {}", options.without.join(" and ")));
    }
    words.push(')');
    words
}

/// How the setups of two jobs differ, in words.
pub(crate) fn difference(ours: &Setup, theirs: &Setup) -> String {
    let (a, b) = (&ours.options, &theirs.options);
    let parts = [
        ("another version of the DSL", ours.dsl != theirs.dsl),
        ("other tasks", ours.data.hash != theirs.data.hash),
        ("other programs", a.given != b.given),
        ("another seed", a.seed != b.seed),
        ("other steps", (&a.without, &a.mode) != (&b.without, &b.mode)),
        ("another store", a.store != b.store),
        ("other options", (a.fuel, a.all_pairs, a.all_demos) != (b.fuel, b.all_pairs, b.all_demos)),
    ];
    let differing: Vec<&str> = parts.iter().filter(|(_, differs)| *differs).map(|(name, _)| *name).collect();
    if differing.is_empty() { "other programs".to_owned() } else { differing.join(", ") }
}
