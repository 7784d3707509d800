//! Trees written in the language: for each leaf a set of places or of objects, painted one after the other.

use crate::code::{Code, Expr, number};
use crate::feature::Test;
use crate::object::ObjectOrRelation;
use crate::tree::Tree;

/// The colour of the cells of a leaf.
pub(crate) enum Paint {
    /// The colour that the output has before any leaf is painted.
    Keep,
    Color(u8),
    /// The cells of a grid.
    Grid(Expr),
}

/// How the tests and leaves of a tree are written.
pub(crate) trait CellTree<F, A> {
    /// The places on which a test holds.
    fn places(&self, test: &Test<F>, code: &mut Code) -> Option<Expr>;

    fn paint(&self, action: &A, code: &mut Code) -> Option<Paint>;
}

/// Writes a tree. `canvas` is a grid of the output's size, `output` the grid that is painted on.
pub(crate) fn write_tree<F: Copy, A>(
    tree: &Tree<F, A>,
    writer: &impl CellTree<F, A>,
    code: &mut Code,
    canvas: &Expr,
    output: Expr,
) -> Option<Expr> {
    Painter { writer, canvas }.write(tree, code, None, output)
}

struct Painter<'a, W> {
    writer: &'a W,
    canvas: &'a Expr,
}

impl<W> Painter<'_, W> {
    /// Writes a tree on the places in `scope`, on all if there is none.
    fn write<F: Copy, A>(
        &self,
        tree: &Tree<F, A>,
        code: &mut Code,
        scope: Option<&Expr>,
        output: Expr,
    ) -> Option<Expr>
    where
        W: CellTree<F, A>,
    {
        let canvas = self.canvas;
        match tree {
            Tree::Leaf(action) => Some(match (self.writer.paint(action, code)?, scope) {
                (Paint::Keep, _) => output,
                (Paint::Color(color), None) => {
                    code.line(format!("canvas({}, shape({canvas}))", number(color.into())))
                }
                (Paint::Color(color), Some(scope)) => {
                    code.line(format!("fill({output}, {}, {scope})", number(color.into())))
                }
                (Paint::Grid(grid), None) => grid,
                (Paint::Grid(grid), Some(scope)) => {
                    code.line(format!("paint({output}, toobject({scope}, {grid}))"))
                }
            }),
            Tree::Node { test, yes, no } => {
                let places = self.writer.places(test, code)?;
                let mut output = output;
                if !self.keeps(yes, code) {
                    let inside = match scope {
                        None => places.clone(),
                        Some(scope) => code.line(format!("intersection({scope}, {places})")),
                    };
                    output = self.write(yes, code, Some(&inside), output)?;
                }
                if !self.keeps(no, code) {
                    let all = match scope {
                        None => code.line(format!("asindices({canvas})")),
                        Some(scope) => scope.clone(),
                    };
                    let outside = code.line(format!("difference({all}, {places})"));
                    output = self.write(no, code, Some(&outside), output)?;
                }
                Some(output)
            }
        }
    }

    fn keeps<F, A>(&self, tree: &Tree<F, A>, code: &mut Code) -> bool
    where
        W: CellTree<F, A>,
    {
        match tree {
            Tree::Leaf(action) => matches!(self.writer.paint(action, code), Some(Paint::Keep)),
            Tree::Node { .. } => false,
        }
    }
}

/// Writes a tree over the objects of a grid: for each leaf, `write` gets the action and the set of its objects.
pub(crate) fn write_objects<A>(
    tree: &Tree<ObjectOrRelation, A>,
    code: &mut Code,
    grid: &Expr,
    all: &Expr,
    write: &mut dyn FnMut(&A, &mut Code, &Expr) -> Option<()>,
) -> Option<()> {
    write_some(tree, code, grid, (all, all), write)
}

/// Writes a tree over `objects`, some of all objects.
fn write_some<A>(
    tree: &Tree<ObjectOrRelation, A>,
    code: &mut Code,
    grid: &Expr,
    (all, objects): (&Expr, &Expr),
    write: &mut dyn FnMut(&A, &mut Code, &Expr) -> Option<()>,
) -> Option<()> {
    match tree {
        Tree::Leaf(action) => write(action, code, objects),
        Tree::Node { test, yes, no } => {
            let ObjectOrRelation::Object(feature) = test.feature else { return None };
            // Extremes and ranks are among all objects, not among those that are left.
            let passing = feature.filter(all, test, code, grid)?;
            let chosen = if objects == all {
                passing.clone()
            } else {
                code.line(format!("intersection({objects}, {passing})"))
            };
            let rest = code.line(format!("difference({objects}, {passing})"));
            write_some(yes, code, grid, (all, &chosen), write)?;
            write_some(no, code, grid, (all, &rest), write)
        }
    }
}
