//! Exporting stored programs to program files.

use std::collections::BTreeSet;

use batt_value::ContentHash;

use crate::{StoreError, Stored};

/// A program to be exported.
#[derive(Clone, Copy, Debug)]
pub struct Exported<'s> {
    pub stored: &'s Stored,
    /// The task that a program without a name is named after.
    pub task: Option<&'s str>,
}

/// Returns the text of a file with the programs. A program with several names appears under each of them.
/// Parsing the text gives the same programs.
pub fn export<'s>(programs: impl IntoIterator<Item = Exported<'s>>) -> Result<String, StoreError> {
    let mut names = BTreeSet::new();
    let mut texts = Vec::new();
    for Exported { stored, task } in programs {
        let generated = [generated_name(stored, task)];
        let wanted = if stored.names.is_empty() { &generated[..] } else { &stored.names[..] };
        for wanted in wanted {
            let name = if usable(wanted) && !names.contains(wanted) {
                wanted.clone()
            } else {
                qualified_name(wanted, stored)
            };
            let text = stored.text_as(&name);
            if names.insert(name) {
                texts.push((stored, text));
            }
        }
    }
    let text = texts.iter().map(|(_, text)| &text[..]).collect::<Vec<_>>().join("\n\n");
    let again = batt_lang::parse(&text).programs;
    let different = texts.iter().zip(&again).find(|((stored, _), program)| stored.hash != program.hash());
    match different {
        None if again.len() == texts.len() => Ok(text),
        None => Err(mismatch(texts[again.len().min(texts.len() - 1)].0)),
        Some(((stored, _), _)) => Err(mismatch(stored)),
    }
}

fn mismatch(stored: &Stored) -> StoreError {
    StoreError::Text { hash: stored.hash, what: "in a file it would be a different program".to_owned() }
}

/// Returns `found_1a2b3c4d_00d62c1b`. It ends with the name of the task, so that the program belongs to that
/// task.
fn generated_name(stored: &Stored, task: Option<&str>) -> String {
    let word = |task: &&str| task.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let ending = task.filter(word).map(|task| format!("_{task}")).unwrap_or_default();
    format!("found_{:.8}{ending}", stored.hash)
}

/// Returns another name for a program whose own name is taken.
fn qualified_name(name: &str, stored: &Stored) -> String {
    format!("program_{:.12}_{name}", stored.hash)
}

/// Whether a name was generated here from the hash of the program.
pub(crate) fn is_generated(name: &str, hash: ContentHash) -> bool {
    let rest = name.strip_prefix(&format!("found_{hash:.8}"));
    rest.is_some_and(|ending| ending.is_empty() || ending.starts_with('_'))
        || name.starts_with(&format!("program_{hash:.12}_"))
}

/// Whether a function may have this name. It must not hide a primitive from the other functions in the file.
fn usable(name: &str) -> bool {
    let probe = batt_lang::parse(&format!("def probe(I): return {name}"));
    probe.programs.is_empty()
}
