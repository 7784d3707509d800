//! The local page: runs on this machine while they happen, data sets, the manual, an editor.
//!
//! The door is [`Server`]: it listens on the loopback interface only. Every request has to show the token that is in
//! the printed address, and to come from the page itself: another site that a browser shows cannot make one. It
//! writes nothing but its folder of runs, and reads nothing else but the data sets that have names, the records in the
//! folders it is told to follow, and the store.

mod api;
mod check;
mod follow;
mod guard;
mod runs;
mod store;
mod work;

pub use guard::{MAX_BODY, TOKEN_HEADER};

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use arcbatt::{Pool, PoolError};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::guard::Guard;
use crate::runs::Runs;

/// Why the server does not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Another program has the port, or nobody may have it.
    #[error("cannot listen on port {port}: {error}; name another with --port")]
    Listen { port: u16, error: io::Error },
    #[error("cannot use the folder of runs {}: {error}", folder.display())]
    Folder { folder: PathBuf, error: io::Error },
    #[error("cannot draw a token: {0}")]
    Token(getrandom::Error),
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What a server is made of.
pub struct Options {
    /// 0: any that is free.
    pub port: u16,
    /// Where runs are kept.
    pub folder: PathBuf,
    /// Where records of other processes are looked for, beside that folder.
    pub follow: Vec<PathBuf>,
    /// The library of programs; it need not be there.
    pub store: PathBuf,
    /// 0: one for each core.
    pub threads: usize,
}

/// A server that listens already.
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) guard: Guard,
    pub(crate) runs: Arc<Runs>,
    pub(crate) store: PathBuf,
}

impl Server {
    pub fn new(options: Options) -> Result<Server, ServeError> {
        let Options { port, folder, follow, store, threads } = options;
        // Programs can nest function calls deeply.
        let runtime =
            tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(64 << 20).build()?;
        let listening = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, port)));
        let listener = listening.map_err(|error| ServeError::Listen { port, error })?;
        let address = listener.local_addr()?;
        let runs = Runs::open(folder.clone(), follow, store.clone(), Pool::new(threads)?);
        let runs = runs.map_err(|error| ServeError::Folder { folder: folder.clone(), error })?;
        let guard = Guard::new(address.port(), &folder)?;
        Ok(Server { runtime, listener, address, shared: Arc::new(Shared { guard, runs, store }) })
    }

    /// The address to open, with the token.
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.shared.guard.token())
    }

    /// Serves until the process ends.
    pub fn serve(self) -> io::Result<()> {
        let Server { runtime, listener, shared, .. } = self;
        runtime.block_on(async move { axum::serve(listener, api::router(shared)).await })
    }
}
