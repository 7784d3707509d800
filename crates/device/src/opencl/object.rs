//! References to OpenCL objects, and their properties.

use std::ffi::c_void;
use std::ptr::null_mut;

use super::api::{Handle, Release, SUCCESS};
use super::error::{DeviceError, check};

/// A reference to an OpenCL object, released when dropped.
pub(super) struct Object {
    handle: Handle,
    release: Release,
}

// SAFETY: OpenCL's functions may be called by any thread at any time, also for the same object. The only
// exception is `clSetKernelArg`, which is called by `Queue::run` alone, with exclusive access to the queue
// of the kernel.
unsafe impl Send for Object {}
// SAFETY: As above.
unsafe impl Sync for Object {}

impl Object {
    /// Takes the object that `create` returns; `create` also writes a code.
    ///
    /// # Safety
    ///
    /// If the code is that of success, the handle must be a reference that nobody else releases, and
    /// `release` the function for it.
    pub(super) unsafe fn create(
        call: &'static str,
        release: Release,
        create: impl FnOnce(*mut i32) -> Handle,
    ) -> Result<Object, DeviceError> {
        let mut code = SUCCESS;
        let handle = create(&raw mut code);
        check(call, code)?;
        if handle.is_null() {
            return Err(DeviceError::Driver { call, code });
        }
        Ok(Object { handle, release })
    }

    pub(super) fn handle(&self) -> Handle {
        self.handle
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: `create` promised that this reference is ours and that this function releases it.
        // Libraries are never unloaded, so the function is still there. If it fails, there is nothing left
        // to do.
        unsafe { (self.release)(self.handle) };
    }
}

/// Reads a property of variable length. `get` gets the size of the place, the place, and where the size
/// needed goes; it returns a code.
pub(super) fn bytes(get: impl Fn(usize, *mut c_void, *mut usize) -> i32) -> Result<Vec<u8>, i32> {
    let mut size = 0;
    match get(0, null_mut(), &raw mut size) {
        SUCCESS => {}
        code => return Err(code),
    }
    let mut bytes = vec![0; size];
    if size > 0 {
        match get(size, bytes.as_mut_ptr().cast(), null_mut()) {
            SUCCESS => {}
            code => return Err(code),
        }
    }
    Ok(bytes)
}

/// Reads a text property, or returns `?` if the driver has none.
pub(super) fn text(get: impl Fn(usize, *mut c_void, *mut usize) -> i32) -> String {
    let Ok(bytes) = bytes(get) else { return "?".to_owned() };
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}

/// Types whose values have no padding and that any bytes are a value of.
pub(super) trait Number: Copy + Default {}

impl Number for u32 {}
impl Number for u64 {}
impl Number for usize {}

/// Reads a property that is one number. `get` must not write more bytes than the size it gets.
pub(super) fn number<T: Number>(get: impl FnOnce(usize, *mut c_void) -> i32) -> Result<T, i32> {
    let mut number = T::default();
    match get(size_of::<T>(), (&raw mut number).cast()) {
        SUCCESS => Ok(number),
        code => Err(code),
    }
}
