//! Who may ask: only the page itself, with the token.

use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::api::Refusal;
use crate::{ServeError, Shared};

/// Requests of the page carry the token in this header; links carry it in their address.
pub const TOKEN_HEADER: &str = "x-arcbatt-token";

/// No program text is longer, in bytes.
pub const MAX_BODY: usize = 1 << 20;

pub(crate) struct Guard {
    token: String,
    /// What the page may call the server.
    hosts: [String; 2],
}

impl Guard {
    /// The token is kept in the folder of runs, so that a page that is open outlives the server.
    pub(crate) fn new(port: u16, folder: &Path) -> Result<Guard, ServeError> {
        let path = folder.join("token");
        let token = match kept(&path) {
            Some(token) => token,
            None => {
                let token = draw().map_err(ServeError::Token)?;
                // Where it cannot be kept there is another one at every start.
                let _ = keep(&path, &token);
                token
            }
        };
        Ok(Guard { token, hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")] })
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Why a request is refused, if it is.
    fn refusal(&self, headers: &HeaderMap, query: &str) -> Option<&'static str> {
        let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        // A name that somebody let point here is not ours: that is how other sites get at local servers.
        if !text(header::HOST).is_some_and(|host| self.hosts.iter().any(|it| it == host)) {
            return Some("this server answers to its own name only");
        }
        if headers.contains_key(header::ORIGIN) && !text(header::ORIGIN).is_some_and(|it| self.is_own(it)) {
            return Some("this server answers its own page only");
        }
        let in_header =
            headers.get(TOKEN_HEADER).is_some_and(|it| same(it.as_bytes(), self.token.as_bytes()));
        let mut in_query = query.split('&').filter_map(|part| part.strip_prefix("token="));
        let in_query = in_query.any(|it| same(it.as_bytes(), self.token.as_bytes()));
        (!in_header && !in_query)
            .then_some("the token is missing; open the address that `batt serve` printed")
    }

    fn is_own(&self, origin: &str) -> bool {
        origin.strip_prefix("http://").is_some_and(|host| self.hosts.iter().any(|it| it == host))
    }
}

fn draw() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The token of an earlier start; none that anybody else could have read or written.
fn kept(path: &Path) -> Option<String> {
    if !is_private(path) {
        return None;
    }
    let token = fs::read_to_string(path).ok()?;
    (token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(token)
}

#[cfg(unix)]
fn is_private(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::symlink_metadata(path).is_ok_and(|there| there.is_file() && there.permissions().mode() & 0o077 == 0)
}

/// Elsewhere nobody can tell, so nothing is kept.
#[cfg(not(unix))]
fn is_private(_: &Path) -> bool {
    false
}

#[cfg(unix)]
fn keep(path: &Path, token: &str) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let _ = fs::remove_file(path);
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    io::Write::write_all(&mut file, token.as_bytes())
}

#[cfg(not(unix))]
fn keep(_: &Path, _: &str) -> io::Result<()> {
    Ok(())
}

/// Takes equally long wherever the two differ.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

/// Lets a request through or refuses it, and says to the browser what answers may be used for.
pub(crate) async fn check(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let query = request.uri().query().unwrap_or_default();
    let mut response = match shared.guard.refusal(request.headers(), query) {
        Some(why) => Refusal(StatusCode::FORBIDDEN, why.to_owned()).into_response(),
        None => next.run(request).await,
    };
    let fixed = [
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    for (name, value) in fixed {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
