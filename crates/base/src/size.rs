//! Amounts of memory and disk space. Units are powers of 1024, whether written `MB` or `MiB`.

const UNITS: [(&str, u32); 4] = [("T", 40), ("G", 30), ("M", 20), ("K", 10)];

/// Parses `4GB`, `500MB`, `1.5G` or `64KiB` into bytes.
pub fn parse(text: &str) -> Result<u64, String> {
    let error = || format!("`{text}` is not a size; write 4GB or 500MB");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text[digits.len()..].to_ascii_uppercase();
    let unit = unit.strip_suffix("IB").or(unit.strip_suffix('B')).unwrap_or(&unit);
    let (_, shift) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(error)?;
    let number: f64 = digits.trim_end().parse().map_err(|_| error())?;
    if number.is_finite() && number >= 0.0 {
        Ok((number * (1u64 << shift) as f64) as u64)
    } else {
        Err(error())
    }
}

/// Formats whole mebibytes, rounded down: `123 MiB`.
pub fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_unit() {
        assert_eq!(parse("4GB"), Ok(4 << 30));
        assert_eq!(parse("500mb"), Ok(500 << 20));
        assert_eq!(parse("1.5 GiB"), Ok(3 << 29));
        assert_eq!(parse("64K"), Ok(64 << 10));
        for wrong in ["", "4", "GB", "-1GB", "4 GB RAM", "4XB", "nanGB"] {
            assert_eq!(parse(wrong), Err(format!("`{wrong}` is not a size; write 4GB or 500MB")));
        }
    }

    #[test]
    fn mebibytes_are_rounded_down() {
        assert_eq!(mebibytes((3 << 20) - 1), "2 MiB");
    }
}
