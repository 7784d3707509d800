//! The local page: jobs on this machine as they run, the store, data sets, the manual and an editor.
//!
//! The entry point is [`Server`]. It listens on the loopback interface only. Every request must contain the
//! token of the printed address and come from the page itself, so that other sites in the same browser have
//! no access. The server writes only to its folder of runs, to the store and, if there is one, to the folder
//! of programs. It reads only these, data sets that are named or given at the start, and records in the
//! followed folders.

mod api;
mod check;
mod drawing;
mod files;
mod follow;
mod guard;
mod manual;
mod runs;
mod sets;
mod store;
mod work;

pub use check::MAX_CHECKED;
pub use guard::{MAX_BODY, TOKEN_HEADER};

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use arcbatt::{Pool, PoolError};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::check::Checker;
use crate::files::ProgramFiles;
use crate::guard::Guard;
use crate::runs::{Places, Runs};
use crate::sets::Sets;

/// The reasons why the server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Another program uses the port, or it is reserved.
    #[error("cannot listen on port {port}: {error}; choose another with --port")]
    Listen { port: u16, error: io::Error },
    #[error("cannot use the folder of runs {}: {error}", folder.display())]
    Folder { folder: PathBuf, error: io::Error },
    /// A folder or file that was given as a data set cannot be used.
    #[error("cannot use the data set {}: {why}", path.display())]
    Data { path: PathBuf, why: String },
    #[error("cannot create a token: {0}")]
    Token(getrandom::Error),
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Options of a server.
pub struct Options {
    /// Port; 0 for any free one.
    pub port: u16,
    /// Folder for runs.
    pub folder: PathBuf,
    /// Other folders in which records of other processes are followed.
    pub follow: Vec<PathBuf>,
    /// Path of the store; it need not exist.
    pub store: PathBuf,
    /// Folders and files that the page shows as data sets, named after their last part.
    pub data: Vec<PathBuf>,
    /// Folder in which the editor opens and saves program files.
    pub programs: Option<PathBuf>,
    /// Number of threads; 0 for one per core.
    pub threads: usize,
}

/// A server that is listening.
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

/// The state that all requests share.
pub(crate) struct Shared {
    pub(crate) guard: Guard,
    pub(crate) runs: Arc<Runs>,
    pub(crate) places: Places,
    pub(crate) programs: ProgramFiles,
    pub(crate) checker: Checker,
}

impl Server {
    pub fn new(options: Options) -> Result<Server, ServeError> {
        let Options { port, folder, follow, store, data, programs, threads } = options;
        let places = Places { sets: Arc::new(Sets::new(data)?), store };
        // Programs can nest function calls deeply.
        let runtime =
            tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(64 << 20).build()?;
        let listening = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, port)));
        let listener = listening.map_err(|error| ServeError::Listen { port, error })?;
        let address = listener.local_addr()?;
        let runs = Runs::open(folder.clone(), follow, places.clone(), Pool::new(threads)?);
        let runs = runs.map_err(|error| ServeError::Folder { folder: folder.clone(), error })?;
        let guard = Guard::new(address.port(), &folder)?;
        let (programs, checker) = (ProgramFiles::new(programs), Checker::new());
        let shared = Arc::new(Shared { guard, runs, places, programs, checker });
        Ok(Server { runtime, listener, address, shared })
    }

    /// Returns the address to open, with the token.
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.shared.guard.token())
    }

    /// Serves until the process ends.
    pub fn serve(self) -> io::Result<()> {
        let Server { runtime, listener, shared, .. } = self;
        runtime.block_on(async move { axum::serve(listener, api::router(shared)).await })
    }
}
