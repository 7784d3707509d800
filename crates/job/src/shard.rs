//! Shards: parts of a job that run by themselves, on any machine.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// One of several shards of the selected tasks. Task `p` of them, from 0, belongs to shard `p % of + 1`.
///
/// ```
/// # use batt_job::Shard;
/// let shard: Shard = "2/3".parse()?;
/// assert_eq!(shard, Shard { index: 2, of: 3 });
/// assert_eq!(shard.to_string(), "shard 2 of 3");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// Number of the shard, from 1.
    pub index: usize,
    /// Number of shards.
    pub of: usize,
}

impl Shard {
    /// The largest number of shards.
    pub const MAX: usize = 100_000;

    /// Checks the numbers. The error describes the valid ones.
    pub fn check(self) -> Result<(), String> {
        let Shard { index, of } = self;
        match () {
            () if of == 0 || of > Shard::MAX => {
                Err("the number of shards must be between 1 and 100,000".to_owned())
            }
            () if index == 0 || index > of => {
                Err(format!("the number of a shard must be between 1 and {of}, such as 1/{of}"))
            }
            () => Ok(()),
        }
    }

    /// Returns whether the task at this place of the whole selection belongs to the shard.
    pub fn has(self, place: usize) -> bool {
        place % self.of == self.index - 1
    }

    /// Returns the number of its tasks, if the whole selection has `n`.
    pub fn size(self, n: usize) -> usize {
        (n + self.of - self.index) / self.of
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "shard {} of {}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    /// Parses `2/3`, shard 2 of 3.
    fn from_str(text: &str) -> Result<Shard, String> {
        let digits = |part: &str| {
            let plain = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            plain.then(|| part.parse().unwrap_or(usize::MAX))
        };
        let numbers = text.split_once('/').and_then(|(index, of)| Some((digits(index)?, digits(of)?)));
        let Some((index, of)) = numbers else {
            return Err("a shard is written I/N, such as 2/3 for the second of three shards".to_owned());
        };
        let shard = Shard { index, of };
        shard.check().map(|()| shard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_parsed() {
        assert_eq!("1/1".parse(), Ok(Shard { index: 1, of: 1 }));
        assert_eq!("02/3".parse(), Ok(Shard { index: 2, of: 3 }));
        assert_eq!("100000/100000".parse(), Ok(Shard { index: 100_000, of: 100_000 }));
        for text in
            ["", "2", "/", "2/", "/3", "2/3/4", "+2/3", "-1/3", " 2/3", "2 /3", "a/b", "2of3", "1.5/3"]
        {
            let error = text.parse::<Shard>().unwrap_err();
            assert!(error.contains("such as 2/3"), "{text}: {error}");
        }
        for (text, remedy) in [
            ("0/3", "between 1 and 3"),
            ("4/3", "between 1 and 3"),
            ("99999999999999999999999/3", "between 1 and 3"),
            ("1/0", "between 1 and 100,000"),
            ("1/100001", "between 1 and 100,000"),
            ("1/99999999999999999999999", "between 1 and 100,000"),
        ] {
            let error = text.parse::<Shard>().unwrap_err();
            assert!(error.contains(remedy), "{text}: {error}");
        }
    }

    #[test]
    fn every_task_belongs_to_one_shard() {
        for n in 0..20 {
            for of in 1..25 {
                let shards = || (1..=of).map(|index| Shard { index, of });
                for place in 0..n {
                    assert_eq!(shards().filter(|shard| shard.has(place)).count(), 1);
                }
                for shard in shards() {
                    assert_eq!(shard.size(n), (0..n).filter(|place| shard.has(*place)).count());
                }
            }
        }
    }
}
