//! Text for people.

use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// A description in words.
///
/// It can be shown and put into longer text, but not compared or taken apart: no answer can depend on wording.
#[derive(Clone)]
pub struct Words(Cow<'static, str>);

impl From<&'static str> for Words {
    fn from(text: &'static str) -> Words {
        Words(Cow::Borrowed(text))
    }
}

impl From<String> for Words {
    fn from(text: String) -> Words {
        Words(Cow::Owned(text))
    }
}

static SCRAMBLED: AtomicBool = AtomicBool::new(false);

/// Shows all words of this process with their letters replaced, for a test that no answer depends on wording.
#[doc(hidden)]
pub fn scramble_words() {
    SCRAMBLED.store(true, Ordering::Relaxed);
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !SCRAMBLED.load(Ordering::Relaxed) {
            return f.pad(&self.0);
        }
        let turned = |c: char| match c {
            'a'..='z' => char::from((c as u8 - b'a' + 13) % 26 + b'a'),
            other => other,
        };
        f.pad(&self.0.chars().rev().map(turned).collect::<String>())
    }
}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
