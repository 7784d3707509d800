//! One or two views after each other, with a colour map if need be.

use std::collections::HashSet;

use crate::found::Found;
use crate::image::{color_map, color_name};
use crate::view::{View, views};
use crate::{Demos, Image, Rule, Work};

/// Which views are searched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Steps {
    /// One plain view.
    One,
    /// Two plain views.
    Two,
    /// A special view, alone or beside a plain one.
    Special,
}

pub(crate) fn learn(demos: &Demos, steps: Steps, work: &Work<'_>) -> Option<Vec<Rule>> {
    let mut found = Found::default();
    let plain = views().iter().position(|view| view.special).unwrap_or(views().len());
    let base = if steps == Steps::Special { 1.3 } else { 1.0 };
    if steps != Steps::Two {
        for (i, images) in demos.views(work)? {
            if views()[*i].special == (steps == Steps::Special) {
                let place =
                    if steps == Steps::Special { 0.002 * (*i - plain) as f64 } else { 0.001 * *i as f64 };
                keep(demos, &mut found, vec![*i], images, base + place);
            }
        }
    }
    if steps != Steps::One {
        two_steps(demos, steps == Steps::Special, &mut found, work)?;
    }
    found.best(3, demos, work)
}

fn two_steps(demos: &Demos, special: bool, found: &mut Found, work: &Work<'_>) -> Option<()> {
    let mut seen = HashSet::new();
    let starts = demos.views(work)?;
    let first_output = &demos.pairs()[0].1;
    for (i, images) in starts.iter().filter(|(i, _)| *i > 0 && views()[*i].core) {
        work.spend(images[0].area() * 40)?;
        for (j, view) in views().iter().enumerate().skip(1) {
            if (view.special || views()[*i].special) != special {
                continue;
            }
            // The first pair rejects almost everything.
            let Some(first) = view.apply(&images[0]) else { continue };
            if color_map(std::iter::once((&first, first_output))).is_none() {
                continue;
            }
            let rest: Option<Vec<Image>> = images[1..].iter().map(|image| view.apply(image)).collect();
            let Some(mut rest) = rest else { continue };
            rest.insert(0, first);
            if seen.insert(rest.clone()) {
                let cost = if special { 2.4 } else { 2.0 } + 0.001 * (*i + j) as f64;
                keep(demos, found, vec![*i, j], &rest, cost);
            }
        }
    }
    Some(())
}

/// Keeps a chain of views whose images are the outputs, up to a colour map at most.
fn keep(demos: &Demos, found: &mut Found, chain: Vec<usize>, images: &[Image], cost: f64) {
    let Some(table) = color_map(images.iter().zip(demos.outputs())) else { return };
    let exact = images.iter().zip(demos.outputs()).all(|(image, output)| image == output);
    let steps: Vec<&'static View> = chain.iter().map(|&i| &views()[i]).collect();
    let mut text = steps.iter().map(|view| view.name.as_str()).collect::<Vec<_>>().join(", then ");
    if !exact {
        text += &format!(", then {}", color_map_words(&table));
    }
    let surcharge = if exact { 0.0 } else { 0.5 };
    found.push(Rule::new(cost + surcharge, text, move |input| {
        let image = steps.iter().try_fold(input.clone(), |image, view| view.apply(&image))?;
        Some(if exact { image } else { image.recolored(&table) })
    }));
}

pub(crate) fn color_map_words(table: &[u8; 10]) -> String {
    let changes = (0..10u8).filter(|&c| table[usize::from(c)] != c);
    let words: Vec<String> =
        changes.map(|c| format!("{} becomes {}", color_name(c), color_name(table[usize::from(c)]))).collect();
    if words.is_empty() { "colours stay".to_owned() } else { words.join(", ") }
}
