//! Features of objects in the language.

use super::ObjectFeature;
use crate::code::{Code, Expr, compare, number};
use crate::feature::Test;
use crate::view::HOLES;

impl ObjectFeature {
    /// Those of a set of objects on which a test holds.
    pub(crate) fn filter<F>(
        self,
        objects: &Expr,
        test: &Test<F>,
        code: &mut Code,
        grid: &Expr,
    ) -> Option<Expr> {
        let predicate = match (self, test.value) {
            (ObjectFeature::Color, color) => {
                return Some(code.line(format!("colorfilter({objects}, {})", number(color.into()))));
            }
            (ObjectFeature::Size, size) if !test.at_least => {
                return Some(code.line(format!("sizefilter({objects}, {})", number(size.into()))));
            }
            (ObjectFeature::RankBySize, rank) => return by_rank(objects, rank, code),
            _ => match self.number(objects, code, grid) {
                Some(figure) => compare(test.value, test.at_least, &figure),
                None => {
                    let flag = self.flag(objects, code, grid)?;
                    if test.value == 1 { flag } else { format!("compose(flip, {flag})") }
                }
            },
        };
        Some(code.line(format!("sfilter({objects}, {predicate})")))
    }

    /// The function from an object to a number.
    fn number(self, objects: &Expr, code: &mut Code, grid: &Expr) -> Option<String> {
        Some(match self {
            ObjectFeature::Size => "size".to_owned(),
            ObjectFeature::Height => "height".to_owned(),
            ObjectFeature::Width => "width".to_owned(),
            ObjectFeature::Colors => "numcolors".to_owned(),
            ObjectFeature::Holes => {
                let holes = code.template(HOLES, grid);
                format!("chain(size, lbind(sfilter, {holes}), lbind(lbind, adjacent))")
            }
            ObjectFeature::SameShape => {
                let shapes = code.line(format!("apply({SHAPE}, totuple({objects}))"));
                format!("chain(size, lbind(sfilter, {shapes}), compose(lbind(lbind, equality), {SHAPE}))")
            }
            ObjectFeature::SameColor => {
                format!("chain(size, lbind(colorfilter, {objects}), color)")
            }
            _ => return None,
        })
    }

    /// The function from an object to a truth value.
    fn flag(self, objects: &Expr, code: &mut Code, grid: &Expr) -> Option<String> {
        let extreme = |which: &str, of: &str| format!("matcher({of}, {which}({objects}, {of}))");
        let symmetric = |mirror: &str| format!("fork(equality, toindices, compose(toindices, {mirror}))");
        Some(match self {
            ObjectFeature::Largest => extreme("valmax", "size"),
            ObjectFeature::Smallest => extreme("valmin", "size"),
            ObjectFeature::Topmost => extreme("valmin", "uppermost"),
            ObjectFeature::Bottommost => extreme("valmax", "lowermost"),
            ObjectFeature::Leftmost => extreme("valmin", "leftmost"),
            ObjectFeature::Rightmost => extreme("valmax", "rightmost"),
            ObjectFeature::MostColors => extreme("valmax", "numcolors"),
            ObjectFeature::Square => "fork(equality, height, width)".to_owned(),
            ObjectFeature::Tall => "portrait".to_owned(),
            ObjectFeature::FillsBox => "fork(equality, size, fork(multiply, height, width))".to_owned(),
            ObjectFeature::LeftRightSymmetric => symmetric("vmirror"),
            ObjectFeature::UpDownSymmetric => symmetric("hmirror"),
            ObjectFeature::DiagonallySymmetric => {
                format!("fork(either, {}, {})", symmetric("dmirror"), symmetric("cmirror"))
            }
            ObjectFeature::TouchesBorder => format!("rbind(bordering, {grid})"),
            ObjectFeature::OddSize => "compose(flip, compose(even, size))".to_owned(),
            ObjectFeature::UniqueColor => {
                format!("matcher(chain(size, lbind(colorfilter, {objects}), color), ONE)")
            }
            ObjectFeature::UniqueSize => {
                format!("matcher(chain(size, lbind(sizefilter, {objects}), size), ONE)")
            }
            ObjectFeature::UniqueShape => {
                let same = ObjectFeature::SameShape.number(objects, code, grid)?;
                format!("matcher({same}, ONE)")
            }
            ObjectFeature::CommonestShape => {
                let shapes = code.line(format!("apply({SHAPE}, totuple({objects}))"));
                format!("matcher({SHAPE}, mostcommon({shapes}))")
            }
            _ => return None,
        })
    }
}

/// The shape of an object, wherever it lies.
const SHAPE: &str = "compose(toindices, normalize)";

/// The objects of the largest size, the second largest, and so on.
fn by_rank(objects: &Expr, rank: u8, code: &mut Code) -> Option<Expr> {
    let mut rest = objects.clone();
    for _ in 0..rank {
        let largest = code.line(format!("sizefilter({rest}, valmax({rest}, size))"));
        rest = code.line(format!("difference({rest}, {largest})"));
    }
    Some(code.line(format!("sizefilter({rest}, valmax({rest}, size))")))
}
