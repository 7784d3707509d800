//! Reproducible random numbers: a seed gives the same numbers on every machine and in every version.

/// SplitMix64 (Steele, Lea and Flood, 2014): a counter and a mixing function.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// Starts the reference implementation's stream for `seed`.
    pub fn from_seed(seed: u64) -> Rng {
        Rng(seed)
    }

    /// Starts the stream for a seed, a name and a number. Streams are independent: adding one does not change
    /// the others.
    pub fn of(seed: u64, name: &str, number: u64) -> Rng {
        // FNV-1a over the name, then one mixing step for each number.
        let name = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let mut rng = Rng(name);
        rng.0 = rng.next_u64() ^ seed;
        rng.0 = rng.next_u64() ^ number;
        rng
    }

    /// Returns the next number of the stream.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `n`, which must not be 0.
    pub fn below(&mut self, n: usize) -> usize {
        // The high half of the product has a bias below n / 2^64.
        ((u128::from(self.next_u64()) * n as u128) >> 64) as usize
    }

    /// Returns a number from `low` to `high`, both included, or `low` if `high` is smaller.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// Returns true in `percent` of 100 cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns one of `items`, which must not be empty.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// Shuffles `items`.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// Returns `count` different numbers below `n`, ascending.
    pub fn choose(&mut self, count: usize, n: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..n).collect();
        self.shuffle(&mut all);
        all.truncate(count);
        all.sort_unstable();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_splitmix64() {
        // The first numbers for seed 1234567, as published with the reference implementation.
        let mut rng = Rng::from_seed(1_234_567);
        let numbers: Vec<u64> = (0..3).map(|_| rng.next_u64()).collect();
        assert_eq!(
            numbers,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn ranges_are_covered_to_their_ends() {
        let mut rng = Rng::of(1, "ranges", 0);
        let mut counts = [0; 4];
        (0..400).for_each(|_| counts[rng.between(2, 5) - 2] += 1);
        assert!(counts.iter().all(|&count| count > 60), "{counts:?}");
        assert_eq!(rng.between(7, 3), 7);
        assert_eq!(rng.choose(5, 5), [0, 1, 2, 3, 4]);
    }
}
