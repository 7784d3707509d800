//! `batt data`

use super::data_generate;
use crate::Answer;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Make fresh tasks with the generators of the built-in set
    Generate(data_generate::Args),
}

pub(crate) fn run(command: &Command) -> Answer {
    match command {
        Command::Generate(args) => data_generate::run(args),
    }
}
