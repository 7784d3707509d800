//! `batt man`

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap_mangen::Man;

use crate::{Answer, command_line, output};

const EXAMPLES: &str = "\
Examples:
  batt man | man -l -
  batt man --output ~/.local/share/man/man1";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Write one page per command to this folder [default: print the main page]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Answer {
    let mut out = output::stdout();
    match &args.output {
        None => {
            let mut page = Vec::new();
            Man::new(command_line()).render(&mut page)?;
            out.write_all(&page)?;
        }
        Some(folder) => {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
            let written = clap_mangen::generate_to(command_line(), folder);
            written.with_context(|| format!("cannot write to {}", folder.display()))?;
            output::wrote(&mut out, format_args!("manual pages to {}", folder.display()))?;
        }
    }
    out.flush()?;
    Ok(true)
}
