//! `batt programs explain`

use std::io::Write;

use anyhow::{Context, bail};
use arcbatt::Stop;
use arcbatt::dsl::Limits;
use arcbatt::explain::{LearnedRule, explain};
use arcbatt::lang::{self, Program};
use arcbatt::task::{Task, demo};
use arcbatt::verify::task_of;
use schemars::JsonSchema;
use serde::Serialize;

use crate::data::TaskData;
use crate::input::Input;
use crate::program::ProgramRef;
use crate::{Answer, output};

const EXAMPLES: &str = "\
Examples:
  batt programs explain found.py --data arc1-training 007bbfb7
  batt programs explain found.py:solve_007bbfb7 --data arc1-training";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Program: FILE:NAME; FILE if it contains one program or one named after the task; or the name or task of a
    /// built-in or stored program
    #[arg(value_name = "PROGRAM")]
    program: ProgramRef,
    /// Task id in --data, task file, or `-` for standard input [default: the task that the program is named after]
    #[arg(value_name = "TASK")]
    task: Option<String>,
    #[command(flatten)]
    data: TaskData,
    /// Name of the program, if it is not in PROGRAM
    #[arg(long, value_name = "NAME", hide = true)]
    name: Option<String>,
    /// Same as TASK, for the form `batt programs explain FILE DATA -i ID`
    #[arg(short = 'i', long, value_name = "ID", hide = true)]
    id: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Answer {
    let (program, task) = args.load()?;
    let rules = match output::phase("learn", || explain(&program, &task, Limits::STANDARD, Stop::NEVER)) {
        Ok(rules) => rules,
        Err(why) => bail!("{} fails on the demonstration pairs of {}: {why}", program.name(), task.id),
    };
    if args.json {
        output::json(document(&program, &task, &rules))?;
    } else {
        print(&program, &rules)?;
    }
    Ok(true)
}

impl Args {
    fn load(&self) -> anyhow::Result<(Program, Task)> {
        let program = match &self.name {
            Some(name) => self.program.with_name(name)?,
            None => self.program.clone(),
        };
        let (data, task) = self.data_and_task();
        if let Some(task) = task {
            let Input::Task(task) = Input::find(task, &data)? else {
                bail!("{task} is a grid; use a task, because programs learn from its demonstration pairs");
            };
            return Ok((program.load(Some(&task.id))?, task));
        }
        let dataset = data.open()?;
        if let [task] = &dataset.tasks[..] {
            return Ok((program.load(Some(&task.id))?, task.clone()));
        }
        let program = program.load(None)?;
        let task = task_of(program.name(), &dataset).with_context(|| {
            let (name, data) = (program.name(), &dataset.label);
            format!("{name} is not named after a task of {data}; add one: batt programs explain PROGRAM --data {data} ID")
        })?;
        Ok((program, task.clone()))
    }

    /// In the form `FILE DATA [-i ID]` the second argument is the data set; otherwise it is the task.
    fn data_and_task(&self) -> (TaskData, Option<&str>) {
        let TaskData { data, skip_bad } = &self.data;
        let of = |data: Option<&String>| TaskData { data: data.cloned(), skip_bad: *skip_bad };
        let (task, id) = (self.task.as_deref(), self.id.as_deref());
        let is_task = |word: &str| id.is_none() && demo::dataset().get(word).is_some();
        match task {
            Some(word) if data.is_none() && !is_task(word) => (of(self.task.as_ref()), id),
            task => (of(data.as_ref()), task.or(id)),
        }
    }
}

fn print(program: &Program, rules: &[LearnedRule]) -> anyhow::Result<()> {
    let mut out = output::stdout();
    write!(out, "{}", lang::print(program))?;
    if rules.is_empty() {
        writeln!(out, "\n{} learns no rules: it works the same way on every task", program.name())?;
    }
    for LearnedRule { learner, explanation } in rules {
        writeln!(out, "\n{learner} (cost {:.1})\n  {}", explanation.cost, explanation.words)?;
    }
    Ok(out.flush()?)
}

/// The rules that a program learns from a task.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Document<'a> {
    /// Name of the program.
    program: &'a str,
    /// Id of the task.
    task: &'a str,
    /// The rules, in the order of the program.
    rules: Vec<RuleEntry>,
}

/// A learned rule.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "LearnedRule")]
struct RuleEntry {
    /// The primitive that learned it.
    learner: &'static str,
    /// How complicated the rule is; lower is simpler.
    cost: f64,
    /// The rule in words.
    words: String,
}

fn document<'a>(program: &'a Program, task: &'a Task, rules: &'a [LearnedRule]) -> Document<'a> {
    let entry = |LearnedRule { learner, explanation }: &'a LearnedRule| RuleEntry {
        learner,
        cost: explanation.cost,
        words: explanation.words.to_string(),
    };
    Document { program: program.name(), task: &task.id, rules: rules.iter().map(entry).collect() }
}
