//! Objects move, stay, or are taken away; or a moved copy is added.

use std::collections::HashSet;

use crate::found::Found;
use crate::image::{DIRECTIONS, Image, OUTSIDE};
use crate::object::{Object, Seg};
use crate::relation::{minor_side, nearest_direction, related, related_features};
use crate::rows::Rows;
use crate::tree::Bounds;
use crate::view::direction_to;
use crate::{Demos, Rule, Work};

type Shift = (i32, i32);

pub(crate) fn learn(demos: &Demos, work: &Work<'_>) -> Option<Vec<Rule>> {
    let mut found = Found::default();
    if !demos.edits() {
        return Some(Vec::new());
    }
    for (k, seg) in [Seg::Mono8, Seg::Multi8, Seg::Mono4].into_iter().enumerate() {
        for copy in [false, true] {
            let Some(rows) = rows(demos, seg, copy, work)? else { continue };
            let Some(tree) = rows.tree(Bounds::leaves(4), true, work) else { continue };
            let how = if copy { "a copy is added" } else { "each moves" };
            let text = format!("{}, {how}: {}", seg.words(), rows.words(&tree, action_name));
            let cost = 3.0 + tree.leaves() as f64 + 0.1 * k as f64 + if copy { 0.2 } else { 0.0 };
            let rule = Rule::new(cost, text, move |input| {
                let objects = seg.objects(input);
                if objects.len() > 60 {
                    return None;
                }
                let features = related(input, &objects);
                let mut output =
                    if copy { input.clone() } else { Image::new(input.h, input.w, input.background()) };
                let shifts: Vec<Option<Shift>> = (0..objects.len())
                    .map(|i| match tree.action(|feature| features[i][feature]) {
                        REMOVE => None,
                        action => Some(shifts(input, &objects, i)[action].unwrap_or((0, 0))),
                    })
                    .collect();
                // What stays is painted first: moved objects lie on top.
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
            });
            found.check(demos, rule);
        }
    }
    found.best(3, demos, work)
}

/// The action after all shifts: the object is taken away.
const REMOVE: usize = N_SHIFTS;

fn rows(demos: &Demos, seg: Seg, copy: bool, work: &Work<'_>) -> Option<Option<Rows>> {
    work.spend(demos.n_cells())?;
    let mut rows = Rows::new(related_features(), N_SHIFTS + 1);
    let mut moved = false;
    for (input, output) in demos.pairs() {
        let objects = seg.objects(input);
        if objects.is_empty() || objects.len() > 30 {
            return Some(None);
        }
        let mut labels = Vec::new();
        for (i, object) in objects.iter().enumerate() {
            work.spend(object.size() * N_SHIFTS / 16)?;
            let shifts = shifts(input, &objects, i);
            let lands = |&(dy, dx): &Shift| {
                object.cells.iter().all(|&(y, x)| output.get(y as i32 + dy, x as i32 + dx) == input.at(y, x))
            };
            let adds = |&(dy, dx): &Shift| {
                object.cells.iter().any(|&(y, x)| input.get(y as i32 + dy, x as i32 + dx) != input.at(y, x))
            };
            let right: Vec<bool> = shifts.iter().map(|s| s.as_ref().is_some_and(lands)).collect();
            let changed = object.cells.iter().any(|&(y, x)| output.at(y, x) != input.at(y, x));
            if copy && !right[0] {
                return Some(None);
            }
            let adding: Vec<bool> =
                shifts.iter().zip(&right).map(|(s, r)| *r && s.as_ref().is_some_and(adds)).collect();
            let prefers_adding = copy && adding.contains(&true);
            let right = if prefers_adding { adding } else { right };
            if !right.contains(&true) && (copy || !changed) {
                return Some(None);
            }
            moved |= !right[0];
            labels.push((right, changed && !copy));
        }
        let features = related(input, &objects);
        for (row, (right, removable)) in features.iter().zip(&labels) {
            rows.push(row, |action| if action == REMOVE { *removable } else { right[action] });
        }
    }
    Some(moved.then_some(rows))
}

/// Slides and steps: 8 + 4 + 3 + 2 + 3, alignments 12, contacts 2, alignments with a colour 18, steps 8 + 20 + 12 + 1,
/// after staying.
const N_SHIFTS: usize = 94;

fn shifts(image: &Image, objects: &[Object], i: usize) -> Vec<Option<Shift>> {
    let o = &objects[i];
    let own: HashSet<(usize, usize)> = o.cells.iter().copied().collect();
    let ground = image.background();
    let slide = |d: usize, stops: bool| {
        let (dy, dx) = DIRECTIONS[d];
        let free = |k: i32| {
            o.cells.iter().all(|&(y, x)| {
                let (ny, nx) = (y as i32 + dy * k, x as i32 + dx * k);
                let color = image.get(ny, nx);
                let blocked = stops && color != ground && !own.contains(&(ny as usize, nx as usize));
                color != OUTSIDE && !blocked
            })
        };
        let k = (1..).take_while(|&k| free(k)).last().unwrap_or(0);
        (dy * k, dx * k)
    };
    let mut list: Vec<Option<Shift>> = vec![Some((0, 0))];
    list.extend((0..8).map(|d| Some(slide(d, true))));
    list.extend((0..4).map(|d| Some(slide(d, false))));
    let other = nearest_direction(objects, i, false);
    list.push(other.map(|d| slide(d, true)));
    list.push(nearest_direction(objects, i, true).map(|d| slide(d, true)));
    list.push(other.map(|d| slide((d + 2) % 4, true)));
    let others = || (0..objects.len()).filter(move |&k| k != i);
    let largest = others().max_by_key(|&k| objects[k].size());
    let alike = others().filter(|&k| objects[k].color == o.color).max_by_key(|&k| objects[k].size());
    let towards = |k: usize| direction_to(o, &objects[k]);
    list.push(largest.and_then(towards).map(|d| slide(d, true)));
    list.push(alike.and_then(towards).map(|d| slide(d, true)));
    let minor = minor_side(image, o);
    list.push(minor.map(|d| slide(d, true)));
    list.push(minor.map(|d| slide(d, false)));
    list.push(minor.map(|d| slide((d + 2) % 4, true)));
    let n_of_color = |c: u8| objects.iter().filter(|p| p.color == c).count();
    let anchors = [
        largest,
        others().find(|&k| n_of_color(objects[k].color) == 1),
        others().max_by_key(|&k| objects[k].y1),
        others().min_by_key(|&k| objects[k].x0),
    ];
    let down = |k: usize| (objects[k].y0 as i32 - o.y0 as i32, 0);
    let right = |k: usize| (0, objects[k].x0 as i32 - o.x0 as i32);
    for anchor in anchors {
        list.push(anchor.map(down));
        list.push(anchor.map(right));
        list.push(anchor.map(|k| (objects[k].y1 as i32 - o.y1 as i32, 0)));
    }
    let contact = |k: usize| {
        let p = &objects[k];
        towards(k).map(|d| match d {
            0 => (0, p.x0 as i32 - o.x1 as i32 - 1),
            2 => (0, p.x1 as i32 - o.x0 as i32 + 1),
            1 => (p.y0 as i32 - o.y1 as i32 - 1, 0),
            _ => (p.y1 as i32 - o.y0 as i32 + 1, 0),
        })
    };
    list.push(alike.filter(|&k| objects[k].size() > o.size()).and_then(contact));
    list.push(largest.and_then(contact));
    for color in 1..10 {
        let anchor = others().find(|&k| objects[k].color == color);
        list.push(anchor.map(down));
        list.push(anchor.map(right));
    }
    let (h, w) = (o.h() as i32, o.w() as i32);
    list.extend(DIRECTIONS.iter().map(|d| Some((d.0 * h, d.1 * w))));
    for k in 1..6 {
        list.extend(DIRECTIONS[..4].iter().map(|d| Some((d.0 * k, d.1 * k))));
    }
    for k in 1..4 {
        list.extend(DIRECTIONS[4..].iter().map(|d| Some((d.0 * k, d.1 * k))));
    }
    // One step towards the nearest object of another colour.
    list.push(other.map(|d| DIRECTIONS[d]));
    debug_assert_eq!(list.len(), N_SHIFTS);
    list
}

fn action_name(action: usize) -> String {
    const WINDS: [&str; 8] =
        ["east", "south", "west", "north", "south-east", "south-west", "north-west", "north-east"];
    const TOWARDS: [&str; 8] = [
        "slide to the nearest object of another colour",
        "slide to the nearest object of its colour",
        "slide away from the nearest object of another colour",
        "slide to the largest object",
        "slide to the largest object of its colour",
        "slide to the side of its rarest colour",
        "move to the border on the side of its rarest colour",
        "slide away from the side of its rarest colour",
    ];
    if action == REMOVE {
        return "take away".to_owned();
    }
    match action {
        0 => "stay".to_owned(),
        k @ 1..=8 => format!("slide {}", WINDS[k - 1]),
        k @ 9..=12 => format!("move to the {} border", WINDS[k - 9]),
        k @ 13..=20 => TOWARDS[k - 13].to_owned(),
        k @ 21..=32 => {
            let anchor = [
                "the largest object",
                "the object of a unique colour",
                "the lowest object",
                "the leftmost object",
            ];
            let edge = ["top", "left side", "bottom"];
            format!("align its {} with {}", edge[(k - 21) % 3], anchor[(k - 21) / 3])
        }
        33 => "move against the larger object of its colour".to_owned(),
        34 => "move against the largest object".to_owned(),
        k @ 35..=52 => {
            let edge = ["top", "left side"][(k - 35) % 2];
            format!("align its {edge} with {}", crate::image::color_name(((k - 35) / 2 + 1) as u8))
        }
        k @ 53..=60 => format!("move {} by its own size", WINDS[k - 53]),
        k @ 61..=80 => format!("move {} by {}", WINDS[(k - 61) % 4], (k - 61) / 4 + 1),
        k @ 81..=92 => format!("move {} by {}", WINDS[4 + (k - 81) % 4], (k - 81) / 4 + 1),
        _ => "move one step to the nearest object of another colour".to_owned(),
    }
}
