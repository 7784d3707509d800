//! `batt plan`

use std::io::Write;
use std::path::PathBuf;

use anyhow::bail;
use arcbatt::base::number::count;
use arcbatt::graph::{dot, svg};
use arcbatt::lang::Program;
use arcbatt::plan::{Counts, NodeId, Plan};
use schemars::JsonSchema;
use serde::Serialize;

use crate::program::ProgramRef;
use crate::{Answer, files, output};

const EXAMPLES: &str = "\
Examples:
  batt plan solvers.py    show how much the programs of a file share
  batt plan solvers.py:solve_a solvers.py:solve_b --svg plan.svg";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Programs: FILE for all of a file, FILE:NAME for one, `-` for standard input, or the name or task of a built-in
    /// or stored program
    #[arg(required = true, value_name = "PROGRAM")]
    programs: Vec<ProgramRef>,
    /// Print the plan as text
    #[arg(long)]
    text: bool,
    /// Write the plan as a Graphviz graph; `-` is standard output
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,
    /// Write the plan as an SVG picture; `-` is standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// List the N most shared nodes
    #[arg(long, value_name = "N", default_value_t = 10)]
    most: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Answer {
    let loaded = args.programs.iter().map(ProgramRef::load_all).collect::<anyhow::Result<Vec<_>>>()?;
    let errors: usize = loaded.iter().map(|(_, errors)| errors).sum();
    let programs: Vec<&Program> = loaded.iter().flat_map(|(programs, _)| programs).collect();
    if programs.is_empty() {
        bail!("no usable program in these files; see `batt programs check FILE…`");
    }
    let plan = output::phase("merge", || Plan::merge(programs));
    let mut written = Vec::new();
    let drawings = [(&args.dot, dot as fn(&Plan) -> String), (&args.svg, svg)];
    let to_stdout =
        drawings.iter().filter(|(path, _)| path.as_deref().is_some_and(files::is_standard)).count();
    if to_stdout > 1 || (to_stdout == 1 && (args.json || args.text)) {
        bail!("only one output can go to standard output; use a file for --dot or --svg");
    }
    for (path, draw) in drawings {
        if let Some(path) = path {
            files::write(path, draw(&plan).as_bytes())?;
            written.push(path.display().to_string());
        }
    }
    let report = Report { plan: &plan, most: most_shared(&plan, args.most), errors, written };
    if args.json {
        output::json(report.document(args.text))?;
    } else if to_stdout == 0 {
        report.print(args.text)?;
    }
    Ok(true)
}

/// A call that several programs need.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "SharedCall")]
struct Shared {
    /// Number of the node in the plan.
    node: u32,
    /// Number of programs that need it.
    programs: u32,
    /// The call as an expression, shortened.
    expression: String,
}

/// Returns the calls that most programs need; among equals, those computed first.
fn most_shared(plan: &Plan, most: usize) -> Vec<Shared> {
    let uses = plan.uses();
    let ids = (0..plan.nodes().len()).filter(|i| uses[*i] > 1 && plan.nodes()[*i].is_computed());
    let mut ids: Vec<usize> = ids.collect();
    ids.sort_by_key(|i| (std::cmp::Reverse(uses[*i]), *i));
    let shared = |i: usize| Shared {
        node: i as u32,
        programs: uses[i],
        expression: plan.expression(NodeId(i as u32), 80),
    };
    ids.into_iter().take(most).map(shared).collect()
}

/// The plan of several programs.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Document<'r> {
    /// Content hash of the plan.
    hash: String,
    /// Number of programs.
    programs: usize,
    /// Calls, each counted for every program that needs it.
    calls: usize,
    /// Distinct calls: equal calls count once.
    distinct: usize,
    /// Distinct calls that several programs need.
    shared: usize,
    /// Distinct calls that need no input.
    folded: usize,
    /// Distinct calls that need only the demonstration pairs.
    per_task: usize,
    /// The most shared calls, at most `--most`.
    most_shared: &'r [Shared],
    /// Number of errors in the program files.
    errors: usize,
    /// Files that were written.
    written: &'r [String],
    /// The plan. Absent without `--text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

struct Report<'p> {
    plan: &'p Plan,
    most: Vec<Shared>,
    errors: usize,
    written: Vec<String>,
}

impl Report<'_> {
    fn print(&self, text: bool) -> anyhow::Result<()> {
        let mut out = output::stdout();
        if text {
            write!(out, "{}", self.plan)?;
            return Ok(out.flush()?);
        }
        let Counts { programs, calls, distinct, shared, folded, per_task } = self.plan.counts();
        let plural = |n: usize| if n == 1 { "" } else { "s" };
        writeln!(out, "{programs:>8}  program{}", plural(programs))?;
        writeln!(out, "{calls:>8}  call{}, counted for every program that needs it", plural(calls))?;
        writeln!(out, "{distinct:>8}  distinct call{}: equal calls count once", plural(distinct))?;
        writeln!(out, "{shared:>8}  shared by several programs")?;
        writeln!(out, "{folded:>8}  folded: no input needed, computed once if cheap")?;
        writeln!(out, "{per_task:>8}  per task: only the demonstration pairs needed")?;
        if !self.most.is_empty() {
            writeln!(out, "\nprograms  most shared nodes")?;
        }
        for Shared { programs, expression, .. } in &self.most {
            writeln!(out, "{programs:>8}  {expression}")?;
        }
        if self.errors > 0 && !output::quiet() {
            let errors = count(self.errors, "error");
            writeln!(out)?;
            output::note(
                &mut out,
                format_args!(
                    "{errors} in the files (see `batt programs check`); the other programs are merged"
                ),
            )?;
        }
        if !self.written.is_empty() && !output::quiet() {
            writeln!(out)?;
            output::wrote(&mut out, self.written.join(" and "))?;
        }
        Ok(out.flush()?)
    }

    fn document(&self, text: bool) -> Document<'_> {
        let Counts { programs, calls, distinct, shared, folded, per_task } = self.plan.counts();
        Document {
            hash: self.plan.hash().to_string(),
            programs,
            calls,
            distinct,
            shared,
            folded,
            per_task,
            most_shared: &self.most,
            errors: self.errors,
            written: &self.written,
            text: text.then(|| self.plan.to_string()),
        }
    }
}
