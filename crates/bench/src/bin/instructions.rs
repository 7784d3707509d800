//! Calls a case of `batt_bench::hot` so many times, for a tool that counts instructions: `instructions NAME TIMES`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let done = match &args[..] {
        [name, times] => match times.parse() {
            Ok(times) => batt_bench::hot::repeat(name, times),
            Err(_) => Err(format!("{times} is not a number")),
        },
        _ => Err("usage: instructions NAME TIMES".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&error);
            ExitCode::from(2)
        }
    }
}

#[expect(clippy::print_stderr, reason = "builders read it")]
fn say(text: &str) {
    eprintln!("{text}");
}
