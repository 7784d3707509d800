//! Rules and samples, kept by content.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use batt_learn::{Demos, Learner};
use batt_value::Owned;

use super::Lesson;

/// The number of lists of rules that are kept. They are small.
const MAX_LESSONS: usize = 4096;
/// The number of sets of samples that are kept with their features. They are large, up to tens of megabytes.
const MAX_DEMOS: usize = 24;

static CACHE: LazyLock<Mutex<Cache>> = LazyLock::new(|| {
    Mutex::new(Cache { lessons: Bounded::new(MAX_LESSONS), demos: Bounded::new(MAX_DEMOS) })
});

pub(super) fn cache() -> MutexGuard<'static, Cache> {
    // A learner that panicked held no lock, so the cache is intact.
    CACHE.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) struct Cache {
    pub lessons: Bounded<(Learner, Owned), Lesson>,
    pub demos: Bounded<Owned, Demos>,
}

/// A map that forgets its oldest entries.
pub(super) struct Bounded<K, V> {
    max: usize,
    map: HashMap<K, Arc<V>>,
    order: VecDeque<K>,
}

impl<K: std::hash::Hash + Eq + Clone, V> Bounded<K, V> {
    fn new(max: usize) -> Self {
        Bounded { max, map: HashMap::new(), order: VecDeque::new() }
    }

    pub(super) fn get(&self, key: &K) -> Option<Arc<V>> {
        self.map.get(key).cloned()
    }

    pub(super) fn insert(&mut self, key: K, value: Arc<V>) {
        if self.map.insert(key.clone(), value).is_none() {
            self.order.push_back(key);
        }
        if self.order.len() > self.max
            && let Some(first) = self.order.pop_front()
        {
            self.map.remove(&first);
        }
    }
}
