//! Finds the devices of this machine.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::device::{Device, DeviceKind};
use super::library::open;
use super::platform::Platform;

/// The variable with the libraries to use instead of the usual ones, separated like the folders of `PATH`.
const CHOSEN: &str = "ARCBATT_OPENCL";

/// ICD loaders. The first that can be opened is used.
const LOADERS: &[&str] = if cfg!(windows) {
    &["OpenCL.dll"]
} else if cfg!(target_vendor = "apple") {
    &["/System/Library/Frameworks/OpenCL.framework/OpenCL"]
} else {
    &["libOpenCL.so.1", "libOpenCL.so"]
};

/// Drivers that are opened directly if the loaders show no GPU.
const DRIVERS: &[&str] = if cfg!(any(windows, target_vendor = "apple")) {
    &[]
} else {
    &[
        "libnvidia-opencl.so.1",
        // Hosts of containers often put NVIDIA's libraries here, outside the search path.
        "/usr/local/nvidia/lib64/libnvidia-opencl.so.1",
        "libamdocl64.so",
        "libigdrcl.so",
        "libpocl.so.2",
    ]
};

/// Whether libraries can be loaded: not in a static program, such as one for musl.
const CAN_LOAD: bool = !cfg!(all(unix, target_feature = "crt-static"));

const STATIC: &str = "this program is linked statically and cannot load libraries: use a build for glibc";

/// The devices of this machine, and why libraries gave none.
#[derive(Debug, Default)]
pub struct Listing {
    pub devices: Vec<Device>,
    pub problems: Vec<Problem>,
}

/// A library that gave no device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its name or path.
    pub library: String,
    /// The reason, in words.
    pub reason: String,
}

/// Returns the devices of this machine, each once.
///
/// Asks the ICD loader of the system, and then drivers directly if no GPU was found. If the variable
/// `ARCBATT_OPENCL` is set, only the libraries it names are used: file names or paths, separated like the
/// folders of `PATH`. A machine without OpenCL is an ordinary case: there are no devices, and one problem
/// for each library that was tried.
pub fn list() -> Listing {
    if let Some(chosen) = std::env::var_os(CHOSEN).filter(|chosen| !chosen.is_empty()) {
        return list_from(&std::env::split_paths(&chosen).collect::<Vec<PathBuf>>());
    }
    let mut search = Search::default();
    if !CAN_LOAD {
        // The same problem for each of the usual names would only be noise.
        search.add(Path::new(LOADERS[0]));
        return search.listing;
    }
    let _ = LOADERS.iter().any(|loader| search.add(Path::new(loader)));
    for driver in DRIVERS {
        // Opening a driver takes time and memory, so those that the loader may know are a last resort.
        if search.listing.devices.iter().any(|device| device.kind() == DeviceKind::Gpu) {
            break;
        }
        search.add(Path::new(driver));
    }
    search.listing
}

/// Returns the devices of these libraries only, each once. A library is a file name or a path.
pub fn list_from(libraries: &[impl AsRef<Path>]) -> Listing {
    let mut search = Search::default();
    for library in libraries {
        search.add(library.as_ref());
    }
    search.listing
}

#[derive(Default)]
struct Search {
    listing: Listing,
    platforms: Vec<Platform>,
}

impl Search {
    /// Adds the devices of a library, or a problem. Returns whether it has platforms.
    fn add(&mut self, file: &Path) -> bool {
        // PoCL 3.1 crashes if one thread asks for devices while another initialises them.
        static ONE: Mutex<()> = Mutex::new(());
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = if CAN_LOAD { open(file) } else { Err(STATIC.to_owned()) };
        let opened = match opened {
            Ok(opened) => opened,
            Err(reason) => {
                self.listing.problems.push(Problem { library: file.display().to_string(), reason });
                return false;
            }
        };
        let earlier = self.platforms.len();
        for platform in &opened.platforms {
            let platform = Platform::new(*platform, &opened);
            if self.platforms[..earlier].iter().any(|known| known.is_same(&platform)) {
                continue;
            }
            match platform.devices() {
                Ok(devices) => self.listing.devices.extend(devices),
                Err(reason) => {
                    let library = opened.path.clone();
                    self.listing.problems.push(Problem { library, reason });
                }
            }
            self.platforms.push(platform);
        }
        true
    }
}
