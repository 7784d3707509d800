//! Access control: only the page itself, with the token.

use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::api::ApiError;
use crate::{ServeError, Shared};

/// The page sends the token in this header; links contain it in their address.
pub const TOKEN_HEADER: &str = "x-arcbatt-token";

/// Maximum size of a request body in bytes.
pub const MAX_BODY: usize = 1 << 20;

pub(crate) struct Guard {
    token: String,
    /// The host names under which the page may reach the server.
    hosts: [String; 2],
}

impl Guard {
    /// The token is saved in the folder of runs, so that an open page survives a restart of the server.
    pub(crate) fn new(port: u16, folder: &Path) -> Result<Guard, ServeError> {
        let path = folder.join("token");
        let token = match read_token(&path) {
            Some(token) => token,
            None => {
                let token = random_token().map_err(ServeError::Token)?;
                // If it cannot be saved, the next start uses another one.
                let _ = save_token(&path, &token);
                token
            }
        };
        Ok(Guard { token, hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")] })
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Returns the reason why a request is refused, if it is.
    fn refusal(&self, headers: &HeaderMap, query: &str) -> Option<&'static str> {
        let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        // Other sites attack local servers by pointing their own host name at them (DNS rebinding).
        if !text(header::HOST).is_some_and(|host| self.hosts.iter().any(|it| it == host)) {
            return Some("this server answers only under its own host name");
        }
        if headers.contains_key(header::ORIGIN) && !text(header::ORIGIN).is_some_and(|it| self.is_own(it)) {
            return Some("this server answers only its own page");
        }
        let in_header =
            headers.get(TOKEN_HEADER).is_some_and(|it| equal(it.as_bytes(), self.token.as_bytes()));
        let mut in_query = query.split('&').filter_map(|part| part.strip_prefix("token="));
        let in_query = in_query.any(|it| equal(it.as_bytes(), self.token.as_bytes()));
        (!in_header && !in_query)
            .then_some("the token is missing or wrong; open the address that `batt serve` printed")
    }

    fn is_own(&self, origin: &str) -> bool {
        origin.strip_prefix("http://").is_some_and(|host| self.hosts.iter().any(|it| it == host))
    }
}

/// Returns 128 random bits as hexadecimal digits.
pub(crate) fn random_token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Reads the token of an earlier start, unless others could have read or written it.
fn read_token(path: &Path) -> Option<String> {
    if !is_private(path) {
        return None;
    }
    let token = fs::read_to_string(path).ok()?;
    (token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(token)
}

#[cfg(unix)]
fn is_private(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::symlink_metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o077 == 0)
}

/// On other systems this is unknown, so the token is not saved.
#[cfg(not(unix))]
fn is_private(_: &Path) -> bool {
    false
}

#[cfg(unix)]
fn save_token(path: &Path, token: &str) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let _ = fs::remove_file(path);
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    io::Write::write_all(&mut file, token.as_bytes())
}

#[cfg(not(unix))]
fn save_token(_: &Path, _: &str) -> io::Result<()> {
    Ok(())
}

/// Compares in constant time.
fn equal(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

/// Checks a request, and adds security headers to the response.
pub(crate) async fn check(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let query = request.uri().query().unwrap_or_default();
    let mut response = match shared.guard.refusal(request.headers(), query) {
        Some(why) => ApiError(StatusCode::FORBIDDEN, why.to_owned()).into_response(),
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
