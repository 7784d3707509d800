//! `batt serve`

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, bail};
use arcbatt::task::DataFolder;
use batt_web::{Options, Server};
use schemars::JsonSchema;
use serde::Serialize;

use super::programs_store::StoreArgs;
use crate::{Answer, output};

const EXAMPLES: &str = "\
Examples:
  batt serve
  batt serve --port 8080 --follow ./records
  batt serve --data ./my-tasks --programs ./my-programs";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Port on this machine (localhost); 0 picks a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// Folder for runs [default: `runs` in the user's data folder]
    #[arg(long, value_name = "FOLDER")]
    runs: Option<PathBuf>,
    /// Also show jobs of other commands that write their records (--record FILE) to this folder
    #[arg(long, value_name = "FOLDER", num_args = 1..)]
    follow: Vec<PathBuf>,
    /// Show a folder or file of tasks as a data set, named after it; repeat for more
    #[arg(long, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// Let the editor open and save program files (*.py) in this folder
    #[arg(long, value_name = "FOLDER")]
    programs: Option<PathBuf>,
    #[command(flatten)]
    store: StoreArgs,
    /// Number of threads; 0 uses all cores
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Print the address as JSON
    #[arg(long)]
    json: bool,
}

/// The address of the local page.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Document {
    /// The address, with its token.
    url: String,
    /// Folder of the runs.
    runs: String,
}

pub(crate) fn run(args: &Args) -> Answer {
    let default = || DataFolder::user().map(|folder| folder.path().join("runs"));
    let folder = args.runs.clone().or_else(default).context("no home folder for runs; use --runs FOLDER")?;
    if let Some(missing) = args.follow.iter().find(|folder| !folder.is_dir()) {
        bail!("{} is not a folder; --follow needs a folder that records are written to", missing.display());
    }
    if let Some(missing) = args.programs.iter().find(|folder| !folder.is_dir()) {
        bail!("{} is not a folder; --programs needs one in which programs are saved", missing.display());
    }
    let server = Server::new(Options {
        port: args.port,
        folder: folder.clone(),
        follow: args.follow.clone(),
        store: args.store.path()?,
        data: args.data.clone(),
        programs: args.programs.clone(),
        threads: args.threads,
    })?;
    if args.json {
        output::json(Document { url: server.url(), runs: folder.display().to_string() })?;
    } else {
        let mut out = output::stdout();
        writeln!(out, "{}\nruns are saved in {}; press Ctrl-C to stop", server.url(), folder.display())?;
        out.flush()?;
    }
    server.serve()?;
    Ok(true)
}
