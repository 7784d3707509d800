//! The server over HTTP: access control, paths, and runs from start to record.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use arcbatt::record::Kind;
use arcbatt::record::live::{Live, Status};
use arcbatt::store::{Entry, Measure, Origin, Store};
use arcbatt::value::ContentHash;
use batt_web::{MAX_BODY, MAX_CHECKED, Options, Server, TOKEN_HEADER};
use serde_json::{Value, json};

/// A client of its own server. The server ends with the process.
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

fn options(folder: &Folder) -> Options {
    Options {
        port: 0,
        folder: folder.0.clone(),
        follow: Vec::new(),
        store: folder.0.join("store.sqlite"),
        data: Vec::new(),
        programs: None,
        threads: 1,
    }
}

impl Client {
    fn new(folder: &Folder) -> Client {
        Client::with(options(folder))
    }

    fn with(options: Options) -> Client {
        let server = Server::new(options).unwrap();
        let url = server.url();
        let (host, token) = url.strip_prefix("http://").unwrap().split_once("/?token=").unwrap();
        let client = Client { host: host.to_owned(), token: token.to_owned() };
        std::thread::spawn(move || server.serve());
        client
    }

    /// Sends a request, and returns status and body.
    fn raw(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> (u16, String) {
        let mut stream = self.send(method, path, headers, body);
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    /// Sends a request whose response may not end, and returns its status.
    fn first_line(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> (u16, String) {
        let mut line = String::new();
        self.send(method, path, headers, b"").read_line(&mut line).unwrap();
        (line.split(' ').nth(1).unwrap().parse().unwrap(), String::new())
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
        // A server that refuses a body may close the connection before it has read it.
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

    /// Follows a run until it has ended. Returns its last progress and the number of events.
    fn follow(&self, name: &str) -> (Value, usize) {
        self.until(name, |now| !["waiting", "running"].contains(&now["state"].as_str().unwrap()))
    }

    /// Follows a run until a condition holds.
    fn until(&self, name: &str, holds: impl Fn(&Value) -> bool) -> (Value, usize) {
        let path = format!("/api/runs/{name}/events?token={}", self.token);
        let lines = self.send("GET", &path, &[], b"").lines();
        let mut events = 0;
        for line in lines {
            if let Some(text) = line.unwrap().strip_prefix("data: ") {
                events += 1;
                let now: Value = serde_json::from_str(text).unwrap();
                if holds(&now) {
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
fn only_the_page_itself_has_access() {
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
    // A foreign host name that points to this machine is refused.
    assert_eq!(status(&[token, ("Host", "evil.example")]), 403);
    // Unknown paths are refused in the same way.
    assert_eq!(client.raw("GET", "/nothing", &[], b"").0, 403);
    assert_eq!(client.get("/nothing").0, 404);
    assert!(client.host.starts_with("127.0.0.1:"));
}

#[cfg(unix)]
#[test]
fn the_token_is_saved_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("token");
    let first = Client::new(&folder).token;
    // An open page survives a restart of the server.
    assert_eq!(Client::new(&folder).token, first);
    let path = folder.0.join("token");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    // A token that others could have read is not used again, nor a file that is not a token.
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
    let second = Client::new(&folder).token;
    assert_ne!(second, first);
    std::fs::write(&path, "short").unwrap();
    assert_eq!(Client::new(&folder).token.len(), 32);
}

#[test]
fn names_cannot_lead_out_of_the_folder() {
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
fn bodies_are_limited_and_checked() {
    let folder = Folder::new("bodies");
    let client = Client::new(&folder);
    let long = "x".repeat(MAX_BODY + 1);
    let headers = [(TOKEN_HEADER, client.token.as_str()), ("Content-Type", "application/json")];
    assert_eq!(client.raw("POST", "/api/check", &headers, long.as_bytes()).0, 413);
    assert_eq!(client.post("/api/check", &json!({ "words": 1 })).0, 422);
    assert_eq!(client.raw("POST", "/api/check", &headers, b"{").0, 400);
    // A form, which another site could send without permission, is not JSON.
    let form = [(TOKEN_HEADER, client.token.as_str()), ("Content-Type", "text/plain")];
    assert_eq!(client.raw("POST", "/api/runs", &form, br#"{"data":"demo"}"#).0, 415);
    assert_eq!(client.post("/api/runs", &json!({ "data": "demo", "programs": "nonsense" })).0, 422);
}

#[test]
fn the_editor_gets_problems_values_and_verdicts() {
    let folder = Folder::new("editor");
    let client = Client::new(&folder);
    let check = |text: &str, pair: usize| {
        let question = json!({ "text": text, "data": "demo", "task": "kaleidoscope", "pair": pair });
        let (status, body) = client.post("/api/check", &question);
        assert_eq!(status, 200, "{body}");
        body
    };
    let text = "def solve_a(I):\n    x = vmirror(I)\n    unused = hmirror(I)\n    return hconcat(I, x)\n";
    let body = check(text, 1);
    assert_eq!((&body["problems"], &body["program"]), (&json!([]), &json!("solve_a")));
    let task = client.json("/api/data/demo/kaleidoscope");
    let lines: Vec<(&Value, &Value)> =
        body["lines"].as_array().unwrap().iter().map(|it| (&it["line"], &it["name"])).collect();
    let (numbers, names): (Vec<_>, Vec<_>) = lines.into_iter().unzip();
    assert_eq!(numbers, [1, 2, 3, 4]);
    assert_eq!(names, [&json!("I"), &json!("x"), &json!("unused"), &Value::Null]);
    // The values are those of the chosen pair.
    let input = &task["train"][1]["input"];
    assert_eq!(&body["lines"][0]["rows"], input);
    let mirrored: Vec<Value> = input
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row.as_array().unwrap().iter().rev().cloned().collect())
        .collect();
    assert_eq!(body["lines"][1]["rows"], json!(mirrored));
    let verdicts = |body: &Value| -> Vec<String> {
        body["pairs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|pair| pair["verdict"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(verdicts(&body), ["wrong"; 4]);
    assert!(body["pairs"][1]["answer"].is_array() && body["pairs"][0]["answer"].is_null());
    let right = "def f(I):\n    x = hconcat(I, vmirror(I))\n    return vconcat(x, hmirror(x))\n";
    assert_eq!(verdicts(&check(right, 0)), ["right"; 4]);
    // A function with errors has the values of its other lines, and no verdicts.
    let text = "def solve_a(I):\n    x = vmirror(I)\n    y = hmiror(I)\n    return y\n";
    let body = check(text, 0);
    let problem = &body["problems"][0];
    assert_eq!((&problem["line"], &problem["column"]), (&json!(3), &json!(9)));
    let (start, end) =
        (problem["start"].as_u64().unwrap() as usize, problem["end"].as_u64().unwrap() as usize);
    assert_eq!(&text[start..end], "hmiror");
    assert_eq!((&body["lines"][1]["name"], &body["pairs"]), (&json!("x"), &json!([])));
    // A line that fails is named.
    let body = check("def f(I):\n    x = vmirror(I)\n    y = first(())\n    return paint(x, y)\n", 0);
    assert_eq!((&body["failure"]["line"], &body["lines"][1]["name"]), (&json!(3), &json!("x")));
    assert_eq!(verdicts(&body), ["failed"; 4]);
    // A learned rule is explained.
    let learns = "def solve(S, I, C):\n    rule = learn_split(S, F0)\n    return rule(I)\n";
    let (_, body) =
        client.post("/api/check", &json!({ "text": learns, "data": "demo", "task": "agreement" }));
    let words = body["lines"][1]["text"].as_str().unwrap();
    assert!(words.contains("if parts 1 and 2 are equal"), "{body}");
    assert_eq!(
        (&body["lines"][1]["about"], &body["lines"][1]["kind"]),
        (&json!("learn_split"), &json!("words"))
    );
    // The name of a function chooses it.
    let two = json!({ "text": right.replace("f(I)", "g(I)") + right, "data": "demo", "program": "f" });
    assert_eq!(client.post("/api/check", &two).1["program"], "f");
    assert_eq!(client.post("/api/check", &json!({ "text": right, "data": "none", "task": "a" })).0, 200);
}

#[test]
fn long_texts_are_refused() {
    let folder = Folder::new("limits");
    let client = Client::new(&folder);
    let long = format!("{}{}", "#".repeat(MAX_CHECKED), "\ndef f(I):\n    return I\n");
    for path in ["/api/check", "/api/format", "/api/store/programs"] {
        let mut body = json!({ "text": long });
        if path != "/api/format" {
            (body["data"], body["task"]) = (json!("demo"), json!("rooms"));
        }
        let (status, answer) = client.post(path, &body);
        assert_eq!(status, 413, "{path}: {answer}");
        assert!(answer["error"].as_str().unwrap().contains("64 KiB"), "{answer}");
    }
}

#[test]
fn program_files_are_saved_only_in_their_folder_and_never_replaced_silently() {
    let (folder, programs) = (Folder::new("files"), Folder::new("files-programs"));
    let no_folder = Client::new(&folder);
    assert_eq!(no_folder.json("/api/files")["folder"], Value::Null);
    let put = |client: &Client, name: &str, body: &Value| {
        let headers = [(TOKEN_HEADER, client.token.as_str()), ("Content-Type", "application/json")];
        let (status, body) =
            client.raw("PUT", &format!("/api/files/{name}"), &headers, body.to_string().as_bytes());
        (status, unchunked(&body))
    };
    let text = "def f(I):\n    return I\n";
    let (status, answer) = put(&no_folder, "f.py", &json!({ "text": text, "replaces": null }));
    assert_eq!(status, 409);
    assert!(answer["error"].as_str().unwrap().contains("--programs FOLDER"), "{answer}");
    let client = Client::with(Options { programs: Some(programs.0.clone()), ..options(&folder) });
    for name in
        ["..%2ff.py", "%2ftmp%2ff.py", "f.txt", ".py", ".hidden.py", "a%00.py", "a%0a.py", "..py%2f..%2fx.py"]
    {
        let (status, _) = put(&client, name, &json!({ "text": text, "replaces": null }));
        assert!([400, 404, 422].contains(&status), "{name}: {status}");
    }
    assert_eq!(std::fs::read_dir(&programs.0).unwrap().count(), 0);
    let (status, saved) = put(&client, "f.py", &json!({ "text": text, "replaces": null }));
    assert_eq!(status, 200, "{saved}");
    assert_eq!(std::fs::read_to_string(programs.0.join("f.py")).unwrap(), text);
    assert_eq!(client.json("/api/files")["files"][0]["name"], "f.py");
    assert_eq!(client.json("/api/files/f.py")["text"], text);
    // It exists now, so only a request that knows its content replaces it.
    let other = json!({ "text": "# other\n", "replaces": null });
    assert_eq!(put(&client, "f.py", &other).0, 409);
    assert_eq!(std::fs::read_to_string(programs.0.join("f.py")).unwrap(), text);
    let (status, saved) = put(&client, "f.py", &json!({ "text": "# new\n", "replaces": saved["hash"] }));
    assert_eq!(status, 200);
    std::fs::write(programs.0.join("f.py"), "# by another program\n").unwrap();
    assert_eq!(put(&client, "f.py", &json!({ "text": "", "replaces": saved["hash"] })).0, 409);
    assert_eq!(std::fs::read_to_string(programs.0.join("f.py")).unwrap(), "# by another program\n");
    #[cfg(unix)]
    {
        // A link may lead out of the folder.
        let outside = folder.0.join("outside.py");
        std::fs::write(&outside, "secret").unwrap();
        std::os::unix::fs::symlink(&outside, programs.0.join("link.py")).unwrap();
        let (status, body) = client.get("/api/files/link.py");
        assert!(status == 422 && !body.contains("secret"), "{body}");
        assert_eq!(put(&client, "link.py", &other).0, 422);
        assert_eq!(std::fs::read_to_string(&outside).unwrap(), "secret");
    }
}

#[test]
fn programs_are_formatted_and_stored() {
    let folder = Folder::new("written");
    let client = Client::new(&folder);
    let text = "def solve_kaleidoscope(I):\n  x = hconcat(I,vmirror(I))\n  return vconcat(x,hmirror(x))\n";
    let formatted = client.post("/api/format", &json!({ "text": text })).1;
    let formatted = formatted["text"].as_str().unwrap();
    assert!(formatted.contains("    x = hconcat(I, vmirror(I))\n"), "{formatted}");
    let (_, broken) = client.post("/api/format", &json!({ "text": "def f(I)\n" }));
    assert!(broken["text"].is_null() && broken["problems"][0]["line"] == 1, "{broken}");
    let save = |text: &str| {
        client.post("/api/store/programs", &json!({ "text": text, "data": "demo", "task": "kaleidoscope" }))
    };
    let (status, saved) = save(text);
    assert_eq!((status, &saved["added"]), (200, &json!(["solve_kaleidoscope"])), "{saved}");
    assert_eq!(save(formatted).1["known"], json!(["solve_kaleidoscope"]));
    let store = client.json("/api/store");
    let best = &store["tasks"][0]["best"];
    assert_eq!((&best["right"], &best["task_name"]), (&json!(3), &json!("kaleidoscope")));
    assert_eq!(store["stats"]["written"], 1);
    let (status, refused) = save("def f(I):\n    return hmiror(I)\n");
    assert!(status == 422 && refused["error"].as_str().unwrap().contains("line 2"), "{refused}");
}

#[test]
fn own_folders_are_data_sets() {
    let (folder, tasks) = (Folder::new("own"), Folder::new("own-tasks"));
    let task =
        r#"{"train":[{"input":[[1,2]],"output":[[2,1]]}],"test":[{"input":[[3,4]],"output":[[4,3]]}]}"#;
    std::fs::write(tasks.0.join("swap.json"), task).unwrap();
    let client = Client::with(Options { data: vec![tasks.0.clone()], ..options(&folder) });
    let sets = client.json("/api/data");
    let name = tasks.0.file_name().unwrap().to_str().unwrap();
    assert_eq!(
        (&sets[0]["name"], &sets[0]["own"], &sets[0]["tasks"]),
        (&json!(name), &json!(true), &json!(1))
    );
    assert_eq!(client.json(&format!("/api/data/{name}")), json!(["swap"]));
    assert_eq!(client.json(&format!("/api/previews/{name}"))[0]["pair"]["output"], json!([[2, 1]]));
    let previews = client.json("/api/previews/demo?start=70&count=24");
    assert_eq!(previews.as_array().unwrap().len(), 9);
    assert_eq!(client.json("/api/previews/demo?start=900"), json!([]));
    let text = "def solve_swap(I):\n    return vmirror(I)\n";
    let (_, checked) = client.post("/api/check", &json!({ "text": text, "data": name, "task": "swap" }));
    assert_eq!(checked["pairs"][1]["verdict"], "right");
    let (status, started) = client.post("/api/runs", &json!({ "data": name, "programs": text }));
    assert_eq!(status, 201, "{started}");
    let (end, _) = client.follow(started["name"].as_str().unwrap());
    assert_eq!((&end["state"], &end["solved"]), (&json!("finished"), &json!(1)), "{end}");
    // The report links to the editor with the name of the set.
    let (_, page) = client.get(&format!("/runs/{}/report", end["name"].as_str().unwrap()));
    assert!(page.contains(&format!("\"sets\":[\"{name}\"]")));
    // Two sets cannot have one name, and a missing folder is an error.
    for data in [vec![tasks.0.clone(), tasks.0.clone()], vec![tasks.0.join("missing")]] {
        let error = Server::new(Options { data, ..options(&folder) }).err().unwrap().to_string();
        assert!(error.starts_with("cannot use the data set "), "{error}");
    }
}

#[test]
fn runs_are_renamed_compared_and_deleted() {
    let folder = Folder::new("manage");
    let client = Client::new(&folder);
    let start = || {
        let (_, started) = client.post("/api/runs", &json!({ "data": "demo" }));
        client.follow(started["name"].as_str().unwrap()).0
    };
    let (first, second) = (start(), start());
    assert_eq!((&first["title"], &second["title"]), (&json!("run demo"), &json!("run demo 2")));
    assert!(first["started"].as_u64().unwrap() > 1_700_000_000_000);
    let (first, second) = (first["name"].as_str().unwrap(), second["name"].as_str().unwrap());
    let rename = |name: &str, title: &str| {
        client.post(&format!("/api/runs/{name}/rename"), &json!({ "title": title })).0
    };
    assert_eq!(rename(first, " before <b>the</b> change "), 200);
    for title in ["", "  ", "two\nlines", &"x".repeat(81)] {
        assert_eq!(rename(first, title), 422, "{title:?}");
    }
    assert_eq!(rename(second, "before <b>the</b> change"), 409);
    assert_eq!(rename("none", "a"), 404);
    assert_eq!(Client::new(&folder).json("/api/runs")[1]["title"], "before <b>the</b> change");
    let (status, page) = client.get(&format!("/runs/{first}/compare/{second}"));
    assert!(status == 200 && page.contains("\"compare\":{\"Ok\""));
    assert_eq!(client.get(&format!("/runs/{first}/compare/none")).0, 404);
    let program = client.json(&format!("/api/runs/{first}/programs/0"));
    assert!(program["text"].as_str().unwrap().starts_with("def "), "{program}");
    assert_eq!(client.get(&format!("/api/runs/{first}/programs/100000")).0, 404);
    let delete = |name: &str| {
        client.raw("DELETE", &format!("/api/runs/{name}"), &[(TOKEN_HEADER, &client.token)], b"")
    };
    // A file that is not the server's is never deleted, nor are the files beside it.
    let notes = folder.0.join(first).join("notes.txt");
    std::fs::write(&notes, "mine").unwrap();
    let (status, body) = delete(first);
    assert!(status == 409 && body.contains("notes.txt"), "{status} {body}");
    assert!(folder.0.join(first).join("record.json").exists());
    std::fs::remove_file(&notes).unwrap();
    assert_eq!(delete(first).0, 200);
    assert!(!folder.0.join(first).exists() && folder.0.join(second).exists());
    let left = client.json("/api/runs");
    assert_eq!((left.as_array().unwrap().len(), &left[0]["name"]), (1, &json!(second)));
    assert_eq!(delete(first).0, 404);
    for name in ["..", "%2e%2e", ".."] {
        assert!([400, 404, 405].contains(&delete(name).0));
    }
    // A record of another command is shown, but not deleted here.
    std::fs::copy(folder.0.join(second).join("record.json"), folder.0.join("other.json")).unwrap();
    let other = loop {
        let runs = client.json("/api/runs");
        match runs.as_array().unwrap().iter().find(|run| run["here"] == false) {
            Some(run) => break run["name"].as_str().unwrap().to_owned(),
            None => std::thread::sleep(std::time::Duration::from_millis(50)),
        }
    };
    assert_eq!((delete(&other).0, rename(&other, "mine")), (409, 409));
    // A solve can be deleted with all its files, but not while it runs.
    let ask = json!({ "kind": "solve", "data": "demo", "seconds": 60 });
    let solve = client.post("/api/runs", &ask).1["name"].as_str().unwrap().to_owned();
    client.until(&solve, |now| now["record"].is_u64());
    assert_eq!(delete(&solve).0, 409);
    client.post(&format!("/api/runs/{solve}/stop"), &json!({}));
    client.follow(&solve);
    let (status, body) = delete(&solve);
    assert_eq!(status, 200, "{body}");
    assert!(!folder.0.join(&solve).exists());
}

#[test]
fn the_page_allows_its_own_script_and_styles_only() {
    let folder = Folder::new("policy");
    let client = Client::new(&folder);
    let policy = || {
        let page = client.get("/").1;
        let policy = page.split("Content-Security-Policy\" content=\"").nth(1).unwrap();
        policy.split('"').next().unwrap().to_owned()
    };
    let (first, second) = (policy(), policy());
    assert!(first.starts_with("default-src 'none'; script-src 'sha256-"), "{first}");
    assert!(!first.contains("unsafe") && !first.contains("img-src"), "{first}");
    // The nonce of the editor's styles is different each time.
    let nonce = |policy: &str| policy.split("'nonce-").nth(1).unwrap().split('\'').next().unwrap().to_owned();
    assert_eq!(nonce(&first).len(), 32);
    assert_ne!(nonce(&first), nonce(&second));
}

#[test]
fn a_run_survives_a_restart_of_the_server() {
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
    // An unfinished run of another server is found and can be finished.
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

/// Returns the record without the parts that differ from run to run.
fn results(record: &Value) -> Value {
    let mut record = record.clone();
    let fields = record.as_object_mut().unwrap();
    fields.remove("environment");
    fields.remove("profile");
    record
}

#[test]
fn a_run_resumes_from_its_record_after_a_pause_and_a_restart() {
    let folder = Folder::new("pause");
    let client = Client::new(&folder);
    let (_, whole) = client.post("/api/runs", &json!({ "data": "demo", "all_pairs": true }));
    let whole = whole["name"].as_str().unwrap();
    assert_eq!(client.follow(whole).0["state"], "finished");
    let expected = client.json(&format!("/api/runs/{whole}/record"));
    // Half of a record, as a killed server leaves it.
    let half = folder.0.join("run-000000000001-000");
    std::fs::create_dir(&half).unwrap();
    std::fs::write(half.join("request.json"), r#"{"data":"demo","all_pairs":true}"#).unwrap();
    let mut begun = expected.clone();
    let n = begun["tasks"].as_array().unwrap().len();
    begun["tasks"].as_array_mut().unwrap().truncate(n / 2);
    begun["right"]["left"] = json!(n - n / 2);
    begun["finished"] = json!(false);
    // A changed figure shows later that this result was kept, not computed again.
    begun["tasks"][0]["programs"][0]["train"][0]["fuel"] = json!(12345);
    // A record begins with its version, kind and job.
    let fields = begun.as_object_mut().unwrap();
    let (kind, job) = (fields.remove("kind").unwrap(), fields.remove("job").unwrap());
    fields.remove("schema");
    let text = begun.to_string().replacen('{', &format!("{{\"schema\":2,\"kind\":{kind},\"job\":{job},"), 1);
    std::fs::write(half.join("record.json"), text).unwrap();
    let again = Client::new(&folder);
    let listed = again.json("/api/runs");
    assert_eq!((&listed[1]["state"], &listed[1]["done"]), (&json!("interrupted"), &json!(n / 2)));
    // Waiting runs can be paused and stopped; the run before them is busy or finished.
    assert_eq!(again.post("/api/runs/run-000000000001-000/pause", &json!({})).0, 409);
    assert_eq!(again.post("/api/runs/run-000000000001-000/resume", &json!({})).0, 200);
    assert_eq!(again.follow("run-000000000001-000").0["state"], "finished");
    let mut record = again.json("/api/runs/run-000000000001-000/record");
    assert_eq!(record["tasks"][0]["programs"][0]["train"][0]["fuel"], 12345, "it was not run again");
    record["tasks"][0]["programs"][0]["train"][0]["fuel"] =
        expected["tasks"][0]["programs"][0]["train"][0]["fuel"].clone();
    assert_eq!(results(&record), results(&expected));
}

#[test]
fn a_solve_is_paused_and_resumed() {
    let folder = Folder::new("solve");
    let client = Client::new(&folder);
    let ask = json!({ "kind": "solve", "data": "demo", "seconds": 0.05 });
    let (status, started) = client.post("/api/runs", &ask);
    assert_eq!(status, 201, "{started}");
    let whole = started["name"].as_str().unwrap();
    let (end, _) = client.follow(whole);
    assert_eq!((&end["state"], &end["kind"]), (&json!("finished"), &json!("solve")), "{end}");
    let (_, second) = client.post("/api/runs", &ask);
    let second = second["name"].as_str().unwrap();
    client.until(second, |now| now["done"].as_u64().unwrap() > 0);
    // It may finish before the pause; then there is nothing to resume.
    client.post(&format!("/api/runs/{second}/pause"), &json!({}));
    let (paused, _) = client.follow(second);
    if paused["state"] == "paused" {
        assert!(paused["record"].is_u64());
        assert_eq!(client.get(&format!("/runs/{second}/report")).0, 200);
        let again = Client::new(&folder);
        assert_eq!(again.json("/api/runs")[0]["state"], "paused");
        assert_eq!(again.post(&format!("/api/runs/{second}/resume"), &json!({})).0, 200);
        assert_eq!(again.follow(second).0["state"], "finished");
    }
    // With a fuel limit the result does not depend on the pause.
    let tasks = |name: &str| client.json(&format!("/api/runs/{name}/record"))["tasks"].clone();
    assert_eq!(tasks(second), tasks(whole));
    assert!(folder.0.join(second).join("submission.json").exists());
}

#[test]
fn a_search_is_started_paused_stopped_and_resumed() {
    let folder = Folder::new("search");
    let client = Client::new(&folder);
    let programs = "def solve_hidden_patch(I):\n    return subgrid(ofcolor(I, BLACK), rot90(I))\n";
    let ask =
        json!({ "kind": "search", "mode": "breed", "data": "demo", "programs": programs, "seconds": 0.02 });
    let (status, started) = client.post("/api/runs", &ask);
    assert_eq!((status, &started["kind"]), (201, &json!("search")), "{started}");
    let name = started["name"].as_str().unwrap();
    client.until(name, |now| now["tried"].as_u64().unwrap() > 0 || now["state"] == "finished");
    client.post(&format!("/api/runs/{name}/pause"), &json!({}));
    let (paused, _) = client.follow(name);
    if paused["state"] == "paused" {
        assert_eq!(client.post(&format!("/api/runs/{name}/stop"), &json!({})).0, 200);
        assert_eq!(client.post(&format!("/api/runs/{name}/resume"), &json!({})).0, 200);
    }
    let (end, _) = client.follow(name);
    assert_eq!((&end["state"], &end["done"]), (&json!("finished"), &end["total"]), "{end}");
    let record = client.json(&format!("/api/runs/{name}/record"));
    assert_eq!((&record["kind"], &record["setup"]["options"]["mode"]), (&json!("search"), &json!("breed")));
    assert_eq!(client.get(&format!("/runs/{name}/report")).0, 200);
    let ask = json!({ "kind": "search", "mode": "guess", "data": "demo" });
    assert_eq!(client.post("/api/runs", &ask).0, 422);
}

#[test]
fn runs_are_stopped_and_resumed_and_their_tasks_have_limits() {
    let folder = Folder::new("stop");
    let client = Client::new(&folder);
    let (_, first) = client.post("/api/runs", &json!({ "data": "demo", "all_pairs": true }));
    let (_, second) = client.post("/api/runs", &json!({ "data": "demo", "seconds": 30 }));
    let (first, second) = (first["name"].as_str().unwrap(), second["name"].as_str().unwrap());
    // The second waits for the first, so it is stopped before it begins.
    assert_eq!(client.post(&format!("/api/runs/{second}/stop"), &json!({})).0, 200);
    assert_eq!(client.post(&format!("/api/runs/{first}/stop"), &json!({})).0, 200);
    let end = client.follow(second).0;
    assert_eq!((&end["state"], &end["done"]), (&json!("stopped"), &json!(0)));
    assert_eq!(client.post(&format!("/api/runs/{second}/resume"), &json!({})).0, 200);
    assert_eq!(client.follow(second).0["state"], "finished");
    assert_eq!(client.json(&format!("/api/runs/{second}/record"))["setup"]["options"]["timeout"], 30.0);
    assert_eq!(client.post("/api/runs/none/stop", &json!({})).0, 404);
    for seconds in [json!(0), json!(-1), json!(1e9), json!("long")] {
        assert_eq!(
            client.post("/api/runs", &json!({ "data": "demo", "seconds": seconds })).0,
            422,
            "{seconds}"
        );
    }
}

#[test]
fn runs_of_other_processes_are_followed() {
    let folder = Folder::new("follow");
    let client = Client::new(&folder);
    let (_, own) = client.post("/api/runs", &json!({ "data": "demo" }));
    let own = own["name"].as_str().unwrap();
    client.follow(own);
    let finished = std::fs::read(folder.0.join(own).join("record.json")).unwrap();
    // A file that is not a record, and one that is being written.
    std::fs::write(folder.0.join("notes.json"), "{}").unwrap();
    let record = folder.0.join("other.json");
    let mut live = Live::create(&record).unwrap();
    let mut now = Status {
        kind: Kind::Search,
        data: "elsewhere".to_owned(),
        seconds: 1.0,
        done: 1,
        total: 9,
        solved: 1,
        tried: 77,
        left: None,
        machines: None,
    };
    live.write(&now).unwrap();
    let other = || {
        let runs = client.json("/api/runs");
        runs.as_array().unwrap().iter().find(|run| run["here"] == false).cloned()
    };
    let wait = |what: &str, holds: &dyn Fn(&Option<Value>) -> bool| {
        for _ in 0..400 {
            let seen = other();
            if holds(&seen) {
                return seen;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("{what}: {:?}", other());
    };
    let state = |state: &'static str| {
        move |run: &Option<Value>| run.as_ref().is_some_and(|run| run["state"] == state)
    };
    let seen = wait("running", &state("running")).unwrap();
    assert_eq!((&seen["done"], &seen["tried"], &seen["kind"]), (&json!(1), &json!(77), &json!("search")));
    let name = seen["name"].as_str().unwrap();
    assert_eq!(client.get(&format!("/runs/{name}/report")).0, 409);
    assert_eq!(client.post(&format!("/api/runs/{name}/stop"), &json!({})).0, 409);
    now.done = 5;
    live.write(&now).unwrap();
    let (seen, _) = client.until(name, |run| run["done"] == 5);
    assert_eq!(seen["state"], "running");
    // A killed process leaves its file without a lock.
    let left = std::fs::read(folder.0.join("other.json.live")).unwrap();
    drop(live);
    wait("gone", &|run| run.is_none());
    std::fs::write(folder.0.join("other.json.live"), left).unwrap();
    wait("interrupted", &state("interrupted"));
    std::fs::remove_file(folder.0.join("other.json.live")).unwrap();
    std::fs::write(&record, finished).unwrap();
    let seen = wait("finished", &state("finished")).unwrap();
    assert_eq!(seen["kind"], "run");
    assert_eq!(client.get(&format!("/runs/{name}/report")).0, 200);
    assert_eq!(client.get(&format!("/api/runs/{name}/page")).0, 200);
}

#[test]
fn the_store_is_shown() {
    let folder = Folder::new("store");
    let client = Client::new(&folder);
    assert_eq!(client.json("/api/store")["stats"], Value::Null);
    assert_eq!(client.get("/api/store/programs").0, 404);
    let mut store = Store::open(&folder.0.join("store.sqlite")).unwrap();
    let parse = |text: &str| arcbatt::lang::parse(text).programs.remove(0);
    let hash = |text: &str| ContentHash::of(text.as_bytes());
    let parent = parse("def turn(I):\n    return rot90(I)\n");
    let child = parse("def solve(I):\n    return rot180(I)\n");
    let measure = Measure {
        task: hash("task"),
        task_name: "<b>task</b>".to_owned(),
        right: 1,
        pairs: 2,
        score: 500_000,
        fuel: 3,
        micros: 4,
        behaviour: hash("behaviour"),
        dsl: arcbatt::dsl::version(),
    };
    let parents = vec![parent.hash()];
    let found = Origin::Found { seed: 7, operator: "mutate".to_owned(), parents, saw: Vec::new() };
    let (child_hash, parent_hash) = (child.hash().to_string(), parent.hash().to_string());
    let entries = [
        Entry { program: parent, origin: Origin::Written, measures: Vec::new() },
        Entry { program: child, origin: found, measures: vec![measure] },
    ];
    store.add(&entries).unwrap();
    let store = client.json("/api/store");
    assert_eq!((&store["stats"]["programs"], &store["stats"]["found"]), (&json!(2), &json!(1)));
    assert_eq!(store["tasks"][0]["best"]["program"], child_hash.as_str());
    let task = store["tasks"][0]["hash"].as_str().unwrap();
    assert_eq!(client.json(&format!("/api/store/tasks/{task}"))[0]["score"], 500_000);
    let found = client.json("/api/store/programs?text=rot90");
    assert_eq!((found.as_array().unwrap().len(), &found[0]["label"]), (1, &json!("turn")));
    let details = client.json(&format!("/api/store/programs/{child_hash}"));
    assert_eq!(details["places"][0]["task_name"], "<b>task</b>");
    assert_eq!(
        (&details["lineage"][1]["depth"], &details["lineage"][1]["hash"]),
        (&json!(1), &json!(parent_hash))
    );
    assert_eq!(client.get(&format!("/api/store/programs/{}", "0".repeat(64))).0, 404);
    assert_eq!(client.get("/api/store/programs/..%2f..").0, 404);
}

#[test]
fn the_described_paths_exist() {
    let folder = Folder::new("openapi");
    let client = Client::new(&folder);
    let document = client.json("/api/openapi.json");
    // Every route is described.
    let routes = include_str!("../src/api.rs").split(".route(\"").skip(1);
    for route in routes.map(|rest| rest.split('"').next().unwrap()) {
        assert!(document["paths"][route].is_object(), "openapi.json does not describe {route}");
    }
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let path = path.replace("{name}", "demo").replace("{task}", "none").replace("{hash}", "0");
            let path = path.replace("{other}", "demo").replace("{index}", "0");
            let headers = [(TOKEN_HEADER, client.token.as_str())];
            let method = method.to_uppercase();
            // Event streams do not end.
            let (status, body) = match path.as_str() {
                "/api/events" => client.first_line(&method, &path, &headers),
                _ => client.raw(&method, &path, &headers, b""),
            };
            assert!(
                status != 405 && !(status == 404 && body.contains("there is nothing at this address")),
                "{method} {path}: {status}"
            );
        }
    }
}
