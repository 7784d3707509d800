//! An image laid over its own turns, and put together from them.

use super::List;
use crate::image::{Image, MAX_SIDE, Symmetry};

/// The coloured cells of a grid, in the language.
const COLORED: &str = "sfilter(asobject(I), compose(flip, matcher(first, ZERO)))";

pub(super) fn overlays(list: &mut List) {
    for (k, &symmetry) in Symmetry::ALL[1..6].iter().enumerate() {
        list.add(
            format!("OVER_{}", symmetry.name()),
            format!("laid over itself {}", symmetry.words()),
            move |g| {
                let turned = g.turned(symmetry);
                turned.same_size(g).then(|| g.over(&turned))
            },
        )
        .feature()
        .before_cells()
        .step_if(k < 3)
        .code(format!("paint({}(I), {COLORED})", symmetry.primitive()));
    }
    let stacked = |symmetries: &[Symmetry]| {
        let colored = |symmetry: &Symmetry| match symmetry {
            Symmetry::Identity => COLORED.to_owned(),
            turned => COLORED.replace('I', &format!("{}(I)", turned.primitive())),
        };
        let bottom = symmetries.last().map_or_else(String::new, |s| format!("{}(I)", s.primitive()));
        let rest = symmetries.iter().rev().skip(1);
        rest.fold(bottom, |below, symmetry| format!("paint({below}, {})", colored(symmetry)))
    };
    list.add("OVER_ALL_TURNS", "laid over all its turns", |g| {
        let turns = if g.h == g.w { &Symmetry::ALL[1..] } else { &Symmetry::SIZE_KEEPING[1..] };
        Some(turns.iter().fold(g.clone(), |all, &symmetry| all.over(&g.turned(symmetry))))
    })
    .step()
    .feature()
    .before_cells()
    .code(stacked(&Symmetry::SIZE_KEEPING))
    .code(stacked(&Symmetry::ALL));
    list.add("FOUR_TURNS", "its four turns in a square", |g| {
        let n = g.h;
        let quarters =
            [Symmetry::Identity, Symmetry::Clockwise, Symmetry::Counterclockwise, Symmetry::HalfTurn]
                .map(|symmetry| g.turned(symmetry));
        (g.h == g.w && 2 * n <= MAX_SIDE)
            .then(|| Image::from_fn(2 * n, 2 * n, |y, x| quarters[y / n * 2 + x / n].at(y % n, x % n)))
    })
    .code("vconcat(hconcat(I, rot90(I)), hconcat(rot270(I), rot180(I)))");
    list.add("ITSELF_IN_CELLS", "itself in each of its coloured cells", |g| {
        (g.h * g.h <= MAX_SIDE && g.w * g.w <= MAX_SIDE).then(|| {
            Image::from_fn(g.h * g.h, g.w * g.w, |y, x| {
                if g.at(y / g.h, x / g.w) != 0 { g.at(y % g.h, x % g.w) } else { 0 }
            })
        })
    })
    .code(
        "fill(dmirror(merge(repeat(dmirror(merge(repeat(I, height(I)))), width(I)))), ZERO, \
         ofcolor(vupscale(hupscale(I, width(I)), height(I)), ZERO))",
    );
}
