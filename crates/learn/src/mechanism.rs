//! Mechanisms: ways to find an answer. Answers that agree count once for each mechanism.

/// Declares the mechanisms with their names in records.
macro_rules! mechanisms {
    ($($(#[doc = $doc:literal])* $id:ident = $name:literal,)*) => {
        /// A way to find an answer.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Mechanism { $($(#[doc = $doc])* $id),* }

        impl Mechanism {
            pub const ALL: &[Mechanism] = &[$(Mechanism::$id),*];

            /// The name in records and on the screen.
            pub const fn name(self) -> &'static str {
                match self { $(Mechanism::$id => $name),* }
            }

            /// The mechanism with this name.
            pub fn from_name(name: &str) -> Option<Mechanism> {
                Mechanism::ALL.iter().copied().find(|mechanism| mechanism.name() == name)
            }
        }
    };
}

mechanisms! {
    /// A program that was there before the search.
    Known = "known program",
    /// A program that the caller's function suggested for the task.
    Proposed = "proposed",
    Transform = "transform",
    Recolor = "recolour",
    RecolorByRelations = "recolour by relations",
    Move = "move",
    Select = "select",
    SelectByCounting = "select by counting",
    Split = "split",
    Repeat = "repeat",
    Complete = "complete",
    CompleteBackground = "complete on background",
    Continue = "continue",
    Template = "template",
    FillParts = "fill parts",
    Table = "table",
    Count = "count",
    Pool = "pool",
    CellsNear = "cells: near",
    CellsNearAndRing = "cells: near and ring",
    CellsRays = "cells: rays",
    CellsLines = "cells: lines",
    CellsObjects = "cells: objects",
    CellsBoxes = "cells: boxes",
    CellsNearest = "cells: nearest",
    CellsViews = "cells: views",
    CellsAll = "cells: all",
    CellsFree = "cells: free",
    CellsUndirected = "cells: undirected",
    CellsSpecial = "cells: special",
    Forest = "forest",
    Parts = "parts",
    Box = "box",
    Matrix = "matrix",
    Before = "before",
    Frame = "frame",
    TwoTransforms = "two transforms",
    SpecialTransforms = "special transforms",
    CellsAfterTransform = "cells after a transform",
    SelectAfterTransform = "select after a transform",
    CellsAfterSpecialTransform = "cells after a special transform",
    Stack = "stack",
    Draw = "draw",
    Assemble = "assemble",
    Canvas = "canvas",
    FrameInside = "frame, inside",
    BoxInside = "box, inside",
    MatrixInside = "matrix, inside",
    /// Learners in contexts that the catalogue does not list.
    Deeper = "deeper",
    /// Programs put together call by call.
    Enumerate = "enumerate",
    /// Learners on pictures that enumeration found.
    LearnFromPool = "learn from the pool",
    /// Changes of known programs.
    Breed = "breed",
}
