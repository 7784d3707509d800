//! Tests the OpenCL loader with the drivers PoCL and oclgrind, where they are installed.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use batt_device::opencl::{Device, DeviceError, DeviceKind, Queue, list, list_from};
use batt_testkit::opencl::{folder, missing, oclgrind, pocl, under_oclgrind};
use batt_testkit::print;

const OPTIONS: &str = "-cl-std=CL1.2";

const ADD: &str = "
kernel void add(global const int *a, global const int *b, global int *sum) {
    sum[get_global_id(0)] = a[get_global_id(0)] + b[get_global_id(0)];
}
kernel void clear(global int *to) {
    to[get_global_id(0)] = 0;
}";

#[test]
fn libraries_without_opencl_have_no_device() {
    let listing = list_from(&["libno-opencl.so.1", "libc.so.6", "/etc/hostname"]);
    assert!(listing.devices.is_empty());
    let problems: Vec<_> = listing.problems.iter().map(|it| (&*it.library, &*it.reason)).collect();
    assert_eq!(problems[0].0, "libno-opencl.so.1");
    assert_eq!(problems[1], ("libc.so.6", "it has no function clGetExtensionFunctionAddress"));
    assert_eq!(problems.len(), 3);
}

/// Lists the devices in a process of its own, in which none of the usual number of libraries exists.
#[test]
fn a_machine_without_opencl_has_no_device() {
    const TEST: &str = "a_machine_without_opencl_has_no_device";
    let absent = ["libno-opencl.so"; 7].join(":");
    if std::env::var("ARCBATT_OPENCL").is_ok_and(|libraries| libraries == absent) {
        let start = Instant::now();
        let listing = list();
        print(&format!("no library: {:?}\n", start.elapsed()));
        assert_eq!((listing.devices.len(), listing.problems.len()), (0, 7));
        return;
    }
    let mut child = Command::new(std::env::current_exe().unwrap());
    let child = child.args(["--exact", TEST, "--nocapture"]).env("ARCBATT_OPENCL", absent);
    assert!(child.status().unwrap().success());
}

#[test]
fn all_devices_are_listed_once() {
    if pocl().is_none() {
        return;
    }
    let start = Instant::now();
    let listing = list();
    print(&format!("all devices: {:?}\n", start.elapsed()));
    let is_pocl = |device: &&Device| device.platform().starts_with("Portable Computing Language");
    assert_eq!(listing.devices.iter().filter(is_pocl).count(), 1, "{listing:?}");
    let twice = list_from(&["libpocl.so.2", "libOpenCL.so.1", "libpocl.so.2"]);
    assert_eq!(twice.devices.iter().filter(is_pocl).count(), 1, "{twice:?}");
}

#[test]
fn a_driver_is_opened_without_a_loader() {
    let Some(device) = pocl() else { return };
    assert!(device.loaded_directly());
    assert_eq!(device.kind(), DeviceKind::Cpu);
    assert!(Path::new(device.library()).is_absolute(), "{device:?}");
    assert!(device.library().contains("libpocl.so.2"), "{device:?}");
    assert!(device.units() > 0 && device.memory_bytes() > 1 << 20 && device.local_bytes() > 1 << 10);
    assert!(!device.name().is_empty() && !device.vendor().is_empty() && !device.driver().is_empty());
}

#[test]
fn the_loader_of_the_system_shows_its_drivers() {
    if pocl().is_none() {
        return;
    }
    let listing = list_from(&["libOpenCL.so.1"]);
    let Some(device) = listing.devices.first() else {
        return missing("there is no ICD loader", "install ocl-icd-libopencl1");
    };
    assert!(!device.loaded_directly());
    check_sum(device);
}

/// Runs a check on PoCL and on oclgrind, as far as they are installed.
fn on_both(check: impl Fn(&Device)) {
    pocl().iter().for_each(&check);
    oclgrind().iter().for_each(|device| check(device));
}

#[test]
fn a_kernel_adds_vectors() {
    on_both(check_sum);
}

fn check_sum(device: &Device) {
    let mut queue = device.open(ADD, OPTIONS, None).unwrap();
    let a: Vec<i32> = (0..64).map(|i| i * i).collect();
    let b: Vec<i32> = (0..64).map(|i| 1000 - i).collect();
    let buffers = [(); 3].map(|()| queue.buffer(256).unwrap());
    queue.write(&buffers[0], &bytes(&a)).unwrap();
    queue.write(&buffers[1], &bytes(&b)).unwrap();
    let add = queue.kernel("add").unwrap();
    assert_eq!(add.n_args(), 3);
    assert!(add.max_lanes() >= 16 && add.lane_multiple() >= 1);
    let times = queue.run(&add, &buffers.each_ref(), 4, 16).unwrap();
    assert!(times.queued <= times.started && times.started <= times.ended, "{times:?}");
    assert_eq!(times.busy(), times.ended - times.started);
    let mut sum = [0; 256];
    queue.read(&buffers[2], &mut sum).unwrap();
    let expected: Vec<i32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    assert_eq!(sum[..], bytes(&expected)[..]);
}

#[test]
fn a_build_error_shows_the_log_of_the_compiler() {
    on_both(|device| {
        let error =
            device.open("kernel void broken(global int *a) { a[0] = nonsense; }", OPTIONS, None).err();
        let Some(DeviceError::Build { log }) = error else { panic!("{error:?}") };
        assert!(log.contains("nonsense"), "{log}");
        let error = device.open(ADD, "-cl-\0", None).err();
        assert!(matches!(error, Some(DeviceError::Build { .. })), "{error:?}");
    });
}

#[test]
fn memory_can_run_out() {
    on_both(|device| {
        let queue = device.open(ADD, OPTIONS, None).unwrap();
        assert_eq!(queue.buffer(1 << 50).err(), Some(DeviceError::OutOfMemory));
    });
}

#[test]
fn mistakes_of_the_caller_are_errors() {
    let Some(device) = pocl() else { return };
    let mut queue = device.open(ADD, OPTIONS, None).unwrap();
    let mut other = device.open(ADD, OPTIONS, None).unwrap();
    let buffer = queue.buffer(8).unwrap();
    let clear = queue.kernel("clear").unwrap();
    for name in ["nothing", "cl\0ear"] {
        assert_eq!(queue.kernel(name).err(), Some(DeviceError::NoKernel { name: name.to_owned() }));
    }
    let too_long = DeviceError::Size { bytes: 9, capacity: 8 };
    assert_eq!(queue.write(&buffer, &[0; 9]), Err(too_long.clone()));
    assert_eq!(queue.read(&buffer, &mut [0; 9]), Err(too_long));
    assert_eq!(queue.run(&clear, &[], 1, 2), Err(DeviceError::Arguments { given: 0, expected: 1 }));
    for (groups, lanes) in [(1, 0), (1, 1 << 40), (usize::MAX, 2)] {
        let max = clear.max_lanes();
        let wrong = DeviceError::Lanes { groups, lanes, max };
        assert_eq!(queue.run(&clear, &[&buffer], groups, lanes), Err(wrong));
    }
    assert_eq!(other.run(&clear, &[&buffer], 1, 2), Err(DeviceError::Foreign));
    assert_eq!(other.write(&buffer, &[1]), Err(DeviceError::Foreign));
    assert_eq!(other.read(&buffer, &mut [1]), Err(DeviceError::Foreign));
    assert_eq!(
        DeviceError::Foreign.to_string(),
        "a buffer or kernel belongs to another queue: make it with this one"
    );
    let driver = DeviceError::Driver { call: "clFinish", code: -59 };
    assert!(driver.to_string().starts_with("clFinish failed with INVALID_OPERATION (-59)"), "{driver}");
}

#[test]
fn nothing_to_do_is_done() {
    let Some(device) = pocl() else { return };
    let mut queue = device.open(ADD, OPTIONS, None).unwrap();
    let buffer = queue.buffer(0).unwrap();
    let clear = queue.kernel("clear").unwrap();
    assert_eq!(queue.write(&buffer, &[]).unwrap().busy(), 0);
    assert_eq!(queue.read(&buffer, &mut []).unwrap().busy(), 0);
    assert_eq!(queue.run(&clear, &[&buffer], 0, 8).unwrap().busy(), 0);
}

#[test]
fn buffers_and_kernels_outlive_their_queue() {
    let Some(device) = pocl() else { return };
    let queue = device.open(ADD, OPTIONS, None).unwrap();
    let parts = (queue.buffer(8).unwrap(), queue.kernel("clear").unwrap());
    drop(queue);
    std::thread::spawn(move || drop(parts)).join().unwrap();
}

#[test]
fn each_thread_can_have_a_queue() {
    let Some(device) = pocl() else { return };
    let device = &device;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(move || (0..4).for_each(|_| check_sum(device)));
        }
    });
}

#[test]
fn compiled_programs_are_cached() {
    // PoCL does not use the cache.
    let Some(device) = oclgrind() else { return };
    let cache = folder("compiled_programs_are_cached").join("made/on/demand");
    let open = |source: &str| device.open(source, OPTIONS, Some(&cache)).unwrap();
    let files = || {
        let entries = std::fs::read_dir(&cache).unwrap().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    assert!(!open(ADD).from_cache());
    assert_eq!(files().len(), 1);
    let file = files().remove(0);
    let content = std::fs::read(&file).unwrap();
    let clears = |mut queue: Queue| {
        let (buffer, mut byte) = (queue.buffer(4).unwrap(), [1; 4]);
        queue.write(&buffer, &byte).unwrap();
        let clear = queue.kernel("clear").unwrap();
        queue.run(&clear, &[&buffer], 1, 1).unwrap();
        queue.read(&buffer, &mut byte).unwrap();
        byte == [0; 4]
    };
    let again = open(ADD);
    assert!(again.from_cache());
    assert!(clears(again));

    let mut changed = content.clone();
    *changed.last_mut().unwrap() ^= 1;
    for damaged in [&content[..content.len() - 100], &content[..20], &[], &changed] {
        std::fs::write(&file, damaged).unwrap();
        let rebuilt = open(ADD);
        assert!(!rebuilt.from_cache());
        assert!(clears(rebuilt));
        assert_eq!(std::fs::read(&file).unwrap().len(), content.len());
        assert!(open(ADD).from_cache());
    }

    // A file that is not damaged, but that the driver refuses.
    let (garbage, start) = (b"garbage", content.iter().position(|&byte| byte == b'\n').unwrap() + 1);
    let refused = [&content[..start], blake3::hash(garbage).as_bytes(), garbage].concat();
    std::fs::write(&file, refused).unwrap();
    assert!(!open(ADD).from_cache());
    assert!(open(ADD).from_cache());

    assert!(!open(&ADD.replace("= 0", "= 7")).from_cache());
    assert_eq!(files().len(), 2);
}

#[test]
fn a_cache_that_cannot_be_written_is_no_error() {
    let Some(device) = oclgrind() else { return };
    let file = folder("a_cache_that_cannot_be_written_is_no_error").join("file");
    std::fs::write(&file, "not a folder").unwrap();
    assert!(!device.open(ADD, OPTIONS, Some(&file)).unwrap().from_cache());
}

#[test]
fn oclgrind_accepts_a_correct_kernel() {
    let log = under_oclgrind("oclgrind_accepts_a_correct_kernel", check_sum);
    assert_eq!(log.as_deref().unwrap_or(""), "");
}

#[test]
fn oclgrind_reports_a_missing_barrier() {
    let log = under_oclgrind("oclgrind_reports_a_missing_barrier", |device| run_alone(device, TURN));
    let Some(log) = log else { return };
    assert!(log.contains("data race at local memory"), "{log}");
}

#[test]
fn oclgrind_accepts_a_barrier() {
    let source = TURN.replace("// barrier", "barrier(CLK_LOCAL_MEM_FENCE);");
    let log = under_oclgrind("oclgrind_accepts_a_barrier", |device| run_alone(device, &source));
    assert_eq!(log.as_deref().unwrap_or(""), "");
}

const TURN: &str = "
kernel void turn(global uchar *to) {
    local uchar shared[32];
    shared[get_local_id(0)] = get_local_id(0);
    // barrier
    to[get_local_id(0)] = shared[31 - get_local_id(0)];
}";

#[test]
fn oclgrind_reports_an_access_out_of_bounds() {
    let log = under_oclgrind("oclgrind_reports_an_access_out_of_bounds", |device| {
        run_alone(device, "kernel void past(global uchar *to) { to[get_local_id(0) + 1] = 1; }");
    });
    let Some(log) = log else { return };
    assert!(log.contains("Invalid write of size 1 at global memory"), "{log}");
}

#[test]
fn oclgrind_reports_an_uninitialised_value() {
    let log = under_oclgrind("oclgrind_reports_an_uninitialised_value", |device| {
        run_alone(device, "kernel void copy(global uchar *to) { if (to[31]) to[get_local_id(0)] = 1; }");
    });
    let Some(log) = log else { return };
    assert!(log.contains("ninitialized value"), "{log}");
}

/// Runs the only kernel of a source on one group of 32 lanes and a buffer of 32 bytes, which is not written
/// before.
fn run_alone(device: &Device, source: &str) {
    let mut queue = device.open(source, OPTIONS, None).unwrap();
    let name = source.split("void ").nth(1).and_then(|rest| rest.split('(').next()).unwrap();
    let (buffer, kernel) = (queue.buffer(32).unwrap(), queue.kernel(name).unwrap());
    queue.run(&kernel, &[&buffer], 1, 32).unwrap();
}

fn bytes(numbers: &[i32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
}
