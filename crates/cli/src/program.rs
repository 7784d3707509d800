//! The argument PROGRAM.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::bail;
use arcbatt::DEMO_PROGRAMS;
use arcbatt::lang::{self, Program};

use crate::commands::programs_store;
use crate::files::{self, Source};

/// A reference to a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ProgramRef {
    /// `FILE:NAME`, or `FILE` if it contains one program or one named after the task.
    File { path: PathBuf, name: Option<String> },
    /// A built-in or stored program, by its name, its task or the first digits of its hash.
    Known(String),
}

impl FromStr for ProgramRef {
    type Err = Infallible;

    /// An existing file comes first: file names can contain colons or look like task ids.
    fn from_str(text: &str) -> Result<ProgramRef, Infallible> {
        let file = |path: &str, name: Option<&str>| ProgramRef::File {
            path: PathBuf::from(path),
            name: name.map(str::to_owned),
        };
        if files::is_file(Path::new(text)) {
            return Ok(file(text, None));
        }
        Ok(match text.rsplit_once(':') {
            Some((path, name)) if !path.is_empty() && is_word(name) => file(path, Some(name)),
            _ if is_word(text) => ProgramRef::Known(text.to_owned()),
            _ => file(text, None),
        })
    }
}

impl ProgramRef {
    /// Adds the name in the two-argument form `FILE NAME`.
    pub(crate) fn with_name(&self, name: &str) -> anyhow::Result<ProgramRef> {
        let path = match self {
            ProgramRef::File { path, name: None } => path.clone(),
            ProgramRef::File { path, name: Some(first) } => {
                bail!("`{}:{first}` already names a program; remove `{name}`", path.display())
            }
            ProgramRef::Known(file) => PathBuf::from(file),
        };
        Ok(ProgramRef::File { path, name: Some(name.to_owned()) })
    }

    /// Loads the program. If a file contains several, takes the one named after `task`.
    pub(crate) fn load(&self, task: Option<&str>) -> anyhow::Result<Program> {
        match self {
            ProgramRef::File { path, name } => Source::read(path)?.program(name.as_deref(), task).cloned(),
            ProgramRef::Known(name) => match built_in(name) {
                Some(program) => Ok(program),
                None => programs_store::stored(name),
            },
        }
    }

    /// Loads the program, or all programs of a file without `:NAME`. Also returns the number of errors in the file.
    pub(crate) fn load_all(&self) -> anyhow::Result<(Vec<Program>, usize)> {
        match self {
            ProgramRef::File { path, name: None } => {
                let source = Source::read(path)?;
                let errors = source.errors();
                Ok((source.parsed.programs, errors))
            }
            _ => Ok((vec![self.load(None)?], 0)),
        }
    }
}

/// Returns the built-in program with this name, or named after the task with this id.
pub(crate) fn built_in(name: &str) -> Option<Program> {
    let named = |program: &Program| program.name() == name || named_after(program.name(), name);
    lang::parse(DEMO_PROGRAMS).programs.into_iter().find(named)
}

/// Returns whether a program is named after a task: `solve_00d62c1b` is named after `00d62c1b`.
pub(crate) fn named_after(program: &str, task: &str) -> bool {
    program.strip_suffix(task).is_some_and(|start| start.is_empty() || start.ends_with('_'))
}

/// Returns whether a text can be the name of a program or the id of a task, rather than a path.
pub(crate) fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> ProgramRef {
        text.parse().unwrap_or_else(|never| match never {})
    }

    fn file(path: &str, name: Option<&str>) -> ProgramRef {
        ProgramRef::File { path: path.into(), name: name.map(str::to_owned) }
    }

    #[test]
    fn files_names_and_ids_are_distinguished() {
        assert_eq!(parse("a/b.py"), file("a/b.py", None));
        assert_eq!(parse("a/b.py:solve_x"), file("a/b.py", Some("solve_x")));
        assert_eq!(parse("-"), file("-", None));
        assert_eq!(parse("-:solve_x"), file("-", Some("solve_x")));
        assert_eq!(parse(r"C:\a.py"), file(r"C:\a.py", None));
        assert_eq!(parse(r"C:\a.py:f"), file(r"C:\a.py", Some("f")));
        assert_eq!(parse("00d62c1b"), ProgramRef::Known("00d62c1b".to_owned()));
        // Tests run in the folder of the crate, so this file exists.
        assert_eq!(parse("Cargo.toml"), file("Cargo.toml", None));
    }

    #[test]
    fn the_name_can_be_a_separate_argument() {
        assert_eq!(parse("a.py").with_name("f").unwrap(), file("a.py", Some("f")));
        assert_eq!(parse("a").with_name("f").unwrap(), file("a", Some("f")));
        let twice = parse("a.py:f").with_name("g").unwrap_err().to_string();
        assert_eq!(twice, "`a.py:f` already names a program; remove `g`");
    }

    #[test]
    fn built_in_programs_are_known_by_task() {
        assert_eq!(
            built_in("gravity_down").map(|it| it.name().to_owned()).as_deref(),
            Some("solve_gravity_down")
        );
        assert!(built_in("solve_gravity_down").is_some());
        assert!(built_in("down_under").is_none());
        assert!(named_after("solve_00d62c1b", "00d62c1b") && !named_after("solve_a00d62c1b", "00d62c1b"));
    }
}
