//! A platform: one vendor's implementation, with its devices.

use std::ptr::null_mut;
use std::sync::Arc;

use super::api::{Api, Handle, SUCCESS};
use super::device::{Device, DeviceKind, Facts};
use super::error::name;
use super::library::{Entry, Opened};
use super::object::{number, text};

const PLATFORM_VERSION: u32 = 0x0901;
const PLATFORM_NAME: u32 = 0x0902;

const DEVICE_TYPE_ALL: u64 = 0xffff_ffff;
const DEVICE_TYPE: u32 = 0x1000;
const DEVICE_MAX_COMPUTE_UNITS: u32 = 0x1002;
const DEVICE_MAX_CLOCK_FREQUENCY: u32 = 0x100c;
const DEVICE_GLOBAL_MEM_SIZE: u32 = 0x101f;
const DEVICE_LOCAL_MEM_SIZE: u32 = 0x1023;
const DEVICE_AVAILABLE: u32 = 0x1027;
const DEVICE_COMPILER_AVAILABLE: u32 = 0x1028;
const DEVICE_NAME: u32 = 0x102b;
const DEVICE_VENDOR: u32 = 0x102c;
const DRIVER_VERSION: u32 = 0x102d;

pub(super) struct Platform {
    id: Handle,
    api: Api,
    /// Name and version.
    name: String,
    library: String,
    direct: bool,
}

impl Platform {
    pub(super) fn new(entry: Entry, opened: &Opened) -> Platform {
        let Entry { id, api } = entry;
        let property = |what| {
            // SAFETY: `text` passes a place and its size, and the platform is never released.
            text(|size, to, needed| unsafe { (api.get_platform_info)(id, what, size, to, needed) })
        };
        let name = format!("{} ({})", property(PLATFORM_NAME), property(PLATFORM_VERSION));
        Platform { id, api, name, library: opened.path.clone(), direct: opened.direct }
    }

    /// Returns whether this is the same implementation, found through another library.
    pub(super) fn is_same(&self, other: &Platform) -> bool {
        // A second copy of a driver on the disk has its own platform, with the same name and version.
        self.id == other.id || self.name == other.name
    }

    /// Returns the devices that can be used now. The error is the reason why there are none.
    pub(super) fn devices(&self) -> Result<Vec<Device>, String> {
        let none = |code| format!("{} has no device ({})", self.name, name(code));
        let mut n = 0;
        // SAFETY: No handles are asked for, and the number goes to a variable.
        match unsafe { (self.api.get_device_ids)(self.id, DEVICE_TYPE_ALL, 0, null_mut(), &raw mut n) } {
            SUCCESS if n > 0 => {}
            code => return Err(none(code)),
        }
        let mut ids = vec![null_mut(); n as usize];
        // SAFETY: There is a place for each of the `n` handles.
        match unsafe { (self.api.get_device_ids)(self.id, DEVICE_TYPE_ALL, n, ids.as_mut_ptr(), null_mut()) }
        {
            SUCCESS => {}
            code => return Err(none(code)),
        }
        let devices: Vec<_> = ids.into_iter().filter_map(|id| self.device(id)).collect();
        if devices.is_empty() {
            return Err(format!("{} has no device that is available and has a compiler", self.name));
        }
        Ok(devices)
    }

    /// Returns a device, unless it cannot be used now.
    fn device(&self, id: Handle) -> Option<Device> {
        let api = self.api;
        if id.is_null() {
            return None;
        }
        let property = |what| {
            // SAFETY: `text` passes a place and its size, and devices like this one are never released.
            text(|size, to, needed| unsafe { (api.get_device_info)(id, what, size, to, needed) })
        };
        let small = |what| {
            // SAFETY: As above, for `number`.
            number(|size, to| unsafe { (api.get_device_info)(id, what, size, to, null_mut()) })
                .unwrap_or(0_u32)
        };
        let large = |what| {
            // SAFETY: As above.
            number(|size, to| unsafe { (api.get_device_info)(id, what, size, to, null_mut()) })
                .unwrap_or(0_u64)
        };
        if small(DEVICE_AVAILABLE) == 0 || small(DEVICE_COMPILER_AVAILABLE) == 0 {
            return None;
        }
        Some(Device::new(Arc::new(Facts {
            api,
            id,
            name: property(DEVICE_NAME),
            vendor: property(DEVICE_VENDOR),
            driver: property(DRIVER_VERSION),
            platform: self.name.clone(),
            library: self.library.clone(),
            direct: self.direct,
            kind: DeviceKind::from_type(large(DEVICE_TYPE)),
            units: small(DEVICE_MAX_COMPUTE_UNITS),
            clock_mhz: small(DEVICE_MAX_CLOCK_FREQUENCY),
            memory_bytes: large(DEVICE_GLOBAL_MEM_SIZE),
            local_bytes: large(DEVICE_LOCAL_MEM_SIZE),
        })))
    }
}
