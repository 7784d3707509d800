//! Compiles programs, and keeps compiled ones in files.

use std::ffi::{CString, c_char};
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};

use batt_base::write_atomic;

use super::api::SUCCESS;
use super::device::Device;
use super::error::DeviceError;
use super::object::{Object, number, text};

const PROGRAM_BINARY_SIZES: u32 = 0x1165;
const PROGRAM_BINARIES: u32 = 0x1166;
const PROGRAM_BUILD_LOG: u32 = 0x1183;
const BUILD_PROGRAM_FAILURE: i32 = -11;

/// Builds a program from the cache or from source. The flag is true if it comes from the cache.
pub(super) fn build(
    device: &Device,
    context: &Object,
    source: &str,
    options: &str,
    cache: Option<&Path>,
) -> Result<(Object, bool), DeviceError> {
    let c_options = CString::new(options)
        .map_err(|_| DeviceError::Build { log: "the options contain a zero byte".to_owned() })?;
    let file = cache.filter(|_| !has_own_cache(device));
    let file = file.map(|folder| cache_file(folder, device, source, options));
    let binary = file.as_deref().and_then(read_cache);
    // A driver may refuse what an equal one wrote, for instance after a repair of the system.
    if let Some(program) = binary.and_then(|binary| from_binary(device, context, &binary, &c_options)) {
        return Ok((program, true));
    }
    let program = from_source(device, context, source, &c_options)?;
    if let Some(file) = &file
        && let Some(binary) = binary_of(device, &program)
    {
        write_cache(file, &binary);
    }
    Ok((program, false))
}

fn from_source(
    device: &Device,
    context: &Object,
    source: &str,
    options: &CString,
) -> Result<Object, DeviceError> {
    let api = device.api();
    let (text, length) = (source.as_ptr().cast::<c_char>(), source.len());
    let create = |code| {
        let (texts, lengths) = (&raw const text, &raw const length);
        // SAFETY: There is one text, with its length in bytes. The driver copies it.
        unsafe { (api.create_program_with_source)(context.handle(), 1, texts, lengths, code) }
    };
    // SAFETY: The new program is ours.
    let program = unsafe { Object::create("clCreateProgramWithSource", api.release_program, create) }?;
    match compile(device, &program, options) {
        SUCCESS => Ok(program),
        code => {
            let log = build_log(device, &program);
            if log.is_empty() && code != BUILD_PROGRAM_FAILURE {
                return Err(DeviceError::new("clBuildProgram", code));
            }
            Err(DeviceError::Build { log })
        }
    }
}

fn from_binary(device: &Device, context: &Object, binary: &[u8], options: &CString) -> Option<Object> {
    let api = device.api();
    let (id, start, length) = (device.id(), binary.as_ptr(), binary.len());
    let mut status = SUCCESS;
    let create = |code| {
        let (ids, starts, lengths) = (&raw const id, &raw const start, &raw const length);
        // SAFETY: There is one device, with one binary, its length and a place for its status. The driver
        // copies it.
        unsafe {
            (api.create_program_with_binary)(context.handle(), 1, ids, lengths, starts, &raw mut status, code)
        }
    };
    // SAFETY: The new program is ours.
    let program = unsafe { Object::create("clCreateProgramWithBinary", api.release_program, create) }.ok()?;
    (status == SUCCESS && compile(device, &program, options) == SUCCESS).then_some(program)
}

/// Compiles or links a program for the device. Returns a code.
fn compile(device: &Device, program: &Object, options: &CString) -> i32 {
    let id = device.id();
    // SAFETY: The program exists, there is one device, the options end with a zero byte, and there is no
    // callback, so the call returns when everything is done.
    unsafe {
        let build = device.api().build_program;
        build(program.handle(), 1, &raw const id, options.as_ptr(), null(), null_mut())
    }
}

fn build_log(device: &Device, program: &Object) -> String {
    text(|size, to, needed| {
        let get = device.api().get_program_build_info;
        // SAFETY: Both objects exist, and `text` passes a place and its size.
        unsafe { get(program.handle(), device.id(), PROGRAM_BUILD_LOG, size, to, needed) }
    })
}

/// Returns the compiled form of a program, if the driver gives it.
fn binary_of(device: &Device, program: &Object) -> Option<Vec<u8>> {
    let get = device.api().get_program_info;
    // SAFETY: The program exists, and `number` passes a place and its size. There is one device, so one size.
    let size = |size, to| unsafe { get(program.handle(), PROGRAM_BINARY_SIZES, size, to, null_mut()) };
    let length = number::<usize>(size).ok().filter(|length| *length > 0)?;
    let mut binary = vec![0; length];
    let start: *mut u8 = binary.as_mut_ptr();
    let size = size_of_val(&start);
    // SAFETY: The program exists. The value is a list of places, one for each device; the only place has
    // the size that the driver asked for.
    let code = unsafe {
        get(program.handle(), PROGRAM_BINARIES, size, (&raw const start).cast_mut().cast(), null_mut())
    };
    (code == SUCCESS).then_some(binary)
}

/// Returns whether the driver keeps compiled programs itself, so that a file of ours costs more than it saves.
///
/// PoCL compiles a kernel when it first runs, for its number of lanes, and keeps the result. To hand out a
/// binary, it compiles for any number of lanes as well, and still compiles again when the kernel runs. With a
/// kernel of 425 lines and PoCL 3.1, a file made the first start take 22 s instead of 9 s; later starts opened
/// the program in 5 ms instead of 92 ms (one run each, two cores).
fn has_own_cache(device: &Device) -> bool {
    device.platform().starts_with("Portable Computing Language")
}

/// The first bytes of a cache file. The hash of the binary follows, then the binary.
const MAGIC: &[u8] = b"arcbatt OpenCL 1\n";

/// Returns the file for a program. Its name covers everything that the compiled form depends on.
fn cache_file(folder: &Path, device: &Device, source: &str, options: &str) -> PathBuf {
    let mut hasher = blake3::Hasher::new();
    for part in [source, options, device.name(), device.driver(), device.platform()] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    folder.join(format!("{}.opencl", &hasher.finalize().to_hex()[..32]))
}

/// Reads a binary, unless the file is missing or damaged.
fn read_cache(file: &Path) -> Option<Vec<u8>> {
    let content = std::fs::read(file).ok()?;
    let (hash, binary) = content.strip_prefix(MAGIC)?.split_at_checked(blake3::OUT_LEN)?;
    // Drivers may crash on damaged binaries, so they never see one.
    (blake3::hash(binary).as_bytes() == hash).then(|| binary.to_owned())
}

/// Writes a binary. A failure only means that the next program is compiled again.
fn write_cache(file: &Path, binary: &[u8]) {
    if let Some(folder) = file.parent() {
        let _ = std::fs::create_dir_all(folder);
    }
    let content = [MAGIC, blake3::hash(binary).as_bytes(), binary].concat();
    let _ = write_atomic(file, &content);
}
