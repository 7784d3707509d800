//! Values outside a run: canonical bytes, shared, with their hash.

use std::sync::Arc;

use crate::{Arena, Bool, Fail, Op, Symbol, Value};

/// A value that outlives its arena: immutable, shared, with its hash. Two are equal if the values are
/// [identical](crate::order::identical).
#[derive(Clone)]
pub struct Owned {
    bytes: Arc<[u8]>,
    hash: u64,
}

impl Owned {
    pub fn new(value: Value<'_>) -> Owned {
        let mut bytes = Vec::new();
        encode(value, &mut bytes);
        let hash = rapidhash::v3::rapidhash_v3(&bytes);
        Owned { bytes: bytes.into(), hash }
    }

    /// Loads the value into an arena. `names` finds primitives.
    pub fn load<'a>(
        &self,
        arena: &'a Arena,
        names: &dyn Fn(&str) -> Option<&'static Symbol>,
    ) -> Result<Value<'a>, Fail> {
        let mut reader = Reader { bytes: Bytes(&self.bytes), arena, names };
        let value = reader.value()?;
        debug_assert!(reader.bytes.0.is_empty(), "all bytes are read");
        Ok(value)
    }

    /// Returns the width and the cells, if the value is a non-empty rectangle of small integers. `True`
    /// counts as 1, as in Python.
    pub fn rectangle(&self) -> Option<(usize, Vec<i8>)> {
        let mut bytes = Bytes(&self.bytes);
        let (mut width, mut cells) = (None, Vec::new());
        for _ in 0..bytes.tuple()? {
            let n = bytes.tuple()?;
            if n == 0 || *width.get_or_insert(n) != n {
                return None;
            }
            for _ in 0..n {
                cells.push(bytes.small_int()?);
            }
        }
        Some((width? as usize, cells))
    }

    /// Returns the content hash, which is the same on all machines, versions and runs.
    pub fn content_hash(&self) -> ContentHash {
        ContentHash::of(&self.bytes)
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl PartialEq for Owned {
    fn eq(&self, other: &Owned) -> bool {
        self.hash == other.hash && self.bytes == other.bytes
    }
}

impl Eq for Owned {}

impl std::hash::Hash for Owned {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl std::fmt::Debug for Owned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Owned({})", self.content_hash())
    }
}

/// A persistent key: the BLAKE3 hash of canonical bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    pub fn of(bytes: &[u8]) -> ContentHash {
        ContentHash(*blake3::hash(bytes).as_bytes())
    }

    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Parses 64 hexadecimal digits.
    pub fn parse(digits: &str) -> Option<ContentHash> {
        let mut bytes = [0; 32];
        if digits.len() != 64 || !digits.is_ascii() {
            return None;
        }
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).ok()?;
        }
        Some(ContentHash(bytes))
    }
}

impl std::fmt::Display for ContentHash {
    /// Writes 64 hexadecimal digits, or fewer with a precision (`{:.12}`).
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // PERF: formatting byte by byte took 8 % of the instructions of `batt run --record`.
        let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
        let digits: String = self.0.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect();
        f.pad(&digits)
    }
}

impl std::fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:.12}")
    }
}

// The encoding ignores forms: a grid is a tuple of tuples of integers. Small integers take one byte.
const NONE: u8 = 0xf0;
const FALSE: u8 = 0xf1;
const TRUE: u8 = 0xf2;
const INT: u8 = 0xf3; // then the zigzag integer
const TUPLE: u8 = 0xf4; // then the length and the members
const SET: u8 = 0xf5; // likewise, ascending
const PRIM: u8 = 0xf6; // then the length and the bytes of the name
const FUNC: u8 = 0xf7; // then the combinator's index in `Op::ALL` and the captured values
const SMALL: std::ops::Range<i64> = -16..0xe0; // stored as value + 16

/// Appends the canonical bytes of `value`.
pub fn encode(value: Value<'_>, out: &mut Vec<u8>) {
    match value {
        Value::None => out.push(NONE),
        Value::Bool(Bool::False) => out.push(FALSE),
        Value::Bool(Bool::True) => out.push(TRUE),
        Value::Int(int) => encode_int(int, out),
        Value::Pair(pair) => {
            out.extend([TUPLE, 2]);
            encode_int(pair.row(), out);
            encode_int(pair.col(), out);
        }
        Value::Cell(cell) => {
            out.extend([TUPLE, 2]);
            encode_int(cell.color(), out);
            encode(Value::Pair(cell.place()), out);
        }
        Value::Row(row) => encode_row(row.cells, out),
        Value::Grid(grid) => {
            out.push(TUPLE);
            encode_number(grid.height() as u64, out);
            grid.rows().for_each(|row| encode_row(row, out));
        }
        Value::Tuple(tuple) => encode_members(TUPLE, tuple.items, out),
        Value::Patch(patch) => {
            out.push(SET);
            encode_number(patch.count() as u64, out);
            patch.iter().for_each(|cell| encode(cell, out));
        }
        Value::Set(set) => encode_members(SET, set.items, out),
        Value::Prim(symbol) => {
            out.push(PRIM);
            encode_number(symbol.name.len() as u64, out);
            out.extend(symbol.name.as_bytes());
        }
        Value::Func(closure) => {
            out.extend([FUNC, closure.op as u8]);
            closure.captured.iter().for_each(|captured| encode(*captured, out));
        }
    }
}

fn encode_members(tag: u8, items: &[Value<'_>], out: &mut Vec<u8>) {
    out.push(tag);
    encode_number(items.len() as u64, out);
    items.iter().for_each(|item| encode(*item, out));
}

fn encode_row(cells: &[i8], out: &mut Vec<u8>) {
    out.push(TUPLE);
    encode_number(cells.len() as u64, out);
    cells.iter().for_each(|&cell| encode_int(cell.into(), out));
}

fn encode_int(int: i64, out: &mut Vec<u8>) {
    if SMALL.contains(&int) {
        out.push((int + 16) as u8);
    } else {
        out.push(INT);
        encode_number(((int << 1) ^ (int >> 63)) as u64, out);
    }
}

/// Appends seven bits per byte, lowest first.
fn encode_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

struct Reader<'r, 'a> {
    bytes: Bytes<'r>,
    arena: &'a Arena,
    names: &'r dyn Fn(&str) -> Option<&'static Symbol>,
}

// Only `encode` makes these bytes, so malformed ones are a bug. A name may be unknown to an older engine.
impl<'a> Reader<'_, 'a> {
    fn value(&mut self) -> Result<Value<'a>, Fail> {
        Ok(match self.bytes.byte()? {
            NONE => Value::None,
            FALSE => Value::FALSE,
            TRUE => Value::TRUE,
            INT => Value::Int(self.bytes.int()?),
            TUPLE => {
                let items = self.values()?;
                self.arena.tuple(&items)?
            }
            SET => {
                let items = self.values()?;
                self.arena.set(&items)?
            }
            PRIM => {
                let n = self.bytes.number()? as usize;
                let (name, rest) = self.bytes.0.split_at_checked(n).ok_or(Fail::Bug)?;
                self.bytes.0 = rest;
                let name = std::str::from_utf8(name).map_err(|_| Fail::Bug)?;
                Value::Prim((self.names)(name).ok_or(Fail::Kind)?)
            }
            FUNC => {
                let op = *Op::ALL.get(self.bytes.byte()? as usize).ok_or(Fail::Bug)?;
                let captured = (0..op.n_captured()).map(|_| self.value()).collect::<Result<Vec<_>, _>>()?;
                self.arena.closure(op, &captured)?
            }
            small => Value::Int(i64::from(small) + SMALL.start),
        })
    }

    fn values(&mut self) -> Result<Vec<Value<'a>>, Fail> {
        let n = self.bytes.number()? as usize;
        if n > self.bytes.0.len() {
            return Err(Fail::Bug);
        }
        (0..n).map(|_| self.value()).collect()
    }
}

/// The bytes that are still to be read.
struct Bytes<'r>(&'r [u8]);

impl Bytes<'_> {
    fn byte(&mut self) -> Result<u8, Fail> {
        let (first, rest) = self.0.split_first().ok_or(Fail::Bug)?;
        self.0 = rest;
        Ok(*first)
    }

    /// Reads an integer after its tag.
    fn int(&mut self) -> Result<i64, Fail> {
        let zigzag = self.number()?;
        Ok((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
    }

    /// Reads the length of a tuple, if one comes next.
    fn tuple(&mut self) -> Option<u64> {
        if self.byte().ok()? == TUPLE { self.number().ok() } else { None }
    }

    /// Reads a small integer or a boolean, if one comes next.
    fn small_int(&mut self) -> Option<i8> {
        let int = match self.byte().ok()? {
            FALSE => 0,
            TRUE => 1,
            INT => self.int().ok()?,
            small => i64::from(small) + SMALL.start,
        };
        i8::try_from(int).ok()
    }

    fn number(&mut self) -> Result<u64, Fail> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Fail::Bug)
    }
}
