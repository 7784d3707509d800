//! What a body works with: memory, the meter, and the only way to call a function value.

use std::sync::atomic::{AtomicBool, Ordering};

use batt_value::{Arena, Caps, Fail, Items, Op, Symbol, Value};

use crate::registry::{Body, registry};
use crate::sig::Cost;

/// What one program may use on one sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub fuel: u64,
    pub caps: Caps,
}

impl Limits {
    /// Ten times what the dearest public solver needs.
    pub const STANDARD: Limits = Limits { fuel: 40_000_000, caps: Caps::STANDARD };
}

/// Function values may call each other this deep. CPython's own limit is 1,000 frames.
const MAX_CALL_DEPTH: u32 = 900;

/// The context of a run.
pub struct Cx<'a> {
    pub arena: &'a Arena,
    fuel: u64,
    left: u64,
    stop: Option<&'a AtomicBool>,
    depth: u32,
    failed: Option<&'static Symbol>,
    descending: bool,
}

impl<'a> Cx<'a> {
    /// `stop`, once set from outside, ends the run with [`Fail::Deadline`].
    pub fn new(arena: &'a Arena, fuel: u64, stop: Option<&'a AtomicBool>) -> Cx<'a> {
        Cx { arena, fuel, left: fuel, stop, depth: 0, failed: None, descending: false }
    }

    /// Lets sets iterate from their largest member to their smallest, to find out what depends on their order.
    pub fn descending(self) -> Cx<'a> {
        Cx { descending: true, ..self }
    }

    /// `for item in value`: the members of a tuple in order, of a set ascending.
    pub(crate) fn iter(&self, value: Value<'a>) -> Result<Items<'a>, Fail> {
        let value = if self.descending && value.is_set() { self.reversed_set(value)? } else { value };
        value.items(self.arena).ok_or(Fail::Kind)
    }

    /// A set's members as a tuple, the largest first.
    #[cold]
    fn reversed_set(&self, value: Value<'a>) -> Result<Value<'a>, Fail> {
        let mut items: Vec<_> = value.items(self.arena).ok_or(Fail::Kind)?.collect();
        items.reverse();
        self.arena.tuple(&items)
    }

    /// Fuel used so far.
    pub fn used(&self) -> u64 {
        self.fuel - self.left
    }

    /// The primitive in which the first failure arose.
    pub fn failed(&self) -> Option<&'static Symbol> {
        self.failed
    }

    /// Takes `amount` from the fuel. When it is used up the bill stands at the whole fuel.
    pub fn charge(&mut self, amount: u64) -> Result<(), Fail> {
        match self.left.checked_sub(amount) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = 0;
                Err(Fail::Fuel)
            }
        }
    }

    /// Calls a function value. Anything else, or a wrong number of arguments, is of the wrong kind.
    pub fn call(&mut self, function: Value<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Fail> {
        if self.depth == MAX_CALL_DEPTH {
            return Err(Fail::TooLarge);
        }
        self.depth += 1;
        let result = match function {
            Value::Prim(symbol) => self.call_primitive(symbol, args),
            Value::Func(closure) if usize::from(closure.arity) == args.len() => {
                self.charge(1).and_then(|()| self.call_closure(closure.op, closure.held, args))
            }
            _ => Err(Fail::Kind),
        };
        self.depth -= 1;
        result
    }

    /// Calls `function` on one argument and pays for keeping or comparing the result.
    pub fn collect(&mut self, function: Value<'a>, arg: Value<'a>) -> Result<Value<'a>, Fail> {
        let result = self.call(function, &[arg])?;
        self.charge(result.weight().into())?;
        Ok(result)
    }

    fn call_closure(&mut self, op: Op, held: &[Value<'a>], args: &[Value<'a>]) -> Result<Value<'a>, Fail> {
        match (op, held, args) {
            (Op::Compose, &[outer, inner], &[x]) => {
                let x = self.call(inner, &[x])?;
                self.call(outer, &[x])
            }
            (Op::Chain, &[h, g, f], &[x]) => {
                let x = self.call(f, &[x])?;
                let x = self.call(g, &[x])?;
                self.call(h, &[x])
            }
            (Op::Fork, &[outer, a, b], &[x]) => {
                let a = self.call(a, &[x])?;
                let b = self.call(b, &[x])?;
                self.call(outer, &[a, b])
            }
            (Op::Matcher, &[function, target], &[x]) => {
                let x = self.call(function, &[x])?;
                self.charge(u64::from(x.weight().min(target.weight())))?;
                Ok(batt_value::order::equal(x, target).into())
            }
            (Op::Lbind, &[function, fixed], &[y]) => self.call(function, &[fixed, y]),
            (Op::Lbind, &[function, fixed], &[y, z]) => self.call(function, &[fixed, y, z]),
            (Op::Lbind, &[function, fixed], &[y, z, a]) => self.call(function, &[fixed, y, z, a]),
            (Op::Rbind, &[function, fixed], &[x]) => self.call(function, &[x, fixed]),
            (Op::Rbind, &[function, fixed], &[x, y]) => self.call(function, &[x, y, fixed]),
            (Op::Rbind, &[function, fixed], &[x, y, z]) => self.call(function, &[x, y, z, fixed]),
            _ => unreachable!("a closure holds and takes as many values as its combinator says"),
        }
    }

    /// Calls a primitive and charges for it.
    fn call_primitive(&mut self, symbol: &'static Symbol, args: &[Value<'a>]) -> Result<Value<'a>, Fail> {
        let primitive = registry().by_symbol(symbol);
        let result = self.charged(primitive.cost, args, |cx| match (primitive.body, args) {
            (Body::F1(body), &[a]) => body(cx, a),
            (Body::F2(body), &[a, b]) => body(cx, a, b),
            (Body::F3(body), &[a, b, c]) => body(cx, a, b, c),
            (Body::F4(body), &[a, b, c, d]) => body(cx, a, b, c, d),
            _ => Err(Fail::Kind),
        });
        if result.is_err() && self.failed.is_none() {
            self.failed = Some(symbol);
        }
        result
    }

    fn charged(
        &mut self,
        cost: Cost,
        args: &[Value<'a>],
        run: impl FnOnce(&mut Self) -> Result<Value<'a>, Fail>,
    ) -> Result<Value<'a>, Fail> {
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(Fail::Deadline);
        }
        self.charge(cost.before(args))?;
        let result = run(self)?;
        self.charge(cost.after(result))?;
        Ok(result)
    }
}

impl Cost {
    /// What the arguments cost, charged before the work.
    fn before(self, args: &[Value<'_>]) -> u64 {
        let weights = args.iter().map(|arg| match arg {
            Value::Prim(_) | Value::Func(_) => 0,
            other => u64::from(other.weight()),
        });
        match self {
            Cost::Constant => 1,
            Cost::PerCell | Cost::PerCall => 1 + weights.sum::<u64>(),
            Cost::PerPair => {
                let (mut first, mut second, mut sum) = (0, 0, 0);
                for weight in weights {
                    sum += weight;
                    second = second.max(weight.min(first));
                    first = first.max(weight);
                }
                1 + sum + first * second / 64
            }
        }
    }

    /// What the result costs, charged after the work.
    fn after(self, result: Value<'_>) -> u64 {
        match self {
            Cost::Constant | Cost::PerCall => 0,
            Cost::PerCell | Cost::PerPair => result.weight().into(),
        }
    }
}
