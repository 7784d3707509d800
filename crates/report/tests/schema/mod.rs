//! The part of JSON Schema that the files in `schemas/` use.

use serde_json::Value;

/// Panics with the place where the value does not match.
pub(crate) fn check(schema: &str, value: &Value) {
    let schema: Value = serde_json::from_str(schema).unwrap();
    if let Err(error) = fits(&schema, &schema, value, "$") {
        panic!("{error}");
    }
}

fn fits(root: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let Some(rules) = schema.as_object() else { return Ok(()) };
    for (rule, wanted) in rules {
        match rule.as_str() {
            "$ref" => {
                let name = wanted.as_str().and_then(|it| it.strip_prefix("#/definitions/")).unwrap();
                fits(root, &root["definitions"][name], value, at)?;
            }
            "type" => {
                let names = wanted.as_array().cloned().unwrap_or_else(|| vec![wanted.clone()]);
                if !names.iter().any(|name| is(name.as_str().unwrap(), value)) {
                    return Err(format!("{at}: {value} is not {wanted}"));
                }
            }
            "const" if value != wanted => return Err(format!("{at}: {value} is not {wanted}")),
            "enum" if !wanted.as_array().unwrap().contains(value) => {
                return Err(format!("{at}: {value} is not one of {wanted}"));
            }
            "minimum" if value.as_f64().is_some_and(|it| it < wanted.as_f64().unwrap()) => {
                return Err(format!("{at}: {value} is below {wanted}"));
            }
            "required" => {
                for name in wanted.as_array().unwrap() {
                    if value.get(name.as_str().unwrap()).is_none() {
                        return Err(format!("{at}: {name} is missing"));
                    }
                }
            }
            "properties" => {
                for (name, schema) in wanted.as_object().unwrap() {
                    if let Some(value) = value.get(name) {
                        fits(root, schema, value, &format!("{at}.{name}"))?;
                    }
                }
            }
            "additionalProperties" if *wanted == Value::Bool(false) => {
                let known = &schema["properties"];
                for name in value.as_object().unwrap().keys() {
                    if known.get(name).is_none() {
                        return Err(format!("{at}: {name} is not in the format"));
                    }
                }
            }
            "items" => {
                for (i, value) in value.as_array().into_iter().flatten().enumerate() {
                    fits(root, wanted, value, &format!("{at}[{i}]"))?;
                }
            }
            "anyOf" => {
                let tried: Vec<_> =
                    wanted.as_array().unwrap().iter().map(|schema| fits(root, schema, value, at)).collect();
                if tried.iter().all(Result::is_err) {
                    return Err(format!("{at}: none of {tried:?}"));
                }
            }
            "$schema"
            | "definitions"
            | "description"
            | "const"
            | "enum"
            | "minimum"
            | "additionalProperties" => {}
            other => panic!("the checker does not know {other}"),
        }
    }
    Ok(())
}

fn is(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("the checker does not know the type {other}"),
    }
}

#[test]
fn the_checker_finds_mismatches() {
    let schema =
        r#"{"type":"object","required":["a"],"properties":{"a":{"type":"array","items":{"enum":[1,2]}}}}"#;
    let schema: Value = serde_json::from_str(schema).unwrap();
    let at = |text: &str| fits(&schema, &schema, &serde_json::from_str(text).unwrap(), "$");
    assert!(at(r#"{"a":[1,2]}"#).is_ok());
    assert!(at(r#"{"a":[1,3]}"#).is_err() && at(r#"{"b":1}"#).is_err() && at("[]").is_err());
}
