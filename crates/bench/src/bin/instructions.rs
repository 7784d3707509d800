//! `instructions NAME TIMES` runs a case of `batt_bench::hot` a number of times, for a tool that counts
//! instructions.

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match &args[..] {
        [name, times] => match times.parse() {
            Ok(times) => batt_bench::hot::repeat(name, times),
            Err(_) => Err(format!("{times} is not a number")),
        },
        _ => Err("usage: instructions NAME TIMES".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report(&error);
            ExitCode::from(2)
        }
    }
}

#[expect(clippy::print_stderr, reason = "a command-line tool reports its errors there")]
fn report(error: &str) {
    eprintln!("{error}");
}
