//! The backends. Tests compare the CPU backend with the simple reference backend.

pub(crate) mod cpu;
mod fold;
pub(crate) mod reference;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::{Mutex, Once, PoisonError};

use batt_dsl::Cx;
use batt_lang::Op;
use batt_value::{Fail, Value};

/// Computes a node from its arguments. Inputs are not computed.
fn compute<'a>(op: &Op, args: &[Value<'a>], cx: &mut Cx<'a>) -> Result<Value<'a>, Fail> {
    match op {
        Op::Input | Op::Samples => Err(Fail::Bug),
        Op::Const(literal) => literal.value(cx.arena),
        Op::Prim(symbol) => Ok(Value::Prim(symbol)),
        Op::Call(symbol) => cx.call_node(symbol, args),
        Op::Apply => match args {
            [function, args @ ..] => cx.call(*function, args),
            [] => Err(Fail::Bug),
        },
        Op::Tuple => {
            // A tuple of rows copies them, so their weight is charged first.
            cx.charge(1 + args.iter().map(|arg| u64::from(arg.weight())).sum::<u64>())?;
            cx.arena.tuple(args)
        }
    }
}

thread_local! {
    /// Whether a panic on this thread is caught and becomes an outcome.
    static CATCHING: Cell<bool> = const { Cell::new(false) };
}

/// Messages of caught panics by source location. One message per location keeps it bounded.
static BUGS: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// Returns the panics that were caught in this process, as `location: message`. Each is a bug in the engine.
/// Nothing is printed during a run; the caller reports them at the end.
pub fn bugs() -> Vec<String> {
    let bugs = BUGS.lock().unwrap_or_else(PoisonError::into_inner);
    bugs.iter().map(|(location, message)| format!("{location}: {message}")).collect()
}

/// Runs `work` and turns a panic into [`Fail::Bug`], so that the rest of the batch continues. The panic is
/// added to [`bugs`].
pub fn catch_panic<T>(work: impl FnOnce() -> Result<T, Fail>) -> Result<T, Fail> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let default_hook = take_hook();
        set_hook(Box::new(move |info| if CATCHING.get() { record_bug(info) } else { default_hook(info) }));
    });
    let outer = CATCHING.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    CATCHING.set(outer);
    result.unwrap_or(Err(Fail::Bug))
}

fn record_bug(info: &PanicHookInfo<'_>) {
    let location = info.location().map_or_else(|| "unknown location".to_owned(), ToString::to_string);
    let payload = info.payload();
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let message = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned();
    BUGS.lock().unwrap_or_else(PoisonError::into_inner).entry(location).or_insert(message);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_failure_and_is_recorded_once() {
        for round in 0..3 {
            assert_eq!(catch_panic::<()>(|| panic!("round {round}")).err(), Some(Fail::Bug));
        }
        assert_eq!(catch_panic(|| Ok(Value::Int(3))).ok().and_then(|value| value.as_int()), Some(3));
        let bugs = bugs();
        assert_eq!(bugs.len(), 1, "{bugs:?}");
        assert!(bugs[0].contains("backend") && bugs[0].ends_with(": round 0"), "{bugs:?}");
        assert!(!CATCHING.get());
    }
}
