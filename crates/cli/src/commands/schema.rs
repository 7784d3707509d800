//! `batt schema`

use std::io::Write;

use anyhow::bail;
use arcbatt::lang::suggest;

use crate::schema::{DocumentEntry, FILES, PRINTED, all, markdown};
use crate::{Answer, output};

const EXAMPLES: &str = "\
Examples:
  batt schema                       list the documents
  batt schema run                   the schema of `batt run --json`
  batt schema record > record.schema.json";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Print the JSON Schema of this document: a command (`run`, `profile dsl`) or a kind of file (`record`)
    #[arg(value_name = "NAME")]
    name: Vec<String>,
    /// Print the reference of all documents (docs/json.md)
    #[arg(long, conflicts_with = "name")]
    markdown: bool,
}

pub(crate) fn run(args: &Args) -> Answer {
    let mut out = output::stdout();
    if args.markdown {
        write!(out, "{}", markdown())?;
    } else if args.name.is_empty() {
        write_list(&mut out)?;
    } else {
        serde_json::to_writer_pretty(&mut out, &find(&args.name.join(" "))?.schema())?;
        writeln!(out)?;
    }
    out.flush()?;
    Ok(true)
}

fn write_list(out: &mut impl Write) -> anyhow::Result<()> {
    let (bold, reset) = if output::colored() { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    for (title, documents) in [("Printed with --json", PRINTED), ("Files", FILES)] {
        writeln!(out, "{bold}{title}{reset}")?;
        for DocumentEntry { name, source, about, .. } in documents {
            writeln!(out, "  {name:<22}  {source:<44}  {about}")?;
        }
        writeln!(out)?;
    }
    Ok(writeln!(out, "`batt schema NAME` prints the JSON Schema of a document.")?)
}

fn find(name: &str) -> anyhow::Result<&'static DocumentEntry> {
    if let Some(entry) = all().find(|entry| entry.name == name) {
        return Ok(entry);
    }
    let words = format!("{name} ");
    let longer: Vec<_> = all().map(|entry| entry.name).filter(|it| it.starts_with(&words)).collect();
    if !longer.is_empty() {
        bail!("there is no document {name}; did you mean one of {}?", longer.join(", "));
    }
    match suggest(name, all().map(|entry| entry.name)) {
        Some(near) => bail!("there is no document {name}; did you mean {near}?"),
        None => bail!("there is no document {name}; `batt schema` lists them"),
    }
}
