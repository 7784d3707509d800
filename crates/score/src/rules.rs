//! Scores of submissions. This is the only file that reads the outputs of test pairs.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use batt_task::submission::Submission;
use batt_task::{Grid, Task};

use crate::{Answer, Graded, Ratio, Target, Verdict, judge};

/// The rules in use for turning right and wrong outputs into one score. They differ for tasks with more than
/// one test input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Right outputs as a fraction of all outputs. Kaggle's rule.
    Outputs,
    /// The mean over tasks of the fraction of right outputs.
    Fractions,
    /// Tasks with all outputs right as a fraction of all tasks.
    Tasks,
}

impl Rule {
    pub const ALL: [Rule; 3] = [Rule::Outputs, Rule::Fractions, Rule::Tasks];

    /// Returns the one-word name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Outputs => "outputs",
            Rule::Fractions => "fractions",
            Rule::Tasks => "tasks",
        }
    }

    pub fn label(self) -> &'static str {
        match self {
            Rule::Outputs => "mean over outputs (Kaggle)",
            Rule::Fractions => "mean over tasks of the fraction",
            Rule::Tasks => "tasks entirely right",
        }
    }
}

/// The scores of a submission on a data set.
#[derive(Clone, Debug)]
pub struct Scores {
    /// The tasks that count, in the order of the data set.
    pub tasks: Vec<TaskScore>,
    /// Ids of tasks that do not count: not all their test outputs are known, or they have no test inputs.
    pub unsolved: Vec<String>,
}

/// Scores without the tasks they belong to. Its size does not grow with the number of tasks.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Totals {
    /// The number of tasks by `(right outputs, outputs)`.
    tasks: BTreeMap<(usize, usize), u32>,
    /// Number of tasks that do not count.
    pub unsolved: usize,
}

#[derive(Clone, Debug)]
pub struct TaskScore {
    pub id: String,
    /// Whether the submission contains this task.
    pub answered: bool,
    pub outputs: Vec<OutputScore>,
}

#[derive(Clone, Debug)]
pub struct OutputScore {
    /// The result of each attempt; `None` for one that is missing or unusable.
    pub attempts: Vec<Option<(Verdict, Graded)>>,
}

impl Scores {
    /// Reads the test outputs and scores the submission. A task that the submission does not contain counts
    /// as wrong.
    pub fn open<T: Borrow<Task>>(submission: &Submission, tasks: impl IntoIterator<Item = T>) -> Scores {
        let mut scores = Scores { tasks: Vec::new(), unsolved: Vec::new() };
        for task in tasks {
            let task = task.borrow();
            let targets: Option<Vec<_>> =
                task.test.iter().map(|pair| Some(Target::new(&pair.input, pair.output.as_ref()?))).collect();
            let Some(targets) = targets.filter(|targets| !targets.is_empty()) else {
                scores.unsolved.push(task.id.clone());
                continue;
            };
            let output = |(k, target): (usize, &Target)| {
                let attempts = submission.attempts(&task.id, k).iter();
                let score = |grid| (judge(grid, Some(target.expected())), target.grade(grid));
                OutputScore { attempts: attempts.map(|attempt| attempt.as_ref().map(score)).collect() }
            };
            scores.tasks.push(TaskScore {
                id: task.id.clone(),
                answered: submission.contains(&task.id),
                outputs: targets.iter().enumerate().map(output).collect(),
            });
        }
        scores
    }

    /// Returns the score, or `None` if there is nothing to score.
    pub fn under(&self, rule: Rule) -> Option<Ratio> {
        self.totals().under(rule)
    }

    pub fn outputs(&self) -> usize {
        self.totals().outputs()
    }

    pub fn right_outputs(&self) -> usize {
        self.totals().right_outputs()
    }

    pub fn right_tasks(&self) -> usize {
        self.totals().right_tasks()
    }

    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        totals.add(self);
        totals
    }

    /// Returns the number of outputs on which attempt `attempt` is right.
    pub fn right_by(&self, attempt: usize) -> usize {
        let outputs = self.tasks.iter().flat_map(|task| &task.outputs);
        outputs.filter(|output| output.is_right_by(attempt)).count()
    }

    /// Returns the number of outputs on which attempt `attempt` is the first that is right.
    pub fn first_right_by(&self, attempt: usize) -> usize {
        let outputs = self.tasks.iter().flat_map(|task| &task.outputs);
        outputs.filter(|output| output.right_attempt() == Some(attempt)).count()
    }
}

impl Totals {
    /// Reads the test outputs of a task and counts those that one of the attempts gets right. PERF: attempts are only
    /// compared, not graded as by [`Scores::open`], which takes 10 % of the instructions of `batt run` with one program a
    /// task.
    pub fn open(task: &Task, attempts: &[[Grid; 2]]) -> Totals {
        let outputs: Option<Vec<&Grid>> = task.test.iter().map(|pair| pair.output.as_ref()).collect();
        let Some(outputs) = outputs.filter(|outputs| !outputs.is_empty()) else {
            return Totals { unsolved: 1, ..Totals::default() };
        };
        let right =
            outputs.iter().zip(attempts).filter(|(output, attempts)| attempts.contains(output)).count();
        Totals { tasks: BTreeMap::from([((right, outputs.len()), 1)]), unsolved: 0 }
    }

    /// Adds the scores of other tasks.
    pub fn join(&mut self, other: &Totals) {
        for (kind, n) in &other.tasks {
            *self.tasks.entry(*kind).or_default() += n;
        }
        self.unsolved += other.unsolved;
    }

    pub fn add(&mut self, scores: &Scores) {
        for task in &scores.tasks {
            *self.tasks.entry((task.right(), task.outputs.len())).or_default() += 1;
        }
        self.unsolved += scores.unsolved.len();
    }

    /// Returns the score, or `None` if there is nothing to score.
    pub fn under(&self, rule: Rule) -> Option<Ratio> {
        let (part, whole) = match rule {
            Rule::Outputs => (self.right_outputs(), self.outputs()),
            Rule::Tasks => (self.right_tasks(), self.tasks()),
            Rule::Fractions => {
                let term = |((right, outputs), n): (&(usize, usize), &u32)| {
                    (*n, Ratio::new(*right as u64, *outputs as u64))
                };
                return Ratio::weighted_mean(&self.tasks.iter().map(term).collect::<Vec<_>>());
            }
        };
        (whole > 0).then(|| Ratio::new(part as u64, whole as u64))
    }

    /// Returns the number of tasks that count.
    pub fn tasks(&self) -> usize {
        self.tasks.values().map(|n| *n as usize).sum()
    }

    pub fn outputs(&self) -> usize {
        self.tasks.iter().map(|((_, outputs), n)| outputs * *n as usize).sum()
    }

    pub fn right_outputs(&self) -> usize {
        self.tasks.iter().map(|((right, _), n)| right * *n as usize).sum()
    }

    pub fn right_tasks(&self) -> usize {
        let right = self.tasks.iter().filter(|((right, outputs), _)| right == outputs);
        right.map(|(_, n)| *n as usize).sum()
    }
}

impl TaskScore {
    pub fn right(&self) -> usize {
        self.outputs.iter().filter(|output| output.right_attempt().is_some()).count()
    }

    pub fn is_right(&self) -> bool {
        self.right() == self.outputs.len()
    }
}

impl OutputScore {
    /// Returns the first attempt that is right.
    pub fn right_attempt(&self) -> Option<usize> {
        (0..self.attempts.len()).find(|attempt| self.is_right_by(*attempt))
    }

    /// Returns the graded score of the best attempt.
    pub fn best(&self) -> Ratio {
        let scores = self.attempts.iter().flatten().map(|(_, graded)| graded.score());
        scores.max().unwrap_or(Ratio::ZERO)
    }

    fn is_right_by(&self, attempt: usize) -> bool {
        matches!(self.attempts.get(attempt), Some(Some((Verdict::Right, _))))
    }
}

/// Reads the test outputs of a task and judges a program's answers to the test inputs, in their order. Test
/// inputs beyond the last answer count as skipped.
pub fn test_verdicts<'a>(task: &Task, answers: impl IntoIterator<Item = Answer<'a>>) -> Vec<Verdict> {
    let answers = answers.into_iter().chain(std::iter::repeat(Answer::Skipped));
    task.test.iter().zip(answers).map(|(pair, answer)| judge(answer, pair.output.as_ref())).collect()
}
