//! Other colours, chosen by each input.

use std::cmp::Reverse;

use super::{Inside, Passage, surcharge};
use crate::code::{Code, Expr};
use crate::image::ColorMap;
use crate::option::options;
use crate::{Demos, Image, Rule};

options! {
    /// Other colours, chosen by each input.
    Frame {
        /// The commonest colour becomes black: another reading of the background.
        Majority = "MAJORITY",
        /// Colours are numbered by frequency, the commonest first.
        Frequency = "FREQUENCY",
        /// Colours but black are numbered by frequency.
        FrequencyButBlack = "FREQUENCY_BUT_BLACK",
        /// Colours but black are numbered by frequency, the rarest first.
        Rarity = "RARITY",
    }
}

impl Frame {
    /// The colour that each colour becomes.
    fn map(self, image: &Image) -> ColorMap {
        let counts = image.counts();
        let mut map = ColorMap::IDENTITY;
        let mut order: Vec<u8> = ColorMap::IDENTITY.0.to_vec();
        match self {
            Frame::Majority => {
                map.0.swap(0, usize::from(image.majority()));
                return map;
            }
            Frame::Frequency => order.sort_by_key(|&c| Reverse(counts[usize::from(c)])),
            Frame::FrequencyButBlack => order[1..].sort_by_key(|&c| Reverse(counts[usize::from(c)])),
            Frame::Rarity => {
                order[1..].sort_by_key(|&c| (counts[usize::from(c)] == 0, counts[usize::from(c)]))
            }
        }
        for (rank, &color) in order.iter().enumerate() {
            map.0[usize::from(color)] = rank as u8;
        }
        map
    }

    const fn words(self) -> &'static str {
        match self {
            Frame::Majority => "with the commonest colour as background (called black)",
            Frame::Frequency => "with colours named by frequency (black the commonest, then blue, red, …)",
            Frame::FrequencyButBlack => "with colours but black named by frequency (blue the commonest, …)",
            Frame::Rarity => "with colours but black named by rarity (blue the rarest, …)",
        }
    }

    pub(super) fn fit(self, demos: &Demos) -> Option<Inside> {
        let recolored = |(input, output): &(Image, Image)| {
            let map = self.map(input);
            (input.recolored(&map), output.recolored(&map))
        };
        let pairs: Vec<_> = demos.pairs().iter().map(recolored).collect();
        if pairs.iter().zip(demos.pairs()).all(|(a, b)| a == b) {
            return None;
        }
        Inside::new(pairs, surcharge::FRAME, self.words(), self)
    }
}

impl Passage for Frame {
    fn enter(&self, input: &Image) -> Option<Vec<Image>> {
        Some(vec![input.recolored(&self.map(input))])
    }

    fn leave(&self, input: &Image, answers: Vec<Image>) -> Option<Image> {
        Some(answers.first()?.recolored(&self.map(input).inverse()))
    }

    fn code(&self, code: &mut Code, input: &Expr, rule: &Rule) -> Option<Expr> {
        if *self != Frame::Majority {
            return None;
        }
        let commonest = code.line(format!("mostcolor({input})"));
        let inner = code.line(format!("switch({input}, ZERO, {commonest})"));
        let answer = rule.code(code, &inner)?;
        Some(code.line(format!("switch({answer}, ZERO, {commonest})")))
    }
}
