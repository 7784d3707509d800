//! Where a program that is not right goes wrong: the first of its lines that leads away from the expected outputs.
//!
//! There is no one such line, so three questions are asked in turn, each with a plain meaning. Is there a right program
//! for the task? Then it is the first line whose values, over all pairs, are those of no line of that program. Does the
//! program fail? Then it is the line that fails. Does a line before the last have a grid that is closer to the expected
//! one than the answer is? Then it is the first line that makes something else of that grid. Otherwise no line leads
//! away, and the program ends too early.

use batt_dsl::{Cx, Limits};
use batt_exec::{Outcome, Sample, run};
use batt_lang::{Node, NodeId, Op, Program, parse};
use batt_record::{self as record, FirstWrongLine};
use batt_score::{Target, judge};
use batt_task::Task;
use batt_value::{Arena, Kind, Value, order};

/// Fuel for each pair: about a twentieth of a second.
const FUEL: u64 = 4_000_000;

/// At most this many right programs are compared with one that is not.
const COMPARED: usize = 2;

/// Where the closest program that is not right on a task goes wrong. `None` if all programs are right, or if the program
/// needs too much fuel to find out. `programs`: those that the entry names.
pub(crate) fn first_wrong_line(
    task: &Task,
    entry: &record::Task,
    programs: &[Program],
) -> Option<FirstWrongLine> {
    let ranked = entry.ranked();
    let wrong = ranked.iter().find(|outcome| !outcome.is_right())?.program;
    let right = ranked.iter().filter(|outcome| outcome.is_right()).take(COMPARED);
    // Lines are counted in the text of the program, as the record has it, not in its file.
    let read = |program: u32| parse(programs.get(program as usize)?.source()).programs.into_iter().next();
    let right: Vec<Program> = right.filter_map(|it| read(it.program)).collect();
    let WrongLine { line, reason } = locate(task, &read(wrong)?, &right)?;
    Some(FirstWrongLine { program: wrong, line, reason })
}

/// A line, or none if no line leads away, and how that is known.
struct WrongLine {
    line: Option<u32>,
    reason: String,
}

fn locate(task: &Task, program: &Program, right: &[Program]) -> Option<WrongLine> {
    let arenas: Vec<Arena> = task.pairs().map(|_| Arena::new(Limits::STANDARD.caps)).collect();
    let ours = Lines::new(task, program, &arenas)?;
    let wrong = ours.wrong(task);
    if wrong.is_empty() {
        return None;
    }
    let fails = wrong.iter().find_map(|pair| Some((*pair, ours.outcomes[*pair].result.as_ref().err()?)));
    // Of several right programs the one that goes along for longest.
    let departs = right.iter().filter_map(|right| ours.departs(task, right)).max_by_key(|(node, _)| *node);
    if let Some((node, name)) = departs {
        let before = fails.is_none_or(|(_, failure)| node < failure.node);
        if before {
            return Some(
                ours.told(node, format!("its values are those of no line of {name}, which is right")),
            );
        }
    }
    if let Some((pair, failure)) = fails {
        let why = failure.describe(program);
        return Some(ours.told(failure.node, format!("it fails on {}: {why}", label(task, pair))));
    }
    Some(ours.farther(task, &wrong))
}

/// What every line of a program comes to on the pairs of a task.
struct Lines<'a> {
    program: &'a Program,
    /// For each pair.
    outcomes: Vec<Outcome<'a>>,
}

impl<'a> Lines<'a> {
    fn new(task: &Task, program: &'a Program, arenas: &'a [Arena]) -> Option<Lines<'a>> {
        let one = |(arena, (_, _, pair)): (&'a Arena, (_, _, &batt_task::Pair))| {
            let sample = Sample { input: pair.input.value(arena).ok()?, samples: task.samples(arena).ok()? };
            let outcome = run(program, sample, Cx::new(arena, FUEL, None));
            // Whoever had more fuel may have come further, and then this says nothing of it.
            let spent = outcome.result.as_ref().is_err_and(|it| it.fail == batt_value::Fail::Fuel);
            (!spent).then_some(outcome)
        };
        let outcomes = arenas.iter().zip(task.pairs()).map(one).collect::<Option<Vec<_>>>()?;
        Some(Lines { program, outcomes })
    }

    /// The pairs whose output is known and is not what the program gives.
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

    /// The first node whose values no node of `right` has, and what that program is called.
    fn departs(&self, task: &Task, right: &Program) -> Option<(NodeId, String)> {
        let arenas: Vec<Arena> = task.pairs().map(|_| Arena::new(Limits::STANDARD.caps)).collect();
        let theirs = Lines::new(task, right, &arenas)?;
        let all: Vec<Vec<Value<'_>>> = right.iter().filter_map(|(node, _)| theirs.values(node)).collect();
        let same = |ours: &[Value<'_>], theirs: &[Value<'_>]| {
            ours.iter().zip(theirs).all(|(ours, theirs)| order::equal(*ours, *theirs))
        };
        let unknown = |node: &NodeId| {
            self.values(*node).is_some_and(|ours| {
                // Functions that differ may do the same; what they are applied to tells.
                ours.iter().all(|value| value.kind() != Kind::Func) && !all.iter().any(|it| same(&ours, it))
            })
        };
        let mut calls = self.program.iter().filter(|(_, node)| node.is_call()).map(|(id, _)| id);
        Some((calls.find(unknown)?, right.name().to_owned()))
    }

    /// What to say where nothing fails and nobody knows better: grids are compared with the expected ones.
    fn farther(&self, task: &Task, wrong: &[usize]) -> WrongLine {
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
                let like = match close {
                    1_000_000 => "is the expected output".to_owned(),
                    _ => format!("is {} like the expected output", percent(close)),
                };
                let end = percent(end);
                let words = format!("{} at line {} {like}, what is made of it {end}", name(from), from.line);
                self.told(next, words)
            }
            None => WrongLine {
                line: None,
                reason: format!(
                    "no line leads away: the answer, {} like the expected one, is the closest grid",
                    percent(end)
                ),
            },
        }
    }

    fn told(&self, node: NodeId, reason: String) -> WrongLine {
        WrongLine { line: Some(self.program.node(node).line), reason }
    }
}

/// The variable of a node, or what it calls.
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

/// Rounded down, so that 100 % is all.
fn percent(millionths: u64) -> String {
    format!("{}.{} %", millionths / 10_000, millionths / 1_000 % 10)
}

#[cfg(test)]
mod tests {
    use batt_task::{Grid, Pair};

    use super::*;

    /// A task whose outputs are the inputs upside down, twice as large.
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

    fn check(text: &str, right: &[&str], line: Option<u32>, words: &str) {
        let read = |text: &str| parse(text).programs.remove(0);
        let right: Vec<Program> = right.iter().map(|text| read(text)).collect();
        let found = locate(&task(), &read(text), &right);
        let found = found.as_ref().map(|it| (it.line, it.reason.as_str()));
        assert_eq!(found, Some((line, words)), "{text}");
    }

    const RIGHT: &str = "def right(I):\n    x1 = hmirror(I)\n    O = upscale(x1, TWO)\n    return O\n";

    #[test]
    fn a_right_program_shows_where_another_leaves_its_way() {
        let stray =
            "def f(I):\n    x1 = hmirror(I)\n    x2 = rot180(x1)\n    O = upscale(x2, TWO)\n    return O\n";
        check(stray, &[RIGHT], Some(3), "its values are those of no line of right, which is right");
        // The same values on another way are no mistake.
        let around =
            "def f(I):\n    x1 = rot180(I)\n    x2 = vmirror(x1)\n    O = upscale(x2, THREE)\n    return O\n";
        check(around, &[RIGHT], Some(2), "its values are those of no line of right, which is right");
        let also = "def also(I):\n    x1 = rot180(I)\n    x2 = vmirror(x1)\n    O = upscale(x2, TWO)\n    return O\n";
        check(around, &[RIGHT, also], Some(4), "its values are those of no line of also, which is right");
    }

    #[test]
    fn what_fails_goes_wrong_where_it_fails() {
        let text = "def f(I):\n    x1 = ofcolor(I, EIGHT)\n    O = first(x1)\n    return O\n";
        let why = "it fails on demonstration 1: empty container in first at line 3 (O)";
        check(text, &[], Some(3), why);
    }

    #[test]
    fn a_grid_that_comes_closer_than_the_answer_is_told() {
        let text =
            "def f(I):\n    x1 = hmirror(I)\n    x2 = upscale(x1, TWO)\n    O = vmirror(x2)\n    return O\n";
        let found = locate(&task(), &parse(text).programs[0], &[]).unwrap();
        assert_eq!(found.line, Some(4));
        assert!(
            found.reason.starts_with("x2 at line 3 is the expected output, what is made of it "),
            "{}",
            found.reason
        );
        let short = "def f(I):\n    O = hmirror(I)\n    return O\n";
        let found = locate(&task(), &parse(short).programs[0], &[]).unwrap();
        assert_eq!(found.line, None);
        assert!(found.reason.starts_with("no line leads away: the answer, "), "{}", found.reason);
        assert!(locate(&task(), &parse(RIGHT).programs[0], &[]).is_none());
    }
}
