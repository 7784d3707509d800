//! Compares every kernel with the body of its primitive: the same value and failure for the same fuel.

use batt_dsl::{Cx, Kernel, registry, symbol};
use batt_exec::kernel::{kernels, table};
use batt_value::{Arena, Caps, Fail, Op, Owned, Value};
use proptest::prelude::*;

/// A value as a plain tree, to be built in an arena.
#[derive(Clone, Debug)]
enum Tree {
    Bool(bool),
    Int(i64),
    Tuple(Vec<Tree>),
    Set(Vec<Tree>),
    Prim(&'static str),
    Func(Op, Vec<Tree>),
}

impl Tree {
    fn build<'a>(&self, arena: &'a Arena) -> Result<Value<'a>, Fail> {
        let all = |trees: &[Tree]| trees.iter().map(|tree| tree.build(arena)).collect::<Result<Vec<_>, _>>();
        match self {
            Tree::Bool(bool) => Ok((*bool).into()),
            Tree::Int(int) => Ok(Value::Int(*int)),
            Tree::Tuple(items) => arena.tuple(&all(items)?),
            Tree::Set(items) => arena.set(&all(items)?),
            Tree::Prim(name) => Ok(Value::Prim(symbol(name).unwrap())),
            Tree::Func(op, captured) => arena.closure(*op, &all(captured)?),
        }
    }
}

fn ints(range: std::ops::Range<i64>) -> BoxedStrategy<Tree> {
    range.prop_map(Tree::Int).boxed()
}

fn place(spread: i64) -> BoxedStrategy<Tree> {
    (-spread..spread, -spread..spread)
        .prop_map(|(i, j)| Tree::Tuple(vec![Tree::Int(i), Tree::Int(j)]))
        .boxed()
}

fn cell(spread: i64, colors: std::ops::Range<i64>) -> BoxedStrategy<Tree> {
    (colors, place(spread)).prop_map(|(color, place)| Tree::Tuple(vec![Tree::Int(color), place])).boxed()
}

fn grid(colors: std::ops::Range<i64>, side: usize) -> BoxedStrategy<Tree> {
    (1..=side, 1..=side)
        .prop_flat_map(move |(height, width)| {
            let row = prop::collection::vec(colors.clone().prop_map(Tree::Int), width).prop_map(Tree::Tuple);
            prop::collection::vec(row, height).prop_map(Tree::Tuple)
        })
        .boxed()
}

/// Places in a few rows, too far apart for the words of a patch but close enough for a bitmap.
fn band() -> BoxedStrategy<Vec<Tree>> {
    let place = (-3i64..3, -90i64..90).prop_map(|(i, j)| Tree::Tuple(vec![Tree::Int(i), Tree::Int(j)]));
    prop::collection::vec(place, 12..60).boxed()
}

/// Mostly arguments that kernels handle, sometimes ones that they must leave to the body.
fn arguments() -> BoxedStrategy<Tree> {
    let indices = |spread, n| prop::collection::vec(place(spread), 0..n).prop_map(Tree::Set).boxed();
    let object =
        |spread, colors, n| prop::collection::vec(cell(spread, colors), 0..n).prop_map(Tree::Set).boxed();
    let plain = prop_oneof![
        4 => grid(0..4, 9),
        2 => grid(0..2, 12),
        1 => grid(-2..20, 4),
        1 => grid(0..10, 66),
        4 => indices(5, 14),
        2 => indices(70, 8),
        1 => indices(40_000, 3),
        2 => band().prop_map(Tree::Set),
        1 => band().prop_map(Tree::Tuple),
        4 => object(5, 0..4, 14),
        2 => object(40, -2..17, 8),
        4 => ints(-2..12),
        1 => ints(-200..200),
        1 => ints(i64::MIN..i64::MAX),
        4 => place(6),
        1 => place(3_000_000_000),
        2 => cell(6, 0..4),
        2 => any::<bool>().prop_map(Tree::Bool),
        3 => prop::sample::select(vec!["size", "first", "identity", "toindices", "neighbors", "even", "initset", "color"]).prop_map(Tree::Prim),
        1 => Just(Tree::Tuple(vec![])),
        2 => prop::collection::vec(ints(-3..9), 0..5).prop_map(Tree::Tuple),
        2 => prop::collection::vec(ints(-3..9), 0..5).prop_map(Tree::Set),
        1 => prop::collection::vec(cell(6, 0..4), 1..9).prop_map(Tree::Tuple),
        1 => prop::collection::vec(place(6), 1..9).prop_map(Tree::Tuple),
        1 => prop::collection::vec(place(300), 1..5).prop_map(Tree::Tuple),
    ];
    let plain = plain.boxed();
    prop_oneof![
        8 => plain.clone(),
        2 => prop::collection::vec(object(6, 0..4, 9), 0..5).prop_map(Tree::Set),
        1 => prop::collection::vec(indices(6, 9), 0..5).prop_map(Tree::Set),
        1 => prop::collection::vec(prop_oneof![band().prop_map(Tree::Set), indices(6, 9)], 1..4).prop_map(Tree::Set),
        1 => prop::collection::vec(grid(0..2, 2), 1..4).prop_map(Tree::Tuple),
        1 => prop::collection::vec(plain.clone(), 0..4).prop_map(Tree::Set),
        1 => prop::collection::vec(plain, 0..4).prop_map(Tree::Tuple),
    ]
    .boxed()
}

/// Returns the result of a call, its fuel and the primitive that failed.
fn outcome<'a>(
    cx: &mut Cx<'a>,
    name: &str,
    args: &[Value<'a>],
) -> (Result<Owned, Fail>, u64, Option<&'static str>) {
    let result = cx.call(Value::Prim(symbol(name).unwrap()), args).map(Owned::new);
    (result, cx.used(), cx.failed().map(|symbol| symbol.name))
}

fn arity(kernel: Kernel) -> usize {
    match kernel {
        Kernel::Q1(_) | Kernel::K1(_) => 1,
        Kernel::Q2(_) | Kernel::K2(_) => 2,
        Kernel::K3(_) => 3,
        Kernel::K4(_) => 4,
        Kernel::Traced(_) => unreachable!("only in traced tables"),
    }
}

#[test]
fn kernels_have_the_arity_of_their_primitive_and_are_unique() {
    let mut names: Vec<_> = kernels().map(|(name, _)| name).collect();
    for (name, kernel) in kernels() {
        assert_eq!(registry().get(name).unwrap().params.len(), arity(kernel), "{name}");
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), kernels().count());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn a_kernel_does_what_its_body_does(
        args in prop::collection::vec(arguments(), 4),
        small in any::<bool>(),
        fuel in prop_oneof![4 => Just(1_000_000u64), 1 => 0u64..2000],
    ) {
        let caps = if small { Caps { weight: 400, depth: 5 } } else { Caps::STANDARD };
        let arena = Arena::new(caps);
        let Ok(args) = args.iter().map(|tree| tree.build(&arena)).collect::<Result<Vec<_>, _>>() else {
            return Ok(());
        };
        for (name, kernel) in kernels() {
            // Try every rotation of the arguments, so that each kind is tried for each parameter.
            for shift in 0..args.len() {
                let mut args = args.clone();
                args.rotate_left(shift);
                let args = &args[..arity(kernel)];
                let slow = outcome(&mut Cx::new(&arena, fuel, None), name, args);
                let fast = outcome(&mut Cx::new(&arena, fuel, None).with_table(table()), name, args);
                let text: Vec<_> = args.iter().map(Value::to_string).collect();
                prop_assert_eq!(&slow, &fast, "{}({})", name, text.join(", "));
            }
        }
    }
}

fn prims(names: &'static [&'static str]) -> BoxedStrategy<Tree> {
    prop::sample::select(names).prop_map(Tree::Prim).boxed()
}

/// Functions of one argument, mostly ones that fit the members of `containers`.
fn functions() -> BoxedStrategy<Tree> {
    let ones = || {
        prims(&[
            "first",
            "last",
            "identity",
            "size",
            "even",
            "sign",
            "double",
            "maximum",
            "minimum",
            "flip",
            "positive",
            "toindices",
            "center",
            "color",
            "initset",
            "shape",
            "ulcorner",
            "neighbors",
            "normalize",
            "increment",
        ])
    };
    let twos = || {
        prims(&[
            "add",
            "subtract",
            "multiply",
            "equality",
            "greater",
            "astuple",
            "contained",
            "both",
            "either",
            "intersection",
            "shift",
            "recolor",
            "difference",
            "combine",
            "connect",
            "apply",
            "argmin",
            "argmax",
            "valmin",
            "sfilter",
            "compose",
            "lbind",
            "rbind",
            "matcher",
            "fork",
        ])
    };
    let fixed = prop_oneof![3 => ints(-2..5), 2 => place(4), 1 => ones(), 1 => containers()];
    let leaf = prop_oneof![
        4 => ones(),
        2 => (twos(), fixed.clone()).prop_map(|(f, x)| Tree::Func(Op::Lbind, vec![f, x])),
        2 => (twos(), fixed.clone()).prop_map(|(f, x)| Tree::Func(Op::Rbind, vec![f, x])),
    ];
    leaf.prop_recursive(3, 12, 3, move |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(f, g)| Tree::Func(Op::Compose, vec![f, g])),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(f, g, h)| Tree::Func(Op::Chain, vec![f, g, h])),
            (twos(), inner.clone(), inner.clone()).prop_map(|(f, g, h)| Tree::Func(Op::Fork, vec![f, g, h])),
            (inner.clone(), fixed.clone()).prop_map(|(f, x)| Tree::Func(Op::Matcher, vec![f, x])),
            (twos(), inner).prop_map(|(f, x)| Tree::Func(Op::Lbind, vec![f, x])),
        ]
    })
    .boxed()
}

/// Containers that are long enough for a column.
fn containers() -> BoxedStrategy<Tree> {
    let object = || prop::collection::vec(cell(5, 0..4), 1..6).prop_map(Tree::Set).boxed();
    let two = (place(4), cell(4, 0..3)).prop_map(|(a, b)| Tree::Tuple(vec![a, b]));
    let places = (place(4), place(4)).prop_map(|(a, b)| Tree::Tuple(vec![a, b]));
    let member = prop_oneof![
        3 => ints(-3..9),
        3 => place(5),
        2 => cell(5, 0..4),
        2 => object(),
        1 => two,
        1 => any::<bool>().prop_map(Tree::Bool),
    ];
    let members = prop_oneof![
        prop::collection::vec(ints(-3..9), 2..9),
        prop::collection::vec(place(5), 2..12),
        prop::collection::vec(cell(5, 0..4), 2..12),
        prop::collection::vec(object(), 2..6),
        prop::collection::vec(places, 2..9),
        prop::collection::vec(member, 2..7),
    ];
    prop_oneof![members.clone().prop_map(Tree::Tuple), members.prop_map(Tree::Set)].boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn columns_give_the_same_as_single_calls(
        function in functions(),
        container in containers(),
        other in containers(),
        small in any::<bool>(),
        fuel in prop_oneof![4 => Just(1_000_000u64), 1 => 0u64..3000],
    ) {
        let caps = if small { Caps { weight: 400, depth: 5 } } else { Caps::STANDARD };
        let arena = Arena::new(caps);
        let built = [&function, &container, &other].map(|tree| tree.build(&arena));
        let [Ok(function), Ok(container), Ok(other)] = built else { return Ok(()) };
        // The members of a product are cached by one call and used by the next.
        let crossed = [registry().table(), table()].map(|table| {
            let mut cx = Cx::new(&arena, fuel, None).with_table(table);
            let product = cx.call_node(symbol("product").unwrap(), &[container, other]).ok()?;
            let results = ["apply", "sfilter", "order"].map(|name| {
                let args = if name == "apply" { [function, product] } else { [product, function] };
                outcome(&mut cx, name, &args)
            });
            Some(results)
        });
        prop_assert_eq!(&crossed[0], &crossed[1], "{} on the product of {} and {}", function, container, other);
        for (name, args) in [
            ("apply", vec![function, container]),
            ("mapply", vec![function, container]),
            ("sfilter", vec![container, function]),
            ("mfilter", vec![container, function]),
            ("argmax", vec![container, function]),
            ("argmin", vec![container, function]),
            ("valmax", vec![container, function]),
            ("valmin", vec![container, function]),
            ("order", vec![container, function]),
            ("papply", vec![Value::Prim(symbol("astuple").unwrap()), container, other]),
            ("prapply", vec![Value::Prim(symbol("add").unwrap()), container, other]),
            ("prapply", vec![Value::Prim(symbol("connect").unwrap()), container, other]),
            ("prapply", vec![Value::Prim(symbol("apply").unwrap()), container, other]),
        ] {
            let slow = outcome(&mut Cx::new(&arena, fuel, None), name, &args);
            let fast = outcome(&mut Cx::new(&arena, fuel, None).with_table(table()), name, &args);
            let text: Vec<_> = args.iter().map(Value::to_string).collect();
            prop_assert_eq!(&slow, &fast, "{}({})", name, text.join(", "));
        }
    }
}
