//! Spots: functions of the engine and primitives, to which time is booked. Each has a category and a phase.

/// A part of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Phase {
    Load,
    Parse,
    Merge,
    WarmUp,
    Execute,
    Score,
    Write,
    /// Time outside all phases: idle, in transit and unaccounted.
    None,
}

impl Phase {
    pub const ALL: [Phase; 8] = [
        Phase::Load,
        Phase::Parse,
        Phase::Merge,
        Phase::WarmUp,
        Phase::Execute,
        Phase::Score,
        Phase::Write,
        Phase::None,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Phase::Load => "load",
            Phase::Parse => "parse",
            Phase::Merge => "merge",
            Phase::WarmUp => "warm-up",
            Phase::Execute => "execute",
            Phase::Score => "score",
            Phase::Write => "write",
            Phase::None => "none",
        }
    }
}

/// A kind of work.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Category {
    Unaccounted,
    Idle,
    /// A machine of a cluster waits for work that is on its way.
    Network,
    Loading,
    Parsing,
    Merging,
    Folding,
    Scheduling,
    Candidates,
    Deduplication,
    Collection,
    Failures,
    Memory,
    Scoring,
    Writing,
    Logging,
    Progress,
    Profiling,
    /// A device receives or sends data.
    Transfer,
    /// A device computes.
    Kernel,
    /// The driver of a device works, and the device does not.
    Driver,
    /// Calls of function values, and tuples.
    Language,
    /// Reports show each family of primitives as its own category.
    Primitives,
}

impl Category {
    /// The categories of devices.
    pub const DEVICE: [Category; 3] = [Category::Transfer, Category::Kernel, Category::Driver];

    pub fn name(self) -> &'static str {
        match self {
            Category::Unaccounted => "unaccounted",
            Category::Idle => "idle",
            Category::Network => "network",
            Category::Loading => "loading",
            Category::Parsing => "parsing",
            Category::Merging => "merging",
            Category::Folding => "folding",
            Category::Scheduling => "scheduling",
            Category::Candidates => "candidate management",
            Category::Deduplication => "deduplication",
            Category::Collection => "result collection",
            Category::Failures => "failure handling",
            Category::Memory => "memory",
            Category::Scoring => "scoring",
            Category::Writing => "writing",
            Category::Logging => "logging",
            Category::Progress => "progress display",
            Category::Profiling => "profiling overhead",
            Category::Transfer => "device: transfer",
            Category::Kernel => "device: kernel",
            Category::Driver => "device: driver",
            Category::Language => "language",
            Category::Primitives => "primitives",
        }
    }
}

/// A function of the engine or a primitive, to which time is booked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Spot(u16);

/// Name, phase and category of a spot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpotInfo {
    pub name: &'static str,
    pub phase: Phase,
    pub category: Category,
}

macro_rules! engine {
    ($($name:ident: $phase:ident, $category:ident, $text:literal;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "names of constants, numbered by the compiler")]
        #[repr(u16)]
        enum Number { $($name),* }

        impl Spot {
            $(#[doc = $text] pub const $name: Spot = Spot(Number::$name as u16);)*
        }

        const ENGINE: &[SpotInfo] =
            &[$(SpotInfo { name: $text, phase: Phase::$phase, category: Category::$category }),*];
    };
}

engine! {
    UNACCOUNTED: None, Unaccounted, "unaccounted";
    IDLE: None, Idle, "waiting";
    NETWORK: None, Network, "work in transit";
    LOAD: Load, Loading, "read tasks";
    PARSE: Parse, Parsing, "read programs";
    MERGE: Merge, Merging, "merge programs";
    START: WarmUp, Scheduling, "start and stop threads";
    FOLD: WarmUp, Folding, "compute cheap constants";
    HAND_OUT: Execute, Scheduling, "hand out tasks";
    SET_UP: Execute, Scheduling, "set up a task";
    PICK: Execute, Candidates, "pick programs";
    SHARE: Execute, Deduplication, "look up shared values";
    COLLECT: Execute, Collection, "collect answers";
    FAIL: Execute, Failures, "find the failing call";
    MEMORY: Execute, Memory, "prepare memory";
    APPLY: Execute, Language, "call of a function value";
    TUPLE: Execute, Language, "tuple";
    OTHER: Execute, Language, "input or constant";
    LIST: Execute, Candidates, "list candidates";
    MUTATE: Execute, Candidates, "make mutants";
    NOVEL: Execute, Deduplication, "detect duplicates";
    RANK: Score, Candidates, "rank answers";
    SCORE: Score, Scoring, "compare and score";
    CHECK: Score, Scoring, "check answers";
    SUM_UP: Score, Collection, "summarise tasks";
    WRITE: Write, Writing, "write files";
    REPORT: Write, Writing, "build the record";
    LOG: None, Logging, "write the log";
    PROGRESS: None, Progress, "update the progress bar";
    PROFILE: None, Profiling, "record the profile";
    UPLOAD: Execute, Transfer, "upload";
    KERNEL: Execute, Kernel, "run kernels";
    DOWNLOAD: Execute, Transfer, "download";
    DRIVER: Execute, Driver, "call the driver";
}

/// The numbers of primitives come after those of the engine's spots.
const FIRST_PRIMITIVE: u16 = ENGINE.len() as u16;

impl Spot {
    /// Returns the spot of a primitive, given the id of its symbol.
    #[inline]
    pub const fn primitive(id: u16) -> Spot {
        Spot(FIRST_PRIMITIVE + id)
    }

    pub(crate) fn from_index(index: usize) -> Spot {
        Spot(index as u16)
    }

    /// Returns the id of the primitive, if the spot is one.
    pub fn as_primitive(self) -> Option<u16> {
        self.0.checked_sub(FIRST_PRIMITIVE)
    }

    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Returns name, phase and category. The registry knows the names of primitives; here all have the same.
    pub fn info(self) -> SpotInfo {
        let primitive = SpotInfo { name: "primitive", phase: Phase::Execute, category: Category::Primitives };
        ENGINE.get(self.index()).copied().unwrap_or(primitive)
    }
}

/// Returns the spots of the engine.
pub fn spots() -> impl Iterator<Item = (Spot, SpotInfo)> {
    ENGINE.iter().enumerate().map(|(i, info)| (Spot(i as u16), *info))
}
