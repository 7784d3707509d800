//! Back to files that arc-dsl's readers take.

use std::collections::BTreeSet;

use batt_value::ContentHash;

use crate::{StoreError, Stored};

/// A program with the name it gets in a file.
#[derive(Clone, Copy, Debug)]
pub struct Exported<'s> {
    pub stored: &'s Stored,
    /// The task that a program without a name is named after.
    pub task: Option<&'s str>,
}

/// The programs as the text of a file. A program with several names stands there under each of them. Read again, the
/// text gives the same programs.
pub fn export<'s>(programs: impl IntoIterator<Item = Exported<'s>>) -> Result<String, StoreError> {
    let mut names = BTreeSet::new();
    let mut texts = Vec::new();
    for Exported { stored, task } in programs {
        let nameless = [nameless(stored, task)];
        let wanted = if stored.names.is_empty() { &nameless[..] } else { &stored.names[..] };
        for wanted in wanted {
            let name = if usable(wanted) && !names.contains(wanted) {
                wanted.clone()
            } else {
                longer(wanted, stored)
            };
            let text = stored.text_as(&name);
            if names.insert(name) {
                texts.push((stored, text));
            }
        }
    }
    let text = texts.iter().map(|(_, text)| &text[..]).collect::<Vec<_>>().join("\n\n");
    let again = batt_lang::parse(&text).programs;
    let same = texts.iter().zip(&again).find(|((stored, _), program)| stored.hash != program.hash());
    match same {
        None if again.len() == texts.len() => Ok(text),
        None => Err(wrong(texts[again.len().min(texts.len() - 1)].0)),
        Some(((stored, _), _)) => Err(wrong(stored)),
    }
}

fn wrong(stored: &Stored) -> StoreError {
    StoreError::Text { hash: stored.hash, what: "in a file it would be another program".to_owned() }
}

/// `found_1a2b3c4d_00d62c1b`: a program belongs to the task whose name ends its own.
fn nameless(stored: &Stored, task: Option<&str>) -> String {
    let word = |task: &&str| task.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let ending = task.filter(word).map(|task| format!("_{task}")).unwrap_or_default();
    format!("found_{:.8}{ending}", stored.hash)
}

/// Another name for a program whose own is taken.
fn longer(name: &str, stored: &Stored) -> String {
    format!("program_{:.12}_{name}", stored.hash)
}

/// Whether a name was made up here, from the hash of the program.
pub(crate) fn is_made_up(name: &str, hash: ContentHash) -> bool {
    let nameless = name.strip_prefix(&format!("found_{hash:.8}"));
    nameless.is_some_and(|ending| ending.is_empty() || ending.starts_with('_'))
        || name.starts_with(&format!("program_{hash:.12}_"))
}

/// In a file a function hides the primitive of its name, and then the other functions mean something else.
fn usable(name: &str) -> bool {
    let probe = batt_lang::parse(&format!("def probe(I): return {name}"));
    probe.programs.is_empty()
}
