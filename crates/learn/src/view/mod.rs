//! Views: transforms of one image into another. Transform rules chain them, cell rules compare with them, and learners
//! may start from them.
//!
//! A view is declared once, in the file of its idea: its name in the language, its words, the function, the same in
//! the language, and what learners use it for.

mod color;
mod crop;
mod fall;
mod fill;
mod motif;
mod object;
mod order;
mod overlay;
mod pick;
mod ray;
mod rectangle;
mod scale;
mod turn;

use std::sync::LazyLock;

use crate::code::{Code, Expr};
use crate::image::{Area, Image, MAX_SIDE};
use crate::{Name, Words};

pub(crate) use crop::grid_cells;
pub(crate) use fill::HOLES;
pub(crate) use object::draw_cells;
pub(crate) use ray::shots;
pub(crate) use scale::tile_code;

type Run = Box<dyn Fn(&Image) -> Option<Image> + Send + Sync>;

/// A transform with a name.
pub(crate) struct View {
    /// The constant of the language that names it.
    pub name: Name,
    pub words: Words,
    run: Run,
    /// The same in the language, with `I` for the grid and `B` for its background: first the simplest text, then more
    /// faithful ones.
    templates: Vec<String>,
    pub use_: Use,
}

/// The purposes for which learners use a view.
#[derive(Clone, Copy, Default)]
pub(crate) struct Use {
    /// Other views and learners may follow it.
    pub step: bool,
    /// Cell rules use it as a feature.
    pub feature: bool,
    /// It belongs to the second, more special part of the list.
    pub special: bool,
    /// Rules for cells may be learned on its result even if it keeps the size.
    pub before_cells: bool,
    /// The same for small rules only.
    pub before_small_rules: bool,
    /// It shows one thing of the image already: selecting from its result brings nothing new.
    pub selected: bool,
}

impl View {
    pub(crate) fn apply(&self, image: &Image) -> Option<Image> {
        (self.run)(image).filter(|view| (1..=MAX_SIDE).contains(&view.h) && (1..=MAX_SIDE).contains(&view.w))
    }
}

/// Identifies a view: its place in the list, which is also the order in which views are tried.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ViewId(u16);

impl ViewId {
    pub(crate) const IDENTITY: ViewId = ViewId(0);

    /// All views, the simplest first; the first is the identity.
    pub fn all() -> impl Iterator<Item = ViewId> {
        (0..views().len() as u16).map(ViewId)
    }

    pub(crate) fn view(self) -> &'static View {
        &views()[usize::from(self.0)]
    }

    pub(crate) fn uses(self) -> Use {
        self.view().use_
    }

    /// Its place in the list, from 0.
    pub(crate) fn place(self) -> usize {
        self.0.into()
    }

    /// Its place among the special views.
    pub(crate) fn special_place(self) -> usize {
        static FIRST: LazyLock<usize> =
            LazyLock::new(|| views().iter().position(|view| view.use_.special).unwrap_or(views().len()));
        self.place() - *FIRST
    }

    /// The constant of the language that names it.
    pub fn name(self) -> Name {
        self.view().name
    }

    pub fn words(self) -> &'static Words {
        &self.view().words
    }

    /// Transforms an image; `None` if the view does not apply to it.
    pub fn apply(self, image: &Image) -> Option<Image> {
        self.view().apply(image)
    }

    /// The view of a grid in the language. Returns `None` if it cannot be said there.
    pub(crate) fn code(self, code: &mut Code, grid: &Expr) -> Option<Expr> {
        let view = self.view();
        if code.is_extended() {
            return Some(code.line(format!("view({grid}, {})", view.name)));
        }
        let template = if code.is_exact() { view.templates.last() } else { view.templates.first() };
        Some(code.template(template?, grid))
    }

    /// The texts that say the same in arc-dsl, with `I` for the grid; for tests.
    #[doc(hidden)]
    pub fn templates(self) -> &'static [String] {
        &self.view().templates
    }
}

pub(crate) fn views() -> &'static [View] {
    static VIEWS: LazyLock<Vec<View>> = LazyLock::new(|| {
        let mut list = List(Vec::new());
        turn::turns(&mut list);
        crop::crops(&mut list);
        scale::sizes(&mut list);
        fall::cells(&mut list);
        fill::holes(&mut list);
        ray::rays_and_lines(&mut list);
        object::objects(&mut list);
        crop::without_lines(&mut list);
        overlay::overlays(&mut list);
        object::without_single_cells(&mut list);
        color::colors(&mut list);
        color::per_color(&mut list);
        pick::selections(&mut list);
        let plain = list.0.len();
        special(&mut list);
        for view in &mut list.0[plain..] {
            view.use_.step = true;
            view.use_.special = true;
        }
        list.0
    });
    &VIEWS
}

/// The views that were added second: they are tried after all others, and cell rules with them are learned apart.
fn special(list: &mut List) {
    let start = list.0.len();
    motif::motifs(list);
    color::swaps(list);
    fill::halos(list);
    fill::boxes(list);
    ray::extended_lines(list);
    fill::enclosed_regions(list);
    object::without_small_objects(list);
    color::smoothed(list);
    order::orders(list);
    fall::slid_to_largest(list);
    ray::first_seen(list);
    motif::alternating(list);
    rectangle::largest(list);
    motif::stripes(list);
    for view in &mut list.0[start..] {
        view.use_.feature = true;
    }
    rectangle::insides(list);
}

/// The list of views under construction.
struct List(Vec<View>);

impl List {
    fn add(
        &mut self,
        name: impl Into<Name>,
        words: impl Into<Words>,
        run: impl Fn(&Image) -> Option<Image> + Send + Sync + 'static,
    ) -> &mut View {
        let (name, words) = (name.into(), words.into());
        self.0.push(View { name, words, run: Box::new(run), templates: Vec::new(), use_: Use::default() });
        self.0.last_mut().expect("just pushed")
    }
}

impl View {
    /// Adds the same in the language; later texts are more faithful than earlier ones.
    fn code(&mut self, template: impl Into<String>) -> &mut View {
        self.templates.push(template.into());
        self
    }

    fn step(&mut self) -> &mut View {
        self.use_.step = true;
        self
    }

    fn step_if(&mut self, step: bool) -> &mut View {
        self.use_.step = step;
        self
    }

    fn feature(&mut self) -> &mut View {
        self.use_.feature = true;
        self
    }

    fn before_cells(&mut self) -> &mut View {
        self.use_.before_cells = true;
        self
    }

    fn before_small_rules(&mut self) -> &mut View {
        self.use_.before_small_rules = true;
        self
    }

    fn selected(&mut self) -> &mut View {
        self.use_.selected = true;
        self
    }
}

/// Calls `visit` for every place of an area, in reading order.
pub(crate) fn each(area: Area, mut visit: impl FnMut(usize, usize)) {
    for y in area.y..area.y + area.h {
        for x in area.x..area.x + area.w {
            visit(y, x);
        }
    }
}

/// The rows and columns given.
fn picked(g: &Image, rows: &[usize], cols: &[usize]) -> Image {
    Image::from_fn(rows.len(), cols.len(), |y, x| g.at(rows[y], cols[x]))
}
