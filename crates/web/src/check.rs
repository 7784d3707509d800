//! Checks a program as it is typed in the editor: its problems, and a picture of its result.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arcbatt::Stop;
use arcbatt::base::with_enough_stack;
use arcbatt::dsl::Limits;
use arcbatt::lang::{self, Problem, Severity};
use arcbatt::palette;
use arcbatt::sheet::{Sheet, Style};
use arcbatt::task::{BUILT_IN, DataFolder, Index, Options, PINNED, Select, Task};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::runs::RunError;

#[derive(Deserialize)]
pub(crate) struct Question {
    text: String,
    /// Name of a data set.
    data: String,
    /// Id of a task; by default the one that the first program is named after.
    task: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct Checked {
    programs: Vec<String>,
    problems: Vec<ProblemBody>,
    /// Result of the first program on the task.
    title: Option<String>,
    /// SVG in base64.
    picture: Option<String>,
}

/// A problem with its position in bytes, and line and column for display.
#[derive(Serialize)]
struct ProblemBody {
    severity: &'static str,
    start: u32,
    end: u32,
    line: usize,
    column: usize,
    message: String,
    label: String,
    help: Option<String>,
}

/// Time limit for the picture.
const TIME_LIMIT: Duration = Duration::from_secs(2);

pub(crate) async fn check(question: Question) -> Result<Checked, RunError> {
    let late = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&late);
    let work = tokio::task::spawn_blocking(move || with_enough_stack(|| answer(&question, &flag)));
    let mut work = std::pin::pin!(work);
    let done = tokio::select! {
        done = &mut work => done,
        () = tokio::time::sleep(TIME_LIMIT) => {
            late.store(true, Ordering::Relaxed);
            work.await
        }
    };
    done.map_err(std::io::Error::other)?
}

fn answer(question: &Question, late: &AtomicBool) -> Result<Checked, RunError> {
    let Question { text, data, task } = question;
    let parsed = lang::parse(text);
    let problems = parsed.problems.iter().map(|it| problem(it, text)).collect();
    let programs = parsed.programs.iter().map(|program| program.name().to_owned()).collect();
    let mut checked = Checked { programs, problems, title: None, picture: None };
    let Some(program) = parsed.programs.first() else { return Ok(checked) };
    let name =
        task.as_deref().unwrap_or_else(|| program.name().strip_prefix("solve_").unwrap_or(program.name()));
    match self::task(data, name) {
        Ok(task) => {
            let sheet = Sheet::new(&task, 0, Some(program), Limits::STANDARD, Stop::new(late, &|| {}));
            checked.title = Some(sheet.title());
            let style = Style { palette: palette::CLASSIC, digits: false };
            checked.picture = Some(STANDARD.encode(sheet.svg(style)));
        }
        // An incomplete name is normal while typing.
        Err(RunError::Data(why)) => checked.title = Some(why),
        Err(error) => return Err(error),
    }
    Ok(checked)
}

fn problem(problem: &Problem, text: &str) -> ProblemBody {
    let before = text.get(..problem.span.start as usize).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    ProblemBody {
        severity: match problem.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        },
        start: problem.span.start,
        end: problem.span.end,
        line: before.matches('\n').count() + 1,
        column: line.chars().count() + 1,
        message: problem.message.clone(),
        label: problem.label.clone(),
        help: problem.help.clone(),
    }
}

/// Opens an installed or built-in set by name. Paths are rejected, so that the server reads no other files.
pub(crate) fn named(name: &str) -> Result<Index, RunError> {
    let folder = DataFolder::user();
    let installed =
        || PINNED.iter().any(|set| set.name == name && folder.as_ref().is_some_and(|it| it.has(set)));
    if !BUILT_IN.iter().any(|set| set.name == name) && !installed() {
        return Err(RunError::Data(format!(
            "no data set called {name} is installed; `batt data list` lists them"
        )));
    }
    let options = Options { skip_bad: false, select: Select::ALL };
    arcbatt::task::index(name, &options).map_err(|error| RunError::Data(error.to_string()))
}

pub(crate) fn task(name: &str, id: &str) -> Result<Task, RunError> {
    let select = Select { ids: vec![id.to_owned()], start: 0, limit: None };
    let data = |error: arcbatt::task::LoadError| RunError::Data(error.to_string());
    let index = named(name)?.select(&select).map_err(data)?;
    let task = index.tasks(0).next().transpose().map_err(data)?;
    task.ok_or_else(|| RunError::Data(format!("{name} has no task {id}")))
}
