//! The functions of OpenCL 1.2 that are used here, with their places in the table of `cl_icd.h`.

use std::ffi::{c_char, c_void};

/// An OpenCL object: a platform, device, context, queue, program, kernel, buffer or event.
pub(super) type Handle = *mut c_void;

/// A function that returns a property: it gets the size of a place, the place, and where the size needed
/// goes.
pub(super) type Query = unsafe extern "system" fn(Handle, u32, usize, *mut c_void, *mut usize) -> i32;

/// A function that gives a reference to an object back.
pub(super) type Release = unsafe extern "system" fn(Handle) -> i32;

/// The functions `clGetPlatformIDs` and `clIcdGetPlatformIDsKHR`, which differ in name only.
pub(super) type GetPlatforms = unsafe extern "system" fn(u32, *mut Handle, *mut u32) -> i32;

/// The function `clGetExtensionFunctionAddress`.
pub(super) type GetExtension = unsafe extern "system" fn(*const c_char) -> *const c_void;

/// The code of success.
pub(super) const SUCCESS: i32 = 0;

macro_rules! functions {
    ($($place:literal $field:ident $name:literal: $function:ty;)*) => {
        /// The functions of one library or platform.
        #[derive(Clone, Copy)]
        pub(super) struct Api { $(pub(super) $field: $function,)* }

        impl Api {
            /// Collects the functions. `address` gets the place in the table and the name of a function, and
            /// returns null if there is none. The error is the name of that function.
            ///
            /// # Safety
            ///
            /// An address that is not null must be that of the OpenCL function with this name, and stay
            /// valid.
            pub(super) unsafe fn collect(
                address: impl Fn(usize, &'static str) -> *const c_void,
            ) -> Result<Api, &'static str> {
                Ok(Api { $($field: {
                    let address = address($place, $name);
                    if address.is_null() {
                        return Err($name);
                    }
                    // SAFETY: The caller promises that this is the function, and its type is that of
                    // Khronos' headers.
                    unsafe { std::mem::transmute::<*const c_void, $function>(address) }
                },)* })
            }
        }
    };
}

functions! {
    1 get_platform_info "clGetPlatformInfo": Query;
    2 get_device_ids "clGetDeviceIDs":
        unsafe extern "system" fn(Handle, u64, u32, *mut Handle, *mut u32) -> i32;
    3 get_device_info "clGetDeviceInfo": Query;
    4 create_context "clCreateContext":
        unsafe extern "system" fn(
            *const isize, u32, *const Handle, *const c_void, *mut c_void, *mut i32,
        ) -> Handle;
    7 release_context "clReleaseContext": Release;
    9 create_command_queue "clCreateCommandQueue":
        unsafe extern "system" fn(Handle, Handle, u64, *mut i32) -> Handle;
    11 release_command_queue "clReleaseCommandQueue": Release;
    14 create_buffer "clCreateBuffer":
        unsafe extern "system" fn(Handle, u64, usize, *mut c_void, *mut i32) -> Handle;
    18 release_mem_object "clReleaseMemObject": Release;
    26 create_program_with_source "clCreateProgramWithSource":
        unsafe extern "system" fn(Handle, u32, *const *const c_char, *const usize, *mut i32) -> Handle;
    27 create_program_with_binary "clCreateProgramWithBinary":
        unsafe extern "system" fn(
            Handle, u32, *const Handle, *const usize, *const *const u8, *mut i32, *mut i32,
        ) -> Handle;
    29 release_program "clReleaseProgram": Release;
    30 build_program "clBuildProgram":
        unsafe extern "system" fn(
            Handle, u32, *const Handle, *const c_char, *const c_void, *mut c_void,
        ) -> i32;
    32 get_program_info "clGetProgramInfo": Query;
    33 get_program_build_info "clGetProgramBuildInfo":
        unsafe extern "system" fn(Handle, Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    34 create_kernel "clCreateKernel": unsafe extern "system" fn(Handle, *const c_char, *mut i32) -> Handle;
    37 release_kernel "clReleaseKernel": Release;
    38 set_kernel_arg "clSetKernelArg": unsafe extern "system" fn(Handle, u32, usize, *const c_void) -> i32;
    39 get_kernel_info "clGetKernelInfo": Query;
    40 get_kernel_work_group_info "clGetKernelWorkGroupInfo":
        unsafe extern "system" fn(Handle, Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    41 wait_for_events "clWaitForEvents": unsafe extern "system" fn(u32, *const Handle) -> i32;
    44 release_event "clReleaseEvent": Release;
    45 get_event_profiling_info "clGetEventProfilingInfo": Query;
    48 enqueue_read_buffer "clEnqueueReadBuffer":
        unsafe extern "system" fn(
            Handle, Handle, u32, usize, usize, *mut c_void, u32, *const Handle, *mut Handle,
        ) -> i32;
    49 enqueue_write_buffer "clEnqueueWriteBuffer":
        unsafe extern "system" fn(
            Handle, Handle, u32, usize, usize, *const c_void, u32, *const Handle, *mut Handle,
        ) -> i32;
    59 enqueue_nd_range_kernel "clEnqueueNDRangeKernel":
        unsafe extern "system" fn(
            Handle, Handle, u32, *const usize, *const usize, *const usize, u32, *const Handle, *mut Handle,
        ) -> i32;
}
