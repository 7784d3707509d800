//! Locates the first wrong line of a program: the first line that leads away from the expected outputs.
//!
//! No single definition fits all programs, so three are tried in turn:
//!
//! 1. If there is a right program for the task: the first line whose values, over all pairs, no line of that program
//!    has.
//! 2. If the program fails: the line that fails.
//! 3. If an earlier line has a grid that is closer to the expected output than the answer: the first line that uses
//!    that grid.
//!
//! Otherwise no line is wrong; the program is only incomplete.

use batt_dsl::{Cx, Limits};
use batt_exec::{Outcome, Sample, run};
use batt_lang::{Node, NodeId, Op, Program, parse};
use batt_record::{self as record, FirstWrongLine};
use batt_score::{Target, judge};
use batt_task::Task;
use batt_value::{Arena, Kind, Value, order};

/// Fuel for each pair: about a twentieth of a second.
const FUEL: u64 = 4_000_000;

/// Number of right programs to compare a wrong one with.
const COMPARED: usize = 2;

/// Locates the first wrong line of the closest wrong program of a task. Returns `None` if all programs are right, or if
/// the program needs too much fuel. `programs` are those that the entry refers to.
pub(crate) fn first_wrong_line(
    task: &Task,
    entry: &record::Task,
    programs: &[Program],
) -> Option<FirstWrongLine> {
    let ranked = entry.ranked();
    let wrong = ranked.iter().find(|outcome| !outcome.is_right())?.program;
    let right = ranked.iter().filter(|outcome| outcome.is_right()).take(COMPARED);
    // Lines are counted in the program's text, as in the record, not in its file.
    let parsed = |program: u32| parse(programs.get(program as usize)?.source()).programs.into_iter().next();
    let right: Vec<Program> = right.filter_map(|it| parsed(it.program)).collect();
    let WrongLine { line, reason } = locate(task, &parsed(wrong)?, &right)?;
    Some(FirstWrongLine { program: wrong, line, reason })
}

/// The first wrong line, if any, and the reason.
struct WrongLine {
    line: Option<u32>,
    reason: String,
}

fn locate(task: &Task, program: &Program, right: &[Program]) -> Option<WrongLine> {
    let arenas: Vec<Arena> = task.pairs().map(|_| Arena::new(Limits::STANDARD.caps)).collect();
    let values = LineValues::new(task, program, &arenas)?;
    let wrong = values.wrong(task);
    if wrong.is_empty() {
        return None;
    }
    let fails = wrong.iter().find_map(|pair| Some((*pair, values.outcomes[*pair].result.as_ref().err()?)));
    // Of several right programs, the one that agrees for longest counts.
    let departure =
        right.iter().filter_map(|right| values.departure(task, right)).max_by_key(|(node, _)| *node);
    if let Some((node, name)) = departure {
        let before_failure = fails.is_none_or(|(_, failure)| node < failure.node);
        if before_failure {
            return Some(
                values.wrong_line(node, format!("no line of {name}, which is right, has its values")),
            );
        }
    }
    if let Some((pair, failure)) = fails {
        let why = failure.describe(program);
        return Some(values.wrong_line(failure.node, format!("it fails on {}: {why}", label(task, pair))));
    }
    Some(values.compare_grids(task, &wrong))
}

/// The value of every line of a program on the pairs of a task.
struct LineValues<'a> {
    program: &'a Program,
    /// One for each pair.
    outcomes: Vec<Outcome<'a>>,
}

impl<'a> LineValues<'a> {
    fn new(task: &Task, program: &'a Program, arenas: &'a [Arena]) -> Option<LineValues<'a>> {
        let one = |(arena, (_, _, pair)): (&'a Arena, (_, _, &batt_task::Pair))| {
            let sample = Sample { input: pair.input.value(arena).ok()?, samples: task.samples(arena).ok()? };
            let outcome = run(program, sample, Cx::new(arena, FUEL, None));
            // With more fuel the program may get further, so nothing is known about it.
            let spent = outcome.result.as_ref().is_err_and(|it| it.fail == batt_value::Fail::Fuel);
            (!spent).then_some(outcome)
        };
        let outcomes = arenas.iter().zip(task.pairs()).map(one).collect::<Option<Vec<_>>>()?;
        Some(LineValues { program, outcomes })
    }

    /// Returns the pairs on which the program is wrong.
    fn wrong(&self, task: &Task) -> Vec<usize> {
        let judged = self.outcomes.iter().zip(task.pairs()).enumerate();
        let wrong = judged.filter(|(_, (outcome, (_, _, pair)))| {
            pair.output.is_some() && !judge(*outcome, pair.output.as_ref()).is_right()
        });
        wrong.map(|(pair, _)| pair).collect()
    }

    fn values(&self, node: NodeId) -> Option<Vec<Value<'a>>> {
        self.outcomes.iter().map(|outcome| outcome.values.get(node.index()).copied()).collect()
    }

    /// Returns the first node whose values no node of `right` has, and the name of that program.
    fn departure(&self, task: &Task, right: &Program) -> Option<(NodeId, String)> {
        let arenas: Vec<Arena> = task.pairs().map(|_| Arena::new(Limits::STANDARD.caps)).collect();
        let theirs = LineValues::new(task, right, &arenas)?;
        let all: Vec<Vec<Value<'_>>> = right.iter().filter_map(|(node, _)| theirs.values(node)).collect();
        let same = |ours: &[Value<'_>], theirs: &[Value<'_>]| {
            ours.iter().zip(theirs).all(|(ours, theirs)| order::equal(*ours, *theirs))
        };
        let unknown = |node: &NodeId| {
            self.values(*node).is_some_and(|ours| {
                // Different functions can behave the same; their results are compared instead.
                ours.iter().all(|value| value.kind() != Kind::Func) && !all.iter().any(|it| same(&ours, it))
            })
        };
        let mut calls = self.program.iter().filter(|(_, node)| node.is_call()).map(|(id, _)| id);
        Some((calls.find(unknown)?, right.name().to_owned()))
    }

    /// Compares the grids of all lines with the expected outputs.
    fn compare_grids(&self, task: &Task, wrong: &[usize]) -> WrongLine {
        let pairs: Vec<_> = task.pairs().map(|(_, _, pair)| pair).collect();
        let targets: Vec<Target> = wrong
            .iter()
            .filter_map(|pair| Some(Target::new(&pairs[*pair].input, pairs[*pair].output.as_ref()?)))
            .collect();
        let closeness = |node: NodeId| {
            let parts = wrong.iter().zip(&targets).map(|(pair, target)| {
                let value = self.outcomes[*pair].values.get(node.index())?;
                Some(u64::from(target.grade(*value).answer.total().millionths()))
            });
            Some(parts.collect::<Option<Vec<u64>>>()?.iter().sum::<u64>() / wrong.len() as u64)
        };
        let result = self.program.result();
        let end = closeness(result).unwrap_or(0);
        let before = self.program.iter().filter(|(id, node)| node.is_call() && *id != result);
        let best =
            before.filter_map(|(id, _)| Some((closeness(id)?, id))).max_by_key(|(close, id)| (*close, *id));
        let used = |best: NodeId| self.program.iter().find(|(_, node)| node.args.contains(&best));
        match best
            .filter(|(close, _)| *close > end)
            .and_then(|(close, best)| Some((close, best, used(best)?)))
        {
            Some((close, best, (next, _))) => {
                let from = self.program.node(best);
                let similar = match close {
                    1_000_000 => "is the expected output".to_owned(),
                    _ => format!("is {} similar to the expected output", percent(close)),
                };
                let end = percent(end);
                let reason = format!("{} at line {} {similar}, the answer only {end}", name(from), from.line);
                self.wrong_line(next, reason)
            }
            None => WrongLine {
                line: None,
                reason: format!(
                    "no line is wrong: the answer, {} similar to the expected output, is the closest grid",
                    percent(end)
                ),
            },
        }
    }

    fn wrong_line(&self, node: NodeId, reason: String) -> WrongLine {
        WrongLine { line: Some(self.program.node(node).line), reason }
    }
}

/// Returns the variable of a node, or the primitive that it calls.
fn name(node: &Node) -> &str {
    let called = match node.op {
        Op::Call(symbol) => symbol.name,
        _ => "the value",
    };
    node.name().unwrap_or(called)
}

fn label(task: &Task, pair: usize) -> String {
    match pair.checked_sub(task.train.len()) {
        None => format!("demonstration {}", pair + 1),
        Some(test) => format!("test {}", test + 1),
    }
}

/// Rounds down, so that only an equal grid is 100 % similar.
fn percent(millionths: u64) -> String {
    format!("{}.{} %", millionths / 10_000, millionths / 1_000 % 10)
}

#[cfg(test)]
mod tests {
    use batt_task::{Grid, Pair};

    use super::*;

    /// A task whose outputs are the inputs flipped upside down and doubled in size.
    fn task() -> Task {
        let pair = |cells: [i8; 4]| {
            let [a, b, c, d] = cells;
            let doubled = [c, c, d, d, c, c, d, d, a, a, b, b, a, a, b, b];
            let input = Grid::new(2, cells).unwrap();
            Pair { input, output: Some(Grid::new(4, doubled).unwrap()) }
        };
        let train = vec![pair([1, 2, 3, 4]), pair([5, 0, 0, 6])];
        Task { id: "t".to_owned(), train, test: vec![pair([7, 7, 8, 0])], extra: Vec::new() }
    }

    fn check(text: &str, right: &[&str], line: Option<u32>, reason: &str) {
        let read = |text: &str| parse(text).programs.remove(0);
        let right: Vec<Program> = right.iter().map(|text| read(text)).collect();
        let found = locate(&task(), &read(text), &right);
        let found = found.as_ref().map(|it| (it.line, it.reason.as_str()));
        assert_eq!(found, Some((line, reason)), "{text}");
    }

    const RIGHT: &str = "def right(I):\n    x1 = hmirror(I)\n    O = upscale(x1, TWO)\n    return O\n";

    #[test]
    fn a_wrong_program_is_compared_with_right_ones() {
        let stray =
            "def f(I):\n    x1 = hmirror(I)\n    x2 = rot180(x1)\n    O = upscale(x2, TWO)\n    return O\n";
        check(stray, &[RIGHT], Some(3), "no line of right, which is right, has its values");
        // The same values computed in another way are no mistake.
        let around =
            "def f(I):\n    x1 = rot180(I)\n    x2 = vmirror(x1)\n    O = upscale(x2, THREE)\n    return O\n";
        check(around, &[RIGHT], Some(2), "no line of right, which is right, has its values");
        let also = "def also(I):\n    x1 = rot180(I)\n    x2 = vmirror(x1)\n    O = upscale(x2, TWO)\n    return O\n";
        check(around, &[RIGHT, also], Some(4), "no line of also, which is right, has its values");
    }

    #[test]
    fn a_failing_line_is_the_first_wrong_line() {
        let text = "def f(I):\n    x1 = ofcolor(I, EIGHT)\n    O = first(x1)\n    return O\n";
        let why = "it fails on demonstration 1: empty container in first at line 3 (O)";
        check(text, &[], Some(3), why);
    }

    #[test]
    fn a_line_that_is_closer_than_the_answer_is_found() {
        let text =
            "def f(I):\n    x1 = hmirror(I)\n    x2 = upscale(x1, TWO)\n    O = vmirror(x2)\n    return O\n";
        let found = locate(&task(), &parse(text).programs[0], &[]).unwrap();
        assert_eq!(found.line, Some(4));
        assert!(
            found.reason.starts_with("x2 at line 3 is the expected output, the answer only "),
            "{}",
            found.reason
        );
        let short = "def f(I):\n    O = hmirror(I)\n    return O\n";
        let found = locate(&task(), &parse(short).programs[0], &[]).unwrap();
        assert_eq!(found.line, None);
        assert!(found.reason.starts_with("no line is wrong: the answer, "), "{}", found.reason);
        assert!(locate(&task(), &parse(RIGHT).programs[0], &[]).is_none());
    }
}
