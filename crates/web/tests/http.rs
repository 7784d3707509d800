//! The server over HTTP: who is let in, what it does not read, and runs from start to record.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use batt_web::{MAX_BODY, Options, Server, TOKEN_HEADER};
use serde_json::{Value, json};

/// A server of its own with a folder of its own. It ends with the process.
struct Client {
    host: String,
    token: String,
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("web-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Client {
    fn new(folder: &Folder) -> Client {
        let server = Server::new(Options {
            port: 0,
            folder: folder.0.clone(),
            follow: Vec::new(),
            store: folder.0.join("store.sqlite"),
            threads: 1,
        })
        .unwrap();
        let url = server.url();
        let (host, token) = url.strip_prefix("http://").unwrap().split_once("/?token=").unwrap();
        let client = Client { host: host.to_owned(), token: token.to_owned() };
        std::thread::spawn(move || server.serve());
        client
    }

    /// Status and body of any request.
    fn raw(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> (u16, String) {
        let mut stream = self.send(method, path, headers, body);
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let mut head =
            format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head.push_str(&format!("Host: {}\r\n", self.host));
        }
        headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        // A server that refuses a body may close before it has read it.
        let _ = stream.write_all(body);
        BufReader::new(stream)
    }

    fn get(&self, path: &str) -> (u16, String) {
        self.raw("GET", path, &[(TOKEN_HEADER, &self.token)], b"")
    }

    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let headers = [(TOKEN_HEADER, self.token.as_str()), ("Content-Type", "application/json")];
        let (status, body) = self.raw("POST", path, &headers, body.to_string().as_bytes());
        (status, unchunked(&body))
    }

    fn json(&self, path: &str) -> Value {
        let (status, body) = self.get(path);
        assert_eq!(status, 200, "{path}: {body}");
        unchunked(&body)
    }

    /// Follows a run until it has ended; its last progress and how many events there were.
    fn follow(&self, name: &str) -> (Value, usize) {
        let path = format!("/api/runs/{name}/events?token={}", self.token);
        let lines = self.send("GET", &path, &[], b"").lines();
        let mut events = 0;
        for line in lines {
            if let Some(text) = line.unwrap().strip_prefix("data: ") {
                events += 1;
                let now: Value = serde_json::from_str(text).unwrap();
                if !["waiting", "running"].contains(&now["state"].as_str().unwrap()) {
                    return (now, events);
                }
            }
        }
        panic!("the events ended before the run did");
    }
}

fn unchunked(body: &str) -> Value {
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}"))
}

#[test]
fn only_the_page_itself_is_let_in() {
    let folder = Folder::new("guard");
    let client = Client::new(&folder);
    let token = (TOKEN_HEADER, client.token.as_str());
    let status = |headers: &[(&str, &str)]| client.raw("GET", "/api/runs", headers, b"").0;
    assert_eq!(status(&[]), 403);
    assert_eq!(status(&[(TOKEN_HEADER, "0123456789abcdef0123456789abcdef")]), 403);
    assert_eq!(status(&[token]), 200);
    assert_eq!(client.raw("GET", &format!("/?token={}", client.token), &[], b"").0, 200);
    assert_eq!(client.raw("GET", "/?token=", &[], b"").0, 403);
    let own = format!("http://{}", client.host);
    assert_eq!(status(&[token, ("Origin", &own)]), 200);
    for origin in ["http://evil.example", "null", "https://127.0.0.1", &format!("{own}.evil.example")] {
        assert_eq!(status(&[token, ("Origin", origin)]), 403, "{origin}");
    }
    // A name that points to this machine is not this machine's name.
    assert_eq!(status(&[token, ("Host", "evil.example")]), 403);
    // Whatever is not there is refused like the rest.
    assert_eq!(client.raw("GET", "/nothing", &[], b"").0, 403);
    assert_eq!(client.get("/nothing").0, 404);
    assert!(client.host.starts_with("127.0.0.1:"));
}

#[test]
fn no_name_leads_out_of_the_folders() {
    let folder = Folder::new("paths");
    std::fs::write(folder.0.join("record.json"), "secret").unwrap();
    let client = Client::new(&folder);
    for name in ["..", "%2e%2e", "..%2f..%2fetc", ".%00", "%2fetc%2fpasswd", "."] {
        for path in [format!("/runs/{name}/report"), format!("/api/runs/{name}/record")] {
            let (status, body) = client.get(&path);
            assert!([400, 404].contains(&status) && !body.contains("secret"), "{path}: {status} {body}");
        }
        let (status, body) = client.get(&format!("/api/data/{name}"));
        assert!([400, 404, 422].contains(&status), "{name}: {status} {body}");
    }
    let outside = folder.0.display().to_string();
    for data in [outside.as_str(), "/etc", "../..", "demo/../../etc", ""] {
        let (status, body) =
            client.post("/api/runs", &json!({ "data": data, "programs": "def f(I):\n    return I\n" }));
        assert_eq!(status, 422, "{data}: {body}");
    }
}

#[test]
fn bodies_are_bounded_and_checked() {
    let folder = Folder::new("bodies");
    let client = Client::new(&folder);
    let long = "x".repeat(MAX_BODY + 1);
    let headers = [(TOKEN_HEADER, client.token.as_str()), ("Content-Type", "application/json")];
    assert_eq!(client.raw("POST", "/api/check", &headers, long.as_bytes()).0, 413);
    assert_eq!(client.post("/api/check", &json!({ "words": 1 })).0, 422);
    assert_eq!(client.raw("POST", "/api/check", &headers, b"{").0, 400);
    // A form that another site could send without asking is no JSON.
    let form = [(TOKEN_HEADER, client.token.as_str()), ("Content-Type", "text/plain")];
    assert_eq!(client.raw("POST", "/api/runs", &form, br#"{"data":"demo"}"#).0, 415);
    assert_eq!(client.post("/api/runs", &json!({ "data": "demo", "programs": "nonsense" })).0, 422);
}

#[test]
fn the_editor_sees_problems_and_pictures() {
    let folder = Folder::new("editor");
    let client = Client::new(&folder);
    let text = "def solve_a(I):\n    x = hmiror(I)\n    return x\n";
    let (status, body) = client.post("/api/check", &json!({ "text": text, "data": "demo", "task": null }));
    assert_eq!(status, 200);
    let problem = &body["problems"][0];
    assert_eq!((&problem["line"], &problem["column"]), (&json!(2), &json!(9)));
    let (start, end) =
        (problem["start"].as_u64().unwrap() as usize, problem["end"].as_u64().unwrap() as usize);
    assert_eq!(&text[start..end], "hmiror");
    assert!(body["picture"].is_null());
    let ids = client.json("/api/data/demo");
    let id = ids[0].as_str().unwrap();
    let text = "def solve_a(I):\n    return hmirror(I)\n";
    let (_, body) = client.post("/api/check", &json!({ "text": text, "data": "demo", "task": id }));
    assert_eq!(body["problems"], json!([]));
    assert!(body["title"].as_str().unwrap().starts_with(id));
    assert!(body["picture"].as_str().unwrap().len() > 100);
    let task = client.json(&format!("/api/data/demo/{id}"));
    assert!(task["train"].as_array().unwrap().len() > 1);
    assert!(client.json("/api/primitives").as_array().unwrap().len() >= 160);
}

#[test]
fn a_run_goes_from_start_to_record_and_outlives_the_server() {
    let folder = Folder::new("runs");
    let client = Client::new(&folder);
    let (status, started) = client.post("/api/runs", &json!({ "data": "demo" }));
    assert_eq!(status, 201, "{started}");
    let name = started["name"].as_str().unwrap();
    let (end, _) = client.follow(name);
    assert_eq!(
        (&end["state"], &end["done"], &end["error"]),
        (&json!("finished"), &end["total"], &Value::Null)
    );
    assert_eq!(end["solved"], end["total"]);
    let record = client.json(&format!("/api/runs/{name}/record"));
    assert_eq!(record["right"]["all"], true);
    let (status, page) = client.get(&format!("/runs/{name}/report"));
    assert!(status == 200 && page.contains("Content-Security-Policy"));
    // What another server left half-way is found, and can be finished.
    let half = folder.0.join("run-000000000001-000");
    std::fs::create_dir(&half).unwrap();
    std::fs::write(half.join("request.json"), r#"{"data":"demo"}"#).unwrap();
    let again = Client::new(&folder);
    let listed = again.json("/api/runs");
    assert_eq!(listed[0]["name"], name);
    assert_eq!((&listed[0]["state"], &listed[0]["solved"]), (&json!("finished"), &end["solved"]));
    assert_eq!(listed[1]["state"], "interrupted");
    assert_eq!(again.get("/runs/run-000000000001-000/report").0, 409);
    assert_eq!(again.post("/api/runs/run-000000000001-000/resume", &json!({})).0, 200);
    assert_eq!(again.follow("run-000000000001-000").0["state"], "finished");
}

#[test]
fn a_run_can_be_stopped_and_resumed() {
    let folder = Folder::new("stop");
    let client = Client::new(&folder);
    let (_, first) = client.post("/api/runs", &json!({ "data": "demo", "all_pairs": true }));
    let (_, second) = client.post("/api/runs", &json!({ "data": "demo" }));
    let (first, second) = (first["name"].as_str().unwrap(), second["name"].as_str().unwrap());
    // The second waits for the first, so it is stopped before it begins.
    assert_eq!(client.post(&format!("/api/runs/{second}/stop"), &json!({})).0, 200);
    assert_eq!(client.post(&format!("/api/runs/{first}/stop"), &json!({})).0, 200);
    let end = client.follow(second).0;
    assert_eq!((&end["state"], &end["done"]), (&json!("stopped"), &json!(0)));
    assert_eq!(client.post(&format!("/api/runs/{second}/resume"), &json!({})).0, 200);
    assert_eq!(client.follow(second).0["state"], "finished");
    assert_eq!(client.post("/api/runs/none/stop", &json!({})).0, 404);
}

#[test]
fn what_is_described_is_there() {
    let folder = Folder::new("openapi");
    let client = Client::new(&folder);
    let document = client.json("/api/openapi.json");
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let path = path.replace("{name}", "demo").replace("{task}", "none");
            let headers = [(TOKEN_HEADER, client.token.as_str())];
            let (status, body) = client.raw(&method.to_uppercase(), &path, &headers, b"");
            assert!(
                status != 405 && !(status == 404 && body.contains("there is nothing of this name")),
                "{method} {path}: {status}"
            );
        }
    }
}
