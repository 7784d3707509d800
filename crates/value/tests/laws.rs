//! Laws that hold for every value, whatever its form.

use std::cmp::Ordering;

use batt_value::{Arena, Caps, Kind, Op, Owned, Symbol, Value, from_json, order, parse, to_json};
use proptest::prelude::*;

/// A value as a plain tree, to be built in an arena.
#[derive(Clone, Debug)]
enum Tree {
    None,
    Bool(bool),
    Int(i64),
    Tuple(Vec<Tree>),
    Set(Vec<Tree>),
    Prim(usize),
    Compose(Box<Tree>, Box<Tree>),
}

static SYMBOLS: [Symbol; 2] =
    [Symbol { id: 0, arity: 1, name: "first" }, Symbol { id: 1, arity: 2, name: "shift" }];

fn symbol(name: &str) -> Option<&'static Symbol> {
    SYMBOLS.iter().find(|symbol| symbol.name == name)
}

impl Tree {
    fn build<'a>(&self, arena: &'a Arena) -> Value<'a> {
        let all = |trees: &[Tree]| trees.iter().map(|tree| tree.build(arena)).collect::<Vec<_>>();
        match self {
            Tree::None => Value::None,
            Tree::Bool(bool) => (*bool).into(),
            Tree::Int(int) => Value::Int(*int),
            Tree::Tuple(items) => arena.tuple(&all(items)).unwrap(),
            Tree::Set(items) => arena.set(&all(items)).unwrap(),
            Tree::Prim(i) => Value::Prim(&SYMBOLS[*i]),
            Tree::Compose(a, b) => arena.closure(Op::Compose, &[a.build(arena), b.build(arena)]).unwrap(),
        }
    }
}

/// Mostly typical values of programs (small numbers, places, cells, grids), sometimes arbitrary ones.
fn trees() -> impl Strategy<Value = Tree> {
    let number = prop_oneof![
        6 => (-3i64..12).prop_map(Tree::Int),
        1 => any::<i64>().prop_map(Tree::Int),
        1 => any::<i16>().prop_map(|int| Tree::Int(int.into())),
        1 => any::<bool>().prop_map(Tree::Bool),
    ];
    let place = (-4i64..70, -4i64..70).prop_map(|(i, j)| Tree::Tuple(vec![Tree::Int(i), Tree::Int(j)]));
    let cell = (-2i64..17, place.clone()).prop_map(|(c, p)| Tree::Tuple(vec![Tree::Int(c), p]));
    let row = |n: usize| prop::collection::vec((0i64..10).prop_map(Tree::Int), n).prop_map(Tree::Tuple);
    let grid = (1usize..5, 1usize..5)
        .prop_flat_map(move |(h, w)| prop::collection::vec(row(w), h).prop_map(Tree::Tuple));
    let leaf = prop_oneof![
        6 => number,
        1 => Just(Tree::None),
        1 => (0usize..2).prop_map(Tree::Prim),
        2 => place.clone(),
        2 => cell.clone(),
        2 => grid,
        2 => prop::collection::vec(place, 0..9).prop_map(Tree::Set),
        2 => prop::collection::vec(cell, 0..9).prop_map(Tree::Set),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            3 => prop::collection::vec(inner.clone(), 0..4).prop_map(Tree::Tuple),
            3 => prop::collection::vec(inner.clone(), 0..4).prop_map(Tree::Set),
            1 => (inner.clone(), inner).prop_map(|(a, b)| Tree::Compose(Box::new(a), Box::new(b))),
        ]
    })
}

fn arena() -> Arena {
    Arena::new(Caps::STANDARD)
}

/// Computes the weight by its definition, member by member.
fn weight(value: Value<'_>, arena: &Arena) -> u32 {
    match value {
        Value::Func(closure) => 1 + closure.captured.iter().map(|captured| captured.weight()).sum::<u32>(),
        _ => 1 + value.items(arena).map_or(0, |items| items.map(|item| weight(item, arena)).sum()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn text_round_trips(tree in trees()) {
        let arena = arena();
        let value = tree.build(&arena);
        let again = parse(&value.to_string(), &arena, &symbol).unwrap();
        prop_assert!(order::identical(value, again), "{value} became {again}");
    }

    #[test]
    fn owned_round_trips_and_is_equal_iff_identical(a in trees(), b in trees()) {
        let arena = arena();
        let (a, b) = (a.build(&arena), b.build(&arena));
        let again = Owned::new(a).load(&arena, &symbol).unwrap();
        prop_assert!(order::identical(a, again), "{a} became {again}");
        prop_assert_eq!(Owned::new(a) == Owned::new(b), order::identical(a, b));
    }

    #[test]
    fn json_round_trips(tree in trees()) {
        let arena = arena();
        let value = tree.build(&arena);
        let mut json = String::new();
        to_json(value, &mut json);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        match from_json(&json, &arena) {
            Ok(again) => prop_assert!(order::identical(value, again), "{value} became {again}"),
            Err(_) => prop_assert!(value.to_string().contains("first") || value.to_string().contains("shift") || value.to_string().contains("compose")),
        }
    }

    #[test]
    fn the_order_is_total_and_agrees_with_equality(a in trees(), b in trees(), c in trees()) {
        let arena = arena();
        let (a, b, c) = (a.build(&arena), b.build(&arena), c.build(&arena));
        prop_assert_eq!(order::cmp(a, b), order::cmp(b, a).reverse());
        prop_assert_eq!(order::cmp(a, b) == Ordering::Equal, order::equal(a, b));
        prop_assert_eq!(order::cmp(a, a), Ordering::Equal);
        prop_assert!(order::identical(a, a));
        if order::cmp(a, b).is_le() && order::cmp(b, c).is_le() {
            prop_assert!(order::cmp(a, c).is_le());
        }
        if order::identical(a, b) {
            prop_assert!(order::equal(a, b));
        }
        if let Some(true) = order::less(a, b) {
            prop_assert!(!order::equal(a, b));
            prop_assert_eq!(order::less(b, a), Some(false));
        }
    }

    #[test]
    fn a_set_ascends_and_does_not_depend_on_insertion_order(items in prop::collection::vec(trees(), 0..6)) {
        let arena = arena();
        let items: Vec<_> = items.iter().map(|tree| tree.build(&arena)).collect();
        let set = arena.set(&items).unwrap();
        let members: Vec<_> = set.items(&arena).unwrap().collect();
        for pair in members.windows(2) {
            prop_assert!(order::cmp(pair[0], pair[1]).is_lt());
        }
        prop_assert!(order::identical(set, arena.set(&members).unwrap()));
        let reversed: Vec<_> = items.iter().rev().copied().collect();
        prop_assert!(order::equal(set, arena.set(&reversed).unwrap()));
        for item in items {
            prop_assert!(members.iter().any(|member| order::equal(*member, item)));
        }
    }

    #[test]
    fn sets_of_values_of_one_form_ascend(
        object in any::<bool>(),
        sets in prop::collection::vec(prop::collection::vec((0i64..3, -2i64..3, -200i64..200), 0..4), 0..12),
    ) {
        let arena = arena();
        let member = |&(color, row, col): &(i64, i64, i64)| {
            let place = arena.tuple(&[Value::Int(row), Value::Int(col)]).unwrap();
            if object { arena.tuple(&[Value::Int(color), place]).unwrap() } else { place }
        };
        let members: Vec<Vec<_>> = sets.iter().map(|set| set.iter().map(member).collect()).collect();
        let of_members = arena.set(&members.concat()).unwrap();
        let of_sets: Vec<_> = members.iter().map(|members| arena.set(members).unwrap()).collect();
        for (items, set) in [(members.concat(), of_members), (of_sets.clone(), arena.set(&of_sets).unwrap())] {
            let ascending: Vec<_> = set.items(&arena).unwrap().collect();
            prop_assert!(ascending.is_sorted_by(|a, b| order::cmp(*a, *b).is_lt()), "{set}");
            prop_assert!(items.iter().all(|item| ascending.iter().any(|it| order::equal(*it, *item))));
        }
    }

    #[test]
    fn patches_compare_like_their_lists_of_members(
        object in any::<bool>(),
        far in prop_oneof![Just(0i64), Just(60), Just(90)],
        cells in prop::collection::vec((any::<bool>(), 0i64..3, 0i64..3, -2i64..4), 1..14),
    ) {
        let arena = arena();
        // Both start with the same member, so later members decide.
        let (mut a, mut b) = (vec![(0, 0, 0)], vec![(0, 0, 0)]);
        for (in_a, color, row, col) in cells {
            if in_a { &mut a } else { &mut b }.push((color, row + 1, if row == 2 { col + far } else { col }));
        }
        let set = |cells: &[(i64, i64, i64)]| {
            let member = |&(color, row, col): &(i64, i64, i64)| {
                let place = arena.tuple(&[Value::Int(row), Value::Int(col)]).unwrap();
                if object { arena.tuple(&[Value::Int(color), place]).unwrap() } else { place }
            };
            arena.set(&cells.iter().map(member).collect::<Vec<_>>()).unwrap()
        };
        let (a, b) = (set(&a), set(&b));
        let members = |set: Value<'_>| -> Vec<String> { set.items(&arena).unwrap().map(|it| it.to_string()).collect() };
        let mut by_fold = Vec::new();
        a.items(&arena).unwrap().for_each(|it| by_fold.push(it.to_string()));
        prop_assert_eq!(&by_fold, &members(a));
        let mut by_members = Ordering::Equal;
        let (mut left, mut right) = (a.items(&arena).unwrap(), b.items(&arena).unwrap());
        while by_members.is_eq() {
            by_members = match (left.next(), right.next()) {
                (Some(a), Some(b)) => order::cmp(a, b),
                (None, None) => break,
                (a, b) => a.is_some().cmp(&b.is_some()),
            };
        }
        prop_assert_eq!(order::cmp(a, b), by_members);
    }

    #[test]
    fn members_and_weight_do_not_depend_on_the_form(tree in trees()) {
        let arena = arena();
        let value = tree.build(&arena);
        prop_assert_eq!(value.weight(), weight(value, &arena));
        if let Some(items) = value.items(&arena) {
            prop_assert_eq!(items.len(), value.len().unwrap());
            let items: Vec<_> = items.collect();
            prop_assert_eq!(items.len(), value.len().unwrap());
            let depth = items.iter().map(|item| item.depth()).max().unwrap_or(0);
            prop_assert_eq!(value.depth(), depth + 1);
            let again = if value.is_set() { arena.set(&items) } else { arena.tuple(&items) }.unwrap();
            prop_assert!(order::identical(value, again));
            if value.kind() == Kind::Tuple {
                for (i, item) in items.iter().enumerate() {
                    prop_assert!(order::identical(*item, value.get(&arena, i).unwrap()));
                }
                prop_assert!(value.get(&arena, items.len()).is_none());
            }
        }
    }

    #[test]
    fn no_text_panics(text in "[-0-9a-z(){}\\[\\], |]{0,40}") {
        let _ = parse(&text, &arena(), &symbol);
    }
}

#[test]
fn true_and_1_are_equal_but_not_identical() {
    let arena = arena();
    let value = |text| parse(text, &arena, &symbol).unwrap();
    for (a, b) in [("True", "1"), ("(True, 0)", "(1, 0)"), ("{(False, (1, 2))}", "{(0, (1, 2))}")] {
        assert!(order::equal(value(a), value(b)), "{a} {b}");
        assert!(!order::identical(value(a), value(b)), "{a} {b}");
    }
    // Of equal members the first is kept.
    assert_eq!(value("{True, 1, 0}").to_string(), "{0, True}");
    assert_eq!(value("{1, True, 0}").to_string(), "{0, 1}");
}

#[test]
fn less_is_pythons_less_than() {
    let arena = arena();
    let less = |a, b| order::less(parse(a, &arena, &symbol).unwrap(), parse(b, &arena, &symbol).unwrap());
    assert_eq!(less("1", "2"), Some(true));
    assert_eq!(less("{1}", "{1, 2}"), Some(true));
    assert_eq!(less("{1}", "{2, 3}"), Some(false));
    assert_eq!(less("(1, {3})", "(1, {2, 3})"), Some(true));
    assert_eq!(less("(1, None)", "(1, None)"), Some(false));
    assert_eq!(less("(1, None)", "(1, 2)"), None);
    assert_eq!(less("None", "None"), None);
    assert_eq!(less("first", "shift"), None);
    assert_eq!(less("1", "(1,)"), None);
}

#[test]
fn caps_hold_for_every_form() {
    let arena = Arena::new(Caps { weight: 100, depth: 4 });
    let ints: Vec<_> = (0..200).map(|i| Value::Int(i % 10)).collect();
    let places: Vec<_> = (0..200).map(|i| arena.tuple(&[Value::Int(i), Value::Int(0)]).unwrap()).collect();
    assert!(arena.tuple(&ints).is_err());
    assert!(arena.grid(10, &[0; 200]).is_err());
    assert!(arena.set(&places).is_err());
    assert!(arena.set(&ints).is_ok(), "ten members");
    let mut nested = Value::Int(0);
    for _ in 0..4 {
        nested = arena.tuple(&[nested]).unwrap();
    }
    assert!(arena.tuple(&[nested]).is_err());
    // Doubling reaches the cap in a few steps, without using much memory.
    let mut doubled = Value::Int(0);
    let wide = Arena::new(Caps::STANDARD);
    let steps = (0..).find(|_| match wide.tuple(&[doubled, doubled, Value::None]) {
        Ok(value) => {
            doubled = value;
            false
        }
        Err(_) => true,
    });
    assert!(steps.unwrap() < 24);
}

#[test]
fn a_value_fits_in_two_registers() {
    assert_eq!(size_of::<Value<'_>>(), 16);
    assert_eq!(size_of::<Result<Value<'_>, batt_value::Fail>>(), 16);
}
