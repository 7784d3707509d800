//! Hash tables with a random key.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

/// A hash table with a random key, so that no text can be made whose names or nodes collide. Only the order
/// inside the table depends on the key, and nothing iterates over it.
pub(crate) type KeyedMap<K, V> = HashMap<K, V, Keyed>;

/// A fast hash for short keys.
///
/// PERF: the hash of the standard library, which is made for longer keys, took an eighth of the parsing time.
#[derive(Clone)]
pub(crate) struct Keyed([u64; 2]);

impl Default for Keyed {
    fn default() -> Keyed {
        let random = RandomState::new();
        // Multiplying by an odd factor is a bijection.
        Keyed([random.hash_one(0), random.hash_one(1) | 1])
    }
}

impl BuildHasher for Keyed {
    type Hasher = KeyedHasher;

    fn build_hasher(&self) -> KeyedHasher {
        KeyedHasher { state: self.0[0], factor: self.0[1] }
    }
}

pub(crate) struct KeyedHasher {
    state: u64,
    factor: u64,
}

impl KeyedHasher {
    fn absorb(&mut self, word: u64) {
        let product = u128::from(self.state ^ word) * u128::from(self.factor);
        // The sum keeps the word if the product is zero.
        self.state = (product as u64 ^ (product >> 64) as u64).wrapping_add(word.rotate_left(32));
    }
}

impl Hasher for KeyedHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.absorb(u64::from_le_bytes(*word));
        }
        // The number of the last bytes is part of the hash, so that trailing zeros matter.
        self.absorb(rest.iter().fold(rest.len() as u64, |word, byte| word << 8 | u64::from(*byte)));
    }

    fn write_u8(&mut self, number: u8) {
        self.absorb(number.into());
    }

    fn write_u16(&mut self, number: u16) {
        self.absorb(number.into());
    }

    fn write_u32(&mut self, number: u32) {
        self.absorb(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.absorb(number);
    }

    fn write_i64(&mut self, number: i64) {
        self.absorb(number as u64);
    }

    fn write_usize(&mut self, number: usize) {
        self.absorb(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.absorb(number as u64);
    }

    fn finish(&self) -> u64 {
        let product = u128::from(self.state) * u128::from(self.factor);
        product as u64 ^ (product >> 64) as u64
    }
}
