//! Opens OpenCL libraries and finds the platforms in them.

use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::path::Path;
use std::ptr::{null, null_mut};

use libloading::Library;

use super::api::{Api, GetExtension, GetPlatforms, Handle, SUCCESS};
use super::error::name;

/// A library with OpenCL platforms.
pub(super) struct Opened {
    /// The file of the library if it is known, else the name it was opened by.
    pub(super) path: String,
    /// Whether this is a driver, not an ICD loader.
    pub(super) direct: bool,
    pub(super) platforms: Vec<Entry>,
}

/// A platform and its functions.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) id: Handle,
    pub(super) api: Api,
}

/// Opens a library by file name or path. The error is the reason why it gives no platform.
pub(super) fn open(file: &Path) -> Result<Opened, String> {
    // SAFETY: Loading runs the library's initialisers. The file is a driver or a loader of this machine,
    // named by this crate or by its user, and is trusted.
    let library = unsafe { Library::new(file) }.map_err(|error| reason(&error, file))?;
    // Never unloaded: some drivers crash when they are.
    let library = ManuallyDrop::new(library);
    let address = exported(&library, "clGetExtensionFunctionAddress")?;
    // SAFETY: The function of this name has this type in every OpenCL library.
    let get_extension = unsafe { std::mem::transmute::<*const c_void, GetExtension>(address) };
    // SAFETY: The name ends with a zero byte.
    let get_platforms = unsafe { get_extension(c"clIcdGetPlatformIDsKHR".as_ptr()) };
    // Drivers for ICD loaders have this function; the loader ocl-icd does not.
    let direct = !get_platforms.is_null();
    let platforms = if direct { platforms_by_table(get_platforms) } else { platforms_by_name(&library) }?;
    let path = file_of(address).unwrap_or_else(|| file.display().to_string());
    Ok(Opened { path, direct, platforms })
}

/// Finds the platforms of a driver by its function `clIcdGetPlatformIDsKHR`.
fn platforms_by_table(get_platforms: *const c_void) -> Result<Vec<Entry>, String> {
    // SAFETY: The function of this name has this type.
    let get_platforms = unsafe { std::mem::transmute::<*const c_void, GetPlatforms>(get_platforms) };
    let platform = |id: Handle| {
        // SAFETY: The extension `cl_khr_icd`, which this function belongs to, demands that every object of
        // the driver begins with a pointer to the table, and that the table lives as long as the driver.
        let table = unsafe { *id.cast::<*const *const c_void>() };
        if table.is_null() {
            return Err("its platform has no table of functions".to_owned());
        }
        // SAFETY: The extension fixes the order of the functions. All places that are read belong to OpenCL
        // 1.0, so every table is long enough. Functions that a driver lacks are null.
        let api = unsafe { Api::collect(|place, _| *table.add(place)) };
        Ok(Entry { id, api: api.map_err(lacks)? })
    };
    ids(get_platforms)?.into_iter().map(platform).collect()
}

/// Finds the platforms of a library that exports all functions.
fn platforms_by_name(library: &Library) -> Result<Vec<Entry>, String> {
    let address = exported(library, "clGetPlatformIDs")?;
    // SAFETY: The function of this name has this type.
    let get_platforms = unsafe { std::mem::transmute::<*const c_void, GetPlatforms>(address) };
    // SAFETY: The names are those of OpenCL, and the library is never unloaded.
    let api = unsafe { Api::collect(|_, name| exported(library, name).unwrap_or(null())) };
    let api = api.map_err(lacks)?;
    Ok(ids(get_platforms)?.into_iter().map(|id| Entry { id, api }).collect())
}

/// Returns the platforms; none is an error too.
fn ids(get_platforms: GetPlatforms) -> Result<Vec<Handle>, String> {
    let none = |code| format!("it has no platform ({})", name(code));
    let mut n = 0;
    // SAFETY: No handles are asked for, and the number goes to a variable.
    match unsafe { get_platforms(0, null_mut(), &raw mut n) } {
        SUCCESS if n > 0 => {}
        code => return Err(none(code)),
    }
    let mut ids = vec![null_mut(); n as usize];
    // SAFETY: There is a place for each of the `n` handles.
    match unsafe { get_platforms(n, ids.as_mut_ptr(), null_mut()) } {
        SUCCESS => {}
        code => return Err(none(code)),
    }
    ids.retain(|id| !id.is_null());
    Ok(ids)
}

/// Returns the address of a function that the library exports.
fn exported(library: &Library, name: &'static str) -> Result<*const c_void, String> {
    // SAFETY: Only the address is taken, and every symbol has one.
    let symbol = unsafe { library.get::<*const c_void>(name) };
    symbol.map(|symbol| *symbol).map_err(|_| lacks(name))
}

fn lacks(function: &str) -> String {
    format!("it has no function {function}")
}

/// Shortens the message of the system, which begins with the name of the file.
fn reason(error: &libloading::Error, file: &Path) -> String {
    let text = match std::error::Error::source(error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    };
    match text.strip_prefix(&format!("{}: ", file.display())) {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

/// Returns the file from which the code at an address was loaded, if the system tells.
fn file_of(address: *const c_void) -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let has_address = |range: &str| {
        let (start, end) = range.split_once('-')?;
        let bound = |text| usize::from_str_radix(text, 16).ok();
        Some((bound(start)?..bound(end)?).contains(&address.addr()))
    };
    let line = maps.lines().find(|line| line.split(' ').next().and_then(has_address) == Some(true))?;
    line.find('/').map(|start| line[start..].to_owned())
}
