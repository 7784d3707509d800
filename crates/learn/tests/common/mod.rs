//! Examples of what is learned, as text: a task, an input that is not among its pairs, and the answer.

use batt_learn::{Demos, Image, Rule, Spec, Work};

/// Input and output of each demonstration pair.
pub(crate) type Pairs = &'static [(&'static str, &'static str)];

/// A task that a spec learns.
pub(crate) struct Example {
    pub(crate) spec: Spec,
    pub(crate) pairs: Pairs,
    /// An input that is not among the pairs.
    pub(crate) input: &'static str,
    /// The answer of the first rule.
    pub(crate) output: &'static str,
    /// The words of the first rule.
    pub(crate) words: &'static str,
}

/// Parses an image: `"10/02"` has two rows.
pub(crate) fn image(text: &str) -> Image {
    let rows: Vec<&str> = text.split('/').collect();
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{text} is not a rectangle");
    let cells = rows.iter().flat_map(|row| row.bytes().map(|digit| digit - b'0')).collect();
    Image { h: rows.len(), w: rows[0].len(), cells }
}

/// Writes an image in the form that [`image`] reads.
fn text(image: &Image) -> String {
    let row = |cells: &[u8]| cells.iter().map(u8::to_string).collect::<String>();
    image.cells.chunks(image.w).map(row).collect::<Vec<_>>().join("/")
}

pub(crate) fn demos(pairs: &[(&str, &str)]) -> Demos {
    Demos::new(pairs.iter().map(|(input, output)| (image(input), image(output))).collect()).unwrap()
}

/// Learns, and asserts that every rule is right on all pairs.
pub(crate) fn learn(spec: &Spec, pairs: &[(&str, &str)]) -> Vec<Rule> {
    let demos = demos(pairs);
    let rules = spec.learn(&demos, &Work::new(u64::MAX)).unwrap();
    for rule in &rules {
        for (input, output) in demos.pairs() {
            assert_eq!(rule.apply(input).as_ref(), Some(output), "{spec:?}: {rule:?}");
        }
    }
    rules
}

/// Asserts that all examples are learned, and lists those that are not.
#[track_caller]
pub(crate) fn assert_learned(examples: &[Example]) {
    let mut wrong = String::new();
    for Example { spec, pairs, input, output, words } in examples {
        assert!(pairs.iter().all(|(known, _)| known != input), "{spec:?}: {input} is a demonstration");
        let found = learn(spec, pairs).into_iter().next().map(|rule| {
            let answer = rule.apply(&image(input)).map_or_else(|| "no answer".to_owned(), |o| text(&o));
            (answer, rule.words().to_string())
        });
        let (answer, said) = found.unwrap_or_else(|| ("no rule".to_owned(), "no rule".to_owned()));
        if (answer.as_str(), said.as_str()) != (*output, *words) {
            wrong += &format!("\n{spec:?}\n  expected {output}: {words}\n  found    {answer}: {said}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
