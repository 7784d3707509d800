//! The values of a group of features, and how they are declared.

use std::sync::Arc;

use crate::Words;
use crate::code::{Code, Expr, compare, number};
use crate::feature::{Feature, Kind, Test};
use crate::object::{ObjectFeature, Segmentation};

type Write = Arc<dyn Fn(&mut Code, &Expr) -> Option<Expr> + Send + Sync>;

/// A feature or action in the language, as a function of the grid.
#[derive(Clone)]
pub(crate) enum Written {
    /// A grid of the values.
    Grid(Write),
    /// One colour for all cells.
    Color(u8),
    /// The set of places where a flag is true.
    Mask(Write),
    /// A function from place to number.
    Number(Write),
    /// The number of these sets that hold a place.
    Masks(Vec<Write>),
    /// A feature of the object that holds the cell.
    Object(Segmentation, ObjectFeature),
}

impl Written {
    /// Makes a grid from a template with `I` for the grid and `B` for its background.
    pub(crate) fn grid(template: impl Into<String>) -> Written {
        Written::Grid(write_grid(template))
    }

    pub(crate) fn mask(template: impl Into<String>) -> Written {
        Written::Mask(write_grid(template))
    }

    /// Makes a number from a template of a function.
    pub(crate) fn number(template: impl Into<String>) -> Written {
        Written::Number(write_grid(template))
    }

    /// The places of a grid at which a test holds.
    pub(crate) fn places<F>(&self, test: &Test<F>, code: &mut Code, grid: &Expr) -> Option<Expr> {
        let (value, at_least) = (test.value, test.at_least);
        match self {
            Written::Grid(write) => {
                let values = write(code, grid)?;
                (!at_least).then(|| code.line(format!("ofcolor({values}, {})", number(value.into()))))
            }
            Written::Color(_) => None,
            Written::Mask(write) => {
                let mask = write(code, grid)?;
                Some(if value == 1 {
                    mask
                } else {
                    code.template(&format!("difference(asindices(I), {mask})"), grid)
                })
            }
            Written::Number(write) => {
                let function = write(code, grid)?;
                let predicate = code.line(compare(value, at_least, &function.to_string()));
                Some(code.places(grid, &predicate))
            }
            Written::Masks(masks) => {
                let masks: Vec<Expr> = masks.iter().map(|write| write(code, grid)).collect::<Option<_>>()?;
                let list = masks.iter().map(Expr::to_string).collect::<Vec<_>>().join(", ");
                let list = code.line(format!("({list})"));
                let count = format!("chain(size, lbind(sfilter, {list}), lbind(lbind, contained))");
                let predicate = code.line(compare(value, at_least, &count));
                Some(code.places(grid, &predicate))
            }
            Written::Object(segmentation, feature) => {
                let objects = segmentation.code(code, grid)?;
                let chosen = feature.filter(&objects, test, code, grid)?;
                Some(code.line(format!("toindices(merge({chosen}))")))
            }
        }
    }
}

/// Writes a template.
pub(crate) fn write_grid(template: impl Into<String>) -> Write {
    let template = template.into();
    Arc::new(move |code, grid| Some(code.template(&template, grid)))
}

/// Features and actions with how they are written.
#[derive(Default)]
pub(super) struct Descriptions {
    pub features: Vec<(Feature, Option<Written>)>,
    pub actions: Vec<(Words, Option<Written>)>,
}

/// The values of a group for the cells of one image, column by column.
pub(crate) struct Sheet {
    n: usize,
    pub columns: Vec<Vec<u8>>,
    /// The colour each action would give.
    pub actions: Vec<Vec<u8>>,
    /// Present while a group is described.
    pub(super) descriptions: Option<Descriptions>,
    last: Last,
}

/// The most recent declaration.
#[derive(Clone, Copy)]
enum Last {
    Feature,
    Action,
    Both,
}

impl Sheet {
    pub(super) fn new(n: usize) -> Sheet {
        Sheet { n, columns: Vec::new(), actions: Vec::new(), descriptions: None, last: Last::Feature }
    }

    /// A sheet that keeps the descriptions too.
    pub(super) fn describing(n: usize) -> Sheet {
        Sheet { descriptions: Some(Descriptions::default()), ..Sheet::new(n) }
    }

    pub(super) fn column<W: Into<Words>>(
        &mut self,
        kind: Kind,
        weight: f64,
        words: impl FnOnce() -> W,
        values: Vec<u8>,
    ) -> &mut Sheet {
        debug_assert_eq!(values.len(), self.n);
        self.columns.push(values);
        if let Some(descriptions) = &mut self.descriptions {
            descriptions.features.push((Feature::new(kind, weight, words()), None));
        }
        self.last = Last::Feature;
        self
    }

    /// A colour that may be copied.
    pub(super) fn action<W: Into<Words>>(
        &mut self,
        words: impl FnOnce() -> W,
        values: Vec<u8>,
    ) -> &mut Sheet {
        self.actions.push(values);
        if let Some(descriptions) = &mut self.descriptions {
            descriptions.actions.push((words().into(), None));
        }
        self.last = Last::Action;
        self
    }

    /// A colour that may be tested and copied.
    pub(super) fn color<W: Into<Words>>(
        &mut self,
        weight: f64,
        words: impl Fn() -> W,
        values: Vec<u8>,
    ) -> &mut Sheet {
        self.action(&words, values.clone());
        self.column(Kind::Color, weight, words, values);
        self.last = Last::Both;
        self
    }

    pub(super) fn flag<W: Into<Words>>(
        &mut self,
        weight: f64,
        words: impl FnOnce() -> W,
        values: Vec<u8>,
    ) -> &mut Sheet {
        self.column(Kind::Flag, weight, words, values)
    }

    pub(super) fn count<W: Into<Words>>(
        &mut self,
        weight: f64,
        words: impl FnOnce() -> W,
        values: Vec<u8>,
    ) -> &mut Sheet {
        self.column(Kind::Count, weight, words, values)
    }

    /// Says how the last declared feature or action is written in the language.
    pub(super) fn code(&mut self, written: impl FnOnce() -> Written) {
        let Some(descriptions) = &mut self.descriptions else { return };
        let written = written();
        if matches!(self.last, Last::Feature | Last::Both)
            && let Some(feature) = descriptions.features.last_mut()
        {
            feature.1 = Some(written.clone());
        }
        if matches!(self.last, Last::Action | Last::Both)
            && let Some(action) = descriptions.actions.last_mut()
        {
            action.1 = Some(written);
        }
    }
}
