//! The table of operations that enumeration applies to values.

use batt_dsl::Cx;
use batt_value::Fail;

use super::kind::Kind;
use batt_dsl::template::{Hole, Template};

/// A way to make a value from one or two others.
pub(super) struct Operation<'a> {
    pub(super) template: Template<'a>,
    /// The kind of `x`.
    pub(super) takes: Kind,
    /// The kind of `y`; `None` if there is no `y`.
    pub(super) with: Option<Kind>,
    /// The kind of the result.
    pub(super) gives: Kind,
    /// Whether it uses the canvas `W`.
    pub(super) needs_canvas: bool,
}

/// Returns all operations for a task with these colours, in the order in which they are tried.
pub(super) fn operations<'a>(colors: &[u8], cx: &mut Cx<'a>) -> Result<Vec<Operation<'a>>, Fail> {
    let mut operations = Vec::new();
    for (takes, with, gives, texts) in TABLE {
        for text in *texts {
            for text in in_colors(text, colors) {
                let template = Template::parse(&text, cx)?;
                let needs_canvas = template.needs(Hole::Canvas);
                operations.push(Operation {
                    template,
                    takes: *takes,
                    with: *with,
                    gives: *gives,
                    needs_canvas,
                });
            }
        }
    }
    Ok(operations)
}

/// The names of the colours.
pub(super) const COLORS: [&str; 10] =
    ["BLACK", "BLUE", "RED", "GREEN", "YELLOW", "GRAY", "MAGENTA", "ORANGE", "CYAN", "BURGUNDY"];

/// Returns a template with each colour in place of `COLOR`, or the template itself if it has no `COLOR`.
fn in_colors(text: &str, colors: &[u8]) -> Vec<String> {
    if !text.contains("COLOR") {
        return vec![text.to_owned()];
    }
    colors.iter().map(|&color| text.replace("COLOR", COLORS[usize::from(color)])).collect()
}

use Kind::{Color, Grid, Grids, Indices, Object, Objects};

type Row = (Kind, Option<Kind>, Kind, &'static [&'static str]);

/// The operations: the kinds of `x`, `y` and the result, and the templates. Within a row, short templates
/// come first. Rows with few results come before rows with many.
#[rustfmt::skip]
const TABLE: &[Row] = &[
    (Grid, None, Grid, &[
        "hmirror(x)", "vmirror(x)", "dmirror(x)", "cmirror(x)", "rot90(x)", "rot180(x)", "rot270(x)",
        "tophalf(x)", "bottomhalf(x)", "lefthalf(x)", "righthalf(x)", "trim(x)", "compress(x)",
        "subgrid(foreground(x), x)", "downscale(x, TWO)", "downscale(x, THREE)", "upscale(x, TWO)", "upscale(x, THREE)",
        "hconcat(x, x)", "vconcat(x, x)", "hconcat(x, vmirror(x))", "vconcat(x, hmirror(x))",
        "vconcat(x, crop(hmirror(x), DOWN, shape(x)))", "hconcat(x, crop(vmirror(x), RIGHT, shape(x)))",
        "smear(x, RIGHT)", "smear(x, LEFT)", "smear(x, DOWN)", "smear(x, UP)",
        "smear(x, UNITY)", "smear(x, NEG_UNITY)", "smear(x, UP_RIGHT)", "smear(x, DOWN_LEFT)",
        "smear(smear(x, RIGHT), LEFT)", "smear(smear(x, DOWN), UP)",
        "replace(x, COLOR, BLACK)", "replace(x, mostcolor(x), BLACK)", "switch(x, BLACK, mostcolor(x))",
        "paint(W, asobject(x))", "paint(W, foreground(x))",
        "vmirror(paint(W, asobject(vmirror(x))))", "hmirror(paint(W, asobject(hmirror(x))))", "rot180(paint(W, asobject(rot180(x))))",
        "paint(W, shift(asobject(x), halve(subtract(shape(W), shape(x)))))",
        "tile(asobject(x), W)", "mirrortile(asobject(x), W)", "tile(foreground(x), W)", "mirrortile(foreground(x), W)",
        "upscale(x, divide(height(W), height(x)))",
        "cellwise(upscale(x, height(x)), tile(asobject(x), W), BLACK)",
    ]),
    (Grid, None, Indices, &[
        "ofcolor(x, COLOR)", "ofcolor(x, mostcolor(x))", "ofcolor(x, leastcolor(x))", "enclosed(x)",
    ]),
    (Grid, None, Object, &["foreground(x)", "asobject(x)"]),
    (Grid, None, Objects, &[
        "objects(x, T, T, T)", "objects(x, F, T, T)", "objects(x, T, F, T)", "objects(x, F, F, T)",
        "objects(x, T, F, F)", "objects(x, T, T, F)",
        "objects(replace(x, mostcolor(x), BLACK), F, T, T)", "fgpartition(x)", "partition(x)", "frontiers(x)",
    ]),
    (Grid, None, Grids, &[
        "hsplit(x, TWO)", "vsplit(x, TWO)", "hsplit(x, THREE)", "vsplit(x, THREE)", "hsplit(x, width(x))", "vsplit(x, height(x))",
    ]),
    (Grid, None, Color, &["mostcolor(x)", "leastcolor(x)", "get_color_rank(x, F1)"]),
    (Objects, None, Object, &[
        "merge(x)", "argmax(x, size)", "argmin(x, size)", "argmax(x, height)", "argmax(x, width)",
        "argmax(x, numcolors)", "argmin(x, numcolors)",
        "argmin(x, uppermost)", "argmax(x, lowermost)", "argmin(x, leftmost)", "argmax(x, rightmost)",
        "argmax(x, compose(size, backdrop))", "argmax(x, compose(size, delta))", "argmin(x, compose(size, delta))",
        "get_arg_rank(x, size, F1)", "get_arg_rank(x, size, L2)",
        "extract(x, square)", "extract(x, compose(flip, square))",
        "mapply(fork(recolor, color, backdrop), x)", "mapply(fork(recolor, color, box), x)",
        "mapply(fork(recolor, color, outbox), x)", "mapply(fork(recolor, color, delta), x)",
        "mapply(fork(recolor, color, compose(hfrontier, center)), x)",
        "mapply(fork(recolor, color, compose(vfrontier, center)), x)",
        "mapply(fork(recolor, mostcolor, backdrop), x)", "mapply(fork(recolor, leastcolor, backdrop), x)",
    ]),
    (Objects, None, Objects, &[
        "sizefilter(x, ONE)", "difference(x, sizefilter(x, ONE))",
        "remove(argmax(x, size), x)", "remove(argmin(x, size), x)",
        "sfilter(x, matcher(size, valmax(x, size)))", "sfilter(x, matcher(size, valmin(x, size)))",
        "colorfilter(x, COLOR)", "sfilter(x, square)", "sfilter(x, compose(flip, square))",
        "sfilter(x, hline)", "sfilter(x, vline)", "sfilter(x, portrait)", "sfilter(x, compose(flip, portrait))",
        "sfilter(x, rbind(bordering, I))", "sfilter(x, compose(flip, rbind(bordering, I)))",
        "sfilter(x, matcher(numcolors, ONE))", "sfilter(x, compose(flip, matcher(numcolors, ONE)))",
        "apply(normalize, x)", "apply(hmirror, x)", "apply(vmirror, x)", "apply(dmirror, x)", "apply(cmirror, x)",
    ]),
    (Objects, None, Indices, &[
        "mapply(backdrop, x)", "mapply(box, x)", "mapply(inbox, x)", "mapply(outbox, x)", "mapply(delta, x)",
        "mapply(corners, x)", "mapply(compose(hfrontier, center), x)", "mapply(compose(vfrontier, center), x)",
        "mapply(compose(neighbors, center), x)", "mapply(compose(dneighbors, center), x)", "mapply(compose(ineighbors, center), x)",
    ]),
    (Objects, None, Grids, &[
        "apply(rbind(subgrid, I), x)", "apply(rbind(subgrid, I), order(x, size))",
        "apply(rbind(subgrid, I), order(x, leftmost))", "apply(rbind(subgrid, I), order(x, uppermost))",
    ]),
    (Grids, None, Grid, &[
        "first(x)", "last(x)", "argmax(x, numcolors)", "argmin(x, numcolors)", "argmax(x, size)",
        "argmax(x, compose(size, foreground))", "argmin(x, compose(size, foreground))",
        "mostcommon_f(x)", "leastcommon_f(x)", "argmax(x, rbind(colorcount, COLOR))", "argmin(x, rbind(colorcount, COLOR))",
        "extract(x, fork(equality, identity, vmirror))", "extract(x, fork(equality, identity, hmirror))",
        "extract(x, compose(flip, fork(equality, identity, vmirror)))",
        "extract(x, compose(flip, fork(equality, identity, hmirror)))",
        "merge(x)", "dmirror(merge(apply(dmirror, x)))",
    ]),
    (Grids, None, Object, &["mapply(foreground, x)"]),
    (Grids, None, Grids, &[
        "apply(hmirror, x)", "apply(vmirror, x)", "apply(dmirror, x)", "dedupe(x)", "order(x, numcolors)",
        "order(x, compose(size, foreground))", "sfilter(x, foreground)",
    ]),
    (Object, None, Grid, &["subgrid(x, I)", "paint(canvas(BLACK, shape(x)), normalize(x))", "paint(canvas(BLACK, shape(I)), x)", "tile(x, W)", "mirrortile(x, W)", "tile(x, I)", "mirrortile(x, I)"]),
    (Object, None, Object, &[
        "hmirror(x)", "vmirror(x)", "dmirror(x)", "cmirror(x)", "normalize(x)",
        "shift(x, RIGHT)", "shift(x, LEFT)", "shift(x, DOWN)", "shift(x, UP)",
        "shift(x, tojvec(width(x)))", "shift(x, toivec(height(x)))",
        "shift(x, tojvec(invert(width(x))))", "shift(x, toivec(invert(height(x))))",
        "toobject(backdrop(x), I)", "toobject(inbox(x), I)", "upscale(x, TWO)", "upscale(x, THREE)",
    ]),
    (Object, None, Indices, &[
        "toindices(x)", "backdrop(x)", "box(x)", "inbox(x)", "outbox(x)", "delta(x)", "corners(x)",
        "hfrontier(center(x))", "vfrontier(center(x))",
        "shoot(center(x), RIGHT)", "shoot(center(x), LEFT)", "shoot(center(x), DOWN)", "shoot(center(x), UP)",
        "shoot(center(x), UNITY)", "shoot(center(x), NEG_UNITY)", "shoot(center(x), UP_RIGHT)", "shoot(center(x), DOWN_LEFT)",
    ]),
    (Object, None, Color, &["mostcolor(x)", "leastcolor(x)"]),
    (Indices, None, Indices, &[
        "backdrop(x)", "box(x)", "inbox(x)", "outbox(x)", "delta(x)", "corners(x)",
        "hmirror(x)", "vmirror(x)", "dmirror(x)", "cmirror(x)",
        "shift(x, RIGHT)", "shift(x, LEFT)", "shift(x, DOWN)", "shift(x, UP)",
        "mapply(neighbors, x)", "mapply(dneighbors, x)", "mapply(ineighbors, x)",
        "mapply(hfrontier, x)", "mapply(vfrontier, x)",
        "mapply(rbind(shoot, RIGHT), x)", "mapply(rbind(shoot, LEFT), x)", "mapply(rbind(shoot, DOWN), x)", "mapply(rbind(shoot, UP), x)",
        "mapply(rbind(shoot, UNITY), x)", "mapply(rbind(shoot, NEG_UNITY), x)", "mapply(rbind(shoot, UP_RIGHT), x)", "mapply(rbind(shoot, DOWN_LEFT), x)",
    ]),
    (Indices, None, Object, &["toobject(x, I)"]),
    (Indices, None, Grid, &["subgrid(x, I)"]),
    (Grid, Some(Color), Indices, &["ofcolor(x, y)"]),
    (Grid, Some(Color), Grid, &["replace(x, y, BLACK)", "fill(x, y, foreground(x))"]),
    (Objects, Some(Color), Objects, &["colorfilter(x, y)"]),
    (Indices, Some(Color), Object, &["recolor(y, x)"]),
    (Indices, Some(Indices), Indices, &["combine(x, y)", "difference(x, y)", "difference(y, x)", "intersection(x, y)"]),
    (Object, Some(Grid), Grid, &["subgrid(x, y)", "paint(y, x)"]),
    (Indices, Some(Grid), Grid, &["subgrid(x, y)"]),
    (Indices, Some(Grid), Object, &["toobject(x, y)"]),
    (Object, Some(Object), Object, &["shift(x, gravitate(x, y))"]),
];

#[cfg(test)]
mod tests {
    use batt_value::{Arena, Caps};

    use super::*;

    /// Returns an expression of a kind, and one that turns its value `r` into a grid.
    fn example(kind: Kind) -> (&'static str, &'static str) {
        match kind {
            Grid => ("trim(I)", "hmirror(r)"),
            Object => ("asobject(I)", "paint(I, r)"),
            Indices => ("asindices(I)", "fill(I, RED, r)"),
            Objects => ("objects(I, T, T, T)", "paint(I, merge(r))"),
            Grids => ("hsplit(I, TWO)", "first(r)"),
            Color => ("mostcolor(I)", "canvas(r, TWO_BY_TWO)"),
        }
    }

    #[test]
    fn every_operation_type_checks() {
        let arena = Arena::new(Caps::STANDARD);
        let all = operations(&[0, 3], &mut Cx::new(&arena, u64::MAX, None)).unwrap();
        assert!(all.len() > 200);
        for operation in all {
            let x = example(operation.takes).0;
            let y = operation.with.map_or("I", |kind| example(kind).0);
            let call = operation.template.write(|hole| {
                match hole {
                    Hole::First => "x",
                    Hole::Second => "y",
                    Hole::Input => "I",
                    Hole::Canvas => "w",
                }
                .to_owned()
            });
            let end = example(operation.gives).1;
            let text = format!(
                "def f(I):\n    s = shape(I)\n    w = canvas(BLACK, s)\n    x = {x}\n    y = {y}\n    r = {call}\n    return {end}\n"
            );
            let parsed = batt_lang::parse(&text);
            assert!(parsed.problems.is_empty(), "{text}{:?}", parsed.problems);
        }
    }

    #[test]
    fn color_stands_for_each_colour() {
        assert_eq!(in_colors("ofcolor(x, COLOR)", &[0, 2]), ["ofcolor(x, BLACK)", "ofcolor(x, RED)"]);
        assert_eq!(in_colors("trim(x)", &[0, 2]), ["trim(x)"]);
    }
}
