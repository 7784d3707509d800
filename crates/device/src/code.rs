//! Translates templates into the code of the kernel.
//!
//! A template is a list of calls. Each call becomes a few instructions that compute its value, and one that
//! charges for it. Values live in four slots and sixteen registers; a template that needs more, or a primitive
//! that the kernel does not know, has no code and stays on the CPU.

use batt_dsl::template::{Arg, Hole, Template};
use batt_dsl::{Cost, registry};
use batt_value::{Symbol, Value};

/// The kinds of values that a device knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    Grid,
    Indices,
    Object,
    /// A colour or another small number.
    Number,
    /// The labels of the objects of a grid.
    Labels,
}

/// The code of one operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Code {
    Answer(Instructions),
    /// The kernel `label` finds the objects of `x`, with these options.
    Label {
        options: u32,
    },
}

/// Instructions for the kernel `answer`. Only [`Code::new`] makes them, because the kernel does not check them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instructions {
    pub(crate) words: Vec<[u32; 2]>,
    /// The kinds of the holes that they read.
    pub(crate) takes: [Option<Kind>; 4],
    pub(crate) gives: Kind,
}

/// Instructions of the kernel. The same list is in `kernel.cl`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum Op {
    End,
    Load,
    Number,
    Bill,
    BillEach,
    Limit,
    Set,
    Box,
    Subtract,
    Halve,
    Divide,
    Center,
    Clear,
    Count,
    Most,
    Mirror,
    Cut,
    Crop,
    Upscale,
    Downscale,
    Beside,
    Above,
    Replace,
    Switch,
    Cellwise,
    Smear,
    Tile,
    Paint,
    Fill,
    Pick,
    Tighten,
    Frame,
    Delta,
    Shift,
    Normalize,
    Spread,
    Lines,
    Frontier,
    Join,
    ToObject,
    Recolor,
    Canvas,
    Flood,
    Survey,
    Compress,
}

/// A value during translation.
#[derive(Clone, Copy)]
enum Operand<'a> {
    /// A grid, indices or an object in a slot.
    Slot(Kind, u8),
    /// A number in a register.
    Number(u8),
    /// A pair of numbers in two registers.
    Pair(u8),
    Constant(Value<'a>),
}

const N_SLOTS: usize = 4;
const N_REGISTERS: u8 = 16;
/// The largest constant, positive or negative, so that the 32-bit numbers of the kernel cannot overflow.
const MAX_CONSTANT: i64 = 1 << 14;
/// Options of instructions that copy cells, masks or both.
const CELLS: u32 = 8;
const MASK: u32 = 16;

impl Code {
    /// Translates a template whose holes are filled with values of these kinds, in the order `x`, `y`, `I`, `W`.
    /// `max_weight` is the cap on the weight of values. Returns `None` if the device does not know the operation.
    pub fn new(template: &Template<'_>, kinds: [Kind; 4], max_weight: u32) -> Option<Code> {
        if let [call] = template.calls()
            && call.function.name == "objects"
            && kinds[0] == Kind::Grid
            && let [
                Arg::Hole(Hole::First),
                Arg::Value(univalued),
                Arg::Value(diagonal),
                Arg::Value(without_bg),
            ] = call.args[..]
        {
            let bit = |value: Value<'_>, bit: u32| if value.truth() { bit } else { 0 };
            return Some(Code::Label { options: bit(univalued, 4) | bit(diagonal, 2) | bit(without_bg, 1) });
        }
        let mut translation = Translation {
            words: Vec::new(),
            kinds,
            holes: [None; 4],
            results: Vec::new(),
            owners: [None; N_SLOTS],
            uses: vec![0; 4 + template.calls().len()],
            registers: 0,
            zero: None,
            max_weight,
        };
        for arg in template.calls().iter().flat_map(|call| &call.args) {
            if let Some(id) = id(arg) {
                translation.uses[id] += 1;
            }
        }
        // The last result is used by the caller.
        *translation.uses.last_mut()? += 1;
        for call in template.calls() {
            translation.call(call.function, &call.args)?;
        }
        let (gives, at) = match *translation.results.last()? {
            Operand::Slot(kind, slot) => (kind, slot),
            Operand::Number(register) => (Kind::Number, register),
            _ => return None,
        };
        translation.emit(Op::End, gives as u8, at, 0, 0);
        let Translation { words, holes, .. } = translation;
        let takes = std::array::from_fn(|hole| holes[hole].map(|_| kinds[hole]));
        Some(Code::Answer(Instructions { words, takes, gives }))
    }

    /// Returns the kind of the result.
    pub(crate) fn gives(&self) -> Kind {
        match self {
            Code::Answer(instructions) => instructions.gives,
            Code::Label { .. } => Kind::Labels,
        }
    }

    /// Returns the kinds of the holes that it reads.
    pub(crate) fn takes(&self) -> [Option<Kind>; 4] {
        match self {
            Code::Answer(instructions) => instructions.takes,
            Code::Label { .. } => [Some(Kind::Grid), None, None, None],
        }
    }
}

/// Returns the word for a constant, if it is small enough.
fn constant(number: i64) -> Option<u32> {
    (number.abs() <= MAX_CONSTANT).then_some(number as u32)
}

/// Returns the number by which the uses of a hole or result are counted.
fn id(arg: &Arg<'_>) -> Option<usize> {
    match *arg {
        Arg::Hole(hole) => Some(hole as usize),
        Arg::Result(place) => Some(4 + place),
        Arg::Value(_) => None,
    }
}

struct Translation<'a> {
    words: Vec<[u32; 2]>,
    kinds: [Kind; 4],
    holes: [Option<Operand<'a>>; 4],
    results: Vec<Operand<'a>>,
    /// The hole or result that each slot belongs to; a slot that is only needed within a call belongs to
    /// [`TEMPORARY`].
    owners: [Option<usize>; N_SLOTS],
    /// How often each hole and result is still needed.
    uses: Vec<u32>,
    /// The number of registers in use.
    registers: u8,
    /// A register that holds 0.
    zero: Option<u8>,
    max_weight: u32,
}

const TEMPORARY: usize = usize::MAX;

impl<'a> Translation<'a> {
    fn emit(&mut self, op: Op, d: u8, a: u8, b: u8, n: u32) {
        self.words.push([u32::from_le_bytes([op as u8, d, a, b]), n]);
    }

    /// Takes a free slot.
    fn slot(&mut self) -> Option<u8> {
        let slot = self.owners.iter().position(Option::is_none)?;
        self.owners[slot] = Some(TEMPORARY);
        Some(slot as u8)
    }

    /// Takes `n` registers in a row.
    fn take_registers(&mut self, n: u8) -> Option<u8> {
        let first = self.registers;
        self.registers += n;
        (self.registers <= N_REGISTERS).then_some(first)
    }

    fn operand(&mut self, arg: &Arg<'a>) -> Option<Operand<'a>> {
        let hole = match *arg {
            Arg::Value(value) => return Some(Operand::Constant(value)),
            Arg::Result(place) => return self.results.get(place).copied(),
            Arg::Hole(hole) => hole as usize,
        };
        if self.holes[hole].is_none() {
            let kind = self.kinds[hole];
            let operand = match kind {
                Kind::Number => {
                    let register = self.take_registers(1)?;
                    self.emit(Op::Number, register, 0, 0, hole as u32);
                    Operand::Number(register)
                }
                kind => {
                    let slot = self.slot()?;
                    self.owners[usize::from(slot)] = Some(hole);
                    self.emit(Op::Load, slot, kind as u8, 0, hole as u32);
                    Operand::Slot(kind, slot)
                }
            };
            self.holes[hole] = Some(operand);
        }
        self.holes[hole]
    }

    /// Returns the register of a number.
    fn number(&mut self, operand: Operand<'a>) -> Option<u8> {
        match operand {
            Operand::Number(register) => Some(register),
            Operand::Constant(value) => {
                let number = constant(value.as_int()?)?;
                if number == 0
                    && let Some(zero) = self.zero
                {
                    return Some(zero);
                }
                let register = self.take_registers(1)?;
                self.emit(Op::Set, register, 0, 0, number);
                if number == 0 {
                    self.zero = Some(register);
                }
                Some(register)
            }
            _ => None,
        }
    }

    /// Copies a number from one register to another.
    fn copy_number(&mut self, to: u8, from: u8) -> Option<()> {
        let zero = self.number(Operand::Constant(Value::Int(0)))?;
        self.emit(Op::Subtract, to, from, zero, 0);
        Some(())
    }

    /// Returns the first register of a pair.
    fn pair(&mut self, operand: Operand<'a>) -> Option<u8> {
        match operand {
            Operand::Pair(register) => Some(register),
            Operand::Constant(Value::Pair(pair)) => {
                let first = self.take_registers(2)?;
                for (register, number) in (first..).zip([pair.row(), pair.col()]) {
                    self.emit(Op::Set, register, 0, 0, constant(number)?);
                }
                Some(first)
            }
            _ => None,
        }
    }

    /// Translates a call, and charges for it.
    fn call(&mut self, function: &'static Symbol, args: &[Arg<'a>]) -> Option<()> {
        let operands = args.iter().map(|arg| self.operand(arg)).collect::<Option<Vec<_>>>()?;
        let owner = 4 + self.results.len();
        let result = match (function.name, &operands[..]) {
            ("mapply", &[Operand::Constant(Value::Prim(each)), places]) => self.map(each, places)?,
            _ => {
                let last = self.last_uses(args);
                let result = self.value(function, &operands, &last)?;
                if registry().table()[usize::from(function.id)].cost != Cost::PerCell {
                    return None;
                }
                self.bill(operands.iter().chain([&result]))?;
                result
            }
        };
        for arg in args {
            if let Some(id) = id(arg) {
                self.uses[id] -= 1;
                if self.uses[id] == 0 {
                    self.release(id);
                }
            }
        }
        self.release(TEMPORARY);
        if let Operand::Slot(_, slot) = result {
            self.owners[usize::from(slot)] = Some(owner);
        }
        self.results.push(result);
        Some(())
    }

    fn release(&mut self, owner: usize) {
        for slot in &mut self.owners {
            slot.take_if(|other| *other == owner);
        }
    }

    /// Returns for each argument whether nothing else needs it afterwards.
    fn last_uses(&self, args: &[Arg<'a>]) -> Vec<bool> {
        args.iter().map(|arg| id(arg).is_some_and(|id| self.uses[id] == 1)).collect()
    }

    /// Charges for a call by the weights of its arguments and its result.
    fn bill<'b>(&mut self, parts: impl Iterator<Item = &'b Operand<'a>>) -> Option<()>
    where
        'a: 'b,
    {
        let (mut fixed, mut weighed) = (1, Vec::new());
        for part in parts {
            match *part {
                Operand::Slot(kind, slot) => weighed.push((kind as u8) << 4 | slot),
                Operand::Number(_) => fixed += 1,
                Operand::Pair(_) => fixed += 3,
                Operand::Constant(value) => fixed += value.weight(),
            }
        }
        for three in weighed.chunks(3) {
            let at = |n: usize| three.get(n).copied().unwrap_or(u8::MAX);
            self.emit(Op::Bill, at(0), at(1), at(2), std::mem::take(&mut fixed));
        }
        if fixed > 0 {
            self.emit(Op::Bill, u8::MAX, u8::MAX, u8::MAX, fixed);
        }
        Some(())
    }

    /// Translates `mapply(each, places)`, with its bill.
    fn map(&mut self, each: &'static Symbol, places: Operand<'a>) -> Option<Operand<'a>> {
        let Operand::Slot(Kind::Indices, from) = places else { return None };
        let (op, n, members) = match each.name {
            "neighbors" => (Op::Spread, 3, 8),
            "dneighbors" => (Op::Spread, 1, 4),
            "ineighbors" => (Op::Spread, 2, 4),
            "hfrontier" => (Op::Lines, 0, 30),
            "vfrontier" => (Op::Lines, 1, 30),
            _ => return None,
        };
        let weight = 1 + 3 * members;
        // The results are first collected in a set, which must not be too heavy. Lines are at most 32.
        if op == Op::Spread {
            self.emit(Op::Limit, 0, from, 0, (self.max_weight - 1) / weight);
        }
        let to = self.slot()?;
        self.emit(op, to, from, 0, n);
        // The call of `mapply` with two arguments; then each place costs a call, and its result is kept.
        self.emit(Op::Bill, (Kind::Indices as u8) << 4 | from, u8::MAX, u8::MAX, 2);
        self.emit(Op::BillEach, 0, from, 0, (1 + 3 + weight) + weight);
        Some(Operand::Slot(Kind::Indices, to))
    }

    /// Emits an instruction that writes a new slot.
    fn make(&mut self, kind: Kind, op: Op, a: u8, b: u8, n: u32) -> Option<Operand<'a>> {
        let slot = self.slot()?;
        self.emit(op, slot, a, b, n);
        Some(Operand::Slot(kind, slot))
    }

    /// Emits an instruction that writes a new slot with a box that may be too large.
    fn make_loose(&mut self, kind: Kind, op: Op, a: u8, b: u8, n: u32) -> Option<Operand<'a>> {
        let loose = self.slot()?;
        self.emit(op, loose, a, b, n);
        let tight = self.make(kind, Op::Tighten, loose, 0, parts(kind) & CELLS);
        self.owners[usize::from(loose)] = None;
        tight
    }

    /// Returns a slot with the same patch that can be changed: the same one if nothing else needs it.
    fn changeable(&mut self, kind: Kind, slot: u8, is_last: bool) -> Option<u8> {
        if is_last {
            return Some(slot);
        }
        match self.make(kind, Op::Tighten, slot, 0, parts(kind) & CELLS)? {
            Operand::Slot(_, copy) => Some(copy),
            _ => None,
        }
    }

    /// Emits the instructions that count colours, and returns the register of the most or least common one.
    fn common_color(&mut self, kind: Kind, slot: u8, least: bool) -> Option<Operand<'a>> {
        self.emit(Op::Clear, 0, 0, 0, 0);
        self.emit(Op::Count, 0, slot, 0, u32::from(kind == Kind::Object));
        let register = self.take_registers(1)?;
        self.emit(Op::Most, register, 0, 0, u32::from(least));
        Some(Operand::Number(register))
    }

    /// Emits the instructions that put the box of a slot into four registers.
    fn box_of(&mut self, slot: u8) -> Option<u8> {
        let first = self.take_registers(4)?;
        self.emit(Op::Box, first, slot, 0, 0);
        Some(first)
    }

    /// Translates a call without its bill. `last` tells which arguments nothing else needs.
    fn value(&mut self, function: &Symbol, args: &[Operand<'a>], last: &[bool]) -> Option<Operand<'a>> {
        use Kind::{Grid, Indices, Object};
        use Operand::{Constant, Number, Pair, Slot};
        match (function.name, args) {
            (name, &[Slot(kind, a)]) if mirror(name).is_some() => {
                let turn = mirror(name)?;
                // Patches cannot be rotated.
                if kind != Grid && name.starts_with("rot") {
                    return None;
                }
                self.make(kind, Op::Mirror, a, 0, turn | parts(kind))
            }
            (name, &[Slot(Grid, a)]) if cut(name).is_some() => self.make(Grid, Op::Cut, a, 0, cut(name)?),
            ("compress", &[Slot(Grid, a)]) => {
                self.emit(Op::Survey, 0, a, 0, 0);
                self.make(Grid, Op::Compress, a, 0, 0)
            }
            ("crop", &[Slot(Grid, a), start, dims]) => {
                let (start, dims) = (self.pair(start)?, self.pair(dims)?);
                // The instruction takes four registers in a row.
                let corner = self.take_registers(4)?;
                for (to, from) in (corner..).zip([start, start + 1, dims, dims + 1]) {
                    self.copy_number(to, from)?;
                }
                self.make(Grid, Op::Crop, a, corner, 0)
            }
            ("subgrid", &[Slot(Indices | Object, a), Slot(Grid, b)]) => {
                let corner = self.box_of(a)?;
                self.make(Grid, Op::Crop, b, corner, 0)
            }
            ("upscale", &[Slot(kind @ (Grid | Object), a), factor]) => {
                let factor = self.number(factor)?;
                self.make(kind, Op::Upscale, a, factor, parts(kind))
            }
            ("downscale", &[Slot(Grid, a), factor]) => {
                let factor = self.number(factor)?;
                self.make(Grid, Op::Downscale, a, factor, CELLS)
            }
            ("hconcat", &[Slot(Grid, a), Slot(Grid, b)]) => self.make(Grid, Op::Beside, a, b, 0),
            ("vconcat", &[Slot(Grid, a), Slot(Grid, b)]) => self.make(Grid, Op::Above, a, b, 0),
            ("replace" | "switch", &[Slot(Grid, a), from, to]) => {
                let (from, to) = (self.number(from)?, self.number(to)?);
                let op = if function.name == "replace" { Op::Replace } else { Op::Switch };
                self.make(Grid, op, a, from, to.into())
            }
            ("cellwise", &[Slot(Grid, a), Slot(Grid, b), fallback]) => {
                let fallback = self.number(fallback)?;
                self.make(Grid, Op::Cellwise, a, b, fallback.into())
            }
            ("smear", &[Slot(Grid, a), Constant(Value::Pair(step))]) => {
                let near = |step: i64| (-1..=1).contains(&step).then_some((step + 1) as u32);
                if step.parts() == (0, 0) {
                    return None;
                }
                self.make(Grid, Op::Smear, a, 0, near(step.row())? | near(step.col())? << 8)
            }
            ("tile" | "mirrortile", &[Slot(Object, a), Slot(Grid, b)]) => {
                self.make(Grid, Op::Tile, a, b, u32::from(function.name == "mirrortile"))
            }
            ("paint", &[Slot(Grid, a), Slot(Object, b)]) => self.make(Grid, Op::Paint, a, b, 0),
            ("fill", &[Slot(Grid, a), color, Slot(Indices | Object, b)]) => {
                let color = self.number(color)?;
                self.make(Grid, Op::Fill, a, b, color.into())
            }
            ("canvas", &[color, size]) => {
                let (color, size) = (self.number(color)?, self.pair(size)?);
                self.make(Grid, Op::Canvas, color, size, 0)
            }
            ("ofcolor", &[Slot(Grid, a), color]) => {
                let color = self.number(color)?;
                self.make_loose(Indices, Op::Pick, a, color, 0)
            }
            ("foreground", &[Slot(Grid, a)]) => self.make_loose(Object, Op::Pick, a, 0, 1),
            ("asobject", &[Slot(Grid, a)]) => self.make(Object, Op::Pick, a, 0, 2),
            ("enclosed", &[Slot(Grid, a)]) => {
                let black = self.number(Constant(Value::Int(0)))?;
                let Slot(_, open) = self.make(Indices, Op::Pick, a, black, 0)? else { return None };
                let found = self.make_loose(Indices, Op::Flood, open, 0, 0);
                self.owners[usize::from(open)] = None;
                found
            }
            ("toindices", &[Slot(Indices | Object, a)]) => {
                self.changeable(Indices, a, last[0]).map(|slot| Slot(Indices, slot))
            }
            ("toobject", &[Slot(Indices | Object, a), Slot(Grid, b)]) => {
                self.make_loose(Object, Op::ToObject, a, b, 0)
            }
            ("recolor", &[color, Slot(Indices | Object, a)]) => {
                let color = self.number(color)?;
                self.make(Object, Op::Recolor, a, color, 0)
            }
            (name, &[Slot(Indices | Object, a)]) if frame(name).is_some() => {
                self.make(Indices, Op::Frame, a, 0, frame(name)?)
            }
            ("delta", &[Slot(Indices | Object, a)]) => self.make_loose(Indices, Op::Delta, a, 0, 0),
            ("shift", &[Slot(kind @ (Indices | Object), a), by]) => {
                let by = self.pair(by)?;
                let slot = self.changeable(kind, a, last[0])?;
                self.emit(Op::Shift, 0, slot, by, 0);
                Some(Slot(kind, slot))
            }
            ("normalize", &[Slot(kind @ (Indices | Object), a)]) => {
                let slot = self.changeable(kind, a, last[0])?;
                self.emit(Op::Normalize, 0, slot, 0, 0);
                Some(Slot(kind, slot))
            }
            ("hfrontier" | "vfrontier", &[place]) => {
                let place = self.pair(place)?;
                self.make(Indices, Op::Frontier, place, 0, u32::from(function.name == "vfrontier"))
            }
            ("center", &[Slot(Indices | Object, a)]) => {
                let place = self.take_registers(2)?;
                self.emit(Op::Center, place, a, 0, 0);
                Some(Pair(place))
            }
            ("combine", &[Slot(Indices, a), Slot(Indices, b)]) => self.make(Indices, Op::Join, a, b, 0),
            ("difference", &[Slot(Indices, a), Slot(Indices, b)]) => {
                self.make_loose(Indices, Op::Join, a, b, 1)
            }
            ("intersection", &[Slot(Indices, a), Slot(Indices, b)]) => {
                self.make_loose(Indices, Op::Join, a, b, 2)
            }
            ("mostcolor", &[Slot(kind @ (Grid | Object), a)]) => self.common_color(kind, a, false),
            ("leastcolor", &[Slot(kind @ (Grid | Object), a)]) => self.common_color(kind, a, true),
            ("shape", &[Slot(_, a)]) => Some(Pair(self.box_of(a)? + 2)),
            ("height", &[Slot(_, a)]) => Some(Number(self.box_of(a)? + 2)),
            ("width", &[Slot(_, a)]) => Some(Number(self.box_of(a)? + 3)),
            ("subtract", &[Pair(a), Pair(b)]) => {
                let to = self.take_registers(2)?;
                (0..2).for_each(|k| self.emit(Op::Subtract, to + k, a + k, b + k, 0));
                Some(Pair(to))
            }
            ("halve", &[Pair(a)]) => {
                let to = self.take_registers(2)?;
                (0..2).for_each(|k| self.emit(Op::Halve, to + k, a + k, 0, 0));
                Some(Pair(to))
            }
            ("divide", &[Number(a), Number(b)]) => {
                let to = self.take_registers(1)?;
                self.emit(Op::Divide, to, a, b, 0);
                Some(Number(to))
            }
            ("invert", &[Number(a)]) => {
                let zero = self.number(Constant(Value::Int(0)))?;
                let to = self.take_registers(1)?;
                self.emit(Op::Subtract, to, zero, a, 0);
                Some(Number(to))
            }
            ("toivec" | "tojvec", &[Number(a)]) => {
                let to = self.take_registers(2)?;
                let (used, other) = if function.name == "toivec" { (to, to + 1) } else { (to + 1, to) };
                self.copy_number(used, a)?;
                self.emit(Op::Set, other, 0, 0, 0);
                Some(Pair(to))
            }
            _ => None,
        }
    }
}

/// Returns the parts of a value that instructions copy.
fn parts(kind: Kind) -> u32 {
    match kind {
        Kind::Grid => CELLS,
        Kind::Indices => MASK,
        Kind::Object => CELLS | MASK,
        Kind::Number | Kind::Labels => 0,
    }
}

/// Returns how a primitive turns a picture: 1 transposed, 2 rows reversed, 4 columns reversed.
fn mirror(name: &str) -> Option<u32> {
    Some(match name {
        "hmirror" => 2,
        "vmirror" => 4,
        "dmirror" => 1,
        "cmirror" => 7,
        "rot90" => 3,
        "rot180" => 6,
        "rot270" => 5,
        _ => return None,
    })
}

/// Returns which part of a grid a primitive keeps.
fn cut(name: &str) -> Option<u32> {
    ["tophalf", "bottomhalf", "lefthalf", "righthalf", "trim"]
        .iter()
        .position(|n| *n == name)
        .map(|n| n as u32)
}

/// Returns which places of a box a primitive gives.
fn frame(name: &str) -> Option<u32> {
    ["backdrop", "box", "inbox", "outbox", "corners"].iter().position(|n| *n == name).map(|n| n as u32)
}
