//! A template in the image is completed or pasted where marks ask for it.

use std::collections::{BTreeSet, HashSet};

use crate::found::Found;
use crate::image::{Image, Symmetry};
use crate::object::{Object, Segmentation};
use crate::{Demos, OutOfWork, Rule, Work};

/// Costs of completed and pasted templates, of any orientation or scale, and of later variants. Chosen on
/// ARC-AGI-1 training tasks.
const COMPLETED: f64 = 3.0;
const PASTED: f64 = 3.2;
const IN_ANY_POSE: f64 = 0.4;
const PER_VARIANT: f64 = 0.1;

/// A cell of a template: place and colour.
type Dot = (i32, i32, u8);

/// The objects that are removed in the end.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Erase {
    Nothing,
    Templates,
    Marks,
}

/// How a template finds its marks.
#[derive(Clone, Copy, Debug)]
struct Anchored {
    segmentation: Segmentation,
    /// Only the template with the most colours.
    single: bool,
    /// In all eight orientations.
    turned: bool,
    /// Enlarged up to three times.
    scaled: bool,
    erase: Erase,
    /// Templates all of whose colours occur outside, and all kinds of templates, are allowed too.
    whole: bool,
}

pub(crate) fn learn(demos: &Demos, work: &Work<'_>) -> Result<Vec<Rule>, OutOfWork> {
    let mut found = Found::default();
    if !demos.edits() {
        return Ok(Vec::new());
    }
    let few = |input: &Image| (2..=60).contains(&Segmentation::Multi8.objects(input).len());
    if !demos.inputs().all(few) {
        return Ok(Vec::new());
    }
    for segmentation in [Segmentation::Multi8, Segmentation::Mono8] {
        for single in [true, false] {
            for (turned, scaled) in [(false, false), (false, true), (true, false), (true, true)] {
                for (k, erase) in [Erase::Nothing, Erase::Templates, Erase::Marks].into_iter().enumerate() {
                    for whole in [false, true] {
                        work.spend(demos.n_cells())?;
                        let way = Anchored { segmentation, single, turned, scaled, erase, whole };
                        let cost = COMPLETED
                            + if turned { IN_ANY_POSE } else { 0.0 }
                            + if scaled { IN_ANY_POSE } else { 0.0 }
                            + PER_VARIANT * k as f64
                            + if single { 0.0 } else { PER_VARIANT };
                        found.check(
                            demos,
                            Rule::new(cost, way.words(), move |input: &Image| way.apply(input)),
                        );
                    }
                }
            }
        }
    }
    paste_at_marks(demos, &mut found, work)?;
    found.best(3, demos, work)
}

impl Anchored {
    fn words(self) -> String {
        let mut text = if self.single {
            "the template with the most colours is completed at its marks".to_owned()
        } else {
            "every template is completed at its marks".to_owned()
        };
        if self.turned {
            text += ", in any orientation";
        }
        if self.scaled {
            text += ", at any scale";
        }
        match self.erase {
            Erase::Nothing => {}
            Erase::Templates => text += "; templates are removed",
            Erase::Marks => text += "; marks are removed",
        }
        text
    }

    fn apply(self, input: &Image) -> Option<Image> {
        let ground = input.background();
        let objects = self.segmentation.objects(input);
        if !(2..=60).contains(&objects.len()) {
            return None;
        }
        let templates = self.templates(input, &objects)?;
        let own: HashSet<(usize, usize)> =
            templates.iter().flat_map(|&i| objects[i].cells.iter().copied()).collect();
        let marks: BTreeSet<(usize, usize)> =
            objects.iter().flat_map(|o| o.cells.iter().copied()).filter(|cell| !own.contains(cell)).collect();
        let mut is_mark = [false; 10];
        for &(y, x) in &marks {
            is_mark[usize::from(input.at(y, x))] = true;
        }
        let mut output = input.clone();
        let erased: Vec<(usize, usize)> = match self.erase {
            Erase::Nothing => Vec::new(),
            Erase::Templates => own.iter().copied().collect(),
            Erase::Marks => marks.iter().copied().collect(),
        };
        for (y, x) in erased {
            output.set(y, x, ground);
        }
        let mut used: HashSet<(i32, i32)> = HashSet::new();
        let mut pasted = false;
        for &i in &templates {
            let o = &objects[i];
            let dots: Vec<Dot> = o
                .cells
                .iter()
                .map(|&(y, x)| ((y - o.y0) as i32, (x - o.x0) as i32, input.at(y, x)))
                .collect();
            for scale in 1..=if self.scaled { 3 } else { 1 } {
                let symmetries = if self.turned { &Symmetry::ALL[..] } else { &[Symmetry::Identity][..] };
                for &symmetry in symmetries {
                    let dots = posed(&dots, symmetry, scale);
                    let keys: Vec<Dot> = dots.iter().copied().filter(|d| is_mark[usize::from(d.2)]).collect();
                    if keys.is_empty() || (keys.len() == dots.len() && !self.whole) {
                        continue;
                    }
                    for &(my, mx) in &marks {
                        let (dy, dx) = (my as i32 - keys[0].0, mx as i32 - keys[0].1);
                        let meets = |d: &Dot| {
                            let (y, x) = (d.0 + dy, d.1 + dx);
                            input.get(y, x) == d.2
                                && marks.contains(&(y as usize, x as usize))
                                && !used.contains(&(y, x))
                        };
                        let contradicts = |d: &Dot| {
                            let color = input.get(d.0 + dy, d.1 + dx);
                            color < 10 && color != ground && color != d.2
                        };
                        if !keys.iter().all(meets) || dots.iter().any(contradicts) {
                            continue;
                        }
                        used.extend(keys.iter().map(|d| (d.0 + dy, d.1 + dx)));
                        for d in &dots {
                            output.put(d.0 + dy, d.1 + dx, d.2);
                        }
                        pasted = true;
                    }
                }
            }
        }
        pasted.then_some(output)
    }

    fn templates(self, input: &Image, objects: &[Object]) -> Option<Vec<usize>> {
        let n_colors = |i: &usize| objects[*i].counts(input).iter().filter(|&&n| n > 0).count();
        let rich = |i: &usize| {
            objects[*i].size() >= 3 && (self.segmentation == Segmentation::Mono8 || n_colors(i) >= 2)
        };
        let mut templates: Vec<usize> = (0..objects.len()).filter(rich).collect();
        if self.single {
            let best = templates.into_iter().max_by_key(|i| (n_colors(i), objects[*i].size()))?;
            return Some(vec![best]);
        }
        if !self.whole && self.segmentation != Segmentation::Mono8 {
            let most = templates.iter().map(&n_colors).max()?;
            templates.retain(|i| n_colors(i) == most);
        }
        (!templates.is_empty()).then_some(templates)
    }
}

/// A template turned and enlarged.
fn posed(dots: &[Dot], symmetry: Symmetry, scale: i32) -> Vec<Dot> {
    let mut posed = Vec::with_capacity(dots.len() * (scale * scale) as usize);
    for &(y, x, color) in dots {
        let (y, x) = match symmetry {
            Symmetry::Identity => (y, x),
            Symmetry::LeftRight => (y, -x),
            Symmetry::UpDown => (-y, x),
            Symmetry::HalfTurn => (-y, -x),
            Symmetry::Transpose => (x, y),
            Symmetry::Antitranspose => (-x, -y),
            Symmetry::Clockwise => (x, -y),
            Symmetry::Counterclockwise => (-x, y),
        };
        for (dy, dx) in (0..scale).flat_map(|dy| (0..scale).map(move |dx| (dy, dx))) {
            posed.push((y * scale + dy, x * scale + dx, color));
        }
    }
    posed
}

/// The template is pasted at every mark; marks are single cells, or objects if `any_size`.
fn paste_at_marks(demos: &Demos, found: &mut Found, work: &Work<'_>) -> Result<(), OutOfWork> {
    const ALIGNED: [&str; 3] = ["first", "middle", "last"];
    for (v, vertical) in ALIGNED.iter().enumerate() {
        for (h, horizontal) in ALIGNED.iter().enumerate() {
            for erase in [false, true] {
                for any_size in [false, true] {
                    work.spend(demos.n_cells())?;
                    let text = format!(
                        "the template is pasted at every mark, its {vertical} row and {horizontal} column on it{}",
                        if erase { "; the template is removed" } else { "" }
                    );
                    let cost = PASTED + PER_VARIANT * (3 * v + h) as f64;
                    let rule =
                        Rule::new(cost, text, move |input: &Image| pasted(input, (v, h), erase, any_size));
                    found.check(demos, rule);
                }
            }
        }
    }
    Ok(())
}

fn pasted(input: &Image, (v, h): (usize, usize), erase: bool, any_size: bool) -> Option<Image> {
    let ground = input.background();
    let objects = Segmentation::Multi8.objects(input);
    if !(2..=40).contains(&objects.len()) {
        return None;
    }
    let richness = |o: &Object| (o.counts(input).iter().filter(|&&n| n > 0).count(), o.size());
    let best = (0..objects.len()).max_by_key(|&i| richness(&objects[i]))?;
    let template = &objects[best];
    if template.size() < 3 {
        return None;
    }
    let mut output = input.clone();
    if erase {
        for &(y, x) in &template.cells {
            output.set(y, x, ground);
        }
    }
    let offset = |k: usize, length: usize| [0, (length - 1) / 2, length - 1][k] as i32;
    let (oy, ox) = (offset(v, template.h()), offset(h, template.w()));
    let mut any = false;
    for (i, mark) in objects.iter().enumerate() {
        if i == best || (mark.size() != 1 && !any_size) {
            continue;
        }
        let (my, mx) = (((mark.y0 + mark.y1) / 2) as i32, ((mark.x0 + mark.x1) / 2) as i32);
        for &(y, x) in &mark.cells {
            output.set(y, x, ground);
        }
        for &(y, x) in &template.cells {
            let (dy, dx) = (y as i32 - template.y0 as i32 - oy, x as i32 - template.x0 as i32 - ox);
            output.put(my + dy, mx + dx, input.at(y, x));
        }
        any = true;
    }
    any.then_some(output)
}
