//! Random colours.

use batt_base::Rng;

/// Draws colours other than black (0) and those in `without`.
pub(super) trait DrawColors {
    /// Draws `count` different colours, or all that are left if there are fewer.
    fn colors(&mut self, count: usize, without: &[i8]) -> Vec<i8>;

    /// Draws one colour.
    fn color(&mut self, without: &[i8]) -> i8 {
        self.colors(1, without)[0]
    }
}

impl DrawColors for Rng {
    fn colors(&mut self, count: usize, without: &[i8]) -> Vec<i8> {
        let mut all: Vec<i8> = (1..=9).filter(|color| !without.contains(color)).collect();
        self.shuffle(&mut all);
        all.truncate(count);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_differ_and_are_not_black() {
        let mut rng = Rng::of(1, "colors", 0);
        let mut drawn = rng.colors(20, &[3, 7]);
        drawn.sort_unstable();
        assert_eq!(drawn, [1, 2, 4, 5, 6, 8, 9]);
        assert_eq!(rng.color(&[1, 2, 3, 4, 6, 7, 8, 9]), 5);
    }
}
