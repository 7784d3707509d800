//! The context of a run: memory, fuel, and the only way to call a function value.

use std::sync::atomic::{AtomicBool, Ordering};

use batt_trace::Lane;
use batt_value::{Arena, Caps, Column, Fail, Items, Op, Symbol, Value};

use crate::registry::{Body, Entry, Kernel, Table, registry};
use crate::sig::Cost;

/// The limits of one program on one sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub fuel: u64,
    pub caps: Caps,
}

impl Limits {
    /// Ten times the fuel of the most expensive public solver.
    pub const STANDARD: Limits = Limits { fuel: 40_000_000, caps: Caps::STANDARD };
}

/// Maximum nesting of calls of function values. CPython's own limit is 1,000 frames.
const MAX_CALL_DEPTH: u32 = 900;

/// The context of a run.
pub struct Cx<'a> {
    pub arena: &'a Arena,
    fuel: u64,
    /// Remaining fuel.
    left: u64,
    stop: Option<&'a AtomicBool>,
    depth: u32,
    /// The greatest depth since [`Cx::cached_column`] last set it.
    deepest: u32,
    columns: ColumnCache<'a>,
    failed: Option<&'static Symbol>,
    descending: bool,
    table: &'static Table,
    lane: Option<&'a Lane>,
}

impl<'a> Cx<'a> {
    /// Creates a context. Setting `stop` from outside ends the run with [`Fail::Deadline`].
    pub fn new(arena: &'a Arena, fuel: u64, stop: Option<&'a AtomicBool>) -> Cx<'a> {
        Cx {
            arena,
            fuel,
            left: fuel,
            stop,
            depth: 0,
            deepest: 0,
            columns: ColumnCache { slots: [0; ColumnCache::SIZE], entries: Vec::new() },
            failed: None,
            descending: false,
            table: registry().table(),
            lane: None,
        }
    }

    /// Uses the kernels of `table`.
    pub fn with_table(mut self, table: &'static Table) -> Cx<'a> {
        self.table = table;
        self
    }

    /// Starts the next run in the same arena.
    pub fn start(&mut self, fuel: u64) {
        (self.fuel, self.left) = (fuel, fuel);
        (self.depth, self.deepest) = (0, 0);
        self.failed = None;
    }

    /// Reports every call to `lane`. The table must be a [traced](crate::traced) one.
    pub fn with_lane(self, lane: &'a Lane) -> Cx<'a> {
        Cx { lane: Some(lane), ..self }
    }

    /// Makes sets iterate in descending order. Tests use this to find results that depend on the order.
    pub fn descending(self) -> Cx<'a> {
        Cx { descending: true, ..self }
    }

    /// `for item in value`: the members of a tuple in order, those of a set ascending.
    pub(crate) fn iter(&self, value: Value<'a>) -> Result<Items<'a>, Fail> {
        let value = if self.descending && value.is_set() { self.reversed_set(value)? } else { value };
        value.items(self.arena).ok_or(Fail::Kind)
    }

    /// Returns the members of a set as a tuple, the largest first.
    #[cold]
    fn reversed_set(&self, value: Value<'a>) -> Result<Value<'a>, Fail> {
        let mut items: Vec<_> = value.items(self.arena).ok_or(Fail::Kind)?.collect();
        items.reverse();
        self.arena.tuple(&items)
    }

    /// Returns the fuel used so far.
    pub fn used(&self) -> u64 {
        self.fuel - self.left
    }

    /// Returns the remaining fuel.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// Returns the flag that ends the run.
    pub(crate) fn stop(&self) -> Option<&'a AtomicBool> {
        self.stop
    }

    #[inline(always)]
    fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Returns why work that was limited by fuel and the stop flag did not finish. Unless the run was
    /// stopped, this uses up the remaining fuel.
    pub(crate) fn cut_short(&mut self) -> Fail {
        if self.is_stopped() {
            return Fail::Deadline;
        }
        self.left = 0;
        Fail::Fuel
    }

    /// Returns the primitive in which the first failure occurred.
    pub fn failed(&self) -> Option<&'static Symbol> {
        self.failed
    }

    /// Takes `amount` from the fuel. Fails if there is less, and then all fuel counts as used.
    #[inline]
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

    /// Takes `amount` from the fuel. Returns `None`, and takes nothing, if there is less or the run was
    /// stopped.
    #[inline(always)]
    pub fn spend(&mut self, amount: u64) -> Option<()> {
        if self.is_stopped() {
            return None;
        }
        self.left = self.left.checked_sub(amount)?;
        Some(())
    }

    /// Calls `trial`. If it returns `None`, restores fuel, depth and failure.
    pub fn attempt<T>(&mut self, trial: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let (left, depth, failed) = (self.left, self.depth, self.failed);
        let result = trial(self);
        if result.is_none() {
            (self.left, self.depth, self.failed) = (left, depth, failed);
        }
        result
    }

    /// Returns the column of `make`, from the cache if it was made before. A cached column charges the same
    /// fuel and counts as the same call depth.
    pub fn cached_column(
        &mut self,
        key: [usize; 3],
        make: impl FnOnce(&mut Self) -> Option<Column<'a>>,
    ) -> Option<Column<'a>> {
        if let Some(&CachedColumn { column, cost, depth, .. }) = self.columns.get(key) {
            if self.depth + depth > MAX_CALL_DEPTH {
                return None;
            }
            self.deepest = self.deepest.max(self.depth + depth);
            self.spend(cost)?;
            return Some(column);
        }
        let (left, deepest) = (self.left, self.deepest);
        self.deepest = self.depth;
        let column = make(self);
        let depth = self.deepest - self.depth;
        self.deepest = self.deepest.max(deepest);
        let column = column?;
        self.columns.add(CachedColumn { key, column, cost: left - self.left, depth });
        Some(column)
    }

    /// Caches a column that costs no fuel.
    pub fn store_column(&mut self, key: [usize; 3], column: Column<'a>) {
        self.columns.add(CachedColumn { key, column, cost: 0, depth: 0 });
    }

    /// Returns a cached column, without charging for it.
    pub fn stored_column(&self, key: [usize; 3]) -> Option<Column<'a>> {
        self.columns.get(key).map(|cached| cached.column)
    }

    /// Returns the entry of a primitive in the table, without tracing.
    pub fn entry(&self, symbol: &'static Symbol) -> &'static Entry {
        match &self.table[usize::from(symbol.id)] {
            Entry { kernel: Some(Kernel::Traced(entry)), .. } => entry,
            entry => entry,
        }
    }

    /// Makes `n` calls of a primitive at once, and reports them to the recorder if they succeed.
    #[inline]
    pub fn count_calls<T>(
        &mut self,
        symbol: &'static Symbol,
        n: usize,
        calls: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        let Some(lane) = self.lane else { return calls(self) };
        let call = lane.enter_call(symbol.id, self.left);
        let result = calls(self);
        lane.exit_calls(call, symbol.id, self.left, if result.is_some() { n as u64 } else { 0 });
        result
    }

    /// Starts `n` parallel calls of a closure: charges for them and increases the depth. [`Cx::leave`] ends
    /// them.
    pub fn enter_many(&mut self, n: usize) -> Option<()> {
        if self.depth == MAX_CALL_DEPTH {
            return None;
        }
        self.spend(n as u64)?;
        self.increase_depth();
        Some(())
    }

    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Calls a primitive as a node of a plan. A recorder already knows the node, so only the calls inside it
    /// are reported.
    pub fn call_node(&mut self, symbol: &'static Symbol, args: &[Value<'a>]) -> Result<Value<'a>, Fail> {
        let entry = self.entry(symbol);
        match *args {
            [x] => self.primitive_by(symbol, entry, [x]),
            [x, y] => self.primitive_by(symbol, entry, [x, y]),
            _ => self.primitive_by(symbol, entry, args),
        }
    }

    /// Calls a function value. Fails with [`Fail::Kind`] on any other value or a wrong number of arguments.
    pub fn call(&mut self, function: Value<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Fail> {
        match *args {
            [x] => self.call1(function, x),
            [x, y] => self.call2(function, x, y),
            _ => self.call_many(function, args),
        }
    }

    /// Calls a function value on one argument.
    pub fn call1(&mut self, function: Value<'a>, x: Value<'a>) -> Result<Value<'a>, Fail> {
        match function {
            Value::Prim(symbol) => self.primitive(symbol, [x]),
            Value::Func(closure) if closure.arity == 1 => {
                self.enter()?;
                let result = match (closure.op, closure.captured) {
                    (Op::Compose, &[outer, inner]) => self.call1(inner, x).and_then(|x| self.call1(outer, x)),
                    (Op::Chain, &[h, g, f]) => {
                        let x = self.call1(f, x).and_then(|x| self.call1(g, x));
                        x.and_then(|x| self.call1(h, x))
                    }
                    (Op::Fork, &[outer, a, b]) => self.call1(a, x).and_then(|a| {
                        let b = self.call1(b, x)?;
                        self.call2(outer, a, b)
                    }),
                    (Op::Matcher, &[function, target]) => self.call1(function, x).and_then(|x| {
                        self.charge(u64::from(x.weight().min(target.weight())))?;
                        Ok(batt_value::order::equal(x, target).into())
                    }),
                    (Op::Lbind, &[function, fixed]) => self.call2(function, fixed, x),
                    (Op::Rbind, &[function, fixed]) => self.call2(function, x, fixed),
                    (Op::Learned, &[learner, option, detail, samples]) => {
                        crate::lesson::apply(self, learner, option, detail, samples, x)
                    }
                    _ => unreachable!("a closure holds as many values as its combinator takes"),
                };
                self.depth -= 1;
                result
            }
            _ => Err(Fail::Kind),
        }
    }

    /// Calls a function value on two arguments.
    pub fn call2(&mut self, function: Value<'a>, x: Value<'a>, y: Value<'a>) -> Result<Value<'a>, Fail> {
        match function {
            Value::Prim(symbol) => self.primitive(symbol, [x, y]),
            _ => self.call_many(function, &[x, y]),
        }
    }

    /// Calls `function` on one argument and charges for keeping or comparing the result.
    pub fn collect(&mut self, function: Value<'a>, arg: Value<'a>) -> Result<Value<'a>, Fail> {
        let result = self.call1(function, arg)?;
        self.charge(result.weight().into())?;
        Ok(result)
    }

    /// Starts the call of a closure: charges for it and increases the depth.
    fn enter(&mut self) -> Result<(), Fail> {
        if self.depth == MAX_CALL_DEPTH {
            return Err(Fail::TooLarge);
        }
        self.charge(1)?;
        self.increase_depth();
        Ok(())
    }

    fn increase_depth(&mut self) {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
    }

    fn call_many(&mut self, function: Value<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Fail> {
        match function {
            Value::Prim(symbol) => self.primitive(symbol, args),
            Value::Func(closure) if usize::from(closure.arity) == args.len() => {
                self.enter()?;
                let result = match (closure.op, closure.captured, args) {
                    (Op::Lbind, &[function, fixed], &[y, z]) => self.call(function, &[fixed, y, z]),
                    (Op::Lbind, &[function, fixed], &[y, z, a]) => self.call(function, &[fixed, y, z, a]),
                    (Op::Rbind, &[function, fixed], &[x, y]) => self.call(function, &[x, y, fixed]),
                    (Op::Rbind, &[function, fixed], &[x, y, z]) => self.call(function, &[x, y, z, fixed]),
                    _ => unreachable!("only binding makes functions of several arguments"),
                };
                self.depth -= 1;
                result
            }
            _ => Err(Fail::Kind),
        }
    }

    /// Calls a primitive on any number of arguments, even a wrong one.
    fn primitive(
        &mut self,
        symbol: &'static Symbol,
        args: impl AsRef<[Value<'a>]> + Copy,
    ) -> Result<Value<'a>, Fail> {
        self.primitive_by(symbol, &self.table[usize::from(symbol.id)], args)
    }

    /// Calls a primitive through its entry. `args` is an array if their number is known, so that these calls
    /// are compiled separately; otherwise a slice.
    #[inline(always)]
    pub fn primitive_by(
        &mut self,
        symbol: &'static Symbol,
        entry: &'static Entry,
        args: impl AsRef<[Value<'a>]> + Copy,
    ) -> Result<Value<'a>, Fail> {
        let quick = match (entry.kernel, args.as_ref()) {
            (Some(Kernel::Q1(quick)), &[x]) => quick(self, x),
            (Some(Kernel::Q2(quick)), &[x, y]) => quick(self, x, y),
            _ => None,
        };
        match quick {
            Some(value) => Ok(value),
            None => self.primitive_charged(symbol, entry, args),
        }
    }

    /// Calls a primitive without its quick kernel.
    #[inline(never)]
    fn primitive_charged(
        &mut self,
        symbol: &'static Symbol,
        entry: &'static Entry,
        args: impl AsRef<[Value<'a>]> + Copy,
    ) -> Result<Value<'a>, Fail> {
        if let Some(Kernel::Traced(entry)) = entry.kernel {
            return self.traced(symbol, |cx| cx.primitive_by(symbol, entry, args));
        }
        let args = args.as_ref();
        let result = self.charged(entry.cost, args, |cx| {
            let known = match (entry.kernel, args) {
                (Some(Kernel::K1(kernel)), &[a]) => kernel(cx, a),
                (Some(Kernel::K2(kernel)), &[a, b]) => kernel(cx, a, b),
                (Some(Kernel::K3(kernel)), &[a, b, c]) => kernel(cx, a, b, c),
                (Some(Kernel::K4(kernel)), &[a, b, c, d]) => kernel(cx, a, b, c, d),
                _ => None,
            };
            known.unwrap_or_else(|| match (entry.body, args) {
                (Body::F1(body), &[a]) => body(cx, a),
                (Body::F2(body), &[a, b]) => body(cx, a, b),
                (Body::F3(body), &[a, b, c]) => body(cx, a, b, c),
                (Body::F4(body), &[a, b, c, d]) => body(cx, a, b, c, d),
                _ => Err(Fail::Kind),
            })
        });
        self.record_failure(symbol, result)
    }

    /// Reports a call to the recorder. Only a traced table leads here, so a run without a recorder does not
    /// check for one at every call.
    fn traced(
        &mut self,
        symbol: &'static Symbol,
        run: impl FnOnce(&mut Self) -> Result<Value<'a>, Fail>,
    ) -> Result<Value<'a>, Fail> {
        let Some(lane) = self.lane else { return run(self) };
        let call = lane.enter_call(symbol.id, self.left);
        let result = run(self);
        lane.exit_calls(call, symbol.id, self.left, 1);
        result
    }

    /// Records the primitive of the first failure.
    #[inline]
    fn record_failure(
        &mut self,
        symbol: &'static Symbol,
        result: Result<Value<'a>, Fail>,
    ) -> Result<Value<'a>, Fail> {
        if result.is_err() && self.failed.is_none() {
            self.failed = Some(symbol);
        }
        result
    }

    /// Calls `run` and charges `cost` for it.
    #[inline]
    fn charged(
        &mut self,
        cost: Cost,
        args: &[Value<'a>],
        run: impl FnOnce(&mut Self) -> Result<Value<'a>, Fail>,
    ) -> Result<Value<'a>, Fail> {
        if self.is_stopped() {
            return Err(Fail::Deadline);
        }
        self.charge(cost.before(args))?;
        let result = run(self)?;
        self.charge(cost.after(result))?;
        Ok(result)
    }
}

/// A cache of computed columns, by the addresses of what they were computed from. Programs often call the
/// same function on the same argument more than once. An address identifies a value as long as its arena
/// lives.
struct ColumnCache<'a> {
    /// Index of the entry plus one, by a hash of its key. A newer entry replaces an older one.
    slots: [u8; ColumnCache::SIZE],
    entries: Vec<CachedColumn<'a>>,
}

#[derive(Clone, Copy)]
struct CachedColumn<'a> {
    key: [usize; 3],
    column: Column<'a>,
    /// Fuel that computing it used.
    cost: u64,
    /// Call depth that computing it reached.
    depth: u32,
}

impl<'a> ColumnCache<'a> {
    /// Picked by feel.
    const SIZE: usize = 64;

    fn hash([function, column, _]: [usize; 3]) -> usize {
        (function / 8).wrapping_mul(7).wrapping_add(column / 8) % ColumnCache::SIZE
    }

    fn get(&self, key: [usize; 3]) -> Option<&CachedColumn<'a>> {
        let index = usize::from(self.slots[ColumnCache::hash(key)]).checked_sub(1)?;
        self.entries.get(index).filter(|entry| entry.key == key)
    }

    fn add(&mut self, entry: CachedColumn<'a>) {
        let slot = &mut self.slots[ColumnCache::hash(entry.key)];
        match usize::from(*slot).checked_sub(1) {
            Some(index) => self.entries[index] = entry,
            None => {
                self.entries.push(entry);
                *slot = self.entries.len() as u8;
            }
        }
    }
}

impl Cost {
    /// Returns the cost of the arguments, charged before the work.
    #[inline(always)]
    fn before(self, args: &[Value<'_>]) -> u64 {
        let weights = args.iter().map(|arg| u64::from(arg.weight()));
        match self {
            Cost::Constant => 1,
            Cost::Closure => 4,
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

    /// Returns the cost of the result, charged after the work.
    #[inline(always)]
    fn after(self, result: Value<'_>) -> u64 {
        match self {
            Cost::Constant | Cost::Closure | Cost::PerCall => 0,
            Cost::PerCell | Cost::PerPair => result.weight().into(),
        }
    }
}
