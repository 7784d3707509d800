//! Reports: HTML pages of records, with colours and the plan of the programs.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

use batt_base::write_atomic_with;
use batt_lang as lang;
use batt_plan::{NodeId, Plan};
use batt_record::{self as record, Record};
use batt_report::html::{self, Graph, Look, Source, Subject};
use batt_score::Scores;
use batt_task::submission::Submission;
use batt_task::{Dataset, Task};
use batt_value::ContentHash;

use crate::document;
use crate::palette::{self, Palette, Rgb};

pub use batt_report::html::Server;

/// Writes the page of runs to a file, see [`write()`].
pub fn write_file(runs: &[(String, Record)], path: &Path) -> io::Result<()> {
    write_atomic_with(path, |out| write(runs, out))
}

/// Returns whether a file is the report of a job and so can be replaced. `job` is the `job` field of the record, or of
/// both records of a comparison, separated by a space.
pub fn is_of(path: &Path, job: &str) -> bool {
    let mut start = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(4096).read_to_end(&mut start));
    read.is_ok() && String::from_utf8_lossy(&start).contains(&html::job_tag(job))
}

/// Writes the page of one record, or of two side by side. Each has a name, usually that of its file.
pub fn write(runs: &[(String, Record)], out: &mut impl Write) -> io::Result<()> {
    html::write(&sources(runs), &palette::ALL.map(look), out)
}

/// Like [`write()`], for a page of a server: it links to the server's other pages, and updates itself if the server
/// names an address to follow.
pub fn write_served(runs: &[(String, Record)], server: &Server<'_>, out: &mut impl Write) -> io::Result<()> {
    html::write_served(&sources(runs), &palette::ALL.map(look), server, out)
}

/// Writes the content of such a page as JSON.
pub fn write_data(runs: &[(String, Record)], out: &mut impl Write) -> io::Result<()> {
    html::write_data(&sources(runs), &palette::ALL.map(look), out)
}

fn sources(runs: &[(String, Record)]) -> Vec<Source<'_>> {
    let sources = runs.iter().map(|(name, record)| Source {
        name: name.clone(),
        record,
        subject: Subject::Job,
        graph: graph(record),
    });
    sources.collect()
}

/// A submission to show, with the tasks that it answers.
pub struct SubmissionPage {
    name: String,
    record: Record,
    defects: Vec<String>,
    hidden: usize,
}

impl SubmissionPage {
    /// Takes the attempts at the tasks of a data set. `name` is usually that of the file, `data` that of the set.
    pub fn new(name: String, submission: &Submission, data: &str, dataset: &Dataset) -> SubmissionPage {
        let tasks = &dataset.tasks;
        let defects = submission.check(tasks.iter().map(|task| (task.id.as_str(), task.test.len())));
        let scores = Scores::open(submission, tasks);
        let data = record::Data {
            name: data.to_owned(),
            hash: dataset.content_hash().to_string(),
            tasks: tasks.len(),
            shard: None,
        };
        let setup = record::Setup { data, ..record::Setup::default() };
        let tasks: Vec<record::Task> = tasks.iter().map(|task| attempted(submission, task)).collect();
        let attempts = format!("{:?}", tasks.iter().map(|task| &task.attempts).collect::<Vec<_>>());
        let record = Record {
            job: ContentHash::of(format!("{} {attempts}", setup.data.hash).as_bytes()).to_string(),
            finished: true,
            scores: record::scores(&scores.totals()),
            setup,
            tasks,
            ..Record::default()
        };
        let hidden = submission.iter().flat_map(|(_, outputs)| outputs).filter(|it| it.len() > 2).count();
        SubmissionPage { name, record, defects: defects.iter().map(ToString::to_string).collect(), hidden }
    }

    /// Returns the hash of the attempts and the tasks, for [`is_of`].
    pub fn job(&self) -> &str {
        &self.record.job
    }
}

/// Writes the page of one submission, or of two side by side.
pub fn write_submissions(submissions: &[SubmissionPage], out: &mut impl Write) -> io::Result<()> {
    let sources = submissions.iter().map(|it| Source {
        name: it.name.clone(),
        record: &it.record,
        subject: Subject::Submission { defects: it.defects.clone(), hidden: it.hidden },
        graph: Err("a submission has no programs".to_owned()),
    });
    html::write(&sources.collect::<Vec<_>>(), &palette::ALL.map(look), out)
}

/// Returns the entry of a task with its attempts. A missing attempt is an empty grid.
fn attempted(submission: &Submission, task: &Task) -> record::Task {
    let attempts = (0..task.test.len()).map(|k| {
        let given = submission.attempts(&task.id, k);
        [0, 1].map(|i| given.get(i).and_then(Option::as_ref).map(record::rows).unwrap_or_default())
    });
    record::Task {
        id: task.id.clone(),
        hash: task.content_hash().to_string(),
        train: task.train.iter().map(document::example).collect(),
        test: task.test.iter().map(document::example).collect(),
        attempts: attempts.collect(),
        ..record::Task::default()
    }
}

/// Writes the page of the local server. The page sends `token` with every request. Scripts may add styles that have
/// `nonce`, which must be random.
pub fn write_live(token: &str, nonce: &str, out: &mut impl Write) -> io::Result<()> {
    html::write_live(token, nonce, &palette::ALL.map(look), out)
}

/// Larger plans are not drawn.
const MAX_NODES: usize = 400;
/// Number of shared expressions to list.
const MAX_SHARED: usize = 50;
/// Maximum length of an expression, in characters.
const MAX_EXPRESSION: usize = 120;

/// Merges the programs of the record again, because the record does not contain the plan.
fn graph(record: &Record) -> Result<Graph, String> {
    let mut programs = Vec::with_capacity(record.programs.len());
    for entry in &record.programs {
        let parsed = lang::parse(&entry.text).programs;
        match parsed.into_iter().find(|program| program.name() == entry.name) {
            Some(program) if program.hash().to_string() == entry.hash => programs.push(program),
            _ => {
                return Err(format!(
                    "this version of batt parses {} differently from the version that ran it",
                    entry.name
                ));
            }
        }
    }
    let plan = Plan::merge(&programs);
    let uses = plan.uses();
    let mut shared: Vec<usize> =
        (0..uses.len()).filter(|i| uses[*i] > 1 && plan.nodes()[*i].is_computed()).collect();
    shared.sort_by_key(|i| (std::cmp::Reverse(uses[*i]), *i));
    let most = shared
        .iter()
        .take(MAX_SHARED)
        .map(|i| (uses[*i], plan.expression(NodeId(*i as u32), MAX_EXPRESSION)));
    let node = |(i, node): (usize, &batt_plan::Node)| {
        // Calls are shown by name; other nodes are short.
        let name = node.primitive().map(|symbol| symbol.name.to_owned());
        let name = name.unwrap_or_else(|| plan.expression(NodeId(i as u32), 20));
        (name, uses[i], node.args.iter().map(|NodeId(id)| *id).collect())
    };
    let drawable = plan.nodes().len() <= MAX_NODES;
    let nodes = if drawable { plan.nodes().iter().enumerate().map(node).collect() } else { Vec::new() };
    Ok(Graph { most: most.collect(), nodes })
}

fn look(palette: Palette) -> Look {
    let hex = |(r, g, b): Rgb| format!("#{r:02x}{g:02x}{b:02x}");
    Look {
        name: palette.name,
        colors: palette.colors.map(hex).to_vec(),
        inks: palette.colors.map(|color| hex(palette::ink(color))).to_vec(),
        line: hex(palette.line),
    }
}
