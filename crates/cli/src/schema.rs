//! The JSON documents that batt writes, and their schemas.
//!
//! Only the table below implements [`Document`], which [`crate::output::json`] requires. So every document that a
//! command prints has a name, a schema and a section in `docs/json.md`.

mod markdown;

pub(crate) use markdown::markdown;

use std::collections::BTreeMap;

use arcbatt::record::events::AnyLine;
use arcbatt::record::live::Status;
use arcbatt::record::{Record, Rows, State};
use arcbatt::report::view;
use batt_bench::{BreedFigures, EnumerateFigures, Figures, ProfileFigures};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use crate::commands::profile::ViewDocument;
use crate::commands::{
    check, conformance, data, data_generate, device, dsl, eval, merge, plan, programs, programs_explain,
    programs_resolve, programs_store, report, run, score, search, serve, show, solve,
};
use crate::output::Versioned;

/// A document that a command prints with `--json`.
pub(crate) trait Document: Serialize + JsonSchema {
    /// Its name in `batt schema`.
    const NAME: &'static str;
}

/// An entry of the table.
pub(crate) struct DocumentEntry {
    /// The command, or the kind of file.
    pub(crate) name: &'static str,
    /// The command line that writes it.
    pub(crate) source: &'static str,
    /// A one-sentence description.
    pub(crate) about: &'static str,
    schema: fn(&mut SchemaGenerator) -> Schema,
}

impl DocumentEntry {
    /// Returns the JSON Schema (draft 2020-12).
    pub(crate) fn schema(&self) -> serde_json::Value {
        let mut generator = generator();
        let body = (self.schema)(&mut generator);
        let mut schema = serde_json::Map::new();
        schema.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
        schema.insert("title".to_owned(), self.name.into());
        schema.insert("description".to_owned(), self.about.into());
        let body = body.as_object().into_iter().flatten();
        for (key, value) in body.filter(|(key, _)| !["title", "description"].contains(&key.as_str())) {
            schema.insert(key.clone(), value.clone());
        }
        schema.insert("$defs".to_owned(), generator.take_definitions(true).into());
        schema.into()
    }
}

/// Returns a generator for documents as they are written; fields that only older files omit are required.
fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12().for_serialize().into_generator()
}

macro_rules! documents {
    ($($name:literal, $source:literal, $about:literal => $type:ty;)*) => {
        $(impl Document for $type {
            const NAME: &'static str = $name;
        })*

        /// The documents that commands print.
        pub(crate) const PRINTED: &[DocumentEntry] = &[$(DocumentEntry {
            name: <$type as Document>::NAME,
            source: $source,
            about: $about,
            schema: <Versioned<$type>>::json_schema,
        }),*];
    };
}

macro_rules! files {
    ($($name:literal, $source:literal, $about:literal => $type:ty;)*) => {
        /// The files that commands write.
        pub(crate) const FILES: &[DocumentEntry] = &[$(DocumentEntry {
            name: $name,
            source: $source,
            about: $about,
            schema: <$type>::json_schema,
        }),*];
    };
}

documents! {
    "solve", "batt solve --json", "The results of a solve." => solve::Document;
    "search", "batt search --json", "The results of a search." => search::Document;
    "run", "batt run --json", "The results of a run." => run::Document;
    "eval", "batt eval --json", "The answers of one program." => eval::Document;
    "show", "batt show --json", "A task, and the answers of a program." => show::Document;
    "plan", "batt plan --json", "The calls that programs share." => plan::Document<'_>;
    "programs check", "batt programs check --json", "The problems in program files." => programs::CheckDocument;
    "programs fmt", "batt programs fmt --json", "Formatted program files." => programs::FmtDocument;
    "programs show", "batt programs show FILE --json", "A program of a file." => programs::ShowDocument;
    "programs show stored", "batt programs show HASH --json", "A program of the store, with lineage and results."
        => programs_store::StoredProgramDocument;
    "programs explain", "batt programs explain --json", "The rules that a program learns from a task."
        => programs_explain::Document<'_>;
    "programs resolve", "batt programs resolve --json", "Programs with their learned rules written out."
        => programs_resolve::Document;
    "programs verify", "batt programs verify --programs FILE --json", "The results of programs on their own tasks."
        => programs::VerifyDocument;
    "programs verify stored", "batt programs verify --json", "Differences between the store and a new measurement."
        => programs_store::VerifyDocument;
    "programs import", "batt programs import --json", "Programs that were added to the store."
        => programs_store::ImportDocument;
    "programs export", "batt programs export --json", "Programs that were exported from the store."
        => programs_store::ExportDocument;
    "programs list", "batt programs list --json", "The programs of the store." => programs_store::ListDocument;
    "programs prune", "batt programs prune --json", "Programs that were removed from the store."
        => programs_store::PruneDocument;
    "check", "batt check --json", "The defects of a submission." => check::Document;
    "score", "batt score --json", "The scores of a submission." => score::Document;
    "merge", "batt merge --json", "Files that were joined." => merge::Document;
    "profile dsl", "batt profile dsl --json", "The cost of each primitive." => ViewDocument<view::Dsl>;
    "profile framework", "batt profile framework --json", "The time of all threads by category."
        => ViewDocument<view::Framework>;
    "profile phases", "batt profile phases --json", "Fixed and marginal cost of each phase, and a projection."
        => ViewDocument<view::Phases>;
    "profile tasks", "batt profile tasks --json", "Tasks that take unusually long." => ViewDocument<view::Tasks>;
    "profile lines", "batt profile lines --json", "The cost of each line of a program." => ViewDocument<view::Lines>;
    "profile what-if", "batt profile what-if --json", "Predicted time of a run with speed-ups."
        => ViewDocument<view::WhatIf>;
    "profile what-if list", "batt profile what-if RECORD --json", "Everything that could be faster, sorted by what it would bring."
        => ViewDocument<view::Levers>;
    "profile budget", "batt profile budget --json", "Runs and candidates that fit into a time budget." => ViewDocument<view::Budget>;
    "profile budget nodes", "batt profile budget --nodes N --json", "A job projected to a cluster." => ViewDocument<view::Scale>;
    "profile compare", "batt profile compare --json", "Differences between two records."
        => ViewDocument<view::Compare>;
    "profile events", "batt profile events --json", "Sums over a file of events." => view::EventSums;
    "report", "batt report --json", "The page that was written." => report::Document;
    "serve", "batt serve --json", "The address of the local page." => serve::Document;
    "bench", "batt bench --json", "Times of load, parse, merge and run." => Figures;
    "bench profile", "batt bench profile --json", "Cost and accuracy of the recorder."
        => ProfileFigures;
    "bench breed", "batt bench breed --json", "Programs that breeding repairs, and its speed." => BreedFigures;
    "bench enumerate", "batt bench enumerate --json", "Outputs that enumeration solves alone, and its speed."
        => EnumerateFigures;
    "device list", "batt device --json", "The OpenCL devices of the machine." => device::ListDocument;
    "device test", "batt device test --json", "Devices compared with the CPU." => device::TestDocument;
    "device calibrate", "batt device calibrate --json", "Devices measured for `--device auto`." => device::CalibrateDocument;
    "device bench", "batt device bench --json", "Operations on the CPU and on devices." => device::BenchDocument;
    "device operations", "batt device operations --json", "Operations that devices know." => device::OperationsDocument;
    "data list", "batt data list --json", "The named data sets." => data::ListDocument;
    "data install", "batt data install --json", "The data sets that were installed." => data::InstallDocument;
    "data verify", "batt data verify --json", "The data sets that were checked." => data::VerifyDocument;
    "data generate", "batt data generate --json", "Generated tasks." => data_generate::TasksDocument;
    "data generate files", "batt data generate -o FOLDER --json", "Files of generated tasks."
        => data_generate::WrittenDocument;
    "data diff", "batt data diff --json", "The differences between two data sets." => data::DiffDocument;
    "dsl list", "batt dsl list --json", "The primitives of the DSL." => dsl::ListDocument;
    "dsl show", "batt dsl show --json", "A primitive of the DSL." => dsl::PrimitiveEntry;
    "conformance", "batt conformance --json", "Answers that differ from those of arc-dsl." => conformance::Document;
}

files! {
    "record", "--record FILE", "The record of a run, a solve or a search." => Record;
    "state", "batt solve -o FILE", "The progress of a solve, in FILE.state." => State;
    "live", "--record FILE", "A line of FILE.live, the status of a running job." => Status;
    "events", "batt run --profile --events", "A line of a file of events." => AnyLine;
    "submission", "batt solve -o FILE, batt run -o FILE", "A submission in Kaggle's format, by task id."
        => Submission;
}

/// Test outputs by task: two attempts for each test input. The writer is `arcbatt::task::submission`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is used")]
struct Submission(BTreeMap<String, Vec<Attempts>>);

/// The attempts at one test output.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is used")]
struct Attempts {
    /// The first attempt: rows of colours.
    attempt_1: Rows,
    /// The second attempt: rows of colours.
    attempt_2: Rows,
}

/// Returns all documents, printed ones first.
pub(crate) fn all() -> impl Iterator<Item = &'static DocumentEntry> {
    PRINTED.iter().chain(FILES)
}
