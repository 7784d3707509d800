//! Hashes of values, by which equal values are recognised.

use batt_value::{Grid, Value};

/// Returns a hash of a value. Identical values have the same hash, and two different values have the same one
/// about once in 2⁶⁴ pairs. A collision can only lose a program, because every program is verified by running
/// it.
pub(super) fn hash(value: Value<'_>) -> u64 {
    match value {
        Value::Int(int) => mix(1, int as u64),
        Value::Pair(pair) => mix(mix(2, pair.row() as u64), pair.col() as u64),
        Value::Grid(grid) => grid_hash(grid),
        Value::Patch(patch) => {
            let (row, col, height, width) = patch.bounds();
            let corner = (row as u64) << 32 ^ (col as u32 as u64);
            let size = (height as u64) << 32 ^ (width as u64) << 16 ^ u64::from(patch.colors());
            patch.rows().iter().fold(mix(mix(4, corner), size), |hash, &word| mix(hash, word))
        }
        Value::Set(set) => hash_items(5, set.items()),
        Value::Tuple(tuple) => hash_items(6, tuple.items()),
        other => {
            let mut bytes = Vec::new();
            batt_value::encode(other, &mut bytes);
            rapidhash::v3::rapidhash_v3(&bytes)
        }
    }
}

/// Returns the hash extended by another number.
#[inline]
pub(super) fn mix(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ 0x9e37_79b9_7f4a_7c15) * u128::from(word ^ 0xd6e8_feb8_6659_fd93);
    (product as u64) ^ (product >> 64) as u64 ^ hash.rotate_left(23)
}

fn hash_items(start: u64, items: &[Value<'_>]) -> u64 {
    items.iter().fold(mix(start, items.len() as u64), |sum, item| mix(sum, hash(*item)))
}

fn grid_hash(grid: &Grid<'_>) -> u64 {
    let (words, rest) = grid.cells().as_chunks::<8>();
    let start = mix(3, (grid.width() as u64) << 32 ^ grid.cells().len() as u64);
    let sum = words.iter().fold(start, |sum, word| mix(sum, u64::from_le_bytes(word.map(|cell| cell as u8))));
    mix(sum, rest.iter().fold(0, |word, &cell| word << 8 | u64::from(cell as u8)))
}

#[cfg(test)]
mod tests {
    use batt_value::{Arena, Caps};

    use super::*;

    #[test]
    fn identical_values_have_equal_hashes_and_others_do_not() {
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
        let read = |arena, text| batt_value::parse(text, arena, &|_| None).unwrap();
        for a in texts {
            for b in texts {
                let same = hash(read(&one, a)) == hash(read(&two, b));
                assert_eq!(same, a == b, "{a} and {b}");
            }
        }
    }
}
