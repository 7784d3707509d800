//! Where time can go: each spot is one function of the engine or one primitive, in exactly one category and phase.

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
    /// Time that serves no phase: waiting, and what nobody claims.
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
    /// Calls of function values and tuples, which are no primitives.
    Language,
    /// Each family of primitives is a category of its own.
    Primitives,
}

impl Category {
    pub fn name(self) -> &'static str {
        match self {
            Category::Unaccounted => "unaccounted",
            Category::Idle => "idle",
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
            Category::Profiling => "profiling itself",
            Category::Language => "language",
            Category::Primitives => "primitives",
        }
    }
}

/// Where time goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Spot(u16);

/// What there is to know of a spot of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpotInfo {
    pub name: &'static str,
    pub phase: Phase,
    pub category: Category,
}

macro_rules! engine {
    ($($name:ident: $phase:ident, $category:ident, $text:literal;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "names of constants, counted by the compiler")]
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
    LOAD: Load, Loading, "read tasks";
    PARSE: Parse, Parsing, "read programs";
    MERGE: Merge, Merging, "merge programs";
    START: WarmUp, Scheduling, "start and stop threads";
    FOLD: WarmUp, Folding, "compute cheap constants";
    HAND_OUT: Execute, Scheduling, "hand out tasks";
    SET_UP: Execute, Scheduling, "set up a task";
    PICK: Execute, Candidates, "pick programs";
    SHARE: Execute, Deduplication, "look up shared values";
    COLLECT: Execute, Collection, "keep answers";
    FAIL: Execute, Failures, "find the failing call";
    MEMORY: Execute, Memory, "make room";
    APPLY: Execute, Language, "call of a function value";
    TUPLE: Execute, Language, "tuple";
    OTHER: Execute, Language, "input or constant";
    LIST: Execute, Candidates, "list what to try";
    MUTATE: Execute, Candidates, "make mutants";
    NOVEL: Execute, Deduplication, "tell what is new";
    RANK: Score, Candidates, "rank answers";
    SCORE: Score, Scoring, "compare and score";
    CHECK: Score, Scoring, "look into answers";
    SUM_UP: Score, Collection, "sum up tasks";
    WRITE: Write, Writing, "write files";
    REPORT: Write, Writing, "make the record";
    LOG: None, Logging, "write the log";
    PROGRESS: None, Progress, "move the progress bar";
    PROFILE: None, Profiling, "keep the profile";
}

/// Primitives come after the engine's own spots.
const FIRST_PRIMITIVE: u16 = ENGINE.len() as u16;

impl Spot {
    /// The spot of a primitive, by the id of its symbol.
    #[inline]
    pub const fn primitive(id: u16) -> Spot {
        Spot(FIRST_PRIMITIVE + id)
    }

    pub(crate) fn from_index(index: usize) -> Spot {
        Spot(index as u16)
    }

    /// The primitive of a spot.
    pub fn as_primitive(self) -> Option<u16> {
        self.0.checked_sub(FIRST_PRIMITIVE)
    }

    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// What is known of a spot; for a primitive its name is the registry's to say.
    pub fn info(self) -> SpotInfo {
        let primitive = SpotInfo { name: "primitive", phase: Phase::Execute, category: Category::Primitives };
        ENGINE.get(self.index()).copied().unwrap_or(primitive)
    }
}

/// The spots of the engine.
pub fn spots() -> impl Iterator<Item = (Spot, SpotInfo)> {
    ENGINE.iter().enumerate().map(|(i, info)| (Spot(i as u16), *info))
}
