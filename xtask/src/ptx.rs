//! Compiles the kernels for NVIDIA's devices, which CI does not have.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};

use crate::{log, python, root, target};

/// The file that is compiled if none is given.
const KERNELS: &str = "crates/device/src/kernel.cl";
/// The devices of Kaggle: T4 and L4.
const TARGETS: [&str; 2] = ["sm_75", "sm_89"];
/// Set where skipping is not allowed.
const REQUIRED: &str = "ARCBATT_OPENCL_TESTS";
/// Names of the compiler. Older versions do not know sm_89.
const CLANGS: [&str; 7] = ["clang-16", "clang-17", "clang-18", "clang-19", "clang-20", "clang-21", "clang"];
/// OpenCL's built-in functions, as files of libclc.
const BUILTINS: [&str; 2] = ["/usr/lib/clc/nvptx64--nvidiacl.bc", "/usr/share/clc/nvptx64--nvidiacl.bc"];
const PACKAGES: &str = "install the packages clang-16 and libclc-16 (Debian 12), or newer ones";
/// The package of PyPI with NVIDIA's assembler.
const ASSEMBLER: &str = "nvidia-cuda-nvcc-cu12==12.9.86";
/// The variable with the path of NVIDIA's front end.
const FRONT_END: &str = "ARCBATT_NVVM";
/// The front end of NVIDIA's driver, in the package libnvidia-nvvm4 of Debian's section non-free.
const FRONT_ENDS: [&str; 2] = [
    "/usr/lib/x86_64-linux-gnu/nvidia/current/libnvidia-nvvm.so.4",
    "/usr/lib/x86_64-linux-gnu/libnvidia-nvvm.so.4",
];
/// With more registers, fewer than 16 groups of 32 lanes fit on a multiprocessor with 65,536 of them.
const MAX_REGISTERS: u32 = 128;
/// With more bytes, fewer than 8 groups fit into the 64 KiB of a multiprocessor of the T4.
const MAX_SHARED: u32 = 8 << 10;

/// The arguments of `cargo xtask ptx`.
pub(crate) struct Options {
    nvidia: bool,
    file: PathBuf,
    defines: Vec<String>,
}

impl Options {
    pub(crate) fn parse(args: &[&str]) -> Result<Options> {
        let mut options = Options { nvidia: false, file: root().join(KERNELS), defines: Vec::new() };
        for arg in args {
            match arg {
                &"--nvidia" => options.nvidia = true,
                define if define.starts_with("-D") => options.defines.push((*define).to_owned()),
                option if option.starts_with('-') => bail!("unknown option {option}\n{}", crate::USAGE),
                file => options.file = PathBuf::from(file),
            }
        }
        Ok(options)
    }
}

/// Compiles the kernels with clang, or with NVIDIA's tools.
pub(crate) fn check(options: &Options) -> Result<()> {
    if !options.file.is_file() {
        bail!("{} does not exist", options.file.display());
    }
    std::fs::create_dir_all(target().join("ptx"))?;
    if options.nvidia { check_nvidia(options) } else { check_clang(options, &Clang::find()?) }
}

/// Compiles the kernels with clang, if there are any. Returns why this was skipped.
pub(crate) fn check_in_ci() -> Result<Option<String>> {
    let options = Options::parse(&[])?;
    if !options.file.is_file() {
        return Ok(None);
    }
    match Clang::find() {
        Err(error) if std::env::var_os(REQUIRED).is_none() => Ok(Some(format!("skipped: ptx: {error}"))),
        _ => check(&options).map(|()| None),
    }
}

fn check_clang(options: &Options, clang: &Clang) -> Result<()> {
    for target in TARGETS {
        let ptx = clang.compile(options, target)?;
        log(&format!("{target}: {}", ptx.display()));
    }
    Ok(())
}

/// clang with the built-in functions of OpenCL.
struct Clang {
    program: &'static str,
    builtins: &'static str,
}

impl Clang {
    fn find() -> Result<Clang> {
        let program = CLANGS.into_iter().find(|clang| {
            let targets = Command::new(clang).arg("--print-supported-cpus").arg("--target=nvptx64").output();
            targets.is_ok_and(|output| text(&output.stderr).contains(TARGETS[1]))
        });
        let program = program.with_context(|| format!("no clang knows {}; {PACKAGES}", TARGETS[1]))?;
        let builtins = BUILTINS.into_iter().find(|file| Path::new(file).is_file());
        let builtins = builtins.with_context(|| format!("libclc is not installed; {PACKAGES}"))?;
        Ok(Clang { program, builtins })
    }

    /// Compiles the kernels to PTX. Returns its file.
    fn compile(&self, options: &Options, target: &str) -> Result<PathBuf> {
        let ptx = ptx_file("clang", target);
        let mut command = Command::new(self.program);
        command.args(["-x", "cl", "-cl-std=CL1.2", "-O2", "-S"]);
        command.args(["--target=nvptx64--nvidiacl", &format!("-march={target}")]);
        command.args(["-Xclang", "-finclude-default-header"]);
        command.args(["-Xclang", "-mlink-builtin-bitcode", "-Xclang", self.builtins]);
        command.args(&options.defines).arg(&options.file).arg("-o").arg(&ptx);
        run(command)?;
        // The compiler accepts calls of functions that libclc lacks; a device would not.
        let compiled = std::fs::read_to_string(&ptx)?;
        let missing: Vec<_> = compiled.lines().filter(|line| line.starts_with(".extern .func")).collect();
        if !missing.is_empty() {
            bail!("{}: functions without a body:\n{}", options.file.display(), missing.join("\n"));
        }
        Ok(ptx)
    }
}

/// Compiles the kernels with NVIDIA's front end if it is there, assembles them, and checks their needs.
fn check_nvidia(options: &Options) -> Result<()> {
    let front_end = front_end();
    if front_end.is_none() {
        log(&format!(
            "NVIDIA's front end is missing, so clang's PTX is used, and registers are only reported: they differ. \
             Install libnvidia-nvvm4 (Debian non-free), or set {FRONT_END} to the path of libnvidia-nvvm.so.4"
        ));
    }
    let assembler = assembler()?;
    let mut wrong = Vec::new();
    for target in TARGETS {
        let ptx = match &front_end {
            Some(front_end) => compile_nvidia(front_end, options, target)?,
            None => Clang::find()?.compile(options, target)?,
        };
        let mut command = Command::new(&assembler);
        command.arg("-v").arg(format!("-arch={target}")).arg(&ptx).arg("-o").arg(ptx.with_extension("cubin"));
        let output = run(command)?;
        let kernels = kernels(&[output.stdout, output.stderr].map(|bytes| text(&bytes)).concat());
        if kernels.is_empty() {
            bail!("{} has no kernel", options.file.display());
        }
        for Kernel { name, registers, shared, spilled } in kernels {
            let line = format!(
                "{target} {name}: {registers} registers, {spilled} bytes spilled, {shared} bytes of shared memory"
            );
            log(&line);
            if shared > MAX_SHARED || front_end.is_some() && registers > MAX_REGISTERS {
                wrong.push(line);
            }
        }
    }
    if !wrong.is_empty() {
        bail!(
            "more than {MAX_REGISTERS} registers or {MAX_SHARED} bytes of shared memory:\n{}",
            wrong.join("\n")
        );
    }
    Ok(())
}

/// Returns the library with NVIDIA's front end.
fn front_end() -> Option<PathBuf> {
    let named = std::env::var_os(FRONT_END).map(PathBuf::from);
    named.or_else(|| FRONT_ENDS.iter().map(PathBuf::from).find(|file| file.is_file()))
}

/// Compiles the kernels with NVIDIA's front end. Returns the file with the PTX.
fn compile_nvidia(front_end: &Path, options: &Options, target: &str) -> Result<PathBuf> {
    // NVIDIA does not document these options; version 535 needs the last three for 64-bit code of a target.
    let mut flags = format!("-cl-std=CL1.2 -cl-nv-cstd=CL1.2 -nv-m64 -cl-nv-arch {target}");
    options.defines.iter().for_each(|define| flags.extend([" ", define]));
    let mut command = Command::new(python::python()?);
    command.arg(root().join("xtask/src/nvidia.py")).arg(front_end).arg(&options.file).arg(flags);
    let ptx = ptx_file("nvidia", target);
    std::fs::write(&ptx, run(command)?.stdout)?;
    Ok(ptx)
}

/// Returns the path of NVIDIA's assembler, which is installed from PyPI if it is not on the path.
fn assembler() -> Result<PathBuf> {
    let name = "ptxas";
    if Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success()) {
        return Ok(name.into());
    }
    let venv = python::venv("ptx-tools", &python::python()?)?;
    venv.pip(&["install", "--quiet", ASSEMBLER])?;
    let mut find = venv.command(&["-c", "import nvidia.cuda_nvcc as it; print(it.__path__[0])"]);
    let folder = text(&find.output().context("cannot run Python")?.stdout);
    Ok(Path::new(folder.trim()).join("bin").join(name))
}

/// The needs of a kernel.
#[derive(Debug, PartialEq, Eq)]
struct Kernel {
    name: String,
    registers: u32,
    /// Bytes of shared memory, which OpenCL calls local.
    shared: u32,
    /// Bytes of registers that are kept in memory, because there are too few.
    spilled: u32,
}

/// Reads the output of `ptxas -v`.
fn kernels(output: &str) -> Vec<Kernel> {
    let mut kernels: Vec<Kernel> = Vec::new();
    for line in output.lines() {
        if let Some(rest) = line.split("Compiling entry function '").nth(1) {
            let name = rest.split('\'').next().unwrap_or(rest).to_owned();
            kernels.push(Kernel { name, registers: 0, shared: 0, spilled: 0 });
        } else if let Some(kernel) = kernels.last_mut() {
            let before = |unit| number_before(line, unit);
            kernel.registers = before(" registers").unwrap_or(kernel.registers);
            kernel.shared = before(" bytes smem").unwrap_or(kernel.shared);
            kernel.spilled = before(" bytes spill stores").unwrap_or(kernel.spilled);
        }
    }
    kernels
}

/// Returns the number in front of a unit.
fn number_before(line: &str, unit: &str) -> Option<u32> {
    line.split(unit).next().filter(|before| *before != line)?.split(' ').next_back()?.parse().ok()
}

fn ptx_file(compiler: &str, target_name: &str) -> PathBuf {
    target().join("ptx").join(format!("{compiler}-{target_name}.ptx"))
}

/// Runs a command and shows its messages if it fails.
fn run(mut command: Command) -> Result<Output> {
    let output = command.output().with_context(|| format!("cannot run {:?}", command.get_program()))?;
    if !output.status.success() {
        bail!("{command:?} failed:\n{}{}", text(&output.stdout), text(&output.stderr));
    }
    Ok(output)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{Kernel, kernels};

    #[test]
    fn the_needs_of_kernels_are_read() {
        let output = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'run' for 'sm_75'
ptxas info    : Function properties for run
    0 bytes stack frame, 16 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 72 registers, used 1 barriers, 4520 bytes smem, 400 bytes cmem[0]
ptxas info    : Compiling entry function 'small' for 'sm_75'
ptxas info    : Used 8 registers, 376 bytes cmem[0]
";
        let kernel =
            |name: &str, registers, shared, spilled| Kernel { name: name.into(), registers, shared, spilled };
        assert_eq!(kernels(output), [kernel("run", 72, 4520, 16), kernel("small", 8, 0, 0)]);
    }
}
