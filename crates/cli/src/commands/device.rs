//! `batt device`

use std::io::Write;

use arcbatt::base::{number, size, time};
use arcbatt::devices::{
    self, BATCH_SIZES, Calibration, CalibrationFile, Device, OperationCheck, Session, WINDOW_JOBS,
    device_kind,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Answer, output};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  batt device                      list the devices and test them
  batt device calibrate            measure them, so that `--device auto` uses those that pay
  batt device bench T4             measure every operation on the devices called T4

Devices are found through OpenCL. Nothing has to be installed besides the driver. A job with a device gives the same
results as without one.")]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Command {
    /// List the devices without using them
    #[command(after_help = "Example:\n  batt device list")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Compare every operation on a device with the CPU
    #[command(after_help = "Example:\n  batt device test T4 --grids 100")]
    Test {
        #[command(flatten)]
        device: DeviceArgs,
        /// Number of random grids for each operation
        #[arg(long, value_name = "N", default_value_t = SELF_TEST_GRIDS)]
        grids: usize,
    },
    /// Measure from which batch size on a device is faster than the CPU, and remember it for `--device auto`
    #[command(after_help = "Example:\n  batt device calibrate")]
    Calibrate {
        #[command(flatten)]
        device: DeviceArgs,
    },
    /// Measure operations in batches of 1 to 100,000 grids on the CPU and on a device, transfers included
    #[command(after_help = "Example:\n  batt device bench T4 --operation 'hmirror(x)' 'compress(x)'")]
    Bench {
        #[command(flatten)]
        device: DeviceArgs,
        /// Measure only these operations, as `batt device operations` prints them
        #[arg(long, value_name = "TEXT", num_args = 1..)]
        operation: Vec<String>,
    },
    /// List the operations of enumeration, and which of them devices know
    #[command(after_help = "Example:\n  batt device operations")]
    Operations {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(clap::Args)]
struct DeviceArgs {
    /// Devices whose names contain this
    #[arg(default_value = "all")]
    name: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Random grids for each operation in the self-test.
const SELF_TEST_GRIDS: usize = 8;

pub(crate) fn run(args: &Args) -> Answer {
    match &args.command {
        None => list(args.json, true),
        Some(Command::List { json }) => list(*json, false),
        Some(Command::Test { device, grids }) => test(device, *grids),
        Some(Command::Calibrate { device }) => calibrate(device),
        Some(Command::Bench { device, operation }) => bench(device, operation),
        Some(Command::Operations { json }) => operations(*json),
    }
}

/// The OpenCL devices of the machine.
#[derive(JsonSchema, Serialize)]
pub(crate) struct ListDocument {
    /// The devices.
    devices: Vec<DeviceEntry>,
    /// Libraries that gave no device.
    problems: Vec<LibraryProblem>,
}

/// A device.
#[derive(JsonSchema, Serialize)]
struct DeviceEntry {
    /// Name of the device.
    name: String,
    /// Kind of device, such as `gpu` or `cpu`.
    kind: String,
    /// Maker of the device.
    vendor: String,
    /// Version of the driver.
    driver: String,
    /// Name and version of the OpenCL platform.
    platform: String,
    /// Library through which it was found.
    library: String,
    /// True if the driver was used without an ICD loader.
    loaded_directly: bool,
    /// Number of compute units.
    units: u32,
    /// Clock rate in MHz.
    clock_mhz: u32,
    /// Memory in bytes.
    memory: u64,
    /// Measured by `batt device calibrate` on this machine. Absent if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    calibration: Option<CalibrationEntry>,
    /// Comparison of every operation with the CPU. Absent if it was not made.
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<TestEntry>,
}

/// Measured times of a device and the costs that explain them.
#[derive(JsonSchema, Serialize)]
struct CalibrationEntry {
    /// Measured times.
    points: Vec<PointEntry>,
    /// Smallest batch that is faster on the device than on one CPU core. Absent if none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    break_even: Option<u64>,
    /// True if the batches of a search are large enough for it, so that `--device auto` uses it.
    is_useful: bool,
}

/// The times of one batch.
#[derive(Clone, JsonSchema, Serialize)]
struct PointEntry {
    /// Number of jobs in the batch.
    jobs: u64,
    /// Time on one CPU core, in ns.
    cpu_ns: f64,
    /// Time with the device, in ns, with transfers.
    device_ns: f64,
}

/// The result of comparing a device with the CPU.
#[derive(Default, JsonSchema, Serialize)]
struct TestEntry {
    /// Number of operations that the device knows.
    operations: usize,
    /// Jobs with the same value, fuel and fingerprint.
    same: usize,
    /// Jobs that were rightly left to the CPU.
    passed_on: usize,
    /// Jobs that were left to the CPU although the device could hold the value.
    needless: usize,
    /// Jobs with a wrong answer.
    wrong: usize,
    /// The first wrong answers, or the error of the driver.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
}

/// A library that gave no device.
#[derive(JsonSchema, Serialize)]
struct LibraryProblem {
    /// Name of the library.
    library: String,
    /// Why it gave none.
    reason: String,
}

impl DeviceEntry {
    fn new(device: &Device, calibration: Option<&Calibration>, test: Option<TestEntry>) -> DeviceEntry {
        DeviceEntry {
            name: device.name().to_owned(),
            kind: device_kind(device).to_owned(),
            vendor: device.vendor().to_owned(),
            driver: device.driver().to_owned(),
            platform: device.platform().to_owned(),
            library: device.library().to_owned(),
            loaded_directly: device.loaded_directly(),
            units: device.units(),
            clock_mhz: device.clock_mhz(),
            memory: device.memory_bytes(),
            calibration: calibration.map(CalibrationEntry::new),
            test,
        }
    }

    fn print(&self, out: &mut impl Write) -> std::io::Result<()> {
        let units = number::count(self.units as usize, "unit");
        writeln!(out, "{} ({})", self.name, self.kind)?;
        writeln!(out, "  {units} at {} MHz, {} of memory", self.clock_mhz, size::mebibytes(self.memory))?;
        writeln!(out, "  driver {}, {}", self.driver, self.platform)?;
        let how = if self.loaded_directly { ", without an ICD loader" } else { "" };
        writeln!(out, "  found through {}{how}", self.library)?;
        if let Some(test) = &self.test {
            test.print(out)?;
        }
        match &self.calibration {
            Some(calibration) => writeln!(out, "  calibration: {}", calibration.sentence()),
            None => writeln!(out, "  not calibrated: `--device auto` does not use it"),
        }
    }
}

impl CalibrationEntry {
    fn new(calibration: &Calibration) -> CalibrationEntry {
        CalibrationEntry {
            points: points(calibration),
            break_even: calibration.fit().and_then(|fit| fit.break_even()),
            is_useful: devices::useful_break_even(calibration).is_some(),
        }
    }

    fn sentence(&self) -> String {
        let jobs = |n: u64| format!("{} jobs", number::grouped(n));
        match (self.break_even, self.points.last()) {
            (Some(n), _) if self.is_useful => {
                format!("faster than one CPU core from {} on; `--device auto` uses it for those", jobs(n))
            }
            (Some(n), _) => format!(
                "faster than one CPU core only from {} on, and a search asks for {} at a time; `--device auto` does \
                 not use it",
                jobs(n),
                jobs(WINDOW_JOBS as u64)
            ),
            (None, Some(last)) if self.points.len() > 1 => format!(
                "slower than one CPU core in batches of up to {}; `--device auto` does not use it",
                jobs(last.jobs)
            ),
            // One batch took so long that no other was measured.
            (None, _) => {
                "too slow to be measured in batches of several sizes; `--device auto` does not use it"
                    .to_owned()
            }
        }
    }

    fn print(&self, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(out, "      jobs   one CPU core        device   measured ratio")?;
        for PointEntry { jobs, cpu_ns, device_ns } in &self.points {
            let (cpu, device) = (time::brief_ns(*cpu_ns), time::brief_ns(*device_ns));
            writeln!(
                out,
                "{:>10} {cpu:>14} {device:>13} {:>15.3}×",
                number::grouped(*jobs),
                cpu_ns / device_ns
            )?;
        }
        Ok(())
    }
}

fn points(calibration: &Calibration) -> Vec<PointEntry> {
    let entry = |point: &devices::Point| PointEntry {
        jobs: point.jobs,
        cpu_ns: point.cpu_ns,
        device_ns: point.device_ns,
    };
    calibration.points.iter().map(entry).collect()
}

impl TestEntry {
    /// Compares every operation on a device with the CPU.
    fn run(device: &Device, grids: usize) -> TestEntry {
        let folder = devices::device_folder();
        let checks = Session::open(device, folder.as_deref()).and_then(|mut session| {
            let tasks: Vec<_> = devices::measured_grids().into_iter().step_by(10).collect();
            devices::check_operations(&mut session, &tasks, grids, 1)
        });
        match checks {
            Ok(checks) => TestEntry::new(&checks),
            Err(error) => TestEntry { wrong: 1, problems: vec![error.to_string()], ..TestEntry::default() },
        }
    }

    fn new(checks: &[OperationCheck]) -> TestEntry {
        let sum = |of: fn(&OperationCheck) -> usize| checks.iter().map(of).sum();
        let problem = |check: &OperationCheck| {
            check
                .problem
                .as_ref()
                .map(|problem| output::shortened(&format!("{}: {problem}", check.operation.text)))
        };
        TestEntry {
            operations: checks.iter().filter(|check| check.operation.on_device).count(),
            same: sum(|check| check.same),
            passed_on: sum(|check| check.passed_on),
            needless: sum(|check| check.needless),
            wrong: sum(|check| check.wrong),
            problems: checks.iter().filter_map(problem).take(5).collect(),
        }
    }

    fn print(&self, out: &mut impl Write) -> std::io::Result<()> {
        if self.operations > 0 {
            let grouped = |n: usize| number::grouped(n as u64);
            writeln!(
                out,
                "  self-test of {}: {} the same as on the CPU, {} left to the CPU, {} wrong",
                number::count(self.operations, "operation"),
                number::count(self.same, "answer"),
                grouped(self.passed_on + self.needless),
                grouped(self.wrong),
            )?;
        }
        self.problems.iter().try_for_each(|problem| writeln!(out, "  problem: {problem}"))
    }
}

fn list(json: bool, with_test: bool) -> Answer {
    let spinner = output::spinner();
    let listing = devices::list_devices().map_err(anyhow::Error::msg)?;
    let file = CalibrationFile::read_user();
    let entry = |device: &Device| {
        spinner.iter().for_each(|it| it.set_message(format!("testing {}", device.name())));
        let test = with_test.then(|| TestEntry::run(device, SELF_TEST_GRIDS));
        DeviceEntry::new(device, file.of(device).as_ref(), test)
    };
    let entries: Vec<DeviceEntry> = listing.devices.iter().map(entry).collect();
    spinner.iter().for_each(|it| it.finish_and_clear());
    let right = entries.iter().all(|entry| entry.test.as_ref().is_none_or(|test| test.wrong == 0));
    let problem = |problem: &devices::Problem| LibraryProblem {
        library: problem.library.clone(),
        reason: problem.reason.clone(),
    };
    let problems: Vec<LibraryProblem> = listing.problems.iter().map(problem).collect();
    if json {
        output::json(ListDocument { devices: entries, problems })?;
        return Ok(right);
    }
    let mut out = output::stdout();
    for entry in &entries {
        entry.print(&mut out)?;
        writeln!(out)?;
    }
    if entries.is_empty() {
        writeln!(out, "no OpenCL device; everything runs on the CPU")?;
        for LibraryProblem { library, reason } in &problems {
            writeln!(out, "  {library}: {reason}")?;
        }
    }
    out.flush()?;
    Ok(right)
}

/// Comparisons of devices with the CPU.
#[derive(JsonSchema, Serialize)]
pub(crate) struct TestDocument {
    /// The devices that were tested.
    devices: Vec<DeviceEntry>,
}

fn test(args: &DeviceArgs, grids: usize) -> Answer {
    let spinner = output::spinner();
    let file = CalibrationFile::read_user();
    let mut entries = Vec::new();
    for device in devices::find_devices(&args.name)? {
        spinner.iter().for_each(|it| it.set_message(format!("testing {}", device.name())));
        let test = TestEntry::run(&device, grids);
        entries.push(DeviceEntry::new(&device, file.of(&device).as_ref(), Some(test)));
    }
    spinner.iter().for_each(|it| it.finish_and_clear());
    let right = entries.iter().all(|entry| entry.test.as_ref().is_none_or(|test| test.wrong == 0));
    if args.json {
        output::json(TestDocument { devices: entries })?;
        return Ok(right);
    }
    let mut out = output::stdout();
    for entry in &entries {
        entry.print(&mut out)?;
    }
    out.flush()?;
    Ok(right)
}

/// Calibrations of devices.
#[derive(JsonSchema, Serialize)]
pub(crate) struct CalibrateDocument {
    /// The devices that were measured.
    devices: Vec<DeviceEntry>,
    /// File that holds the calibrations. Absent if there is no place for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// Devices that could not be measured, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
}

fn calibrate(args: &DeviceArgs) -> Answer {
    let spinner = output::spinner();
    let mut file = CalibrationFile::read_user();
    let (folder, path) = (devices::device_folder(), CalibrationFile::user_path());
    let (mut entries, mut problems) = (Vec::new(), Vec::new());
    for device in devices::find_devices(&args.name)? {
        spinner.iter().for_each(|it| it.set_message(format!("measuring {}", device.name())));
        let measured = Session::open(&device, folder.as_deref())
            .and_then(|mut session| devices::calibrate(&mut session, None));
        let calibration = match measured {
            Ok(calibration) => calibration,
            Err(error) => {
                problems.push(format!("{}: {error}", device.name()));
                continue;
            }
        };
        file.set(&device, &calibration);
        // Written at once: the driver of the next device may crash the process.
        if let Some(path) = &path {
            file.write(path).map_err(|error| anyhow::anyhow!("cannot write {}: {error}", path.display()))?;
        }
        entries.push(DeviceEntry::new(&device, Some(&calibration), None));
    }
    spinner.iter().for_each(|it| it.finish_and_clear());
    let path = path.filter(|_| !entries.is_empty());
    let all_measured = problems.is_empty();
    if args.json {
        let file = path.map(|path| path.display().to_string());
        output::json(CalibrateDocument { devices: entries, file, problems })?;
        return Ok(all_measured);
    }
    let mut out = output::stdout();
    for entry in &entries {
        entry.print(&mut out)?;
        entry.calibration.iter().try_for_each(|calibration| calibration.print(&mut out))?;
        writeln!(out)?;
    }
    problems.iter().try_for_each(|problem| writeln!(out, "problem: {problem}"))?;
    match path {
        Some(path) => output::wrote(&mut out, path.display())?,
        None if entries.is_empty() => {}
        None => output::note(&mut out, "there is no home folder, so the calibration is not kept")?,
    }
    out.flush()?;
    Ok(all_measured)
}

/// Operations on the CPU and on devices.
#[derive(JsonSchema, Serialize)]
pub(crate) struct BenchDocument {
    /// The devices that were measured.
    devices: Vec<DeviceBench>,
}

/// The measurements of one device.
#[derive(JsonSchema, Serialize)]
struct DeviceBench {
    /// Name of the device.
    name: String,
    /// Version of its driver.
    driver: String,
    /// The operations that were measured.
    operations: Vec<OperationBench>,
}

/// The measurements of one operation.
#[derive(JsonSchema, Serialize)]
struct OperationBench {
    /// The operation.
    operation: String,
    /// Kinds of its arguments and its result.
    signature: String,
    /// Measured times.
    points: Vec<PointEntry>,
    /// Smallest batch that is faster on the device than on one CPU core. Absent if none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    break_even: Option<u64>,
}

fn bench(args: &DeviceArgs, wanted: &[String]) -> Answer {
    let known = devices::enumerated_operations();
    for text in wanted {
        match known.iter().find(|operation| operation.text == *text) {
            Some(operation) if operation.on_device => {}
            Some(_) => anyhow::bail!(
                "devices do not know {text}; `batt device operations` lists those that they know"
            ),
            None => anyhow::bail!("there is no operation {text}; `batt device operations` lists them"),
        }
    }
    let chosen =
        known.into_iter().filter(|it| it.on_device && (wanted.is_empty() || wanted.contains(&it.text)));
    let chosen: Vec<_> = chosen.collect();
    let spinner = output::spinner();
    let folder = devices::device_folder();
    let mut benches = Vec::new();
    for device in devices::find_devices(&args.name)? {
        let failed = |error: devices::DeviceError| anyhow::anyhow!("{}: {error}", device.name());
        let mut session = Session::open(&device, folder.as_deref()).map_err(failed)?;
        let mut operations = Vec::new();
        for operation in &chosen {
            spinner.iter().for_each(|it| it.set_message(format!("{}: {}", device.name(), operation.text)));
            let calibration = devices::calibrate(&mut session, Some(operation)).map_err(failed)?;
            operations.push(OperationBench {
                operation: operation.text.clone(),
                signature: operation.signature.clone(),
                points: points(&calibration),
                break_even: calibration.fit().and_then(|fit| fit.break_even()),
            });
        }
        let (name, driver) = (device.name().to_owned(), device.driver().to_owned());
        benches.push(DeviceBench { name, driver, operations });
    }
    spinner.iter().for_each(|it| it.finish_and_clear());
    if args.json {
        output::json(BenchDocument { devices: benches })?;
        return Ok(true);
    }
    let mut out = output::stdout();
    for bench in &benches {
        bench.print(&mut out)?;
    }
    out.flush()?;
    Ok(true)
}

impl DeviceBench {
    fn print(&self, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(
            out,
            "{}, driver {}: µs a job, one CPU core / device with transfers, both measured",
            self.name, self.driver
        )?;
        write!(out, "{:<24}{:<44}", "kinds", "operation")?;
        BATCH_SIZES.iter().try_for_each(|jobs| write!(out, "{:>16}", number::grouped(*jobs as u64)))?;
        writeln!(out, "{:>12}", "break-even")?;
        for operation in &self.operations {
            write!(out, "{:<24}{:<44}", operation.signature, operation.operation)?;
            for jobs in BATCH_SIZES {
                let point = operation.points.iter().find(|point| point.jobs == jobs as u64);
                let text = point.map_or_else(String::new, |point| {
                    let each = |ns: f64| ns / 1e3 / point.jobs as f64;
                    format!("{:.2} / {:.2}", each(point.cpu_ns), each(point.device_ns))
                });
                write!(out, "{text:>16}")?;
            }
            let even = operation.break_even.map_or_else(|| "never".to_owned(), number::grouped);
            writeln!(out, "{even:>12}")?;
        }
        let never = self.operations.iter().filter(|operation| operation.break_even.is_none()).count();
        writeln!(
            out,
            "{} of {} are never faster on the device",
            never,
            number::count(self.operations.len(), "operation")
        )
    }
}

/// The operations of enumeration.
#[derive(JsonSchema, Serialize)]
pub(crate) struct OperationsDocument {
    /// The operations, in the order in which they are tried on a task with one colour.
    operations: Vec<OperationEntry>,
}

/// An operation of enumeration.
#[derive(JsonSchema, Serialize)]
struct OperationEntry {
    /// The operation.
    operation: String,
    /// Kinds of its arguments and its result.
    signature: String,
    /// True if devices know it.
    on_device: bool,
}

fn operations(json: bool) -> Answer {
    let all = devices::enumerated_operations();
    if json {
        let entry = |it: devices::OperationInfo| OperationEntry {
            operation: it.text,
            signature: it.signature,
            on_device: it.on_device,
        };
        output::json(OperationsDocument { operations: all.into_iter().map(entry).collect() })?;
        return Ok(true);
    }
    let mut out = output::stdout();
    for operation in &all {
        let place = if operation.on_device { "device" } else { "CPU only" };
        writeln!(out, "{place:<10} {:<28} {}", operation.signature, operation.text)?;
    }
    let n = all.iter().filter(|operation| operation.on_device).count();
    writeln!(out, "devices know {n} of {}", number::count(all.len(), "operation"))?;
    out.flush()?;
    Ok(true)
}
