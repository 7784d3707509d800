//! Enough stack for deep recursion.

/// The deepest programs need less than 1 MB of stack in a release build, and less than 3 MB without optimisation.
const NEEDED: usize = 4 << 20;
const NEW_STACK: usize = 16 << 20;

/// Calls `work` with at least 4 MB of stack: on this stack if enough is left, otherwise on a new one. Threads of a host
/// program, such as those of Python, may have as little as 64 KB.
pub fn with_enough_stack<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(NEEDED, NEW_STACK, work)
}
