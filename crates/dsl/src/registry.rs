//! The table of all primitives, read off their declarations.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use batt_value::{ContentHash, Fail, Symbol, Value};

use crate::sig::{Cost, Infer, Ty};
use crate::{Cx, constants};

/// All primitives. Built once, on first use.
pub fn registry() -> &'static Registry {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::new);
    &REGISTRY
}

/// A primitive's symbol by its name or alias.
pub fn symbol(name: &str) -> Option<&'static Symbol> {
    registry().get(name).map(|primitive| &primitive.symbol)
}

/// A hash over names, signatures and meaning numbers: what a cached result depends on besides its program.
pub fn version() -> ContentHash {
    static VERSION: LazyLock<ContentHash> = LazyLock::new(|| {
        let rows = registry().iter().map(|primitive| {
            format!("{} {} {}\n", primitive.signature(), primitive.meaning, primitive.aliases.join(" "))
        });
        let constants = constants().iter().map(|constant| format!("{} {}\n", constant.name, constant.value));
        ContentHash::of(rows.chain(constants).collect::<String>().as_bytes())
    });
    *VERSION
}

/// How to run each primitive, by the id of its symbol.
pub type Table = [Entry];

/// The same table, with a recorder told of every call.
pub fn traced(table: &'static Table) -> Vec<Entry> {
    table.iter().map(|entry| Entry { kernel: Some(Kernel::Traced(entry)), ..*entry }).collect()
}

/// How to run one primitive.
#[derive(Clone, Copy)]
pub struct Entry {
    pub cost: Cost,
    pub body: Body,
    /// A faster way for common arguments.
    pub kernel: Option<Kernel>,
}

pub struct Registry {
    table: Vec<Entry>,
    /// By name; `Symbol::id` is the place in this list.
    primitives: Vec<Primitive>,
    names: BTreeMap<&'static str, usize>,
}

impl Registry {
    fn new() -> Registry {
        let rows =
            crate::family::ALL.iter().flat_map(|family| family.rows.iter().map(move |row| (*family, *row)));
        let mut rows: Vec<_> = rows.collect();
        rows.sort_by_key(|(_, row)| row.name);
        let primitives: Vec<_> = rows
            .into_iter()
            .enumerate()
            .map(|(id, (family, row))| {
                let (types, result) = (row.types)();
                let symbol = Symbol { id: id as u16, arity: row.params.len() as u8, name: row.name };
                Primitive { symbol, family, types, result, row }
            })
            .collect();
        let mut names = BTreeMap::new();
        for (id, primitive) in primitives.iter().enumerate() {
            for name in std::iter::once(&primitive.row.name).chain(primitive.row.aliases) {
                let taken = names.insert(*name, id);
                assert!(taken.is_none(), "two primitives are called {name}");
            }
        }
        let table = primitives.iter().map(|it| Entry { cost: it.row.cost, body: it.row.body, kernel: None });
        Registry { table: table.collect(), primitives, names }
    }

    /// The bodies, without kernels.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// By name or alias.
    pub fn get(&self, name: &str) -> Option<&Primitive> {
        self.names.get(name).map(|&id| &self.primitives[id])
    }

    pub fn by_symbol(&self, symbol: &Symbol) -> &Primitive {
        &self.primitives[symbol.id as usize]
    }

    /// In alphabetical order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Primitive> {
        self.primitives.iter()
    }

    /// All names and aliases, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.names.keys().copied()
    }

    /// The families in the order of the manual, each with its primitives in the order of its file.
    pub fn families(&self) -> impl Iterator<Item = (&'static Family, Vec<&Primitive>)> {
        crate::family::ALL.iter().map(|family| {
            let members = family.rows.iter().map(|row| self.get(row.name).expect("every row is registered"));
            (*family, members.collect())
        })
    }
}

/// One primitive: its declaration and its place in the registry.
pub struct Primitive {
    pub symbol: Symbol,
    pub family: &'static Family,
    pub types: Vec<Ty>,
    pub result: Ty,
    row: &'static Row,
}

impl std::ops::Deref for Primitive {
    type Target = Row;

    fn deref(&self) -> &Row {
        self.row
    }
}

impl Primitive {
    /// `rot90(grid: Grid) -> Grid`
    pub fn signature(&self) -> String {
        let params: Vec<_> =
            self.params.iter().zip(&self.types).map(|(name, ty)| format!("{name}: {ty}")).collect();
        format!("{}({}) -> {}", self.name, params.join(", "), self.result)
    }

    /// The place of a parameter, by its name or by another name it goes by.
    pub fn param(&self, name: &str) -> Option<usize> {
        let name = self.keywords.iter().find(|(new, _)| *new == name).map_or(name, |(_, old)| old);
        self.params.iter().position(|param| *param == name)
    }

    /// The first sentence of the docs.
    pub fn summary(&self) -> &'static str {
        let first = self.docs.split("\n\n").next().unwrap_or_default();
        first.split_once(". ").map_or(first, |(sentence, _)| sentence).trim().trim_end_matches('.')
    }

    /// The docs without the examples.
    pub fn prose(&self) -> String {
        let mut prose = String::new();
        let mut inside = false;
        for line in self.docs.lines() {
            match line.trim() {
                "```arc" => inside = true,
                "```" if inside => inside = false,
                _ if inside => {}
                _ => {
                    prose.push_str(line);
                    prose.push('\n');
                }
            }
        }
        prose.trim().to_owned()
    }

    /// The lines of the examples: `call = value` or `call ! Failure`.
    pub fn examples(&self) -> impl Iterator<Item = &'static str> {
        let mut inside = false;
        self.docs.lines().filter(move |line| match line.trim() {
            "```arc" => {
                inside = true;
                false
            }
            "```" => {
                inside = false;
                false
            }
            line => inside && !line.is_empty(),
        })
    }
}

/// What `#[primitive]` reads off a function.
pub struct Row {
    pub name: &'static str,
    pub params: &'static [&'static str],
    pub(crate) types: fn() -> (Vec<Ty>, Ty),
    /// Whether every call with arguments of the declared types has a value.
    pub total: bool,
    pub docs: &'static str,
    pub cost: Cost,
    /// Whether the result depends on the order in which sets iterate.
    pub order_sensitive: bool,
    pub aliases: &'static [&'static str],
    /// Other names of parameters: (other, own).
    pub keywords: &'static [(&'static str, &'static str)],
    pub infer: Infer,
    /// Raised by hand when the meaning changes.
    pub meaning: u32,
    pub body: Body,
}

type Res<'a> = Result<Value<'a>, Fail>;

/// The implementation, by number of arguments.
#[derive(Clone, Copy)]
pub enum Body {
    F1(for<'a> fn(&mut Cx<'a>, Value<'a>) -> Res<'a>),
    F2(for<'a> fn(&mut Cx<'a>, Value<'a>, Value<'a>) -> Res<'a>),
    F3(for<'a> fn(&mut Cx<'a>, Value<'a>, Value<'a>, Value<'a>) -> Res<'a>),
    F4(for<'a> fn(&mut Cx<'a>, Value<'a>, Value<'a>, Value<'a>, Value<'a>) -> Res<'a>),
}

type Known<'a> = Option<Res<'a>>;

/// A faster implementation for some arguments: `None` sends the others to the body. It answers, fails and charges
/// as the body does; what the [`Cost`] says is charged outside, for both.
///
/// A *quick* kernel is asked before anything is charged, pays the whole cost itself ([`Cx::spend`]) and answers in
/// registers; all else, failures included, it leaves to the body.
#[derive(Clone, Copy)]
pub enum Kernel {
    Q1(for<'a> fn(&mut Cx<'a>, Value<'a>) -> Option<Value<'a>>),
    Q2(for<'a> fn(&mut Cx<'a>, Value<'a>, Value<'a>) -> Option<Value<'a>>),
    K1(for<'a> fn(&mut Cx<'a>, Value<'a>) -> Known<'a>),
    K2(for<'a> fn(&mut Cx<'a>, Value<'a>, Value<'a>) -> Known<'a>),
    K3(for<'a> fn(&mut Cx<'a>, Value<'a>, Value<'a>, Value<'a>) -> Known<'a>),
    K4(for<'a> fn(&mut Cx<'a>, Value<'a>, Value<'a>, Value<'a>, Value<'a>) -> Known<'a>),
    /// None of these: a recorder is told of the call, which then goes by the entry.
    Traced(&'static Entry),
}

/// A chapter of the manual: one file of primitives.
pub struct Family {
    pub name: &'static str,
    pub docs: &'static str,
    pub(crate) rows: &'static [&'static Row],
}

/// The table of contents at the top of a family's file.
macro_rules! family {
    ($(#[doc = $doc:literal])* $name:ident: $($primitive:ident),* $(,)?) => {
        pub(super) static FAMILY: $crate::registry::Family = $crate::registry::Family {
            name: stringify!($name),
            docs: concat!($($doc, "\n"),*),
            rows: &[$(&$primitive::ROW),*],
        };
    };
}
pub(crate) use family;
