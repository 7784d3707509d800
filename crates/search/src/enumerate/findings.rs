//! The results so far: nodes, nodes that become the outputs, and layers.

use batt_trace::Spot;
use batt_value::{Arena, Value};

use super::explore::Bounds;
use super::goal::{Finish, Goal};
use super::kind::Kind;
use super::layer::{ColorNode, Layers};
use super::pool::{Origin, Pool};

/// The results of a search so far.
pub(super) struct Findings<'a, 'b> {
    pub(super) pool: Pool<'a>,
    pub(super) goal: &'b Goal,
    pub(super) hits: Vec<Hit>,
    pub(super) layers: Layers,
    color_nodes: Vec<ColorNode>,
    bounds: Bounds<'b>,
}

/// A node that becomes the outputs by a change of colours and then the steps of a finish. Both may be empty.
pub(super) struct Hit {
    pub(super) node: u32,
    /// The old and the new colours.
    pub(super) colors: Vec<(u8, u8)>,
    pub(super) finish: Finish,
}

/// The search ends at this number of hits. More are not worth running.
const MAX_HITS: usize = 8;
/// The most colour nodes that are tried for places.
const MAX_COLOR_NODES: usize = 12;

impl<'a, 'b> Findings<'a, 'b> {
    pub(super) fn new(arena: &'a Arena, goal: &'b Goal, bounds: Bounds<'b>) -> Findings<'a, 'b> {
        Findings {
            pool: Pool::new(arena, bounds.bytes),
            goal,
            hits: Vec::new(),
            layers: Layers::new(goal, bounds.layers),
            color_nodes: Vec::new(),
            bounds,
        }
    }

    /// Returns whether the memory is used up or there are enough hits.
    pub(super) fn is_full(&self) -> bool {
        self.pool.is_full() || self.hits.len() >= MAX_HITS
    }

    /// Adds a node if its values are new, compares it with the outputs and adds its layers. `keep_values` is
    /// set if its values are needed again. Returns the index of the node.
    pub(super) fn add(
        &mut self,
        origin: Origin,
        kind: Kind,
        depth: u8,
        values: &[Value<'_>],
        keep_values: bool,
    ) -> Option<u32> {
        let new = self.pool.insert_values(kind, values);
        self.bounds.mark(Spot::NOVEL);
        if !new {
            return None;
        }
        let node = self.pool.push(origin, kind, depth, values, keep_values);
        self.bounds.mark(Spot::COLLECT);
        let demos = &values[..self.goal.outputs.len()];
        match kind {
            Kind::Grid => self.compare(node, demos),
            Kind::Color if self.color_nodes.len() < MAX_COLOR_NODES => {
                let colors = demos.iter().map(|value| value.as_int().map_or(0, |color| color as u8));
                self.color_nodes.push(ColorNode { node, colors: colors.collect() });
            }
            _ => {}
        }
        self.layers.add(self.goal, node, kind, depth, demos, &self.color_nodes);
        self.bounds.mark(Spot::SCORE);
        Some(node)
    }

    /// Adds a hit if the node becomes the outputs.
    fn compare(&mut self, node: u32, demos: &[Value<'_>]) {
        let sizes_fit = demos.iter().enumerate().all(|(pair, value)| {
            matches!(value, Value::Grid(grid) if self.goal.has_size(pair, grid.height(), grid.width()))
        });
        if !sizes_fit {
            return;
        }
        if let Some(finish) = self.goal.finish(demos) {
            self.hits.push(Hit { node, colors: Vec::new(), finish: finish.clone() });
        } else if let Some((finish, colors)) = self.goal.finish_recolored(demos) {
            self.hits.push(Hit { node, colors, finish: finish.clone() });
        }
    }
}
