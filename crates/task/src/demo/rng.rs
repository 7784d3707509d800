//! Random numbers that never change: the same seed gives the same bytes on every machine and in every version.

/// SplitMix64 (Steele, Lea and Flood, 2014): a counter and a mixing function.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// One stream for each name and number. What is drawn is named, so that something new leaves what the others draw
    /// alone.
    pub fn of(seed: u64, name: &str, number: u64) -> Rng {
        // FNV-1a over the name, then one mixing step for each number.
        let name = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let mut rng = Rng(name);
        rng.0 = rng.next() ^ seed;
        rng.0 = rng.next() ^ number;
        rng
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        // The high half of the product: its bias is below n / 2^64.
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    /// A number from `low` to `high`, both included. Where nothing lies between, `low`.
    pub(super) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.saturating_sub(low) + 1)
    }

    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(super) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// So many different numbers below `n`, ascending.
    pub(super) fn choose(&mut self, count: usize, n: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..n).collect();
        self.shuffle(&mut all);
        all.truncate(count);
        all.sort_unstable();
        all
    }

    /// Different colours, neither black nor one of those left out.
    pub(super) fn colors(&mut self, count: usize, without: &[i8]) -> Vec<i8> {
        let mut all: Vec<i8> = (1..=9).filter(|color| !without.contains(color)).collect();
        self.shuffle(&mut all);
        all.truncate(count);
        all
    }

    /// One colour, neither black nor one of those left out.
    pub(super) fn color(&mut self, without: &[i8]) -> i8 {
        self.colors(1, without)[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_splitmix64() {
        // The first numbers for seed 1234567, as published with the reference implementation.
        let mut rng = Rng(1_234_567);
        let numbers: Vec<u64> = (0..3).map(|_| rng.next()).collect();
        assert_eq!(
            numbers,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn ranges_are_covered_to_their_ends() {
        let mut rng = Rng::of(1, "ranges", 0);
        let mut seen = [0; 4];
        (0..400).for_each(|_| seen[rng.between(2, 5) - 2] += 1);
        assert!(seen.iter().all(|&times| times > 60), "{seen:?}");
        assert_eq!(rng.between(7, 3), 7);
        assert_eq!(rng.choose(5, 5), [0, 1, 2, 3, 4]);
        assert!(rng.colors(9, &[]).iter().all(|color| (1..=9).contains(color)));
    }
}
