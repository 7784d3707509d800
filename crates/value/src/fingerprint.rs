//! Fingerprints: hashes by which a search recognises equal values.
//!
//! The fingerprint of a grid or patch is a sum over its words, each mixed with its place, so that the words
//! can be taken in any order. Devices compute the same sums (`crates/device/src/kernel.cl`).

use crate::{Grid, Patch, Value};

/// Returns a hash of a value. Identical values have the same one, and two different values have the same one
/// about once in 2⁶⁴ pairs. It is not stable: nothing may store it.
pub fn fingerprint(value: Value<'_>) -> u64 {
    match value {
        Value::Int(int) => mix(1, int as u64),
        Value::Pair(pair) => mix(mix(2, pair.row() as u64), pair.col() as u64),
        Value::Grid(grid) => of_grid(grid),
        Value::Patch(patch) => of_patch(patch),
        Value::Set(set) => of_items(5, set.items()),
        Value::Tuple(tuple) => of_items(6, tuple.items()),
        other => {
            let mut bytes = Vec::new();
            crate::encode(other, &mut bytes);
            rapidhash::v3::rapidhash_v3(&bytes)
        }
    }
}

/// Returns the hash extended by another number.
#[inline]
pub fn mix(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ 0x9e37_79b9_7f4a_7c15) * u128::from(word ^ 0xd6e8_feb8_6659_fd93);
    (product as u64) ^ (product >> 64) as u64 ^ hash.rotate_left(23)
}

/// Returns a word mixed with its place.
#[inline]
fn placed(word: u64, place: u64) -> u64 {
    let key = (place + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let product = u128::from(word ^ key) * u128::from(key ^ 0xd6e8_feb8_6659_fd93);
    (product as u64) ^ (product >> 64) as u64
}

fn of_items(start: u64, items: &[Value<'_>]) -> u64 {
    items.iter().fold(mix(start, items.len() as u64), |sum, item| mix(sum, fingerprint(*item)))
}

/// The cells are taken eight at a time, row by row without gaps; zeros follow the last one.
fn of_grid(grid: &Grid<'_>) -> u64 {
    let (words, rest) = grid.cells().as_chunks::<8>();
    let last = rest.iter().rev().fold(0, |word, &cell| word << 8 | u64::from(cell as u8));
    let words = words.iter().map(|word| u64::from_le_bytes(word.map(|cell| cell as u8)));
    let sum =
        words.chain([last]).zip(0..).fold(0, |sum: u64, (word, place)| sum.wrapping_add(placed(word, place)));
    mix(mix(3, (grid.height() as u64) << 32 | grid.width() as u64), sum)
}

/// Each row of each colour is a word; the places of empty rows do not count.
fn of_patch(patch: &Patch<'_>) -> u64 {
    let (row, col, height, width) = patch.bounds();
    let mut sum = 0u64;
    for (color, plane) in patch.planes() {
        for (word, i) in plane.iter().zip(0..) {
            if *word != 0 {
                sum = sum.wrapping_add(placed(*word, ((color + 1) as u64) << 8 | i));
            }
        }
    }
    let corner = (row as u32 as u64) << 32 | u64::from(col as u32);
    let size = (height as u64) << 32 | (width as u64) << 1 | u64::from(patch.is_object());
    mix(mix(mix(4, corner), size), sum)
}
#[cfg(test)]
mod tests {
    use crate::{Arena, Caps};

    use super::*;

    #[test]
    fn identical_values_have_equal_fingerprints_and_others_do_not() {
        let texts = [
            "0",
            "1",
            "(0, 1)",
            "(1, 0)",
            "[1 2 | 3 4]",
            "[1 2 3 4 | 1 2 3 4]",
            "[1 2 3 5 | 1 2 3 4]",
            "[1 2 3 | 4 5 6]",
            "[1 2 | 3 4 | 5 6]",
            "{(1, (0, 0))}",
            "{(1, (0, 1))}",
            "{(2, (0, 0))}",
            "{(0, 0)}",
            "{(0, 0), (1, 1)}",
            "{(0, 0), (0, 1)}",
            "{{(0, 0)}, {(0, 1)}}",
            "([1 2 | 3 4], [1 2 | 3 4])",
            "([1 2 | 3 4],)",
        ];
        let (one, two) = (Arena::new(Caps::STANDARD), Arena::new(Caps::STANDARD));
        let read = |arena, text| crate::parse(text, arena, &|_| None).unwrap();
        for a in texts {
            for b in texts {
                let same = fingerprint(read(&one, a)) == fingerprint(read(&two, b));
                assert_eq!(same, a == b, "{a} and {b}");
            }
        }
    }
}
