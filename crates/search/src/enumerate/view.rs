//! Views: grids of the pool that learners use instead of the inputs.

use batt_learn::Image;
use batt_value::Value;

use super::explore::Explorer;
use super::kind::Kind;
use super::pool::Origin;
use batt_dsl::template::Hole;

/// A picture for each input, with the size of the output on all demonstration pairs.
#[derive(Clone, Debug)]
pub struct View {
    /// The function from the input to the picture, as an expression.
    pub function: String,
    /// The pictures, those for the demonstration pairs first.
    pub images: Vec<Image>,
    /// The depth of the node.
    pub depth: u8,
}

/// Returns the views with the fewest cells different from the outputs, the closest first.
pub(super) fn views(explorer: &Explorer<'_, '_>, limit: usize) -> Vec<View> {
    let nodes = explorer.findings.pool.nodes();
    let outputs = &explorer.findings.goal.outputs;
    let n_wrong = |values: &[Value<'_>]| {
        outputs.iter().zip(values).try_fold(0, |sum, (output, value)| match value {
            Value::Grid(grid) if (grid.height(), grid.width()) == (output.height, output.width) => {
                Some(sum + grid.cells().iter().zip(&output.cells).filter(|(a, b)| a != b).count())
            }
            _ => None,
        })
    };
    let grids = nodes.iter().enumerate().skip(1).filter(|(_, node)| node.kind == Kind::Grid);
    let mut near: Vec<(usize, u8, usize)> = grids
        .filter_map(|(place, node)| Some((n_wrong(node.values.as_deref()?)?, node.depth, place)))
        .collect();
    near.sort_unstable();
    let view = |(_, depth, place): (usize, u8, usize)| {
        let images =
            nodes[place].values.as_deref()?.iter().map(|value| image(*value)).collect::<Option<_>>()?;
        Some(View { function: function(explorer, place as u32)?, images, depth })
    };
    near.into_iter().filter_map(view).take(limit).collect()
}

fn image(value: Value<'_>) -> Option<Image> {
    let Value::Grid(grid) = value else { return None };
    let cells = grid.cells().iter().map(|cell| u8::try_from(*cell)).collect::<Result<_, _>>().ok()?;
    Some(Image { h: grid.height(), w: grid.width(), cells })
}

/// Writes a node as a function of the input, with combinators. Returns `None` if that is not possible.
fn function(explorer: &Explorer<'_, '_>, node: u32) -> Option<String> {
    match explorer.findings.pool.nodes()[node as usize].origin {
        Origin::Input => Some("identity".to_owned()),
        Origin::Canvas(_) => None,
        Origin::CanvasLike(like) => {
            Some(composed("compose(lbind(canvas, BLACK), shape)", &function(explorer, like)?))
        }
        Origin::Made { operation, x, y } => {
            let mut rest = explorer.operations[usize::from(operation)].template.text();
            let hole = |hole| match hole {
                Hole::First => function(explorer, x),
                Hole::Second => function(explorer, y),
                Hole::Input => Some("identity".to_owned()),
                Hole::Canvas => function(explorer, explorer.canvas()?),
            };
            match part(&mut rest, &hole)? {
                Part::Function(text) => Some(text),
                Part::Constant(_) => None,
            }
        }
    }
}

/// A part of a template.
enum Part {
    /// An expression that is the same for all inputs.
    Constant(String),
    /// A function of the input.
    Function(String),
}

/// Parses a part from the start of `rest`.
fn part(rest: &mut &str, hole: &impl Fn(Hole) -> Option<String>) -> Option<Part> {
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    *rest = after;
    let Some(inner) = after.strip_prefix('(') else {
        return Some(match Hole::from_name(name) {
            Some(which) => Part::Function(hole(which)?),
            None => Part::Constant(name.to_owned()),
        });
    };
    *rest = inner;
    let mut parts = vec![part(rest, hole)?];
    while let Some(next) = rest.strip_prefix(", ") {
        *rest = next;
        parts.push(part(rest, hole)?);
    }
    *rest = rest.strip_prefix(')')?;
    call(name, &parts)
}

/// Returns the call of a primitive as a function of the input. Constants are bound from both ends.
fn call(name: &str, parts: &[Part]) -> Option<Part> {
    let mut bound = name.to_owned();
    let mut functions = parts;
    while let [first @ .., Part::Constant(fixed)] = functions
        && !first.is_empty()
    {
        bound = format!("rbind({bound}, {fixed})");
        functions = first;
    }
    while let [Part::Constant(fixed), others @ ..] = functions
        && !others.is_empty()
    {
        bound = format!("lbind({bound}, {fixed})");
        functions = others;
    }
    match functions {
        [Part::Function(inner)] => Some(Part::Function(composed(&bound, inner))),
        [Part::Function(a), Part::Function(b)] => Some(Part::Function(format!("fork({bound}, {a}, {b})"))),
        // All parts are constants, so the call is one too.
        [Part::Constant(_)] => {
            let texts = parts.iter().map(|part| match part {
                Part::Constant(text) | Part::Function(text) => text.as_str(),
            });
            Some(Part::Constant(format!("{name}({})", texts.collect::<Vec<_>>().join(", "))))
        }
        _ => None,
    }
}

/// Returns the composition of two functions.
fn composed(outer: &str, inner: &str) -> String {
    match inner {
        "identity" => outer.to_owned(),
        _ => format!("compose({outer}, {inner})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(template: &str, expected: Option<&str>) {
        let hole = |hole| match hole {
            Hole::First => Some("f".to_owned()),
            Hole::Canvas => Some("w".to_owned()),
            _ => Some("identity".to_owned()),
        };
        let found = match part(&mut &template[..], &hole) {
            Some(Part::Function(text)) => Some(text),
            _ => None,
        };
        assert_eq!(found.as_deref(), expected, "{template}");
    }

    #[test]
    fn templates_become_functions() {
        check("hmirror(x)", Some("compose(hmirror, f)"));
        check("trim(I)", Some("trim"));
        check("objects(x, T, F, T)", Some("compose(rbind(rbind(rbind(objects, T), F), T), f)"));
        check("recolor(RED, x)", Some("compose(lbind(recolor, RED), f)"));
        check("argmax(x, compose(size, delta))", Some("compose(rbind(argmax, compose(size, delta)), f)"));
        check("paint(W, foreground(x))", Some("fork(paint, w, compose(foreground, f))"));
        check("fill(x, RED, foreground(x))", None);
    }
}
