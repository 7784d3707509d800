//! The table of all primitives, derived from their declarations.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use batt_learn::OptionDoc;
use batt_value::{ContentHash, Fail, Symbol, Value};

use crate::sig::{Cost, Infer, Ty};
use crate::{Cx, constants};

/// Returns all primitives. The registry is built once, on first use.
pub fn registry() -> &'static Registry {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::new);
    &REGISTRY
}

/// Returns a primitive's symbol by its name or alias.
pub fn symbol(name: &str) -> Option<&'static Symbol> {
    registry().get(name).map(|primitive| &primitive.symbol)
}

/// Returns a hash of all signatures, meaning numbers and aliases. Cached results are valid for one version.
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

/// Returns the table with kernels that report every call to a recorder.
pub fn traced(table: &'static Table) -> Vec<Entry> {
    table.iter().map(|entry| Entry { kernel: Some(Kernel::Traced(entry)), ..*entry }).collect()
}

/// How to run one primitive.
#[derive(Clone, Copy)]
pub struct Entry {
    pub cost: Cost,
    pub body: Body,
    /// A faster implementation for common arguments.
    pub kernel: Option<Kernel>,
}

pub struct Registry {
    table: Vec<Entry>,
    /// Sorted by name; `Symbol::id` is the index in this list.
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
                let previous = names.insert(*name, id);
                assert!(previous.is_none(), "two primitives are called {name}");
            }
        }
        let table = primitives.iter().map(|it| Entry { cost: it.row.cost, body: it.row.body, kernel: None });
        Registry { table: table.collect(), primitives, names }
    }

    /// Returns the table of bodies, without kernels.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Returns a primitive by its name or alias.
    pub fn get(&self, name: &str) -> Option<&Primitive> {
        self.names.get(name).map(|&id| &self.primitives[id])
    }

    pub fn by_symbol(&self, symbol: &Symbol) -> &Primitive {
        &self.primitives[symbol.id as usize]
    }

    /// Iterates over all primitives in alphabetical order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Primitive> {
        self.primitives.iter()
    }

    /// Iterates over all names and aliases in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.names.keys().copied()
    }

    /// Iterates over the families in the order of the manual, each with its primitives in the order of its
    /// file.
    pub fn families(&self) -> impl Iterator<Item = (&'static Family, Vec<&Primitive>)> {
        crate::family::ALL.iter().map(|family| {
            let members = family.rows.iter().map(|row| self.get(row.name).expect("every row is registered"));
            (*family, members.collect())
        })
    }
}

/// One primitive: its declaration and its symbol in the registry.
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
    /// Returns the signature, such as `rot90(grid: Grid) -> Grid`.
    pub fn signature(&self) -> String {
        let params: Vec<_> =
            self.params.iter().zip(&self.types).map(|(name, ty)| format!("{name}: {ty}")).collect();
        format!("{}({}) -> {}", self.name, params.join(", "), self.result)
    }

    /// Returns the constants that its option may be, each with its meaning; empty if it has no option.
    pub fn options(&self) -> Vec<OptionDoc> {
        batt_learn::options_of(self.name)
    }

    /// Returns the index of a parameter by its name or an alternative keyword.
    pub fn param(&self, name: &str) -> Option<usize> {
        let name = self.keywords.iter().find(|(new, _)| *new == name).map_or(name, |(_, old)| old);
        self.params.iter().position(|param| *param == name)
    }

    /// Returns the first sentence of the docs.
    pub fn summary(&self) -> &'static str {
        let first = self.docs.split("\n\n").next().unwrap_or_default();
        first.split_once(". ").map_or(first, |(sentence, _)| sentence).trim().trim_end_matches('.')
    }

    /// Returns the docs without the examples.
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

    /// Iterates over the lines of the examples: `call = value` or `call ! Failure`.
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

/// The declaration that `#[primitive]` derives from a function.
pub struct Row {
    pub name: &'static str,
    pub params: &'static [&'static str],
    pub(crate) types: fn() -> (Vec<Ty>, Ty),
    /// Whether every call with arguments of the declared types succeeds.
    pub total: bool,
    pub docs: &'static str,
    pub cost: Cost,
    /// Whether the result depends on the order in which sets iterate.
    pub order_sensitive: bool,
    pub aliases: &'static [&'static str],
    /// Alternative names of parameters: (alternative, declared).
    pub keywords: &'static [(&'static str, &'static str)],
    pub infer: Infer,
    /// Increased by hand when the meaning changes.
    pub meaning: u32,
    pub body: Body,
}

type Res<'a> = Result<Value<'a>, Fail>;

/// The implementation of a primitive, by number of arguments.
#[derive(Clone, Copy)]
pub enum Body {
    F1(for<'a> fn(&mut Cx<'a>, Value<'a>) -> Res<'a>),
    F2(for<'a> fn(&mut Cx<'a>, Value<'a>, Value<'a>) -> Res<'a>),
    F3(for<'a> fn(&mut Cx<'a>, Value<'a>, Value<'a>, Value<'a>) -> Res<'a>),
    F4(for<'a> fn(&mut Cx<'a>, Value<'a>, Value<'a>, Value<'a>, Value<'a>) -> Res<'a>),
}

type KernelResult<'a> = Option<Res<'a>>;

/// A faster implementation for some arguments. It returns `None` for the others, which the body handles. Its
/// values, failures and charges are those of the body; the [`Cost`] itself is charged by the caller, for
/// both.
///
/// A *quick* kernel (`Q1`, `Q2`) is called before anything is charged. It charges the whole cost itself
/// ([`Cx::spend`]) and returns its result in registers. It leaves everything else, including failures, to the
/// body.
#[derive(Clone, Copy)]
pub enum Kernel {
    Q1(for<'a> fn(&mut Cx<'a>, Value<'a>) -> Option<Value<'a>>),
    Q2(for<'a> fn(&mut Cx<'a>, Value<'a>, Value<'a>) -> Option<Value<'a>>),
    K1(for<'a> fn(&mut Cx<'a>, Value<'a>) -> KernelResult<'a>),
    K2(for<'a> fn(&mut Cx<'a>, Value<'a>, Value<'a>) -> KernelResult<'a>),
    K3(for<'a> fn(&mut Cx<'a>, Value<'a>, Value<'a>, Value<'a>) -> KernelResult<'a>),
    K4(for<'a> fn(&mut Cx<'a>, Value<'a>, Value<'a>, Value<'a>, Value<'a>) -> KernelResult<'a>),
    /// Reports the call to a recorder, then calls the primitive through the entry.
    Traced(&'static Entry),
}

/// A family of primitives: one source file and one chapter of the manual.
pub struct Family {
    pub name: &'static str,
    pub docs: &'static str,
    pub(crate) rows: &'static [&'static Row],
}

/// Declares the family at the top of its file: docs, name and primitives.
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
