//! Content hashes of tasks and data sets.
//!
//! The hash is computed from a canonical form, so it does not depend on white space, the order of keys or the
//! file format. It does depend on the order of pairs. A task's id is not part of the task's content, but of
//! the data set's.

use batt_value::ContentHash;

use crate::{Dataset, Grid, Pair, Part, Task};

impl Task {
    /// Returns the content hash: the same on all machines, versions and file formats.
    pub fn content_hash(&self) -> ContentHash {
        hash(|part| self.part(part), |_, pair| pair.output.as_ref())
    }

    /// Returns a hash of the demonstration pairs and test inputs only. It is the same with and without
    /// solutions, so that stored results for a task are found in both cases.
    pub fn sealed_hash(&self) -> ContentHash {
        let visible = |part: Part| if part == Part::Extra { &[][..] } else { self.part(part) };
        hash(visible, |part, pair| pair.output.as_ref().filter(|_| part == Part::Train))
    }
}

impl Dataset {
    /// Returns the content hash: the same on all machines, versions and file formats. It does not depend on
    /// the label.
    pub fn content_hash(&self) -> ContentHash {
        let mut hasher = ContentHasher::new();
        self.tasks.iter().for_each(|task| hasher.add(task));
        hasher.finish()
    }
}

/// Computes the content hash of a data set from its tasks, which are added in the order of their ids.
#[derive(Default)]
pub struct ContentHasher {
    tasks: usize,
    /// The ids and hashes so far.
    bytes: Vec<u8>,
}

impl ContentHasher {
    pub fn new() -> ContentHasher {
        ContentHasher::default()
    }

    pub fn add(&mut self, task: &Task) {
        self.tasks += 1;
        encode_number(task.id.len(), &mut self.bytes);
        self.bytes.extend(task.id.as_bytes());
        self.bytes.extend(task.content_hash().bytes());
    }

    pub fn finish(&self) -> ContentHash {
        let mut bytes = b"data set 1\0".to_vec();
        encode_number(self.tasks, &mut bytes);
        bytes.extend(&self.bytes);
        ContentHash::of(&bytes)
    }
}

fn hash<'t>(
    pairs_of: impl Fn(Part) -> &'t [Pair],
    output_of: impl Fn(Part, &'t Pair) -> Option<&'t Grid>,
) -> ContentHash {
    let mut bytes = b"task 1\0".to_vec();
    for part in Part::ALL {
        let pairs = pairs_of(part);
        encode_number(pairs.len(), &mut bytes);
        for pair in pairs {
            encode_grid(Some(&pair.input), &mut bytes);
            encode_grid(output_of(part, pair), &mut bytes);
        }
    }
    ContentHash::of(&bytes)
}

/// Appends height and width, a byte each, then the cells. An unknown grid has height 0.
fn encode_grid(grid: Option<&Grid>, out: &mut Vec<u8>) {
    let Some(grid) = grid else { return out.push(0) };
    out.extend([grid.height() as u8, grid.width() as u8]);
    out.extend(grid.cells().iter().map(|cell| *cell as u8));
}

fn encode_number(number: usize, out: &mut Vec<u8>) {
    out.extend((number as u64).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use crate::demo;

    #[test]
    fn the_sealed_hash_does_not_depend_on_solutions() {
        let task = demo::tasks().remove(0);
        let mut unsolved = task.clone();
        unsolved.test.iter_mut().for_each(|pair| pair.output = None);
        unsolved.extra.push(task.train[0].clone());
        assert_eq!(task.sealed_hash(), unsolved.sealed_hash());
        assert_ne!(task.content_hash(), unsolved.content_hash());
        let mut other = task.clone();
        other.train[0].output = Some(other.train[0].input.clone());
        assert_ne!(task.sealed_hash(), other.sealed_hash());
        let mut with_more_demos = task.clone();
        with_more_demos.train.push(with_more_demos.test[0].clone());
        assert_ne!(task.sealed_hash(), with_more_demos.sealed_hash());
    }
}
