//! The HTTP routes: pages, and the JSON API that `openapi.json` describes.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use arcbatt::dsl::registry;
use arcbatt::store::StoreError;
use arcbatt::task::{BUILT_IN, DataFolder, Options, PINNED, Select};
use arcbatt::value::ContentHash;
use arcbatt::{JobError, page, record};
use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, FromRequest, Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use serde::{Deserialize, Serialize};
use tokio_stream::wrappers::WatchStream;
use tokio_stream::{Stream, StreamExt};

use crate::Shared;
use crate::check::{self, Checked, Question};
use crate::guard::{self, MAX_BODY};
use crate::runs::{Progress, Request, RunError};
use crate::store;

type Server = State<Arc<Shared>>;
type Answer<T> = Result<T, ApiError>;

pub(crate) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(home))
        .route("/runs/{name}/report", get(report))
        .route("/api/openapi.json", get(openapi))
        .route("/api/runs", get(runs).post(start))
        .route("/api/runs/{name}/record", get(record_file))
        .route("/api/runs/{name}/events", get(events))
        .route("/api/runs/{name}/page", get(page_data))
        .route("/api/runs/{name}/pause", post(pause))
        .route("/api/runs/{name}/stop", post(stop))
        .route("/api/runs/{name}/resume", post(resume))
        .route("/api/events", get(all_events))
        .route("/api/store", get(store))
        .route("/api/store/programs", get(store_programs))
        .route("/api/store/programs/{hash}", get(store_program))
        .route("/api/store/tasks/{hash}", get(store_task))
        .route("/api/data", get(sets))
        .route("/api/data/{name}", get(set))
        .route("/api/data/{name}/{task}", get(task))
        .route("/api/primitives", get(primitives))
        .route("/api/check", post(try_out))
        .fallback(async || ApiError(StatusCode::NOT_FOUND, "there is nothing at this address".to_owned()))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), guard::check))
        .with_state(shared)
}

/// An error response: status and message.
pub(crate) struct ApiError(pub(crate) StatusCode, pub(crate) String);

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        #[derive(Serialize)]
        struct Body {
            error: String,
        }
        (self.0, Json(Body { error: self.1 })).into_response()
    }
}

impl From<RunError> for ApiError {
    fn from(error: RunError) -> ApiError {
        let status = match error {
            RunError::Unknown(_) => StatusCode::NOT_FOUND,
            RunError::Busy(_) | RunError::Idle(_) | RunError::Unfinished(_) | RunError::Foreign(_) => {
                StatusCode::CONFLICT
            }
            RunError::Data(_) | RunError::Limit => StatusCode::UNPROCESSABLE_ENTITY,
            RunError::Job(JobError::Field { .. } | JobError::Data(_) | JobError::Programs(_)) => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            RunError::Job(_) | RunError::Io(_) | RunError::Record(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        ApiError(status, error.to_string())
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        let status = match error {
            StoreError::Missing { .. } => StatusCode::NOT_FOUND,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        ApiError(status, error.to_string())
    }
}

/// A JSON body whose rejection is an [`ApiError`].
struct Body<T>(T);

impl<T: serde::de::DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: axum::extract::Request, state: &S) -> Answer<Body<T>> {
        let json = Json::<T>::from_request(request, state).await;
        json.map(|Json(body)| Body(body))
            .map_err(|error: JsonRejection| ApiError(error.status(), error.body_text()))
    }
}

/// Runs slow work on another thread, so that it does not block other requests.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Answer<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| ApiError(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))
}

async fn home(State(shared): Server) -> Answer<Html<Vec<u8>>> {
    let mut out = Vec::new();
    page::write_live(shared.guard.token(), &mut out).map_err(RunError::Io)?;
    Ok(Html(out))
}

async fn report(State(shared): Server, Path(name): Path<String>) -> Answer<Html<Vec<u8>>> {
    let made = blocking(move || -> Result<Vec<u8>, RunError> {
        let runs = [shared.runs.record(&name)?];
        let mut out = Vec::new();
        page::write_followed(&runs, &format!("/api/runs/{name}"), shared.guard.token(), &mut out)?;
        Ok(out)
    });
    Ok(Html(made.await??))
}

/// Returns the data of a run's report, for updating an open page.
async fn page_data(State(shared): Server, Path(name): Path<String>) -> Answer<Response> {
    let made = blocking(move || -> Result<Vec<u8>, RunError> {
        let runs = [shared.runs.record(&name)?];
        let mut out = Vec::new();
        page::write_data(&runs, &mut out)?;
        Ok(out)
    });
    Ok(([(header::CONTENT_TYPE, "application/json")], made.await??).into_response())
}

async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], include_str!("openapi.json")).into_response()
}

async fn runs(State(shared): Server) -> Json<Vec<Progress>> {
    Json(shared.runs.list())
}

async fn start(State(shared): Server, Body(request): Body<Request>) -> Answer<(StatusCode, Json<Progress>)> {
    let started = blocking(move || shared.runs.start(request)).await??;
    Ok((StatusCode::CREATED, Json(started)))
}

async fn record_file(State(shared): Server, Path(name): Path<String>) -> Answer<Response> {
    let bytes = blocking(move || shared.runs.record_bytes(&name)).await??;
    Ok(([(header::CONTENT_TYPE, "application/json")], bytes).into_response())
}

async fn events(
    State(shared): Server,
    Path(name): Path<String>,
) -> Answer<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    let updates = WatchStream::new(shared.runs.follow(&name)?);
    let event = |progress: Progress| Ok(Event::default().json_data(progress).unwrap_or_default());
    Ok(Sse::new(updates.map(event)).keep_alive(KeepAlive::default()))
}

/// Sends the whole list whenever something in it changes.
async fn all_events(State(shared): Server) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let changes = WatchStream::new(shared.runs.changes());
    let event = move |_| {
        let list = shared.runs.list();
        async move {
            // Limit the rate of updates.
            tokio::time::sleep(Duration::from_millis(100)).await;
            Ok(Event::default().json_data(list).unwrap_or_default())
        }
    };
    Sse::new(changes.then(event)).keep_alive(KeepAlive::default())
}

async fn pause(State(shared): Server, Path(name): Path<String>) -> Answer<Json<Progress>> {
    Ok(Json(shared.runs.halt(&name, true)?))
}

async fn stop(State(shared): Server, Path(name): Path<String>) -> Answer<Json<Progress>> {
    Ok(Json(shared.runs.halt(&name, false)?))
}

async fn resume(State(shared): Server, Path(name): Path<String>) -> Answer<Json<Progress>> {
    Ok(Json(blocking(move || shared.runs.resume(&name)).await??))
}

async fn store(State(shared): Server) -> Answer<Json<store::StoreOverview>> {
    Ok(Json(blocking(move || store::overview(&shared.store)).await??))
}

#[derive(Deserialize)]
struct ProgramFilter {
    #[serde(default)]
    text: String,
}

async fn store_programs(
    State(shared): Server,
    Query(filter): Query<ProgramFilter>,
) -> Answer<Json<Vec<store::ProgramLine>>> {
    Ok(Json(blocking(move || store::programs(&shared.store, &filter.text)).await??))
}

async fn store_program(
    State(shared): Server,
    Path(hash): Path<String>,
) -> Answer<Json<store::ProgramDetails>> {
    let hash = parse_hash(&hash)?;
    let details = blocking(move || store::program(&shared.store, hash)).await??;
    Ok(Json(
        details.ok_or_else(|| ApiError(StatusCode::NOT_FOUND, format!("the store has no program {hash}")))?,
    ))
}

async fn store_task(
    State(shared): Server,
    Path(hash): Path<String>,
) -> Answer<Json<Vec<store::StoredResult>>> {
    let hash = parse_hash(&hash)?;
    Ok(Json(blocking(move || store::task(&shared.store, hash)).await??))
}

fn parse_hash(digits: &str) -> Answer<ContentHash> {
    ContentHash::parse(digits)
        .ok_or_else(|| ApiError(StatusCode::NOT_FOUND, format!("`{digits}` is not a hash")))
}

#[derive(Serialize)]
struct Set {
    name: &'static str,
    about: &'static str,
    tasks: usize,
    installed: bool,
}

async fn sets() -> Json<Vec<Set>> {
    let folder = DataFolder::user();
    let built_in = BUILT_IN.iter().map(|set| Set {
        name: set.name,
        about: set.about,
        tasks: arcbatt::task::index(set.name, &ALL_TASKS).map_or(0, |index| index.len()),
        installed: true,
    });
    let pinned = PINNED.iter().map(|set| Set {
        name: set.name,
        about: set.about,
        tasks: set.tasks,
        installed: folder.as_ref().is_some_and(|folder| folder.has(set)),
    });
    Json(built_in.chain(pinned).collect())
}

const ALL_TASKS: Options = Options { skip_bad: false, select: Select::ALL };

async fn set(Path(name): Path<String>) -> Answer<Json<Vec<String>>> {
    let ids = blocking(move || {
        let index = check::named(&name)?;
        Ok::<_, RunError>(index.ids().map(str::to_owned).collect())
    });
    Ok(Json(ids.await??))
}

#[derive(Serialize)]
struct TaskBody {
    id: String,
    train: Vec<record::Example>,
    test: Vec<record::Example>,
}

async fn task(Path((name, id)): Path<(String, String)>) -> Answer<Json<TaskBody>> {
    let task = blocking(move || check::task(&name, &id)).await??;
    let examples = |pairs: &[arcbatt::task::Pair]| pairs.iter().map(arcbatt::document::example).collect();
    Ok(Json(TaskBody { train: examples(&task.train), test: examples(&task.test), id: task.id }))
}

#[derive(Serialize)]
struct Primitive {
    name: &'static str,
    family: &'static str,
    signature: String,
    docs: String,
    examples: Vec<&'static str>,
}

async fn primitives() -> Json<Vec<Primitive>> {
    let primitive = |it: &arcbatt::dsl::Primitive| Primitive {
        name: it.name,
        family: it.family.name,
        signature: it.signature(),
        docs: it.prose(),
        examples: it.examples().map(str::trim).collect(),
    };
    Json(registry().iter().map(primitive).collect())
}

async fn try_out(Body(question): Body<Question>) -> Answer<Json<Checked>> {
    Ok(Json(check::check(question).await?))
}
