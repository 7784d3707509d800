//! Identity of jobs: a job continues only from files of the same job.

use batt_base::number::count;
use batt_lang::Program;
use batt_record::{Kind, Options, Setup};
use batt_value::ContentHash;

/// Returns a hash of everything that identifies a job: tasks, programs, and options that change the results. The effort
/// is not part of it, so a job can continue with more effort.
pub(crate) fn identity(kind: Kind, setup: &Setup, programs: &[Program]) -> String {
    let Setup { dsl, data, options, .. } = setup;
    let Options { fuel, all_pairs, all_demos, seed, mode, without, store, proposed, .. } = options;
    let mut text = format!(
        "{} {dsl} {} {fuel:?} {all_pairs} {all_demos} {seed:?} {mode:?} {without:?} {store:?}\n",
        kind.name(),
        data.hash
    );
    if *proposed {
        text.push_str("proposed\n");
    }
    for program in programs {
        text.push_str(&format!("{} {}\n", program.name(), program.hash()));
    }
    ContentHash::of(text.as_bytes()).to_string()
}

/// Describes a job in a few words.
pub(crate) fn describe(kind: &str, setup: &Setup) -> String {
    let Setup { data, options, .. } = setup;
    let mut words = format!("{kind} of {} ({}", data.name, count(data.tasks, "task"));
    if let Some(seed) = options.seed {
        words.push_str(&format!(", seed {seed}"));
    }
    if !options.given.is_empty() {
        words.push_str(&format!(", {} given", count(options.given.len(), "program")));
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

/// Describes how the setups of two jobs differ.
pub(crate) fn difference(ours: &Setup, theirs: &Setup) -> String {
    let (a, b) = (&ours.options, &theirs.options);
    let parts = [
        ("another version of the DSL", ours.dsl != theirs.dsl),
        ("other tasks", ours.data.hash != theirs.data.hash),
        ("other programs", a.given != b.given),
        ("another seed", a.seed != b.seed),
        ("other steps", (&a.without, &a.mode) != (&b.without, &b.mode)),
        ("another store", a.store != b.store),
        ("another function that suggests programs", a.proposed != b.proposed),
        ("other options", (a.fuel, a.all_pairs, a.all_demos) != (b.fuel, b.all_pairs, b.all_demos)),
    ];
    let differing: Vec<&str> = parts.iter().filter(|(_, differs)| *differs).map(|(name, _)| *name).collect();
    if differing.is_empty() { "other programs".to_owned() } else { differing.join(", ") }
}
