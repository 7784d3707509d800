//! The cost of each line of a program.

use std::collections::BTreeMap;
use std::fmt;

use batt_base::number::{grouped, percent};
use batt_base::time::brief_ns;
use batt_record::profile;
use schemars::JsonSchema;
use serde::Serialize;

use crate::facts::{Facts, ReportError};
use crate::figure::Measured;
use crate::noise::{self, Exposed, Range};
use crate::table::Table;
use crate::view::framework::between;

/// The cost of each line of a program.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct Lines {
    /// Name of the program.
    pub program: String,
    /// Number of tasks on which it ran.
    pub tasks: usize,
    /// Time of all its nodes, including those that it shares.
    pub total: Measured,
    /// Its lines.
    pub lines: Vec<LineRow>,
    /// Whether the ranges are shown.
    #[serde(skip)]
    ranges: bool,
}

/// A line of a program.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct LineRow {
    /// Number of the line, from 1.
    pub number: usize,
    /// Text of the line.
    pub text: String,
    /// How often a node of the line was computed.
    pub hits: u64,
    /// Time of all its nodes: its cost if the program ran alone.
    pub alone: Measured,
    /// Time of nodes that no other program of the task needs.
    pub exclusive: Measured,
    /// Time in nanoseconds, each node divided by the number of programs that need it.
    pub fair: f64,
    /// Share of the program's time, from 0 to 1.
    pub share: f64,
    /// Range of the share, which contains the disturbance and the usual difference between recordings.
    pub range: Range,
    /// Fuel used.
    pub fuel: u64,
}

impl Lines {
    /// Returns the lines of the program with this name, or of the only one that ran on the selected tasks.
    pub fn new(facts: &Facts<'_>, name: Option<&str>) -> Result<Lines, ReportError> {
        if facts.record.is_search() {
            return Err(ReportError::Question(
                "a solve or a search records no lines; run the programs that it found with \
                 `batt run --programs FILE --record FILE --profile`"
                    .to_owned(),
            ));
        }
        let runs = ProgramRuns::new(facts)?;
        let program = runs.find(name)?;
        Ok(runs.lines(program))
    }
}

/// The programs that ran on each of the selected tasks.
pub(crate) struct ProgramRuns<'f, 'r> {
    facts: &'f Facts<'r>,
    /// The programs of each selected task, in the order of the tasks.
    programs: Vec<Vec<u32>>,
    /// The indices of the tasks of each program.
    tasks: BTreeMap<u32, Vec<usize>>,
}

impl<'f, 'r> ProgramRuns<'f, 'r> {
    pub(crate) fn new(facts: &'f Facts<'r>) -> Result<ProgramRuns<'f, 'r>, ReportError> {
        let by_id: BTreeMap<&str, &batt_record::Task> =
            facts.record.tasks.iter().map(|task| (task.id.as_str(), task)).collect();
        let outcomes = |task: &profile::Task| by_id.get(task.id.as_str()).map_or(&[][..], |it| &it.programs);
        let programs: Vec<Vec<u32>> = facts
            .tasks
            .iter()
            .map(|task| outcomes(task).iter().map(|outcome| outcome.program).collect())
            .collect();
        let mut tasks: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (place, programs) in programs.iter().enumerate() {
            for program in programs {
                tasks.entry(*program).or_default().push(place);
            }
        }
        if tasks.keys().any(|program| *program as usize >= facts.record.programs.len()) {
            return Err(ReportError::Damaged("a program is not listed".to_owned()));
        }
        Ok(ProgramRuns { facts, programs, tasks })
    }

    fn find(&self, name: Option<&str>) -> Result<u32, ReportError> {
        let listed = &self.facts.record.programs;
        let named = |wanted: &str| self.tasks.keys().copied().find(|it| listed[*it as usize].name == wanted);
        match (name, self.tasks.len()) {
            (Some(name), _) => named(name)
                .ok_or_else(|| ReportError::Question(format!("no program called {name} ran on these tasks"))),
            (None, 1) => self.tasks.keys().next().copied().ok_or(ReportError::Empty),
            (None, n) => Err(ReportError::Question(format!(
                "{n} programs ran on these tasks; name one with --program, or a task with -i"
            ))),
        }
    }

    /// Returns the lines of a program of the record.
    pub(crate) fn lines(&self, program: u32) -> Lines {
        let facts = self.facts;
        let nodes = facts.profile.lines.get(program as usize).map_or(&[][..], |nodes| nodes);
        let place: BTreeMap<u32, u32> = nodes.iter().copied().collect();
        let entry = &facts.record.programs[program as usize];
        let line = |(i, text): (usize, &str)| LineRow {
            number: i + 1,
            text: text.to_owned(),
            hits: 0,
            alone: Measured(0),
            exclusive: Measured(0),
            fair: 0.0,
            share: 0.0,
            range: (0.0, 0.0),
            fuel: 0,
        };
        let mut lines: Vec<LineRow> = entry.text.lines().enumerate().map(line).collect();
        let mut exposed = vec![Exposed::default(); lines.len()];
        let mut whole = Exposed::default();
        let tasks = self.tasks.get(&program).map_or(&[][..], |tasks| tasks);
        for (task, programs) in tasks.iter().map(|place| (&*facts.tasks[*place], &self.programs[*place])) {
            let inner =
                |node: u32| task.inner.iter().filter(move |it| it.0 == node).map(|it| it.4).sum::<u64>();
            let disturbed = noise::of_task(&facts.profile.functions, task);
            let mut of_task = 0;
            for (node, hits, _, ns, fuel, _) in &task.nodes {
                let Some(number) = place.get(node).map(|line| *line as usize) else { continue };
                let Some(line) = lines.get_mut(number) else { continue };
                // With --deep nested calls are recorded separately; here they count for the line.
                let ns = ns + inner(*node);
                let users = users(facts, programs, *node).max(1);
                line.hits += u64::from(*hits);
                line.alone.0 += ns;
                line.exclusive.0 += if users == 1 { ns } else { 0 };
                line.fair += ns as f64 / users as f64;
                line.fuel += fuel;
                exposed[number].add(ns, disturbed);
                of_task += ns;
            }
            whole.add(of_task, disturbed);
        }
        let base = facts.part(whole);
        for (line, exposed) in lines.iter_mut().zip(exposed) {
            line.share = line.alone.0 as f64 / whole.time.max(1) as f64;
            line.range = exposed.share_of(&base, noise::usual_spread(line.hits));
        }
        let (program, ranges) = (entry.name.clone(), facts.disturbance.is_large());
        Lines { program, tasks: tasks.len(), total: Measured(whole.time), lines, ranges }
    }
}

/// Returns the number of programs that ran on the task and need the node.
fn users(facts: &Facts<'_>, programs: &[u32], node: u32) -> usize {
    match programs.len() {
        1 => 1,
        n if n == facts.record.programs.len() => facts.profile.nodes[node as usize].programs as usize,
        _ => {
            let needs = |program: &&u32| {
                let lines = facts.profile.lines.get(**program as usize);
                lines.is_some_and(|lines| lines.iter().any(|(it, _)| *it == node))
            };
            programs.iter().filter(needs).count()
        }
    }
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {} on {} tasks", self.program, self.total, self.tasks)?;
        let shared = self.lines.iter().any(|line| line.exclusive != line.alone);
        let mut head = vec!["line", "hits", "self", "per hit", "share"];
        if shared {
            head.extend(["exclusive", "fair share"]);
        }
        head.push("");
        let left = head.len() - 1;
        let mut table = Table::new(&head, left);
        for line in &self.lines {
            let some = |text: String| if line.hits > 0 { text } else { String::new() };
            let mut row = vec![
                line.number.to_string(),
                some(grouped(line.hits)),
                some(line.alone.to_string()),
                some(brief_ns(line.alone.0 as f64 / line.hits.max(1) as f64)),
                some(if self.ranges { between(line.range) } else { percent(line.share) }),
            ];
            if shared {
                row.extend([some(line.exclusive.to_string()), some(brief_ns(line.fair))]);
            }
            row.push(line.text.clone());
            table.row(row);
        }
        write!(f, "{table}")
    }
}
