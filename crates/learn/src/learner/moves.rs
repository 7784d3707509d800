//! Objects move, stay, or are removed; or a moved copy is added.

use std::collections::HashSet;

use crate::code::{Code, Expr, vector};
use crate::found::Found;
use crate::image::{Direction, Image, OUTSIDE, color_name};
use crate::object::{
    Object, ObjectOrRelation, Segmentation, direction_to, minor_side, nearest_direction, related,
    related_features,
};
use crate::paint::write_objects;
use crate::rows::Rows;
use crate::rule::Body;
use crate::tree::{Bounds, Tree};
use crate::{Demos, OutOfWork, Rule, Work};

/// Rows down and columns to the right.
type Shift = (i32, i32);

/// More objects than this are a texture: in demonstration pairs, and in other inputs.
const MAX_DEMO_OBJECTS: usize = 30;
const MAX_OBJECTS: usize = 60;

/// The cost of a rule before its leaves, of a later segmentation and of copies. Chosen on ARC-AGI-1 training
/// tasks.
const BASE_COST: f64 = 3.0;
const PER_SEGMENTATION: f64 = 0.1;
const COPIES: f64 = 0.2;

pub(crate) fn learn(demos: &Demos, work: &Work<'_>) -> Result<Vec<Rule>, OutOfWork> {
    let mut found = Found::default();
    if !demos.edits() {
        return Ok(Vec::new());
    }
    for (k, segmentation) in
        [Segmentation::Mono8, Segmentation::Multi8, Segmentation::Mono4].into_iter().enumerate()
    {
        for copy in [false, true] {
            let Some(rows) = rows(demos, segmentation, copy, work)? else { continue };
            let Some(tree) = rows.tree(Bounds::leaves(4), true, work)? else { continue };
            let how = if copy { "a copy is added" } else { "each moves" };
            let words =
                format!("{}, {how}: {}", segmentation.words(), rows.words(&tree, |action| action.words()));
            let cost = BASE_COST
                + tree.leaves() as f64
                + PER_SEGMENTATION * k as f64
                + if copy { COPIES } else { 0.0 };
            found.check(demos, Rule::new(cost, words, Moves { segmentation, copy, tree }));
        }
    }
    found.best(3, demos, work)
}

/// A movement of an object, or its removal.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Action {
    Stay,
    /// As far as nothing is in the way.
    Slide(Way),
    /// To the border, over everything.
    ToBorder(Way),
    Align(Edge, Anchor),
    /// Straight against another object.
    Against(Anchor),
    /// By its own height and width.
    ByOwnSize(Direction),
    By(Direction, i32),
    /// One step.
    StepTo(Way),
    Remove,
}

/// A direction, fixed or by what is around the object.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Way {
    Fixed(Direction),
    NearestOther,
    NearestAlike,
    AwayFromNearestOther,
    Largest,
    LargestAlike,
    MinorSide,
    AwayFromMinorSide,
}

/// An edge of the box that is aligned.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Edge {
    Top,
    Left,
    Bottom,
}

/// Another object.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Anchor {
    Largest,
    UniqueColor,
    Lowest,
    Leftmost,
    /// The largest of the object's colour, if it is larger.
    LargerAlike,
    Color(u8),
}

impl Action {
    /// All actions; of equally good ones the first is learned.
    fn all() -> Vec<Action> {
        use Action::{Against, Align, By, ByOwnSize, Remove, Slide, Stay, StepTo, ToBorder};
        let mut all = vec![Stay];
        all.extend(Direction::ALL.map(|direction| Slide(Way::Fixed(direction))));
        all.extend(Direction::STRAIGHT.map(|direction| ToBorder(Way::Fixed(direction))));
        all.extend([Way::NearestOther, Way::NearestAlike, Way::AwayFromNearestOther].map(Slide));
        all.extend([Way::Largest, Way::LargestAlike].map(Slide));
        all.extend([Slide(Way::MinorSide), ToBorder(Way::MinorSide), Slide(Way::AwayFromMinorSide)]);
        for anchor in [Anchor::Largest, Anchor::UniqueColor, Anchor::Lowest, Anchor::Leftmost] {
            all.extend([Edge::Top, Edge::Left, Edge::Bottom].map(|edge| Align(edge, anchor)));
        }
        all.extend([Against(Anchor::LargerAlike), Against(Anchor::Largest)]);
        for color in 1..10 {
            all.extend([Edge::Top, Edge::Left].map(|edge| Align(edge, Anchor::Color(color))));
        }
        all.extend(Direction::ALL.map(ByOwnSize));
        for k in 1..6 {
            all.extend(Direction::STRAIGHT.map(|direction| By(direction, k)));
        }
        for k in 1..4 {
            all.extend(Direction::DIAGONAL.map(|direction| By(direction, k)));
        }
        all.extend([StepTo(Way::NearestOther), Remove]);
        all
    }

    fn words(self) -> String {
        match self {
            Action::Stay => "stay".to_owned(),
            Action::Slide(way) => format!("slide {}", way.words()),
            Action::ToBorder(Way::Fixed(direction)) => format!("move to the {} border", direction.words()),
            Action::ToBorder(way) => format!("move to the border {}", way.words()),
            Action::Align(edge, anchor) => format!("align its {} with {}", edge.words(), anchor.words()),
            Action::Against(anchor) => format!("move against {}", anchor.words()),
            Action::ByOwnSize(direction) => format!("move {} by its own size", direction.words()),
            Action::By(direction, k) => format!("move {} by {k}", direction.words()),
            Action::StepTo(way) => format!("move one step {}", way.words()),
            Action::Remove => "remove".to_owned(),
        }
    }

    /// The shift of an object; `None` if the action does not apply to it.
    fn shift(self, scene: &Scene<'_>) -> Option<Shift> {
        let o = scene.object();
        match self {
            Action::Stay => Some((0, 0)),
            Action::Slide(way) => Some(scene.slide(way.direction(scene)?, true)),
            Action::ToBorder(way) => Some(scene.slide(way.direction(scene)?, false)),
            Action::Align(edge, anchor) => {
                let to = &scene.objects[anchor.find(scene)?];
                Some(match edge {
                    Edge::Top => (to.y0 as i32 - o.y0 as i32, 0),
                    Edge::Left => (0, to.x0 as i32 - o.x0 as i32),
                    Edge::Bottom => (to.y1 as i32 - o.y1 as i32, 0),
                })
            }
            Action::Against(anchor) => {
                let to = &scene.objects[anchor.find(scene)?];
                Some(match direction_to(o, to)? {
                    Direction::East => (0, to.x0 as i32 - o.x1 as i32 - 1),
                    Direction::West => (0, to.x1 as i32 - o.x0 as i32 + 1),
                    Direction::South => (to.y0 as i32 - o.y1 as i32 - 1, 0),
                    _ => (to.y1 as i32 - o.y0 as i32 + 1, 0),
                })
            }
            Action::ByOwnSize(direction) => {
                let (dy, dx) = direction.step();
                Some((dy * o.h() as i32, dx * o.w() as i32))
            }
            Action::By(direction, k) => {
                let (dy, dx) = direction.step();
                Some((dy * k, dx * k))
            }
            Action::StepTo(way) => Some(way.direction(scene)?.step()),
            Action::Remove => None,
        }
    }
}

impl Way {
    fn words(self) -> &'static str {
        match self {
            Way::Fixed(direction) => direction.words(),
            Way::NearestOther => "to the nearest object of another colour",
            Way::NearestAlike => "to the nearest object of its colour",
            Way::AwayFromNearestOther => "away from the nearest object of another colour",
            Way::Largest => "to the largest object",
            Way::LargestAlike => "to the largest object of its colour",
            Way::MinorSide => "to the side of its rarest colour",
            Way::AwayFromMinorSide => "away from the side of its rarest colour",
        }
    }

    fn direction(self, scene: &Scene<'_>) -> Option<Direction> {
        let o = scene.object();
        match self {
            Way::Fixed(direction) => Some(direction),
            Way::NearestOther => nearest_direction(scene.objects, scene.i, false),
            Way::NearestAlike => nearest_direction(scene.objects, scene.i, true),
            Way::AwayFromNearestOther => {
                nearest_direction(scene.objects, scene.i, false).map(Direction::opposite)
            }
            Way::Largest => direction_to(o, &scene.objects[scene.largest()?]),
            Way::LargestAlike => direction_to(o, &scene.objects[scene.largest_alike()?]),
            Way::MinorSide => minor_side(scene.image, o),
            Way::AwayFromMinorSide => minor_side(scene.image, o).map(Direction::opposite),
        }
    }
}

impl Edge {
    fn words(self) -> &'static str {
        match self {
            Edge::Top => "top",
            Edge::Left => "left side",
            Edge::Bottom => "bottom",
        }
    }
}

impl Anchor {
    fn words(self) -> &'static str {
        match self {
            Anchor::Largest => "the largest object",
            Anchor::UniqueColor => "the object of a unique colour",
            Anchor::Lowest => "the lowest object",
            Anchor::Leftmost => "the leftmost object",
            Anchor::LargerAlike => "the larger object of its colour",
            Anchor::Color(color) => color_name(color),
        }
    }

    fn find(self, scene: &Scene<'_>) -> Option<usize> {
        let objects = scene.objects;
        let n_of_color = |c: u8| objects.iter().filter(|p| p.color == c).count();
        match self {
            Anchor::Largest => scene.largest(),
            Anchor::UniqueColor => scene.others().find(|&k| n_of_color(objects[k].color) == 1),
            Anchor::Lowest => scene.others().max_by_key(|&k| objects[k].y1),
            Anchor::Leftmost => scene.others().min_by_key(|&k| objects[k].x0),
            Anchor::LargerAlike => {
                scene.largest_alike().filter(|&k| objects[k].size() > scene.object().size())
            }
            Anchor::Color(color) => scene.others().find(|&k| objects[k].color == color),
        }
    }
}

/// An object among the others of its image.
struct Scene<'a> {
    image: &'a Image,
    objects: &'a [Object],
    i: usize,
    own: HashSet<(usize, usize)>,
    background: u8,
}

impl<'a> Scene<'a> {
    fn new(image: &'a Image, objects: &'a [Object], i: usize) -> Scene<'a> {
        let own = objects[i].cells.iter().copied().collect();
        Scene { image, objects, i, own, background: image.background() }
    }

    fn object(&self) -> &'a Object {
        &self.objects[self.i]
    }

    fn others(&self) -> impl Iterator<Item = usize> {
        let i = self.i;
        (0..self.objects.len()).filter(move |&k| k != i)
    }

    fn largest(&self) -> Option<usize> {
        self.others().max_by_key(|&k| self.objects[k].size())
    }

    fn largest_alike(&self) -> Option<usize> {
        let color = self.object().color;
        let alike = self.others().filter(|&k| self.objects[k].color == color);
        alike.max_by_key(|&k| self.objects[k].size())
    }

    /// The longest way in a direction, inside the image and, if `stops`, up to the first other object.
    fn slide(&self, direction: Direction, stops: bool) -> Shift {
        let (dy, dx) = direction.step();
        let free = |k: i32| {
            self.object().cells.iter().all(|&(y, x)| {
                let (ny, nx) = (y as i32 + dy * k, x as i32 + dx * k);
                let color = self.image.get(ny, nx);
                let blocked =
                    stops && color != self.background && !self.own.contains(&(ny as usize, nx as usize));
                color != OUTSIDE && !blocked
            })
        };
        let k = (1..).take_while(|&k| free(k)).last().unwrap_or(0);
        (dy * k, dx * k)
    }
}

/// A rule: how each object moves.
struct Moves {
    segmentation: Segmentation,
    /// A moved copy is added; the objects stay.
    copy: bool,
    tree: Tree<ObjectOrRelation, Action>,
}

impl Body for Moves {
    fn apply(&self, input: &Image) -> Option<Image> {
        let objects = self.segmentation.objects(input);
        if objects.len() > MAX_OBJECTS {
            return None;
        }
        let features = related(input, &objects);
        let mut output =
            if self.copy { input.clone() } else { Image::new(input.h, input.w, input.background()) };
        let shifts: Vec<Option<Shift>> = (0..objects.len())
            .map(|i| match *self.tree.action(|feature| features[i][feature.index()]) {
                Action::Remove => None,
                action => Some(action.shift(&Scene::new(input, &objects, i)).unwrap_or((0, 0))),
            })
            .collect();
        // Objects that stay are painted first: moved objects lie on top.
        for moving in [false, true] {
            for (object, shift) in objects.iter().zip(&shifts) {
                let Some((dy, dx)) = *shift else { continue };
                if ((dy, dx) != (0, 0)) == moving {
                    for &(y, x) in &object.cells {
                        output.put(y as i32 + dy, x as i32 + dx, input.at(y, x));
                    }
                }
            }
        }
        Some(output)
    }

    fn code(&self, code: &mut Code, input: &Expr) -> Option<Expr> {
        let objects = self.segmentation.code(code, input)?;
        let mut output = input.clone();
        write_objects(&self.tree, code, input, &objects, &mut |action, code, moving| {
            // Other movements need the image around each object.
            let moved = match action {
                Action::Stay => return Some(()),
                Action::Remove => None,
                Action::By(direction, k) => {
                    let (dy, dx) = direction.step();
                    Some(format!("shift(merge({moving}), {})", vector((dy * k, dx * k))))
                }
                Action::ByOwnSize(direction) => {
                    let by = format!("compose(lbind(multiply, {}), shape)", vector(direction.step()));
                    Some(format!("mapply(fork(shift, identity, {by}), {moving})"))
                }
                _ => return None,
            };
            let moved = moved.map(|moved| code.line(moved));
            if !self.copy {
                output = code.template(&format!("fill({output}, B, merge({moving}))"), input);
            }
            if let Some(moved) = moved {
                output = code.line(format!("paint({output}, {moved})"));
            }
            Some(())
        })?;
        Some(output)
    }
}

/// A row for each object; `None` if an object does something that no action says, or if nothing moves.
fn rows(
    demos: &Demos,
    segmentation: Segmentation,
    copy: bool,
    work: &Work<'_>,
) -> Result<Option<Rows<ObjectOrRelation, Action>>, OutOfWork> {
    work.spend(demos.n_cells())?;
    let actions = Action::all();
    let mut rows = Rows::new(related_features(), actions.clone());
    let mut moved = false;
    for (input, output) in demos.pairs() {
        let objects = segmentation.objects(input);
        if objects.is_empty() || objects.len() > MAX_DEMO_OBJECTS {
            return Ok(None);
        }
        let mut labels = Vec::new();
        for (i, object) in objects.iter().enumerate() {
            work.spend(object.size() * (actions.len() - 1) / 16)?;
            let scene = Scene::new(input, &objects, i);
            let shifts: Vec<Option<Shift>> = actions.iter().map(|action| action.shift(&scene)).collect();
            let lands = |&(dy, dx): &Shift| {
                object.cells.iter().all(|&(y, x)| output.get(y as i32 + dy, x as i32 + dx) == input.at(y, x))
            };
            let adds = |&(dy, dx): &Shift| {
                object.cells.iter().any(|&(y, x)| input.get(y as i32 + dy, x as i32 + dx) != input.at(y, x))
            };
            let right: Vec<bool> = shifts.iter().map(|s| s.as_ref().is_some_and(lands)).collect();
            let changed = object.cells.iter().any(|&(y, x)| output.at(y, x) != input.at(y, x));
            if copy && !right[0] {
                return Ok(None);
            }
            let adding: Vec<bool> =
                shifts.iter().zip(&right).map(|(s, r)| *r && s.as_ref().is_some_and(adds)).collect();
            let prefers_adding = copy && adding.contains(&true);
            let right = if prefers_adding { adding } else { right };
            if !right.contains(&true) && (copy || !changed) {
                return Ok(None);
            }
            moved |= !right[0];
            labels.push((right, changed && !copy));
        }
        let features = related(input, &objects);
        for (row, (right, removable)) in features.iter().zip(&labels) {
            rows.push(row, |i, action| if *action == Action::Remove { *removable } else { right[i] });
        }
    }
    Ok(moved.then_some(rows))
}
