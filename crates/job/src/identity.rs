//! Identity of jobs: a job continues only from files of the same job.

use batt_base::number::count;
use batt_lang::Program;
use batt_record::{Data, Kind, Options, Setup};
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
    if let Some(shard) = &data.shard {
        text.push_str(&format!("shard {} {} {}\n", shard.index, shard.of, shard.job));
    }
    for program in programs {
        text.push_str(&format!("{} {}\n", program.name(), program.hash()));
    }
    ContentHash::of(text.as_bytes()).to_string()
}

/// Completes the setup of a shard with the identity of the whole job. Returns the identity of the shard. Does nothing else
/// for other jobs.
pub(crate) fn identify(kind: Kind, setup: &mut Setup, programs: &[Program]) -> String {
    let whole = setup.data.shard.is_some().then(|| identity(kind, &whole(setup), programs));
    if let (Some(shard), Some(whole)) = (&mut setup.data.shard, whole) {
        shard.job = whole;
    }
    identity(kind, setup, programs)
}

/// Returns the setup of the whole job that a shard belongs to. It has no store, because shards have stores of their own.
pub(crate) fn whole(shard: &Setup) -> Setup {
    let mut setup = shard.clone();
    if let Some(shard) = setup.data.shard.take() {
        setup.data = Data { hash: shard.hash, tasks: shard.tasks, ..setup.data };
        setup.options.store = None;
    }
    setup
}

/// Describes a job in a few words.
pub(crate) fn describe(kind: &str, setup: &Setup) -> String {
    let Setup { data, options, .. } = setup;
    let mut words = format!("{kind} of {}", data.name);
    if let Some(shard) = &data.shard {
        words.push_str(&format!(", shard {} of {}", shard.index, shard.of));
    }
    words.push_str(&format!(" ({}", count(data.tasks, "task")));
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
    let shard = |setup: &Setup| setup.data.shard.as_ref().map(|shard| (shard.index, shard.of));
    let other_shard = shard(ours) != shard(theirs);
    let parts = [
        ("another version of the DSL", ours.dsl != theirs.dsl),
        ("another shard", other_shard),
        ("other tasks", ours.data.hash != theirs.data.hash && !other_shard),
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
