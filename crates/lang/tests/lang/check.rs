//! Helpers of the tests. Only this file calls the public API, so the API can change.

use batt_lang::{
    Options, Parsed, Program, Severity, format as formatted, parse, parse_bytes, parse_bytes_with, print,
};
use expect_test::Expect;

/// Compares the graphs of all programs; there must be no problems.
pub(crate) fn check_parse(text: &str, expect: Expect) {
    expect.assert_eq(&graphs(&sound(text), false));
}

/// Compares the graphs of all programs with the types of nodes; there must be no problems.
pub(crate) fn check_types(text: &str, expect: Expect) {
    expect.assert_eq(&graphs(&sound(text), true));
}

/// Compares all problems as they are printed.
pub(crate) fn check_problems(text: &str, expect: Expect) {
    expect.assert_eq(&problems(&parse(text), text));
}

/// Compares all problems, including warnings about types.
pub(crate) fn check_lints(text: &str, expect: Expect) {
    let parsed = parse_bytes_with(text.as_bytes(), Options { lint: true, ..Options::default() });
    expect.assert_eq(&problems(&parsed, text));
}

/// Compares the names of programs and all problems of bytes.
pub(crate) fn check_bytes(bytes: &[u8], expect: Expect) {
    let parsed = parse_bytes(bytes);
    let text = String::from_utf8_lossy(bytes);
    expect.assert_eq(&format!("programs: {}\n{}", names(&parsed).join(" "), problems(&parsed, &text)));
}

/// Compares the canonical text of all programs, which must be equivalent and stable.
pub(crate) fn check_print(text: &str, expect: Expect) {
    let parsed = parse(text);
    let printed: Vec<_> = parsed.programs.iter().map(reprinted).collect();
    expect.assert_eq(&printed.join("\n"));
}

/// Compares the formatted text, which must be equivalent and stable.
pub(crate) fn check_format(text: &str, expect: Expect) {
    expect.assert_eq(&check_formatted(text).expect("no syntax error"));
}

/// Formats a text if it has no syntax errors. The result must have the same programs and comments, and
/// formatting it again must not change it.
pub(crate) fn check_formatted(text: &str) -> Option<String> {
    let once = formatted(text).ok()?;
    assert_eq!(formatted(&once).as_ref(), Ok(&once), "formatted twice:\n{text}");
    let programs = |text: &str| -> Vec<_> {
        parse(text).programs.iter().map(|program| (program.name().to_owned(), program.hash())).collect()
    };
    assert_eq!(programs(text), programs(&once), "in\n{text}\n{once}");
    // Only blanks, `;`, commas before closing brackets, and the order of comments inside brackets may differ.
    let letters = |text: &str| {
        let mut letters: Vec<_> =
            text.chars().filter(|c| !c.is_whitespace() && !";,\\\u{feff}".contains(*c)).collect();
        letters.sort_unstable();
        letters
    };
    assert_eq!(letters(text), letters(&once), "in\n{text}\n{once}");
    Some(once)
}

/// Compares the only error of a text: the message, then the label after a bar.
pub(crate) fn check_refused(text: &str, expected: &str) {
    let parsed = parse(text);
    let errors: Vec<_> =
        parsed.problems.iter().filter(|problem| problem.severity == Severity::Error).collect();
    let [error] = &errors[..] else {
        panic!("{} errors in\n{text}\n{}", errors.len(), problems(&parsed, text))
    };
    assert!(parsed.programs.is_empty(), "a program came out of\n{text}");
    for called in error.label.split(['`', '(', ' ', ',']).filter(|_| error.label.starts_with("use `")) {
        let is_word = !called.is_empty() && called.chars().all(|c| c.is_ascii_lowercase());
        let is_call = is_word && error.label.contains(&format!("{called}("));
        assert!(!is_call || batt_dsl::symbol(called).is_some(), "no primitive {called}");
    }
    let label = if error.label.is_empty() { String::new() } else { format!(" | {}", error.label) };
    assert_eq!(format!("{}{label}", error.message), expected, "in\n{text}");
}

/// Checks that all texts have one program each, with the same hash.
pub(crate) fn check_same(texts: &[&str]) {
    let first = only(texts[0]);
    for text in &texts[1..] {
        let other = only(text);
        assert_eq!(first.hash(), other.hash(), "different graphs:\n{first}\n{other}");
    }
}

/// Checks that all texts have one program each, with different hashes.
pub(crate) fn check_different(texts: &[&str]) {
    let hashes: std::collections::BTreeSet<_> = texts.iter().map(|text| only(text).hash()).collect();
    assert_eq!(hashes.len(), texts.len(), "some of these have the same graph: {texts:?}");
}

/// Returns the only program of a text, which may have warnings.
pub(crate) fn only(text: &str) -> Program {
    let mut parsed = parse(text);
    assert_eq!(parsed.programs.len(), 1, "in\n{text}\n{}", problems(&parsed, text));
    parsed.programs.remove(0)
}

/// Checks what must hold for all bytes: parsing terminates without a panic, problems are in order and can be
/// printed, programs can be printed and parsed again.
pub(crate) fn check_anything(bytes: &[u8]) {
    let parsed = parse_bytes(bytes);
    let text = String::from_utf8_lossy(bytes);
    problems(&parsed, &text);
    assert!(parsed.problems.len() <= 101);
    for pair in parsed.problems[..parsed.problems.len().min(100)].windows(2) {
        assert!(pair[0].span.start <= pair[1].span.start, "{:?}", parsed.problems);
    }
    for program in &parsed.programs {
        reprinted(program);
        assert!(text.contains(program.source()));
    }
    check_formatted(&text);
}

/// Parses a text, which may have problems.
pub(crate) fn all(text: &str) -> Parsed {
    parse(text)
}

/// Returns the canonical text, which must be equivalent and stable.
pub(crate) fn reprinted(program: &Program) -> String {
    let text = print(program);
    let again = parse(&text);
    let [again] = &again.programs[..] else { panic!("{text}\n{}", problems(&again, &text)) };
    assert_eq!(program.hash(), again.hash(), "\n{text}\n{program}\n{again}");
    assert_eq!(text, print(again));
    assert_eq!(text.lines().count(), batt_lang::line_types(program).len());
    text
}

pub(crate) fn problems(parsed: &Parsed, text: &str) -> String {
    let problems = parsed.problems.iter().map(|problem| problem.render("test.py", text, false));
    problems.collect::<Vec<_>>().join("\n")
}

fn sound(text: &str) -> Parsed {
    let parsed = parse(text);
    assert!(parsed.problems.is_empty(), "{}", problems(&parsed, text));
    parsed
}

fn graphs(parsed: &Parsed, types: bool) -> String {
    let graph = |program: &Program| if types { format!("{program:#}") } else { program.to_text_ir() };
    let graphs = parsed.programs.iter().map(|program| format!("{}:\n{}", program.name(), graph(program)));
    graphs.collect::<Vec<_>>().join("\n")
}

fn names(parsed: &Parsed) -> Vec<&str> {
    parsed.programs.iter().map(Program::name).collect()
}
