//! All views that have the output's size give each output cell's colour together: the cell of one where another is
//! black, and the like.

use std::collections::HashSet;

use super::transform::chain_words;
use crate::code::{Code, Expr, number};
use crate::feature::{Feature, Kind, Test};
use crate::image::{Image, MAX_SIDE, color_name};
use crate::paint::{CellTree, Paint, write_tree};
use crate::rows::Rows;
use crate::rule::Body;
use crate::tree::{Bounds, Tree};
use crate::view::ViewId;
use crate::{Demos, OutOfWork, Rule, Work};

/// With fewer images than this, chains of two views join the pool.
const ENOUGH: usize = 90;
/// No more images than this take part in a pool.
const MAX_POOL: usize = 115;
/// The cost of a rule before its leaves. Chosen on ARC-AGI-1 training tasks.
const BASE_COST: f64 = 2.5;

/// One or two views, and their images of all inputs.
type Pooled = (Vec<ViewId>, Vec<Image>);

/// A feature of an output cell: the colour of an image of the pool, or whether it is black.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    Color(usize),
    IsBlack(usize),
}

/// The colour that an output cell takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Taken {
    Image(usize),
    Color(u8),
}

pub(crate) fn learn(demos: &Demos, work: &Work<'_>) -> Result<Vec<Rule>, OutOfWork> {
    let pool = pool(demos, work)?;
    if pool.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<String> = pool.iter().map(|(chain, _)| format!("“{}”", chain_words(chain))).collect();
    let mut features = Vec::new();
    for (k, name) in names.iter().enumerate() {
        features.push((Asked::Color(k), Feature::new(Kind::Color, 1.0, name.clone())));
        features.push((Asked::IsBlack(k), Feature::new(Kind::Flag, 1.0, format!("{name} is black"))));
    }
    let mut actions = vec![Taken::Image(0)];
    actions.extend((0..10).map(Taken::Color));
    actions.extend((1..pool.len()).map(Taken::Image));
    let mut rows = Rows::new(features, actions.clone());
    for (i, output) in demos.outputs().enumerate() {
        let mut columns = Vec::new();
        for (_, images) in &pool {
            columns.push(images[i].cells.clone());
            columns.push(images[i].cells.iter().map(|&c| u8::from(c == 0)).collect());
        }
        let given = |taken: &Taken| match taken {
            Taken::Image(k) => pool[*k].1[i].cells.clone(),
            Taken::Color(color) => vec![*color; output.area()],
        };
        let given: Vec<Vec<u8>> = actions.iter().map(given).collect();
        rows.extend(&columns, &given, &output.cells);
    }
    let Some(tree) = rows.tree(Bounds::leaves(5), true, work)? else { return Ok(Vec::new()) };
    let words = rows.words(&tree, |taken| match taken {
        Taken::Image(k) => names[*k].clone(),
        Taken::Color(color) => color_name(*color).to_owned(),
    });
    let cost = BASE_COST + tree.leaves() as f64;
    let chains = pool.into_iter().map(|(chain, _)| chain).collect();
    Ok(vec![Rule::new(cost, words, Pool::new(chains, tree))])
}

/// The plain views of the outputs' sizes, one and two steps away, each set of images once.
fn pool(demos: &Demos, work: &Work<'_>) -> Result<Vec<Pooled>, OutOfWork> {
    let fits =
        |images: &[Image]| images.iter().zip(demos.outputs()).all(|(image, output)| image.same_size(output));
    let all = demos.views(work)?;
    let mut pool: Vec<Pooled> = all
        .iter()
        .filter(|(id, images)| !id.uses().special && fits(images))
        .map(|(id, images)| (vec![*id], images.clone()))
        .collect();
    if pool.len() >= ENOUGH {
        return Ok(pool);
    }
    let mut seen: HashSet<Vec<Image>> = pool.iter().map(|(_, images)| images.clone()).collect();
    let is_step = |id: &ViewId| id.uses().step && !id.uses().special;
    for (id, images) in all.iter().filter(|(id, _)| *id != ViewId::IDENTITY && is_step(id)) {
        work.spend(images[0].area() * 10)?;
        for second in ViewId::all().filter(is_step) {
            let next = images
                .iter()
                .zip(demos.outputs())
                .map(|(image, output)| second.apply(image).filter(|image| image.same_size(output)));
            let Some(next) = next.collect::<Option<Vec<Image>>>() else { continue };
            if seen.insert(next.clone()) {
                pool.push((vec![*id, second], next));
                if pool.len() >= MAX_POOL {
                    return Ok(pool);
                }
            }
        }
    }
    Ok(pool)
}

/// A rule: the colour of an output cell from the images that the tree asks for.
struct Pool {
    /// The chains that are needed, in the order of the pool; the others are empty.
    chains: Vec<Option<Vec<ViewId>>>,
    tree: Tree<Asked, Taken>,
}

impl Pool {
    fn new(chains: Vec<Vec<ViewId>>, tree: Tree<Asked, Taken>) -> Pool {
        let mut used = vec![false; chains.len()];
        let mut by_leaf = used.clone();
        tree.visit(
            &mut |asked| match asked {
                Asked::Color(k) | Asked::IsBlack(k) => used[k] = true,
            },
            &mut |taken| {
                if let Taken::Image(k) = taken {
                    by_leaf[*k] = true;
                }
            },
        );
        used.iter_mut().zip(by_leaf).for_each(|(used, by_leaf)| *used |= by_leaf);
        if !used.contains(&true) {
            // A constant answer needs an image for its size.
            used[0] = true;
        }
        let chains = chains.into_iter().zip(used).map(|(chain, used)| used.then_some(chain)).collect();
        Pool { chains, tree }
    }
}

impl Body for Pool {
    fn apply(&self, input: &Image) -> Option<Image> {
        let mut images: Vec<Option<Image>> = Vec::new();
        for chain in &self.chains {
            images.push(match chain {
                None => None,
                Some(chain) => Some(chain.iter().try_fold(input.clone(), |image, id| id.apply(&image))?),
            });
        }
        let first = images.iter().flatten().next()?;
        if images.iter().flatten().any(|image| !image.same_size(first)) || first.h > MAX_SIDE {
            return None;
        }
        let color = |k: usize, i: usize| images[k].as_ref().map_or(0, |image| image.cells[i]);
        let cell = |i: usize| {
            let taken = self.tree.action(|asked| match asked {
                Asked::Color(k) => color(k, i),
                Asked::IsBlack(k) => u8::from(color(k, i) == 0),
            });
            match taken {
                Taken::Image(k) => color(*k, i),
                Taken::Color(color) => *color,
            }
        };
        Some(Image { h: first.h, w: first.w, cells: (0..first.area()).map(cell).collect() })
    }

    fn code(&self, code: &mut Code, input: &Expr) -> Option<Expr> {
        let mut images: Vec<Option<Expr>> = Vec::new();
        for chain in &self.chains {
            images.push(match chain {
                None => None,
                Some(chain) => Some(chain.iter().try_fold(input.clone(), |grid, id| id.code(code, &grid))?),
            });
        }
        let first = images.iter().flatten().next()?.clone();
        write_tree(&self.tree, &OnImages(images), code, &first, first.clone())
    }
}

/// Writes tests and actions on the images of a pool.
struct OnImages(Vec<Option<Expr>>);

impl CellTree<Asked, Taken> for OnImages {
    fn places(&self, test: &Test<Asked>, code: &mut Code) -> Option<Expr> {
        let (k, color) = match test.feature {
            Asked::Color(k) => (k, test.value),
            Asked::IsBlack(k) => (k, 0),
        };
        let image = self.0[k].as_ref()?;
        Some(code.line(format!("ofcolor({image}, {})", number(color.into()))))
    }

    fn paint(&self, taken: &Taken, _: &mut Code) -> Option<Paint> {
        Some(match taken {
            Taken::Image(k) => Paint::Grid(self.0[*k].clone()?),
            Taken::Color(color) => Paint::Color(*color),
        })
    }
}
