//! The input placed on a canvas of the output's size.

use super::{Inside, Passage, surcharge};
use crate::code::{Code, Expr};
use crate::option::options;
use crate::size::{SizeRule, size_rules};
use crate::{Demos, Image, Rule};

options! {
    /// A place for the input on a larger canvas.
    Placement {
        /// In the top left corner.
        TopLeft = "AT_TOP_LEFT",
        /// In the bottom left corner.
        BottomLeft = "AT_BOTTOM_LEFT",
        /// In the top right corner.
        TopRight = "AT_TOP_RIGHT",
        /// In the bottom right corner.
        BottomRight = "AT_BOTTOM_RIGHT",
        /// In the centre.
        Centre = "AT_CENTRE",
        /// In the centre, its edges drawn out.
        CentreSpread = "SPREAD_CENTRE",
        /// Tiled.
        Tiled = "TILED",
        /// Enlarged.
        Enlarged = "SCALED",
        /// Tiled, every second tile mirrored.
        MirrorTiled = "MIRROR_TILED",
        /// A block of the input's size for every cell.
        Blocks = "IN_BLOCKS",
        /// In the top left corner, its edges drawn out.
        TopLeftSpread = "SPREAD_TOP_LEFT",
    }
}

/// A placement with the rule for the size of the canvas.
struct Canvas {
    placement: Placement,
    size: SizeRule,
}

impl Placement {
    const fn words(self) -> &'static str {
        match self {
            Placement::TopLeft => "the input in the top left corner",
            Placement::BottomLeft => "the input in the bottom left corner",
            Placement::TopRight => "the input in the top right corner",
            Placement::BottomRight => "the input in the bottom right corner",
            Placement::Centre => "the input in the centre",
            Placement::CentreSpread => "the input in the centre, its edges drawn out",
            Placement::Tiled => "the input tiled",
            Placement::Enlarged => "the input enlarged",
            Placement::MirrorTiled => "the input mirror-tiled",
            Placement::Blocks => "a block for every cell of the input",
            Placement::TopLeftSpread => "the input in the top left corner, its edges drawn out",
        }
    }

    fn place(self, g: &Image, h: usize, w: usize) -> Option<Image> {
        let (gh, gw) = (g.h, g.w);
        if h < gh || w < gw {
            return None;
        }
        let ground = g.background();
        let (down, right) = ((h - gh) as i32, (w - gw) as i32);
        let at = |y: i32, x: i32| match g.get(y, x) {
            color if color > 9 => ground,
            color => color,
        };
        let shifted = |dy: i32, dx: i32| Image::from_fn(h, w, |y, x| at(y as i32 - dy, x as i32 - dx));
        let spread = |dy: i32, dx: i32| {
            let clamp = |v: i32, n: usize| v.clamp(0, n as i32 - 1) as usize;
            Image::from_fn(h, w, |y, x| g.at(clamp(y as i32 - dy, gh), clamp(x as i32 - dx, gw)))
        };
        let folded = |i: usize, n: usize| if i % (2 * n) < n { i % n } else { n - 1 - i % n };
        Some(match self {
            Placement::TopLeft => shifted(0, 0),
            Placement::BottomLeft => shifted(down, 0),
            Placement::TopRight => shifted(0, right),
            Placement::BottomRight => shifted(down, right),
            Placement::Centre => shifted(down / 2, right / 2),
            Placement::CentreSpread => spread(down / 2, right / 2),
            Placement::Tiled => Image::from_fn(h, w, |y, x| g.at(y % gh, x % gw)),
            Placement::Enlarged => {
                if !h.is_multiple_of(gh) || !w.is_multiple_of(gw) {
                    return None;
                }
                Image::from_fn(h, w, |y, x| g.at(y / (h / gh), x / (w / gw)))
            }
            Placement::MirrorTiled => Image::from_fn(h, w, |y, x| g.at(folded(y, gh), folded(x, gw))),
            Placement::Blocks => Image::from_fn(h, w, |y, x| g.at((y / gh) % gh, (x / gw) % gw)),
            Placement::TopLeftSpread => spread(0, 0),
        })
    }

    pub(super) fn fit(self, demos: &Demos) -> Option<Inside> {
        let grows = demos.pairs().iter().all(|(i, o)| o.h >= i.h && o.w >= i.w);
        if !grows || demos.same_size() {
            return None;
        }
        let size = size_rules(demos).into_iter().next()?;
        let inputs: Vec<Image> = demos
            .pairs()
            .iter()
            .map(|(input, output)| self.place(input, output.h, output.w))
            .collect::<Option<_>>()?;
        let pairs = inputs.into_iter().zip(demos.outputs().cloned()).collect();
        let words = format!("{}; {}", size.words(), self.words());
        Inside::new(pairs, surcharge::CANVAS + size.surcharge(), words, Canvas { placement: self, size })
    }

    /// A grid on a canvas of a size, given as a pair, in the language.
    fn code(self, code: &mut Code, grid: &Expr, size: &Expr) -> Option<Expr> {
        let room = |code: &mut Code| code.line(format!("subtract({size}, shape({grid}))"));
        let offset = match self {
            Placement::TopLeft => "ORIGIN".to_owned(),
            Placement::BottomLeft => format!("astuple(first({}), ZERO)", room(code)),
            Placement::TopRight => format!("astuple(ZERO, last({}))", room(code)),
            Placement::BottomRight => room(code).to_string(),
            Placement::Centre => format!("halve({})", room(code)),
            Placement::Tiled | Placement::Enlarged => {
                let factor = code.line(format!("divide({size}, shape({grid}))"));
                return Some(if self == Placement::Enlarged {
                    code.line(format!("vupscale(hupscale({grid}, last({factor})), first({factor}))"))
                } else {
                    let column = format!("merge(repeat({grid}, first({factor})))");
                    code.line(format!("dmirror(merge(repeat(dmirror({column}), last({factor}))))"))
                });
            }
            _ => return None,
        };
        let canvas = code.template(&format!("canvas(B, {size})"), grid);
        Some(code.line(format!("paint({canvas}, shift(asobject({grid}), {offset}))")))
    }
}

impl Passage for Canvas {
    fn enter(&self, input: &Image) -> Option<Vec<Image>> {
        let (h, w) = self.size.of(input)?;
        Some(vec![self.placement.place(input, h, w)?])
    }

    fn leave(&self, _: &Image, answers: Vec<Image>) -> Option<Image> {
        answers.into_iter().next()
    }

    fn code(&self, code: &mut Code, input: &Expr, rule: &Rule) -> Option<Expr> {
        let size = self.size.code(code, input)?;
        let canvas = self.placement.code(code, input, &size)?;
        rule.code(code, &canvas)
    }
}
