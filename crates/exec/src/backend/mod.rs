//! Ways to run. The reference backend is the oracle of all others.

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

/// What a node computes from its arguments. Inputs are not computed.
fn node<'a>(op: &Op, args: &[Value<'a>], cx: &mut Cx<'a>) -> Result<Value<'a>, Fail> {
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
            // A tuple of rows copies them, so what they weigh is paid before.
            cx.charge(1 + args.iter().map(|arg| u64::from(arg.weight())).sum::<u64>())?;
            cx.arena.tuple(args)
        }
    }
}

thread_local! {
    /// Whether a panic on this thread is caught and becomes an outcome.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// What panicked, by its place in the source. A place is noted once, so this cannot grow without bound.
static BUGS: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// The bugs of ours that this process has met while it ran programs, as `place: message`. Whoever runs programs tells
/// them at the end: during a run nothing is printed.
pub fn bugs() -> Vec<String> {
    let bugs = BUGS.lock().unwrap_or_else(PoisonError::into_inner);
    bugs.iter().map(|(place, message)| format!("{place}: {message}")).collect()
}

/// A panic is our bug: it becomes the failure of a piece of work, spares the rest of the batch and is noted in
/// [`bugs`].
pub fn caught<T>(work: impl FnOnce() -> Result<T, Fail>) -> Result<T, Fail> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |info| if CAUGHT.get() { note(info) } else { usual(info) }));
    });
    let outer = CAUGHT.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    CAUGHT.set(outer);
    result.unwrap_or(Err(Fail::Bug))
}

fn note(info: &PanicHookInfo<'_>) {
    let place = info.location().map_or_else(|| "somewhere".to_owned(), ToString::to_string);
    let payload = info.payload();
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let message = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned();
    BUGS.lock().unwrap_or_else(PoisonError::into_inner).entry(place).or_insert(message);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_failure_and_is_noted_once() {
        for round in 0..3 {
            assert_eq!(caught::<()>(|| panic!("round {round}")).err(), Some(Fail::Bug));
        }
        assert_eq!(caught(|| Ok(Value::Int(3))).ok().and_then(|value| value.as_int()), Some(3));
        let bugs = bugs();
        assert_eq!(bugs.len(), 1, "{bugs:?}");
        assert!(bugs[0].contains("backend") && bugs[0].ends_with(": round 0"), "{bugs:?}");
        assert!(!CAUGHT.get());
    }
}
