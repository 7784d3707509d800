//! The names of learners, options and views are part of the language: stored programs use them.

use std::collections::BTreeMap;

use batt_learn::{Context, Learner, constants, options_of};
use expect_test::expect_file;

/// Adding a name adds a line. A line that disappears or changes breaks stored programs.
#[test]
fn names_are_pinned() {
    let mut primitives: Vec<&str> = Learner::all().into_iter().map(Learner::primitive).collect();
    primitives.extend(Context::all().into_iter().map(Context::primitive));
    primitives.push("complete");
    primitives.dedup();
    let mut text = String::new();
    for primitive in primitives {
        text += &format!("{primitive}\n");
        for option in options_of(primitive) {
            text += &format!("    {} = {}\n", option.name, option.name.value());
        }
    }
    expect_file!["names.txt"].assert_eq(&text);
}

#[test]
fn values_identify_names() {
    let mut names = BTreeMap::new();
    for option in constants() {
        if let Some(other) = names.insert(option.name.value(), option.name) {
            panic!("{} and {other} have the same value; choose another name", option.name);
        }
    }
}

#[test]
fn a_call_means_what_it_names() {
    for learner in Learner::all() {
        let option = learner.option().map(|name| name.value());
        assert_eq!(Learner::from_call(learner.primitive(), option), Some(learner));
    }
    for context in Context::all() {
        let region = match context {
            Context::Box(region) => region,
            _ => {
                let option = context.option().value();
                assert_eq!(Context::from_call(context.primitive(), option), Some(context));
                continue;
            }
        };
        // The box of a colour is named by the colour.
        let value = match region {
            batt_learn::Region::Color(color) => color.into(),
            named => named.name().value(),
        };
        assert_eq!(Context::from_call("learn_in_box", value), Some(context));
    }
    assert_eq!(Learner::from_call("learn_nothing", None), None);
    assert_eq!(Learner::from_call("learn_cells", Some(0)), None, "numbers are no names");
    assert_eq!(Context::from_call("learn_after", 17), None, "places in a list are no names");
}
