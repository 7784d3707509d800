//! The text of programs that learn.

use batt_dsl::lesson::Spec;

/// The text of the program that learns the rule of a given rank (0 the simplest) and applies it.
pub fn learning_program(spec: &Spec, rank: usize, name: &str) -> String {
    let mut lines = Vec::new();
    let rule = call(spec, rank, &mut lines);
    let body: String = lines.iter().map(|line| format!("    {line}\n")).collect();
    format!("def {name}(S, I, C):\n{body}    rule = {rule}\n    O = rule(I)\n    return O\n")
}

/// The text of the program that learns the rule on pictures of the inputs, and applies it to that of the input.
/// `function` is the call that makes the function from input to picture.
pub fn learning_program_after(function: &str, spec: &Spec, rank: usize, name: &str) -> String {
    let mut lines = Vec::new();
    let rule = call(spec, rank, &mut lines);
    let body: String = lines.iter().map(|line| format!("    {line}\n")).collect();
    let rule = rule.replacen("(S, ", "(pairs, ", 1);
    format!(
        "def {name}(S, I, C):\n    view = {function}\n    seen = compose(view, first)\n    \
         both = fork(astuple, seen, last)\n    pairs = apply(both, S)\n{body}    rule = {rule}\n    \
         picture = view(I)\n    O = rule(picture)\n    return O\n"
    )
}

/// The call that learns a spec from S; lines before it make the function values it needs.
fn call(spec: &Spec, rank: usize, lines: &mut Vec<String>) -> String {
    match spec {
        Spec::Learn(learner) => match learner.option() {
            None => format!("{}(S, F{rank})", learner.primitive()),
            Some(option) => format!("{}(S, {option}, F{rank})", learner.primitive()),
        },
        Spec::In(context, inner) => {
            let learner = function(inner, rank, lines);
            format!("{}(S, {}, {learner})", context.primitive(), context.option())
        }
    }
}

/// The name of a function of S that learns a spec.
fn function(spec: &Spec, rank: usize, lines: &mut Vec<String>) -> String {
    let (primitive, option, last) = match spec {
        Spec::Learn(learner) => (learner.primitive(), learner.option(), format!("F{rank}")),
        Spec::In(context, inner) => {
            (context.primitive(), Some(context.option()), function(inner, rank, lines))
        }
    };
    let mut bind = |function: &str, fixed: &str| {
        let name = format!("x{}", lines.len() + 1);
        lines.push(format!("{name} = rbind({function}, {fixed})"));
        name
    };
    let bound = bind(primitive, &last);
    match option {
        None => bound,
        Some(option) => bind(&bound, option.as_str()),
    }
}
