//! Templates: expressions with holes, such as `argmax(x, size)`.

use batt_trace::Spot;
use batt_value::{Fail, Symbol, Value};
use smallvec::SmallVec;

use crate::constant::{ConstantValue, constant};
use crate::{Cx, symbol};

/// A hole of a template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hole {
    /// `x`: the first value.
    First,
    /// `y`: the second value.
    Second,
    /// `I`: the input.
    Input,
    /// `W`: a black canvas with the size of the output.
    Canvas,
}

impl Hole {
    /// Returns the hole with this name.
    pub fn from_name(name: &str) -> Option<Hole> {
        Some(match name {
            "x" => Hole::First,
            "y" => Hole::Second,
            "I" => Hole::Input,
            "W" => Hole::Canvas,
            _ => return None,
        })
    }
}

/// A parsed template.
pub struct Template<'a> {
    text: String,
    /// The calls in the order in which a program makes them.
    calls: Vec<Call<'a>>,
}

/// A call of a primitive in a template.
pub struct Call<'a> {
    pub function: &'static Symbol,
    pub args: SmallVec<[Arg<'a>; 4]>,
}

/// An argument of a call.
#[derive(Clone, Copy)]
pub enum Arg<'a> {
    Hole(Hole),
    /// A value that does not depend on a hole. It is computed once.
    Value(Value<'a>),
    /// The result of an earlier call.
    Result(usize),
}

impl<'a> Template<'a> {
    /// Parses a template and computes the values that do not depend on holes. Fails if a name is unknown; a
    /// test makes sure that none is.
    pub fn parse(text: &str, cx: &mut Cx<'a>) -> Result<Template<'a>, Fail> {
        let mut template = Template { text: text.to_owned(), calls: Vec::new() };
        let mut rest = text;
        match template.expression(&mut rest, cx)? {
            Arg::Result(_) if rest.is_empty() => Ok(template),
            _ => Err(Fail::Kind),
        }
    }

    /// Parses an expression from the start of `rest`.
    fn expression(&mut self, rest: &mut &str, cx: &mut Cx<'a>) -> Result<Arg<'a>, Fail> {
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        *rest = after;
        let Some(inner) = after.strip_prefix('(') else {
            return named_arg(name, cx);
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

    /// Makes a template of calls, each of which uses only results of earlier ones. It has no text.
    pub fn from_calls(calls: Vec<Call<'a>>) -> Template<'a> {
        Template { text: String::new(), calls }
    }

    /// Returns the calls in the order in which a program makes them. The last one gives the value.
    pub fn calls(&self) -> &[Call<'a>] {
        &self.calls
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the spot to which the time of a run is booked: the last primitive.
    pub fn spot(&self) -> Spot {
        self.calls.last().map_or(Spot::OTHER, |call| Spot::primitive(call.function.id))
    }

    /// Returns the number of calls in one run.
    pub fn n_calls(&self) -> usize {
        self.calls.len()
    }

    /// Returns whether it has this hole.
    pub fn needs(&self, hole: Hole) -> bool {
        let mut args = self.calls.iter().flat_map(|call| &call.args);
        args.any(|arg| matches!(arg, Arg::Hole(other) if *other == hole))
    }

    /// Returns the value of the template with the holes filled by `fill`.
    pub fn run<'s>(&self, cx: &mut Cx<'s>, fill: impl Fn(Hole) -> Value<'s>) -> Result<Value<'s>, Fail>
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

    /// Returns the text with names in its holes.
    pub fn write(&self, name: impl FnMut(Hole) -> String) -> String {
        fill(&self.text, name)
    }
}

/// Returns the text of a template with names in its holes.
pub fn fill(template: &str, mut name: impl FnMut(Hole) -> String) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut text = String::new();
    let mut rest = template;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_word(c) != is_word(first)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        match Hole::from_name(part) {
            Some(hole) => text.push_str(&name(hole)),
            None => text.push_str(part),
        }
        rest = after;
    }
    text
}

/// Returns the hole, constant or primitive with this name.
fn named_arg<'a>(name: &str, cx: &mut Cx<'a>) -> Result<Arg<'a>, Fail> {
    if let Some(hole) = Hole::from_name(name) {
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
