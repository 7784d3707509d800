//! What was found so far: values, those that become the outputs, and layers.

use batt_trace::Spot;
use batt_value::{Arena, Value};

use super::explore::Bounds;
use super::goal::{Finish, Goal};
use super::kind::Kind;
use super::layer::{Layers, Tint};
use super::pool::{Origin, Pool};

pub(super) struct Findings<'a, 'b> {
    pub(super) pool: Pool<'a>,
    pub(super) goal: &'b Goal,
    pub(super) hits: Vec<Hit>,
    pub(super) layers: Layers,
    tints: Vec<Tint>,
    bounds: Bounds<'b>,
}

/// A node that becomes the outputs by the steps of a finish, after a change of colours.
pub(super) struct Hit {
    pub(super) node: u32,
    /// From which colour to which.
    pub(super) colors: Vec<(u8, u8)>,
    pub(super) finish: Finish,
}

/// More are not worth running.
const MAX_HITS: usize = 8;
const MAX_TINTS: usize = 12;

impl<'a, 'b> Findings<'a, 'b> {
    pub(super) fn new(arena: &'a Arena, goal: &'b Goal, bounds: Bounds<'b>) -> Findings<'a, 'b> {
        Findings {
            pool: Pool::new(arena, bounds.bytes),
            goal,
            hits: Vec::new(),
            layers: Layers::new(goal, bounds.layers),
            tints: Vec::new(),
            bounds,
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.pool.is_full() || self.hits.len() >= MAX_HITS
    }

    /// Takes in a node whose values no other has, and looks what it is good for. `kept`: its values are needed
    /// again.
    pub(super) fn take(
        &mut self,
        origin: Origin,
        kind: Kind,
        depth: u8,
        values: &[Value<'_>],
        kept: bool,
    ) -> Option<u32> {
        let new = self.pool.is_new(kind, values);
        self.bounds.mark(Spot::NOVEL);
        if !new {
            return None;
        }
        let node = self.pool.push(origin, kind, depth, values, kept);
        self.bounds.mark(Spot::COLLECT);
        let demos = &values[..self.goal.outputs.len()];
        match kind {
            Kind::Grid => self.compare(node, demos),
            Kind::Color if self.tints.len() < MAX_TINTS => {
                let colors = demos.iter().map(|value| value.as_int().map_or(0, |color| color as u8));
                self.tints.push(Tint { node, colors: colors.collect() });
            }
            _ => {}
        }
        self.layers.add(self.goal, node, kind, depth, demos, &self.tints);
        self.bounds.mark(Spot::SCORE);
        Some(node)
    }

    fn compare(&mut self, node: u32, demos: &[Value<'_>]) {
        let sized = demos.iter().enumerate().all(|(pair, value)| {
            matches!(value, Value::Grid(grid) if self.goal.has_size(pair, grid.height(), grid.width()))
        });
        if !sized {
            return;
        }
        if let Some(finish) = self.goal.finish(demos) {
            self.hits.push(Hit { node, colors: Vec::new(), finish: finish.clone() });
        } else if let Some((finish, colors)) = self.goal.finish_recolored(demos) {
            self.hits.push(Hit { node, colors, finish: finish.clone() });
        }
    }
}
