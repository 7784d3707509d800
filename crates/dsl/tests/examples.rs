//! The examples in the doc comments are tests.

use batt_dsl::{ConstantValue, Cx, constant, registry, symbol};
use batt_value::{Arena, Caps, Fail, Name, Value, order, parse, parse_prefix};

#[test]
fn every_primitive_has_an_example_and_every_example_holds() {
    let mut wrong = Vec::new();
    for primitive in registry().iter() {
        if primitive.examples().next().is_none() {
            wrong.push(format!("{} has no example", primitive.name));
        }
        if !primitive.examples().any(|example| example.contains(&format!("{}(", primitive.name))) {
            wrong.push(format!("{} has no example that calls it", primitive.name));
        }
        for example in primitive.examples() {
            if let Err(what) = check(example) {
                wrong.push(format!("{}: {example}\n    {what}", primitive.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} examples do not hold:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_primitive_is_documented() {
    for primitive in registry().iter() {
        let summary = primitive.summary();
        assert!(summary.len() > 5, "{} has no summary", primitive.name);
        for (_, own) in primitive.keywords {
            assert!(primitive.params.contains(own), "{}: no parameter {own}", primitive.name);
        }
    }
}

fn check(example: &str) -> Result<(), String> {
    let arena = Arena::new(Caps::STANDARD);
    let (value, rest) = evaluate(example, &arena);
    let rest = rest.trim_start();
    if let Some(expected) = rest.strip_prefix('=') {
        let expected = parse(expected.trim(), &arena, &symbol).map_err(|error| error.to_string())?;
        match value {
            Ok(value) if order::identical(value, expected) => Ok(()),
            Ok(value) => Err(format!("got {value}")),
            Err(error) => Err(format!("got {error}")),
        }
    } else if let Some(expected) = rest.strip_prefix('!') {
        match value {
            Err(what) if what == expected.trim() => Ok(()),
            Err(what) => Err(format!("got {what}")),
            Ok(value) => Err(format!("got {value}")),
        }
    } else {
        Err(format!("neither `= value` nor `! failure` follows: {rest:?}; {value:?}"))
    }
}

/// Evaluates the expression at the start of `text`. Returns its value and the rest of the text; after a
/// failure, the rest from the last ` ! ` on.
fn evaluate<'t, 'a>(text: &'t str, arena: &'a Arena) -> (Result<Value<'a>, String>, &'t str) {
    let mut cx = Cx::new(arena, 1_000_000, None);
    let mut names = |name: Name<'_, 'a>| match name {
        Name::Alone(name) => match (symbol(name), constant(name).map(|constant| constant.value)) {
            (Some(symbol), _) => Ok(Value::Prim(symbol)),
            (None, Some(ConstantValue::Int(int))) => Ok(Value::Int(int)),
            (None, _) => Err(Err(format!("no primitive or integer constant {name}"))),
        },
        Name::Called(name, args) => match symbol(name) {
            Some(symbol) => cx.call(Value::Prim(symbol), &args).map_err(Ok::<Fail, String>),
            None => Err(Err(format!("no primitive {name}"))),
        },
    };
    match parse_prefix(text, arena, &mut names) {
        Ok((value, rest)) => (Ok(value), rest),
        Err(error) => {
            let rest = text.rfind(" ! ").map_or("", |at| &text[at..]);
            (Err(error.fail.map_or(error.to_string(), |fail| fail.name().to_owned())), rest)
        }
    }
}
