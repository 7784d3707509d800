//! The learners and contexts worth trying on a task, from cheap to expensive.
//!
//! The order and the stages were chosen on ARC-AGI-1 training tasks.

use std::sync::Arc;

use crate::context::{Context, Finish, Frame, Matrix, Parts, Placement, Region};
use crate::learner::{Completion, Criterion, Learner, Property, Steps, Vocabulary};
use crate::mechanism::Mechanism;
use crate::view::ViewId;
use crate::{Demos, OutOfWork, Spec, Work};

/// A learner to try.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub mechanism: Mechanism,
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
    Expensive,
}

impl Stage {
    pub const ALL: [Stage; 3] = [Stage::Cheap, Stage::Middle, Stage::Expensive];
}

/// All candidates whose cheap preconditions hold on the pairs, from cheap to expensive.
///
/// Finding out which contexts fit is charged to `work`; when it runs out the list ends early.
pub fn catalogue(demos: &Demos, work: &Work<'_>) -> Vec<Candidate> {
    Stage::ALL.into_iter().flat_map(|stage| stage_of_catalogue(demos, stage, work)).collect()
}

/// One part of the [`catalogue`].
pub fn stage_of_catalogue(demos: &Demos, stage: Stage, work: &Work<'_>) -> Vec<Candidate> {
    let mut list = List { demos, work, candidates: Vec::new() };
    // Out of work: the candidates found so far are still worth trying.
    let _ = match stage {
        Stage::Cheap => list.cheap(),
        Stage::Middle => list.middle(),
        Stage::Expensive => list.expensive(),
    };
    list.candidates
}

struct List<'a> {
    demos: &'a Demos,
    work: &'a Work<'a>,
    candidates: Vec<Candidate>,
}

const SINGLE_GROUPS: [(Mechanism, Vocabulary); 8] = [
    (Mechanism::CellsNear, Vocabulary::Near),
    (Mechanism::CellsNearAndRing, Vocabulary::NearAndRing),
    (Mechanism::CellsRays, Vocabulary::Rays),
    (Mechanism::CellsLines, Vocabulary::LinesAndPosition),
    (Mechanism::CellsObjects, Vocabulary::Objects),
    (Mechanism::CellsBoxes, Vocabulary::BoxesAndMirrors),
    (Mechanism::CellsNearest, Vocabulary::Nearest),
    (Mechanism::CellsViews, Vocabulary::Views),
];

/// The learners that run inside most contexts.
const INNER: [Learner; 9] = [
    Learner::Transform(Steps::One),
    Learner::Split,
    Learner::Recolor(Criterion::Properties),
    Learner::Move,
    Learner::Select(Property::Object),
    Learner::Complete(Completion::Hidden),
    Learner::Repeat,
    Learner::Cells(Vocabulary::Near),
    Learner::Cells(Vocabulary::All),
];

impl List<'_> {
    fn cheap(&mut self) -> Result<(), OutOfWork> {
        self.plain();
        self.add(Mechanism::Pool, Learner::Pool);
        self.parts()?;
        self.boxes()?;
        self.matrices()?;
        self.finishes()
    }

    fn middle(&mut self) -> Result<(), OutOfWork> {
        self.big_cells();
        self.frames()?;
        self.add(Mechanism::TwoTransforms, Learner::Transform(Steps::Two));
        self.add(Mechanism::SpecialTransforms, Learner::Transform(Steps::Special));
        self.after_views()?;
        self.cells_after_special_views()?;
        self.add(Mechanism::Stack, Learner::Stack);
        self.add(Mechanism::Draw, Learner::Draw);
        self.add(Mechanism::Assemble, Learner::Assemble);
        Ok(())
    }

    fn expensive(&mut self) -> Result<(), OutOfWork> {
        self.canvases()?;
        self.nested_frames()?;
        self.nested_boxes()?;
        self.nested_matrices()
    }

    fn add(&mut self, mechanism: Mechanism, learner: Learner) {
        if learner.fits(self.demos) {
            self.candidates.push(Candidate { mechanism, spec: Spec::Learn(learner) });
        }
    }

    /// Adds a learner in nested contexts, the outermost first, if they fit.
    fn add_in(
        &mut self,
        mechanism: Mechanism,
        contexts: &[Context],
        learner: Learner,
    ) -> Result<(), OutOfWork> {
        let mut demos: Option<Arc<Demos>> = None;
        for context in contexts {
            let outer: &Demos = demos.as_deref().unwrap_or(self.demos);
            let Some(inside) = outer.inside(*context, self.work)? else { return Ok(()) };
            demos = Some(inside.demos().clone());
        }
        if demos.is_some_and(|demos| learner.fits(&demos)) {
            let spec =
                contexts.iter().rev().fold(Spec::Learn(learner), |spec, context| spec.within(*context));
            self.candidates.push(Candidate { mechanism, spec });
        }
        Ok(())
    }

    fn plain(&mut self) {
        self.add(Mechanism::Transform, Learner::Transform(Steps::One));
        self.add(Mechanism::Recolor, Learner::Recolor(Criterion::Properties));
        self.add(Mechanism::RecolorByRelations, Learner::Recolor(Criterion::Relations));
        self.add(Mechanism::Move, Learner::Move);
        self.add(Mechanism::Select, Learner::Select(Property::Object));
        self.add(Mechanism::SelectByCounting, Learner::Select(Property::Counting));
        self.add(Mechanism::Split, Learner::Split);
        self.add(Mechanism::Repeat, Learner::Repeat);
        self.add(Mechanism::Complete, Learner::Complete(Completion::Hidden));
        self.add(Mechanism::CompleteBackground, Learner::Complete(Completion::Background));
        self.add(Mechanism::Continue, Learner::Complete(Completion::Beyond));
        self.add(Mechanism::Template, Learner::Template);
        self.add(Mechanism::FillParts, Learner::FillParts);
        self.add(Mechanism::Table, Learner::Table);
        self.add(Mechanism::Count, Learner::Count);
        for (mechanism, vocabulary) in SINGLE_GROUPS {
            self.add(mechanism, Learner::Cells(vocabulary));
        }
    }

    fn big_cells(&mut self) {
        self.add(Mechanism::CellsAll, Learner::Cells(Vocabulary::All));
        self.add(Mechanism::CellsFree, Learner::Cells(Vocabulary::Free));
        self.add(Mechanism::CellsUndirected, Learner::Cells(Vocabulary::Undirected));
        self.add(Mechanism::Forest, Learner::Forest);
        for vocabulary in SPECIAL_VOCABULARIES {
            self.add(Mechanism::CellsSpecial, Learner::Cells(vocabulary));
        }
    }

    fn parts(&mut self) -> Result<(), OutOfWork> {
        for &parts in Parts::ALL {
            for learner in PART_LEARNERS {
                self.add_in(Mechanism::Parts, &[Context::Parts(parts)], learner)?;
            }
        }
        Ok(())
    }

    fn boxes(&mut self) -> Result<(), OutOfWork> {
        for region in Region::all() {
            for learner in INNER {
                self.add_in(Mechanism::Box, &[Context::Box(region)], learner)?;
            }
        }
        Ok(())
    }

    fn matrices(&mut self) -> Result<(), OutOfWork> {
        for &matrix in Matrix::ALL {
            for learner in INNER {
                self.add_in(Mechanism::Matrix, &[Context::Matrix(matrix)], learner)?;
            }
        }
        Ok(())
    }

    fn finishes(&mut self) -> Result<(), OutOfWork> {
        for &finish in Finish::ALL {
            for learner in &INNER[..8] {
                self.add_in(Mechanism::Before, &[Context::Before(finish)], *learner)?;
            }
        }
        Ok(())
    }

    fn frames(&mut self) -> Result<(), OutOfWork> {
        for &frame in Frame::ALL {
            for learner in INNER {
                self.add_in(Mechanism::Frame, &[Context::Frame(frame)], learner)?;
            }
        }
        Ok(())
    }

    fn after_views(&mut self) -> Result<(), OutOfWork> {
        for (view, images) in self.demos.views(self.work)? {
            let uses = view.uses();
            if *view == ViewId::IDENTITY || !uses.step || uses.special {
                continue;
            }
            let after = [Context::After(*view)];
            let mut pairs = images.iter().zip(self.demos.outputs());
            let sized = pairs.clone().all(|(image, output)| image.same_size(output));
            if sized && (!self.demos.same_size() || uses.before_cells) {
                let mechanism = Mechanism::CellsAfterTransform;
                self.add_in(mechanism, &after, Learner::Cells(Vocabulary::MirrorsAndNear))?;
                self.add_in(mechanism, &after, Learner::Cells(Vocabulary::Plain))?;
            }
            if !uses.selected {
                self.add_in(Mechanism::SelectAfterTransform, &after, Learner::Split)?;
                let shrinks = pairs.all(|(image, output)| image.area() >= output.area());
                let learner = if shrinks { Learner::Select(Property::Object) } else { Learner::Repeat };
                self.add_in(Mechanism::SelectAfterTransform, &after, learner)?;
            }
        }
        Ok(())
    }

    /// A special view first, if its result is not much farther from the output than the input is.
    fn cells_after_special_views(&mut self) -> Result<(), OutOfWork> {
        if !self.demos.edits() {
            return Ok(());
        }
        let changed: usize = self.demos.pairs().iter().map(|(i, o)| i.distance(o)).sum();
        for (view, images) in self.demos.views(self.work)? {
            let uses = view.uses();
            if !(uses.special && uses.feature || uses.before_small_rules) {
                continue;
            }
            let mut pairs = images.iter().zip(self.demos.outputs());
            let sized = pairs.clone().all(|(image, output)| image.same_size(output));
            let mut left = || pairs.by_ref().map(|(i, o)| i.distance(o)).sum::<usize>();
            if sized && left() < 2 * changed {
                let learner = Learner::Cells(Vocabulary::FreeSmall);
                self.add_in(Mechanism::CellsAfterSpecialTransform, &[Context::After(*view)], learner)?;
            }
        }
        Ok(())
    }

    fn nested_frames(&mut self) -> Result<(), OutOfWork> {
        for &frame in Frame::ALL {
            let outer = Context::Frame(frame);
            for &parts in Parts::ALL {
                for learner in PART_LEARNERS {
                    self.add_in(Mechanism::FrameInside, &[outer, Context::Parts(parts)], learner)?;
                }
            }
            for region in Region::all() {
                for learner in INNER {
                    self.add_in(Mechanism::FrameInside, &[outer, Context::Box(region)], learner)?;
                }
            }
            for learner in NESTED {
                self.add_in(Mechanism::FrameInside, &[outer], learner)?;
            }
            for &placement in Placement::ALL {
                for learner in CANVAS_LEARNERS {
                    self.add_in(Mechanism::FrameInside, &[outer, Context::Canvas(placement)], learner)?;
                }
            }
        }
        Ok(())
    }

    fn nested_boxes(&mut self) -> Result<(), OutOfWork> {
        for region in Region::all() {
            let outer = Context::Box(region);
            for &frame in Frame::ALL {
                for learner in INNER {
                    self.add_in(Mechanism::BoxInside, &[outer, Context::Frame(frame)], learner)?;
                }
            }
            for &parts in Parts::ALL {
                for learner in PART_LEARNERS {
                    self.add_in(Mechanism::BoxInside, &[outer, Context::Parts(parts)], learner)?;
                }
            }
            for learner in [
                Learner::Draw,
                Learner::Recolor(Criterion::Relations),
                Learner::Transform(Steps::Special),
                Learner::Cells(Vocabulary::Undirected),
            ] {
                self.add_in(Mechanism::BoxInside, &[outer], learner)?;
            }
        }
        Ok(())
    }

    fn nested_matrices(&mut self) -> Result<(), OutOfWork> {
        for &matrix in Matrix::ALL {
            let outer = Context::Matrix(matrix);
            for &parts in Parts::ALL {
                for learner in PART_LEARNERS {
                    self.add_in(Mechanism::MatrixInside, &[outer, Context::Parts(parts)], learner)?;
                }
            }
            for region in Region::all() {
                for learner in INNER {
                    self.add_in(Mechanism::MatrixInside, &[outer, Context::Box(region)], learner)?;
                }
            }
            for learner in NESTED {
                self.add_in(Mechanism::MatrixInside, &[outer], learner)?;
            }
            self.add_in(Mechanism::MatrixInside, &[outer], Learner::Transform(Steps::Special))?;
            for vocabulary in SPECIAL_VOCABULARIES {
                self.add_in(Mechanism::MatrixInside, &[outer], Learner::Cells(vocabulary))?;
            }
        }
        Ok(())
    }

    fn canvases(&mut self) -> Result<(), OutOfWork> {
        for &placement in Placement::ALL {
            for learner in CANVAS_LEARNERS {
                self.add_in(Mechanism::Canvas, &[Context::Canvas(placement)], learner)?;
            }
        }
        Ok(())
    }
}

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

/// Learners that are cheap enough to run inside frames and matrices besides [`INNER`].
const NESTED: [Learner; 12] = [
    Learner::Draw,
    Learner::Template,
    Learner::Recolor(Criterion::Relations),
    Learner::FillParts,
    Learner::Complete(Completion::Background),
    Learner::Assemble,
    Learner::Complete(Completion::Beyond),
    Learner::Cells(Vocabulary::Undirected),
    Learner::Cells(Vocabulary::Free),
    Learner::Cells(Vocabulary::Nearest),
    Learner::Cells(Vocabulary::Rays),
    Learner::Cells(Vocabulary::BoxesAndMirrors),
];

const PART_LEARNERS: [Learner; 4] = [
    Learner::Transform(Steps::One),
    Learner::Cells(Vocabulary::Near),
    Learner::Complete(Completion::Hidden),
    Learner::Cells(Vocabulary::Plain),
];
