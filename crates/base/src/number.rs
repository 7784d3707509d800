//! Formats numbers for people.

/// Formats with thousands separators: `1,234,567`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a count with its noun: `1 task`, `2 tasks`.
pub fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// Formats a fraction as a percentage: `12.3 %`, `1.23 %`.
pub fn percent(share: f64) -> String {
    format!("{:.*} %", if share.abs() < 0.1 { 2 } else { 1 }, share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        let numbers = [0, 7, 999, 1_000, 12_345, 1_234_567].map(grouped);
        assert_eq!(numbers, ["0", "7", "999", "1,000", "12,345", "1,234,567"]);
    }

    #[test]
    fn one_is_singular() {
        assert_eq!([0, 1, 2].map(|n| count(n, "task")), ["0 tasks", "1 task", "2 tasks"]);
    }

    #[test]
    fn small_shares_have_more_digits() {
        assert_eq!([0.0123, 0.123, 1.0].map(percent), ["1.23 %", "12.3 %", "100.0 %"]);
    }
}
