//! The HTTP routes: pages, and the JSON API that `openapi.json` describes.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use arcbatt::store::StoreError;
use arcbatt::task::Task;
use arcbatt::value::ContentHash;
use arcbatt::{JobError, lang, page, record};
use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, FromRequest, Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{delete, get, post};
use axum::{Json, Router, middleware};
use serde::{Deserialize, Serialize};
use tokio_stream::wrappers::WatchStream;
use tokio_stream::{Stream, StreamExt};

use crate::Shared;
use crate::check::{self, Checked, ProblemBody, Question};
use crate::files::{FileBody, FileList, SaveRequest, SavedFile};
use crate::guard::{self, MAX_BODY};
use crate::manual;
use crate::runs::{Progress, Request, RunError};
use crate::sets::Set;
use crate::store;

type Server = State<Arc<Shared>>;
type Answer<T> = Result<T, ApiError>;

pub(crate) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(home))
        .route("/runs/{name}/report", get(report))
        .route("/runs/{name}/compare/{other}", get(compare))
        .route("/api/openapi.json", get(openapi))
        .route("/api/runs", get(runs).post(start))
        .route("/api/runs/{name}", delete(delete_run))
        .route("/api/runs/{name}/rename", post(rename))
        .route("/api/runs/{name}/programs/{index}", get(run_program))
        .route("/api/runs/{name}/record", get(record_file))
        .route("/api/runs/{name}/events", get(events))
        .route("/api/runs/{name}/page", get(page_data))
        .route("/api/runs/{name}/pause", post(pause))
        .route("/api/runs/{name}/stop", post(stop))
        .route("/api/runs/{name}/resume", post(resume))
        .route("/api/events", get(all_events))
        .route("/api/store", get(store))
        .route("/api/store/programs", get(store_programs).post(save_in_store))
        .route("/api/store/programs/{hash}", get(store_program))
        .route("/api/store/tasks/{hash}", get(store_task))
        .route("/api/data", get(sets))
        .route("/api/data/{name}", get(set))
        .route("/api/data/{name}/{task}", get(task))
        .route("/api/previews/{name}", get(previews))
        .route("/api/primitives", get(primitives))
        .route("/api/constants", get(constants))
        .route("/api/files", get(files))
        .route("/api/files/{name}", get(open_file).put(save_file))
        .route("/api/check", post(try_out))
        .route("/api/format", post(format))
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
            RunError::Busy(_)
            | RunError::Idle(_)
            | RunError::Unfinished(_)
            | RunError::Foreign(_)
            | RunError::Unstopped(_)
            | RunError::TitleTaken(_)
            | RunError::OtherFile { .. } => StatusCode::CONFLICT,
            RunError::Data(_) | RunError::Limit | RunError::Title | RunError::Unstorable(_) => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            RunError::Job(JobError::Field { .. } | JobError::Data(_) | JobError::Programs(_)) => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            RunError::Job(_) | RunError::Io(_) | RunError::Record(_) | RunError::Store(_) => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
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
    let nonce = guard::random_token()
        .map_err(|error| ApiError(StatusCode::INTERNAL_SERVER_ERROR, format!("no random number: {error}")))?;
    page::write_live(shared.guard.token(), &nonce, &mut out).map_err(RunError::Io)?;
    Ok(Html(out))
}

async fn report(State(shared): Server, Path(name): Path<String>) -> Answer<Html<Vec<u8>>> {
    let made = blocking(move || -> Result<Vec<u8>, RunError> {
        let runs = [shared.runs.record(&name)?];
        let mut out = Vec::new();
        let path = format!("/api/runs/{name}");
        page::write_served(&runs, &server(&shared, &[name], &runs, Some(&path)), &mut out)?;
        Ok(out)
    });
    Ok(Html(made.await??))
}

async fn compare(
    State(shared): Server,
    Path((name, other)): Path<(String, String)>,
) -> Answer<Html<Vec<u8>>> {
    let made = blocking(move || -> Result<Vec<u8>, RunError> {
        let runs = [shared.runs.record(&name)?, shared.runs.record(&other)?];
        let mut out = Vec::new();
        page::write_served(&runs, &server(&shared, &[name, other], &runs, None), &mut out)?;
        Ok(out)
    });
    Ok(Html(made.await??))
}

/// Describes this server to the report of runs with these names.
fn server<'s>(
    shared: &'s Shared,
    names: &[String],
    runs: &[(String, record::Record)],
    follow: Option<&'s str>,
) -> page::Server<'s> {
    let sets = runs.iter().map(|(_, record)| shared.places.sets.name_of(&record.setup.data.name));
    page::Server { token: shared.guard.token(), follow, names: names.to_vec(), sets: sets.collect() }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rename {
    title: String,
}

async fn rename(
    State(shared): Server,
    Path(name): Path<String>,
    Body(request): Body<Rename>,
) -> Answer<Json<Progress>> {
    Ok(Json(blocking(move || shared.runs.rename(&name, &request.title)).await??))
}

async fn delete_run(State(shared): Server, Path(name): Path<String>) -> Answer<Json<Done>> {
    blocking(move || shared.runs.delete(&name)).await??;
    Ok(Json(Done {}))
}

/// The answer to a request that has no other.
#[derive(Serialize)]
struct Done {}

/// A program of a run, for the editor.
#[derive(Serialize)]
struct RunProgram {
    name: String,
    text: String,
}

async fn run_program(
    State(shared): Server,
    Path((name, index)): Path<(String, usize)>,
) -> Answer<Json<RunProgram>> {
    let (_, record) = blocking({
        let name = name.clone();
        move || shared.runs.record(&name)
    })
    .await??;
    let program = record.programs.into_iter().nth(index);
    let program = program.ok_or_else(|| {
        ApiError(StatusCode::NOT_FOUND, format!("the record of {name} has no program {index}"))
    })?;
    Ok(Json(RunProgram { name: program.name, text: program.text }))
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
    Ok(Json(blocking(move || store::overview(&shared.places.store)).await??))
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
    Ok(Json(blocking(move || store::programs(&shared.places.store, &filter.text)).await??))
}

async fn store_program(
    State(shared): Server,
    Path(hash): Path<String>,
) -> Answer<Json<store::ProgramDetails>> {
    let hash = parse_hash(&hash)?;
    let details = blocking(move || store::program(&shared.places.store, hash)).await??;
    Ok(Json(
        details.ok_or_else(|| ApiError(StatusCode::NOT_FOUND, format!("the store has no program {hash}")))?,
    ))
}

async fn store_task(
    State(shared): Server,
    Path(hash): Path<String>,
) -> Answer<Json<Vec<store::StoredResult>>> {
    let hash = parse_hash(&hash)?;
    Ok(Json(blocking(move || store::task(&shared.places.store, hash)).await??))
}

fn parse_hash(digits: &str) -> Answer<ContentHash> {
    ContentHash::parse(digits)
        .ok_or_else(|| ApiError(StatusCode::NOT_FOUND, format!("`{digits}` is not a hash")))
}

async fn save_in_store(
    State(shared): Server,
    Body(request): Body<store::SaveRequest>,
) -> Answer<Json<store::SavedPrograms>> {
    check::check_length(&request.text)?;
    Ok(Json(blocking(move || store::save(&shared.places, &request)).await??))
}

async fn sets(State(shared): Server) -> Answer<Json<Vec<Set>>> {
    Ok(Json(blocking(move || shared.places.sets.list()).await?))
}

async fn set(State(shared): Server, Path(name): Path<String>) -> Answer<Json<Vec<String>>> {
    let ids = blocking(move || {
        let index = shared.places.sets.index(&name)?;
        Ok::<_, RunError>(index.ids().map(str::to_owned).collect())
    });
    Ok(Json(ids.await??))
}

/// The part of a set that a gallery shows next.
#[derive(Deserialize)]
struct PreviewRange {
    #[serde(default)]
    start: usize,
    #[serde(default = "max_previews")]
    count: usize,
}

fn max_previews() -> usize {
    100
}

/// A task and its first demonstration pair, or its first test if it has none.
#[derive(Serialize)]
struct Preview {
    id: String,
    pair: Option<record::Example>,
}

async fn previews(
    State(shared): Server,
    Path(name): Path<String>,
    Query(range): Query<PreviewRange>,
) -> Answer<Json<Vec<Preview>>> {
    let count = range.count.min(max_previews());
    let tasks = blocking(move || shared.places.sets.tasks(&name, range.start, count)).await??;
    let preview = |task: Task| Preview {
        pair: task.train.first().or(task.test.first()).map(arcbatt::document::example),
        id: task.id,
    };
    Ok(Json(tasks.into_iter().map(preview).collect()))
}

#[derive(Serialize)]
struct TaskBody {
    id: String,
    train: Vec<record::Example>,
    test: Vec<record::Example>,
}

async fn task(State(shared): Server, Path((name, id)): Path<(String, String)>) -> Answer<Json<TaskBody>> {
    let task = blocking(move || shared.places.sets.task(&name, &id)).await??;
    let examples = |pairs: &[arcbatt::task::Pair]| pairs.iter().map(arcbatt::document::example).collect();
    Ok(Json(TaskBody { train: examples(&task.train), test: examples(&task.test), id: task.id }))
}

async fn primitives() -> Json<&'static [manual::Primitive]> {
    Json(manual::primitives())
}

async fn constants() -> Json<Vec<manual::Constant>> {
    Json(manual::constants())
}

async fn files(State(shared): Server) -> Answer<Json<FileList>> {
    Ok(Json(blocking(move || shared.programs.list()).await??))
}

async fn open_file(State(shared): Server, Path(name): Path<String>) -> Answer<Json<FileBody>> {
    Ok(Json(blocking(move || shared.programs.open(&name)).await??))
}

async fn save_file(
    State(shared): Server,
    Path(name): Path<String>,
    Body(request): Body<SaveRequest>,
) -> Answer<Json<SavedFile>> {
    Ok(Json(blocking(move || shared.programs.save(&name, &request)).await??))
}

async fn try_out(State(shared): Server, Body(question): Body<Question>) -> Answer<Json<Checked>> {
    let sets = Arc::clone(&shared.places.sets);
    Ok(Json(shared.checker.check(question, sets).await?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FormatRequest {
    text: String,
}

#[derive(Serialize)]
struct Formatted {
    /// `None` if the text has syntax errors.
    text: Option<String>,
    problems: Vec<ProblemBody>,
}

async fn format(Body(FormatRequest { text }): Body<FormatRequest>) -> Answer<Json<Formatted>> {
    check::check_length(&text)?;
    Ok(Json(match lang::format(&text) {
        Ok(text) => Formatted { text: Some(text), problems: Vec::new() },
        Err(problems) => {
            let problems = problems.iter().map(|it| check::problem(it, &text)).collect();
            Formatted { text: None, problems }
        }
    }))
}
