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
  batt serve --port 8080 --follow ./records";

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
    let server = Server::new(Options {
        port: args.port,
        folder: folder.clone(),
        follow: args.follow.clone(),
        store: args.store.path()?,
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
