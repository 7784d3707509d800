//! Rules for the size of the output, given the size of the input.

use super::kind::MAX_SIDE;

/// A rule for the size of the output, with separate rules for height and width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SizeRule {
    height: Side,
    width: Side,
}

/// A rule for one side of the output: `side · times / parts + more`, where `side` is the height or width of
/// the input. If `times` is 0, the length is always `more`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Side {
    of_width: bool,
    times: usize,
    parts: usize,
    more: i64,
}

/// The values of `times` and `parts`, the simplest first.
const SCALES: [(usize, usize); 9] = [(1, 1), (2, 1), (3, 1), (1, 2), (4, 1), (1, 3), (5, 1), (1, 4), (3, 2)];
/// The values of `more`, the simplest first.
const OFFSETS: [i64; 7] = [0, 1, -1, 2, -2, 3, 4];

impl SizeRule {
    /// Returns the simplest rule that holds for all pairs. There may be more inputs than outputs.
    pub(super) fn find(inputs: &[(usize, usize)], outputs: &[(usize, usize)]) -> Option<SizeRule> {
        let heights: Vec<usize> = outputs.iter().map(|size| size.0).collect();
        let widths: Vec<usize> = outputs.iter().map(|size| size.1).collect();
        Some(SizeRule {
            height: Side::find(inputs, &heights, false)?,
            width: Side::find(inputs, &widths, true)?,
        })
    }

    /// Returns the size of the output for an input of this size, or `None` if it is not a valid size.
    pub(super) fn size(self, input: (usize, usize)) -> Option<(usize, usize)> {
        Some((self.height.length(input)?, self.width.length(input)?))
    }

    /// Writes the size as an expression; `input` is the name of the input.
    pub(super) fn write(self, input: &str) -> String {
        let same = |side: Side, of_width| side == Side { of_width, times: 1, parts: 1, more: 0 };
        if same(self.height, false) && same(self.width, true) {
            return format!("shape({input})");
        }
        if self.height.times == 0 && self.width.times == 0 {
            return format!("({}, {})", self.height.more, self.width.more);
        }
        format!("astuple({}, {})", self.height.write(input), self.width.write(input))
    }
}

impl Side {
    /// Returns the first rule that holds: the same side of the input, then a fixed length, then computed
    /// lengths.
    fn find(inputs: &[(usize, usize)], lengths: &[usize], width: bool) -> Option<Side> {
        let same = Side { of_width: width, times: 1, parts: 1, more: 0 };
        let fixed = Side { of_width: width, times: 0, parts: 1, more: *lengths.first()? as i64 };
        let scaled = OFFSETS.iter().flat_map(|&more| {
            let sides = SCALES.iter().flat_map(|&scale| [width, !width].map(|of_width| (scale, of_width)));
            sides.map(move |((times, parts), of_width)| Side { of_width, times, parts, more })
        });
        let fits = |side: &Side| {
            inputs.iter().zip(lengths).all(|(input, length)| side.length(*input) == Some(*length))
        };
        [same, fixed].into_iter().chain(scaled).find(fits)
    }

    /// Returns the length for an input of this size, or `None` if it is not a valid length.
    fn length(self, (height, width): (usize, usize)) -> Option<usize> {
        let side = if self.of_width { width } else { height } * self.times;
        let length = usize::try_from((side / self.parts) as i64 + self.more).ok()?;
        (side.is_multiple_of(self.parts) && (1..=MAX_SIDE).contains(&length)).then_some(length)
    }

    /// Writes the length as an expression.
    fn write(self, input: &str) -> String {
        if self.times == 0 {
            return self.more.to_string();
        }
        let mut text = format!("{}({input})", if self.of_width { "width" } else { "height" });
        if self.times > 1 {
            text = format!("multiply({text}, {})", self.times);
        }
        if self.parts > 1 {
            text = format!("divide({text}, {})", self.parts);
        }
        match self.more {
            0 => text,
            more => format!("add({text}, {more})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_simplest_rule_wins() {
        let rule = |inputs: &[_], outputs: &[_]| SizeRule::find(inputs, outputs).map(|rule| rule.write("I"));
        let is = |text: &str| Some(text.to_owned());
        assert_eq!(rule(&[(3, 4), (5, 4)], &[(3, 4), (5, 4)]), is("shape(I)"));
        assert_eq!(rule(&[(3, 4), (5, 4)], &[(3, 3), (3, 3)]), is("(3, 3)"));
        assert_eq!(
            rule(&[(3, 4), (5, 6)], &[(6, 5), (10, 7)]),
            is("astuple(multiply(height(I), 2), add(width(I), 1))")
        );
        assert_eq!(rule(&[(1, 6), (1, 8)], &[(3, 6), (4, 8)]), is("astuple(divide(width(I), 2), width(I))"));
        assert_eq!(rule(&[(1, 6), (1, 8)], &[(3, 6), (9, 8)]), None);
    }

    #[test]
    fn a_size_above_the_maximum_is_none() {
        let rule = SizeRule::find(&[(3, 3), (4, 4)], &[(9, 9), (12, 12)]).unwrap();
        assert_eq!((rule.size((10, 10)), rule.size((11, 10))), (Some((30, 30)), None));
    }
}
