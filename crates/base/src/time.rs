//! Parses durations, and formats measurements and waiting times.

use std::time::Duration;

/// A unit that is a prefix of another one comes after it.
const UNITS: [(&str, f64); 6] =
    [("ms", 1e-3), ("min", 60.0), ("m", 60.0), ("s", 1.0), ("h", 3_600.0), ("d", 86_400.0)];

/// About 30 years. More is a mistake and would overflow when added to a clock.
const MAX_SECONDS: f64 = 1e9;

/// Parses `1h30m`, `90m`, `10s`, `1.5h` or `500ms`; a bare number means seconds. Zero is an error.
pub fn parse(text: &str) -> Result<Duration, String> {
    let error = || format!("`{text}` is not a duration; write 90s, 10m, 1h30m or 500ms");
    let mut rest = text.trim();
    let mut seconds = 0.0;
    let mut bare = true;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number: f64 = rest[..digits].parse().map_err(|_| error())?;
        rest = rest[digits..].trim_start();
        if rest.is_empty() && bare {
            seconds = number;
            break;
        }
        let unit = UNITS.iter().find_map(|(name, unit)| Some((rest.strip_prefix(name)?, unit)));
        let (after, unit) = unit.ok_or_else(error)?;
        seconds += number * unit;
        rest = after.trim_start();
        bare = false;
    }
    match seconds {
        _ if text.trim().is_empty() => Err(error()),
        0.0 => Err(format!("`{text}` is too short; write 90s, 10m, 1h30m or 500ms")),
        MAX_SECONDS.. => Err(format!("`{text}` is too long; write less than 30 years")),
        _ => Ok(Duration::from_secs_f64(seconds)),
    }
}

/// Formats a measurement with three digits: `12.3 ms`.
pub fn brief(time: Duration) -> String {
    brief_ns(time.as_nanos() as f64)
}

/// Formats nanoseconds with three digits; negative ones are allowed.
pub fn brief_ns(ns: f64) -> String {
    with_digits(ns, 3)
}

/// Formats a measurement with four digits: `12.34 ms`.
pub fn precise(time: Duration) -> String {
    with_digits(time.as_nanos() as f64, 4)
}

/// Formats how long something took or will take: `1 h 05 min`, `3 min 20 s`, `12.3 s`.
pub fn long(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        3600.. => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
        60.. => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}

/// Formats a time since 1970 as a date in UTC: `2026-11-18T14:20:05Z`.
pub fn utc(since_1970: Duration) -> String {
    let seconds = since_1970.as_secs();
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Returns year, month and day of a number of days since 1970, in the Gregorian calendar.
fn date(days: u64) -> (u64, u64, u64) {
    // Years begin in March, so that a leap day is the last day. The calendar repeats every 400 years.
    const SINCE_MARCH_OF_0000: u64 = 719_468;
    let days = days + SINCE_MARCH_OF_0000;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + next, month, day)
}

fn with_digits(ns: f64, digits: usize) -> String {
    let (value, unit) = match ns.abs() {
        ns if ns < 1e3 => (ns, "ns"),
        ns if ns < 1e6 => (ns / 1e3, "µs"),
        ns if ns < 1e9 => (ns / 1e6, "ms"),
        ns if ns < 3600e9 => (ns / 1e9, "s"),
        ns => (ns / 3600e9, "h"),
    };
    let places = match value {
        _ if unit == "ns" => 0,
        value if value >= 100.0 => digits - 3,
        value if value >= 10.0 => digits - 2,
        _ => digits - 1,
    };
    let sign = if ns < 0.0 { "-" } else { "" };
    format!("{sign}{value:.places$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units_or_are_seconds() {
        let seconds = |text: &str| parse(text).unwrap().as_secs_f64();
        assert_eq!(seconds("1h30m"), 5_400.0);
        assert_eq!(seconds("90m"), 5_400.0);
        assert_eq!(seconds("1.5h"), 5_400.0);
        assert_eq!(seconds("1 h 30 min"), 5_400.0);
        assert_eq!(seconds("1d"), 86_400.0);
        assert_eq!(seconds("500ms"), 0.5);
        assert_eq!(seconds("1s500ms"), 1.5);
        assert_eq!(seconds("10"), 10.0);
    }

    #[test]
    fn invalid_durations_are_rejected() {
        assert!(parse("0s").is_err_and(|message| message.starts_with("`0s` is too short")));
        assert!(parse("999999d").is_err_and(|message| message.starts_with("`999999d` is too long")));
        for wrong in ["", "-1s", "s", "1h30", "10x", "1.2.3s", "soon"] {
            let message = format!("`{wrong}` is not a duration; write 90s, 10m, 1h30m or 500ms");
            assert_eq!(parse(wrong), Err(message));
        }
    }

    #[test]
    fn measurements_have_a_fixed_number_of_digits() {
        assert_eq!(
            [7.0, 1_234.0, 12_345e3, 123_456e6].map(brief_ns),
            ["7 ns", "1.23 µs", "12.3 ms", "123 s"]
        );
        assert_eq!([-1_500.0, 7_200e9].map(brief_ns), ["-1.50 µs", "2.00 h"]);
        let times = [7, 1_234, 12_346_000].map(Duration::from_nanos);
        assert_eq!(times.map(brief), ["7 ns", "1.23 µs", "12.3 ms"]);
        assert_eq!(times.map(precise), ["7 ns", "1.234 µs", "12.35 ms"]);
    }

    #[test]
    fn dates_follow_the_calendar() {
        let utc = |seconds: u64| utc(Duration::from_secs(seconds));
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(utc(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(utc(1_795_011_605), "2026-11-18T14:20:05Z");
        assert_eq!(utc(4_107_542_400), "2100-03-01T00:00:00Z", "2100 is no leap year");
    }

    #[test]
    fn waiting_times_have_two_units() {
        let long = |seconds: f64| long(Duration::from_secs_f64(seconds));
        assert_eq!([12.34, 200.0, 3_900.0].map(long), ["12.3 s", "3 min 20 s", "1 h 05 min"]);
    }
}
