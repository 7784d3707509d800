//! `batt completions`

use std::io::Write;

use clap_complete::{Shell, generate};

use crate::{Answer, command_line, output};

const EXAMPLES: &str = "\
Examples:
  batt completions bash > ~/.local/share/bash-completion/completions/batt
  batt completions fish > ~/.config/fish/completions/batt.fish";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Shell to write the script for
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> Answer {
    let mut script = Vec::new();
    generate(args.shell, &mut command_line(), "batt", &mut script);
    let mut out = output::stdout();
    out.write_all(&script)?;
    out.flush()?;
    Ok(true)
}
