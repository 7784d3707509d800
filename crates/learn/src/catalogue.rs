//! What is worth trying on a task, from cheap to dear.

use crate::context::{Context, Frame, Matrix, Parts, Placement, Post, Region};
use crate::learner::{Learner, Property, Steps, Vocabulary};
use crate::view::views;
use crate::{Demos, Spec, Work};

/// Something to try.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The mechanism it belongs to: agreement within one mechanism counts once.
    pub mechanism: &'static str,
    pub spec: Spec,
}

/// A part of the catalogue.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// Plain learners, and those in parts, boxes and matrices.
    Cheap,
    /// Large vocabularies, other backgrounds, two transforms, transforms first.
    Middle,
    /// Contexts in contexts.
    Dear,
}

impl Stage {
    pub const ALL: [Stage; 3] = [Stage::Cheap, Stage::Middle, Stage::Dear];
}

/// All candidates whose cheap preconditions hold on the pairs, from cheap to dear.
///
/// Finding out which contexts fit is charged to `work`; when it runs out the list ends early.
pub fn catalogue(demos: &Demos, work: &Work<'_>) -> Vec<Candidate> {
    Stage::ALL.into_iter().flat_map(|stage| stage_of_catalogue(demos, stage, work)).collect()
}

/// One part of the [`catalogue`].
pub fn stage_of_catalogue(demos: &Demos, stage: Stage, work: &Work<'_>) -> Vec<Candidate> {
    let mut list = List { demos, work, candidates: Vec::new() };
    // Out of work: what was found so far is still worth trying.
    let _ = match stage {
        Stage::Cheap => list.cheap(),
        Stage::Middle => list.middle(),
        Stage::Dear => list.dear(),
    };
    list.candidates
}

/// Every context, those in front that are worth most as the outermost one.
pub fn contexts() -> Vec<Context> {
    let mut all: Vec<Context> = FRAMES.map(Context::Frame).to_vec();
    all.extend(regions().map(Context::Box));
    all.extend(ALL_PARTS.map(Context::Parts));
    all.extend([Matrix::LineCells, Matrix::Blocks].map(Context::Matrix));
    all.extend(Placement::ALL.map(Context::Canvas));
    all.extend(POSTS.map(Context::Before));
    let known = views().iter().enumerate().skip(1);
    all.extend(known.filter(|(_, view)| view.core && !view.special).map(|(i, _)| Context::After(i)));
    all
}

struct List<'a> {
    demos: &'a Demos,
    work: &'a Work<'a>,
    candidates: Vec<Candidate>,
}

const SINGLE_GROUPS: [(&str, Vocabulary); 8] = [
    ("cells: near", Vocabulary::Near),
    ("cells: near and ring", Vocabulary::NearAndRing),
    ("cells: rays", Vocabulary::Rays),
    ("cells: lines", Vocabulary::LinesAndPosition),
    ("cells: objects", Vocabulary::Objects),
    ("cells: boxes", Vocabulary::BoxesAndMirrors),
    ("cells: nearest", Vocabulary::Nearest),
    ("cells: views", Vocabulary::Views),
];

/// What runs inside most contexts.
const INNER: [Learner; 9] = [
    Learner::Transform(Steps::One),
    Learner::Split,
    Learner::Recolor(false),
    Learner::Move,
    Learner::Select(Property::Object),
    Learner::Complete,
    Learner::Repeat,
    Learner::Cells(Vocabulary::Near),
    Learner::Cells(Vocabulary::All),
];

const FRAMES: [Frame; 4] = [Frame::Majority, Frame::Frequency, Frame::FrequencyButBlack, Frame::Rarity];

impl List<'_> {
    fn cheap(&mut self) -> Option<()> {
        self.plain();
        self.add("pool", Learner::Pool);
        self.parts()?;
        self.boxes()?;
        self.matrices()?;
        self.posts()
    }

    fn middle(&mut self) -> Option<()> {
        self.big_cells();
        self.frames()?;
        self.add("two transforms", Learner::Transform(Steps::Two));
        self.add("special transforms", Learner::Transform(Steps::Special));
        self.after_views()?;
        self.cells_after_special_views()?;
        self.add("stack", Learner::Stack);
        self.add("draw", Learner::Draw);
        self.add("assemble", Learner::Assemble);
        Some(())
    }

    fn dear(&mut self) -> Option<()> {
        self.canvases()?;
        self.nested_frames()?;
        self.nested_boxes()?;
        self.nested_matrices()
    }

    fn add(&mut self, mechanism: &'static str, learner: Learner) {
        if applies(learner, self.demos) {
            self.candidates.push(Candidate { mechanism, spec: Spec::Learn(learner) });
        }
    }

    /// Adds a learner in nested contexts, the outermost first, if they fit.
    fn add_in(&mut self, mechanism: &'static str, contexts: &[Context], learner: Learner) -> Option<()> {
        let mut demos: Option<std::sync::Arc<Demos>> = None;
        for context in contexts {
            let outer: &Demos = demos.as_deref().unwrap_or(self.demos);
            let Some(inside) = outer.inside(*context, self.work)? else { return Some(()) };
            demos = Some(inside.demos().clone());
        }
        if demos.is_some_and(|demos| applies(learner, &demos)) {
            let spec =
                contexts.iter().rev().fold(Spec::Learn(learner), |spec, context| spec.within(*context));
            self.candidates.push(Candidate { mechanism, spec });
        }
        Some(())
    }

    fn plain(&mut self) {
        self.add("transform", Learner::Transform(Steps::One));
        self.add("recolour", Learner::Recolor(false));
        self.add("recolour by relations", Learner::Recolor(true));
        self.add("move", Learner::Move);
        self.add("select", Learner::Select(Property::Object));
        self.add("select by counting", Learner::Select(Property::Counting));
        self.add("split", Learner::Split);
        self.add("repeat", Learner::Repeat);
        self.add("complete", Learner::Complete);
        self.add("complete on background", Learner::CompleteSoft);
        self.add("continue", Learner::Continue);
        self.add("template", Learner::Template);
        self.add("fill parts", Learner::FillParts);
        self.add("table", Learner::Table);
        self.add("count", Learner::Count);
        for (mechanism, vocabulary) in SINGLE_GROUPS {
            self.add(mechanism, Learner::Cells(vocabulary));
        }
    }

    fn big_cells(&mut self) {
        self.add("cells: all", Learner::Cells(Vocabulary::All));
        self.add("cells: free", Learner::Cells(Vocabulary::Free));
        self.add("cells: undirected", Learner::Cells(Vocabulary::Undirected));
        self.add("forest", Learner::Forest);
        for vocabulary in SPECIAL_VOCABULARIES {
            self.add("cells: special", Learner::Cells(vocabulary));
        }
    }

    fn parts(&mut self) -> Option<()> {
        for parts in ALL_PARTS {
            for learner in PART_LEARNERS {
                self.add_in("parts", &[Context::Parts(parts)], learner)?;
            }
        }
        Some(())
    }

    fn boxes(&mut self) -> Option<()> {
        for region in regions() {
            for learner in INNER {
                self.add_in("box", &[Context::Box(region)], learner)?;
            }
        }
        Some(())
    }

    fn matrices(&mut self) -> Option<()> {
        for matrix in [Matrix::LineCells, Matrix::Blocks] {
            for learner in INNER {
                self.add_in("matrix", &[Context::Matrix(matrix)], learner)?;
            }
        }
        Some(())
    }

    fn posts(&mut self) -> Option<()> {
        for post in POSTS {
            for learner in &INNER[..8] {
                self.add_in("before", &[Context::Before(post)], *learner)?;
            }
        }
        Some(())
    }

    fn frames(&mut self) -> Option<()> {
        for frame in FRAMES {
            for learner in INNER {
                self.add_in("frame", &[Context::Frame(frame)], learner)?;
            }
        }
        Some(())
    }

    fn after_views(&mut self) -> Option<()> {
        for (view, images) in self.demos.views(self.work)? {
            let known = &views()[*view];
            if *view == 0 || !known.core || known.special {
                continue;
            }
            let after = [Context::After(*view)];
            let sized =
                images.iter().zip(self.demos.outputs()).all(|(image, output)| image.same_size(output));
            if sized && (!self.demos.same_size() || known.first) {
                self.add_in("cells after a transform", &after, Learner::Cells(Vocabulary::MirrorsAndNear))?;
                self.add_in("cells after a transform", &after, Learner::Cells(Vocabulary::Plain))?;
            }
            let turned = (1..8).contains(view);
            if !turned && !known.name.starts_with("only ") && !known.name.starts_with("the ") {
                self.add_in("select after a transform", &after, Learner::Split)?;
                let shrinks = images.iter().zip(self.demos.outputs()).all(|(i, o)| i.area() >= o.area());
                let learner = if shrinks { Learner::Select(Property::Object) } else { Learner::Repeat };
                self.add_in("select after a transform", &after, learner)?;
            }
        }
        Some(())
    }

    /// A special view first, if it brings the input nearer to the output or not much farther away.
    fn cells_after_special_views(&mut self) -> Option<()> {
        if !self.demos.edits() {
            return Some(());
        }
        let changed: usize = self.demos.pairs().iter().map(|(i, o)| i.distance(o)).sum();
        for (view, images) in self.demos.views(self.work)? {
            let known = &views()[*view];
            if !(known.special && known.feature || known.starts_cells) {
                continue;
            }
            let sized =
                images.iter().zip(self.demos.outputs()).all(|(image, output)| image.same_size(output));
            let left = || images.iter().zip(self.demos.outputs()).map(|(i, o)| i.distance(o)).sum::<usize>();
            if sized && left() < 2 * changed {
                let learner = Learner::Cells(Vocabulary::FreeSmall);
                self.add_in("cells after a special transform", &[Context::After(*view)], learner)?;
            }
        }
        Some(())
    }

    fn nested_frames(&mut self) -> Option<()> {
        for frame in FRAMES {
            let outer = Context::Frame(frame);
            for parts in ALL_PARTS {
                for learner in PART_LEARNERS {
                    self.add_in("frame, inside", &[outer, Context::Parts(parts)], learner)?;
                }
            }
            for region in regions() {
                for learner in INNER {
                    self.add_in("frame, inside", &[outer, Context::Box(region)], learner)?;
                }
            }
            for learner in NESTED {
                self.add_in("frame, inside", &[outer], learner)?;
            }
            for placement in Placement::ALL {
                for learner in CANVAS_LEARNERS {
                    self.add_in("frame, inside", &[outer, Context::Canvas(placement)], learner)?;
                }
            }
        }
        Some(())
    }

    fn nested_boxes(&mut self) -> Option<()> {
        for region in regions() {
            let outer = Context::Box(region);
            for frame in FRAMES {
                for learner in INNER {
                    self.add_in("box, inside", &[outer, Context::Frame(frame)], learner)?;
                }
            }
            for parts in ALL_PARTS {
                for learner in PART_LEARNERS {
                    self.add_in("box, inside", &[outer, Context::Parts(parts)], learner)?;
                }
            }
            for learner in [
                Learner::Draw,
                Learner::Recolor(true),
                Learner::Transform(Steps::Special),
                Learner::Cells(Vocabulary::Undirected),
            ] {
                self.add_in("box, inside", &[outer], learner)?;
            }
        }
        Some(())
    }

    fn nested_matrices(&mut self) -> Option<()> {
        for matrix in [Matrix::LineCells, Matrix::Blocks] {
            let outer = Context::Matrix(matrix);
            for parts in ALL_PARTS {
                for learner in PART_LEARNERS {
                    self.add_in("matrix, inside", &[outer, Context::Parts(parts)], learner)?;
                }
            }
            for region in regions() {
                for learner in INNER {
                    self.add_in("matrix, inside", &[outer, Context::Box(region)], learner)?;
                }
            }
            for learner in NESTED {
                self.add_in("matrix, inside", &[outer], learner)?;
            }
            self.add_in("matrix, inside", &[outer], Learner::Transform(Steps::Special))?;
            for vocabulary in SPECIAL_VOCABULARIES {
                self.add_in("matrix, inside", &[outer], Learner::Cells(vocabulary))?;
            }
        }
        Some(())
    }

    fn canvases(&mut self) -> Option<()> {
        for placement in Placement::ALL {
            for learner in CANVAS_LEARNERS {
                self.add_in("canvas", &[Context::Canvas(placement)], learner)?;
            }
        }
        Some(())
    }
}

const POSTS: [Post; 7] = [
    Post::Enlarged,
    Post::MirroredRight,
    Post::MirroredDown,
    Post::MirroredBoth,
    Post::DoubledRight,
    Post::DoubledDown,
    Post::Framed,
];

const ALL_PARTS: [Parts; 6] = [
    Parts::Objects,
    Parts::OneColorObjects,
    Parts::OnMajority,
    Parts::LineCells,
    Parts::Rows,
    Parts::Columns,
];

const SPECIAL_VOCABULARIES: [Vocabulary; 3] =
    [Vocabulary::SpecialViews, Vocabulary::SpecialViewsAndObjects, Vocabulary::SpecialViewsAndBoxes];

const CANVAS_LEARNERS: [Learner; 6] = [
    Learner::Transform(Steps::One),
    Learner::Draw,
    Learner::Cells(Vocabulary::Near),
    Learner::Cells(Vocabulary::Rays),
    Learner::Cells(Vocabulary::Free),
    Learner::Cells(Vocabulary::All),
];

/// What is cheap enough to run inside frames and matrices besides [`INNER`].
const NESTED: [Learner; 12] = [
    Learner::Draw,
    Learner::Template,
    Learner::Recolor(true),
    Learner::FillParts,
    Learner::CompleteSoft,
    Learner::Assemble,
    Learner::Continue,
    Learner::Cells(Vocabulary::Undirected),
    Learner::Cells(Vocabulary::Free),
    Learner::Cells(Vocabulary::Nearest),
    Learner::Cells(Vocabulary::Rays),
    Learner::Cells(Vocabulary::BoxesAndMirrors),
];

const PART_LEARNERS: [Learner; 4] = [
    Learner::Transform(Steps::One),
    Learner::Cells(Vocabulary::Near),
    Learner::Complete,
    Learner::Cells(Vocabulary::Plain),
];

fn regions() -> impl Iterator<Item = Region> {
    (0..10).map(Region::Color).chain([Region::LargestObject, Region::NotBackground, Region::LargestBox])
}

/// Whether a learner has a chance on the pairs: a cheap look at sizes.
fn applies(learner: Learner, demos: &Demos) -> bool {
    match learner {
        Learner::Cells(_)
        | Learner::Forest
        | Learner::Stack
        | Learner::Recolor(_)
        | Learner::Move
        | Learner::Draw
        | Learner::Template
        | Learner::FillParts
        | Learner::CompleteSoft => demos.edits(),
        Learner::Repeat | Learner::Assemble | Learner::Continue => !demos.same_size(),
        Learner::Select(_) | Learner::Split => demos.pairs().iter().all(|(i, o)| o.area() <= i.area()),
        _ => true,
    }
}
