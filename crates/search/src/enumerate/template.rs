//! An operation of the search as a line of a program with holes: `argmax(x, size)`.

use batt_dsl::{ConstantValue, Cx, constant, symbol};
use batt_trace::Spot;
use batt_value::{Fail, Symbol, Value};
use smallvec::SmallVec;

/// What stands in a hole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Hole {
    /// `x`: the value that is worked on.
    First,
    /// `y`: another one.
    Second,
    /// `I`: the input.
    Input,
    /// `W`: a black canvas of the output's size.
    Canvas,
}

impl Hole {
    pub(super) fn named(name: &str) -> Option<Hole> {
        Some(match name {
            "x" => Hole::First,
            "y" => Hole::Second,
            "I" => Hole::Input,
            "W" => Hole::Canvas,
            _ => return None,
        })
    }
}

/// A template, read: its calls in the order in which a program makes them.
pub(super) struct Template<'a> {
    text: String,
    calls: Vec<Call<'a>>,
}

struct Call<'a> {
    function: &'static Symbol,
    args: SmallVec<[Arg<'a>; 4]>,
}

#[derive(Clone, Copy)]
enum Arg<'a> {
    Hole(Hole),
    /// Needs no hole: made once.
    Value(Value<'a>),
    /// The result of an earlier call.
    Result(usize),
}

impl<'a> Template<'a> {
    /// Reads a template; `cx` makes what needs no hole. Fails if a name is unknown, which a test rules out.
    pub(super) fn read(text: &str, cx: &mut Cx<'a>) -> Result<Template<'a>, Fail> {
        let mut template = Template { text: text.to_owned(), calls: Vec::new() };
        let mut rest = text;
        match template.expression(&mut rest, cx)? {
            Arg::Result(_) if rest.is_empty() => Ok(template),
            _ => Err(Fail::Kind),
        }
    }

    fn expression(&mut self, rest: &mut &str, cx: &mut Cx<'a>) -> Result<Arg<'a>, Fail> {
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        *rest = after;
        let Some(inner) = after.strip_prefix('(') else {
            return named(name, cx);
        };
        *rest = inner;
        let function = symbol(name).ok_or(Fail::Kind)?;
        let mut args = SmallVec::new();
        loop {
            args.push(self.expression(rest, cx)?);
            match rest.strip_prefix(", ") {
                Some(next) => *rest = next,
                None => break,
            }
        }
        *rest = rest.strip_prefix(')').ok_or(Fail::Kind)?;
        let values: Option<SmallVec<[Value<'a>; 4]>> = args
            .iter()
            .map(|arg| match arg {
                Arg::Value(value) => Some(*value),
                _ => None,
            })
            .collect();
        match values {
            Some(values) => Ok(Arg::Value(cx.call(Value::Prim(function), &values)?)),
            None => {
                self.calls.push(Call { function, args });
                Ok(Arg::Result(self.calls.len() - 1))
            }
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Where the time of a run is booked: its last primitive.
    pub(super) fn spot(&self) -> Spot {
        self.calls.last().map_or(Spot::OTHER, |call| Spot::primitive(call.function.id))
    }

    /// How many primitives one run calls.
    pub(super) fn n_calls(&self) -> usize {
        self.calls.len()
    }

    pub(super) fn needs(&self, hole: Hole) -> bool {
        let mut args = self.calls.iter().flat_map(|call| &call.args);
        args.any(|arg| matches!(arg, Arg::Hole(other) if *other == hole))
    }

    /// The value of the template with these values in its holes.
    pub(super) fn run<'s>(&self, cx: &mut Cx<'s>, fill: impl Fn(Hole) -> Value<'s>) -> Result<Value<'s>, Fail>
    where
        'a: 's,
    {
        let mut results: SmallVec<[Value<'s>; 6]> = SmallVec::new();
        for call in &self.calls {
            let value = |arg: &Arg<'a>| match *arg {
                Arg::Hole(hole) => fill(hole),
                Arg::Value(value) => value,
                Arg::Result(place) => results[place],
            };
            let args: SmallVec<[Value<'s>; 4]> = call.args.iter().map(value).collect();
            results.push(cx.call(Value::Prim(call.function), &args)?);
        }
        results.last().copied().ok_or(Fail::Empty)
    }

    /// The text with names in its holes.
    pub(super) fn write(&self, name: impl FnMut(Hole) -> String) -> String {
        write(&self.text, name)
    }
}

/// The text of a template with names in its holes.
pub(super) fn write(template: &str, mut name: impl FnMut(Hole) -> String) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut text = String::new();
    let mut rest = template;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_word(c) != is_word(first)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        match Hole::named(part) {
            Some(hole) => text.push_str(&name(hole)),
            None => text.push_str(part),
        }
        rest = after;
    }
    text
}

fn named<'a>(name: &str, cx: &mut Cx<'a>) -> Result<Arg<'a>, Fail> {
    if let Some(hole) = Hole::named(name) {
        return Ok(Arg::Hole(hole));
    }
    if let Some(constant) = constant(name) {
        let int = |int: i64| Value::Int(int);
        return Ok(Arg::Value(match constant.value {
            ConstantValue::Bool(bool) => bool.into(),
            ConstantValue::Int(value) => int(value),
            ConstantValue::Pair(row, col) => cx.arena.tuple(&[int(row), int(col)])?,
        }));
    }
    symbol(name).map(|symbol| Arg::Value(Value::Prim(symbol))).ok_or(Fail::Kind)
}
