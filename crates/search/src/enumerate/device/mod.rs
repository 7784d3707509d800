//! Operations of enumeration on devices: their code, and examples to compare and measure them on.

mod check;
mod workload;

use batt_base::Rng;
use batt_device::{Code, Job, Pictures, Program};
use batt_dsl::Cx;
use batt_value::{Arena, Fail, Value};

use super::CAPS;
use super::kind::Kind;
use super::operation::{Operation, operations};

pub use check::{OperationCheck, check_operations};
pub use workload::Workload;

/// An operation of enumeration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OperationInfo {
    pub text: String,
    /// The kinds of its arguments and its result, such as `Grid → Indices`.
    pub signature: String,
    /// Whether devices know it.
    pub on_device: bool,
}

/// Returns the operations of enumeration on a task with one colour, in the order in which they are tried.
pub fn enumerated_operations() -> Vec<OperationInfo> {
    let arena = Arena::new(CAPS);
    let all = operations(&[0], &mut Cx::new(&arena, u64::MAX, None)).unwrap_or_default();
    all.iter().map(OperationInfo::new).collect()
}

impl OperationInfo {
    fn new(operation: &Operation<'_>) -> OperationInfo {
        let with = operation.with.map_or_else(String::new, |with| format!(", {with:?}"));
        OperationInfo {
            text: operation.template.text().to_owned(),
            signature: format!("{:?}{with} → {:?}", operation.takes, operation.gives),
            on_device: code(operation).is_some(),
        }
    }
}

/// Returns the code of operations for a device.
pub(super) fn program(operations: &[Operation<'_>]) -> Program {
    Program::new(operations.iter().map(code).collect())
}

fn code(operation: &Operation<'_>) -> Option<Code> {
    use batt_device::Kind as DeviceKind;
    let kind = |kind: Kind| match kind {
        Kind::Grid => Some(DeviceKind::Grid),
        Kind::Indices => Some(DeviceKind::Indices),
        Kind::Object => Some(DeviceKind::Object),
        Kind::Color => Some(DeviceKind::Number),
        Kind::Objects | Kind::Grids => None,
    };
    let (x, y) = (kind(operation.takes)?, kind(operation.with.unwrap_or(Kind::Grid))?);
    Code::new(&operation.template, [x, y, DeviceKind::Grid, DeviceKind::Grid], CAPS.weight)
}

/// Values for the holes `x`, `y`, `I` and `W`.
type Case<'a> = [Value<'a>; 4];

/// Makes cases for an operation: each input in turn, with values made from it for the other holes.
fn cases<'a>(
    operation: &Operation<'_>,
    inputs: &[Value<'a>],
    arena: &'a Arena,
    random: &mut Rng,
) -> Vec<Case<'a>> {
    let mut cases = Vec::new();
    for &input in inputs {
        let other = inputs[random.below(inputs.len())];
        let canvas = match other {
            Value::Grid(grid) => arena.new_grid(grid.height(), grid.width(), |_| ()).unwrap_or(input),
            _ => input,
        };
        let x = example(operation.takes, input, arena, random);
        let y = operation.with.map_or(Ok(Value::None), |kind| example(kind, other, arena, random));
        // `I` and the second argument are often of another size than the first.
        if let (Ok(x), Ok(y)) = (x, y) {
            let whole = if random.below(2) == 0 { input } else { other };
            cases.push([x, y, whole, canvas]);
        }
    }
    cases
}

/// Makes a value of a kind from a grid.
fn example<'a>(kind: Kind, grid: Value<'a>, arena: &'a Arena, random: &mut Rng) -> Result<Value<'a>, Fail> {
    let mut cx = Cx::new(arena, u64::MAX, None);
    let mut call = |name: &str, args: &[Value<'a>]| {
        let symbol = batt_dsl::symbol(name).ok_or(Fail::Kind)?;
        cx.call(Value::Prim(symbol), args)
    };
    let color = Value::Int(random.below(10) as i64);
    let object = match random.below(4) {
        0 => call("asobject", &[grid])?,
        1 => {
            let bit = |random: &mut Rng| Value::from(random.below(2) == 0);
            let options = [bit(random), bit(random), bit(random)];
            let objects = call("objects", &[grid, options[0], options[1], options[2]])?;
            call("first", &[objects])?
        }
        _ => call("foreground", &[grid])?,
    };
    let by = |random: &mut Rng| Value::Int(random.below(9) as i64 - 4);
    match kind {
        Kind::Grid => Ok(grid),
        Kind::Color => Ok(color),
        Kind::Object => {
            let offset = arena.tuple(&[by(random), by(random)])?;
            call("shift", &[object, offset])
        }
        Kind::Indices => {
            let places = match random.below(4) {
                0 => call("toindices", &[object])?,
                1 => call("box", &[object])?,
                _ => {
                    let least = call("leastcolor", &[grid])?;
                    let color = if random.below(2) == 0 { least } else { color };
                    call("ofcolor", &[grid, color])?
                }
            };
            let offset = arena.tuple(&[by(random), by(random)])?;
            call("shift", &[places, offset])
        }
        Kind::Objects | Kind::Grids => Err(Fail::Kind),
    }
}

fn random_grid<'a>(arena: &'a Arena, random: &mut Rng) -> Result<Value<'a>, Fail> {
    let mut below = |n: usize| random.below(n);
    let (height, width) = (1 + below(30), 1 + below(30));
    let n_colors = 1 + below(10);
    arena.new_grid(height, width, |cells| match below(4) {
        0 => cells.iter_mut().for_each(|cell| *cell = below(n_colors) as i8),
        1 => {
            for _ in 0..1 + below(height * width / 4 + 1) {
                cells[below(height * width)] = below(10) as i8;
            }
        }
        _ => {
            // Rectangles, filled or not, on a plain ground.
            cells.fill(if below(3) == 0 { below(n_colors) as i8 } else { 0 });
            for _ in 0..below(6) {
                let (top, left) = (below(height), below(width));
                let (bottom, right) = (top + below(height - top), left + below(width - left));
                let (color, filled) = (below(10) as i8, below(2) == 0);
                for (i, j) in (top..=bottom).flat_map(|i| (left..=right).map(move |j| (i, j))) {
                    if filled || i == top || i == bottom || j == left || j == right {
                        cells[i * width + j] = color;
                    }
                }
            }
        }
    })
}

/// Returns the word for a value in a hole of a job; `None` if devices cannot hold it.
fn hole(value: Value<'_>, pictures: &mut Pictures) -> Option<u32> {
    match value {
        Value::None => Some(0),
        Value::Int(color) => u32::try_from(color).ok(),
        other => pictures.add(other),
    }
}

/// Returns the job of an operation on values; `None` if devices cannot hold one of them.
fn job(operation: usize, case: &Case<'_>, pictures: &mut Pictures) -> Option<Job> {
    let mut holes = [0; 4];
    for (word, value) in holes.iter_mut().zip(case) {
        *word = hole(*value, pictures)?;
    }
    Some(Job { operation: operation as u32, holes })
}
