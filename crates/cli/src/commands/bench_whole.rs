//! `batt bench whole`

use std::io::Write;

use arcbatt::base::number::count;
use arcbatt::base::time;
use batt_bench::{WholeFigures, WholeRow};

use crate::{Answer, output};

/// Prints whole commands. The answer is no if CPython has more right programs.
pub(crate) fn show(figures: WholeFigures, json: bool) -> Answer {
    let valid = figures.valid();
    if json {
        output::json(figures)?;
        return Ok(valid);
    }
    let mut out = output::stdout();
    if !valid {
        writeln!(out, "NOT A VALID BENCHMARK: some answers are wrong")?;
    }
    let WholeFigures { machine, version, rounds, passes, right, programs, reference, rows } = &figures;
    let programs = count(*programs, "program");
    write!(out, "{right} of {programs} right on all pairs of their tasks")?;
    match reference {
        Some(reference) => writeln!(out, "; in CPython {} of {}", reference.right, reference.programs)?,
        None => writeln!(out)?,
    }
    let cpu = machine.cpu.as_deref().unwrap_or("unknown CPU");
    let python = reference.as_ref().map(|it| format!(" · CPython {}", it.version)).unwrap_or_default();
    writeln!(out, "{} · {cpu} · {} · batt {version}{python}", count(machine.cores, "core"), machine.system)?;
    writeln!(
        out,
        "\nprocessor time of a command in {}, start-up included; batt: mean of {passes} passes a round, 1 thread",
        count(*rounds, "round")
    )?;
    writeln!(
        out,
        "{:<32}{:>12}{:>12}{:>12}{:>12}{:>10}",
        "command", "median", "min", "max", "CPython", "ratio"
    )?;
    for WholeRow { command, batt, cpython, ratio } in rows {
        let [median, min, max] = [batt.median, batt.min, batt.max].map(time::precise);
        let cpython = cpython.map_or_else(String::new, |it| time::precise(it.median));
        let ratio = ratio.map_or_else(String::new, |ratio| format!("{ratio:.1}"));
        let line = format!("{command:<32}{median:>12}{min:>12}{max:>12}{cpython:>12}{ratio:>10}");
        writeln!(out, "{}", line.trim_end())?;
    }
    out.flush()?;
    Ok(valid)
}
