//! Properties of all texts.

use batt_dsl::{constants, registry};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::check::{all, check_anything, check_formatted, only, reprinted};

/// A straight-line program: each line calls a function on results of lines above it.
#[derive(Clone, Debug)]
struct Straight {
    lines: Vec<Line>,
    result: Index,
}

#[derive(Clone, Debug)]
struct Line {
    /// The primitive, or the line above whose result is called.
    callee: Index,
    /// 0 to call a result of a line above, otherwise a primitive.
    how: u8,
    args: [Arg; 4],
}

#[derive(Clone, Debug)]
enum Arg {
    Above(Index),
    Constant(Index),
    Int(i64),
    Bool(bool),
    None,
    Primitive(Index),
    Tuple(Vec<Arg>),
    Call(Index, Box<Arg>),
}

fn straight() -> impl Strategy<Value = Straight> {
    let line = (any::<Index>(), 0u8..10, [arg(), arg(), arg(), arg()]);
    let line = line.prop_map(|(callee, how, args)| Line { callee, how, args });
    (prop::collection::vec(line, 1..12), any::<Index>())
        .prop_map(|(lines, result)| Straight { lines, result })
}

fn arg() -> impl Strategy<Value = Arg> {
    let leaf = prop_oneof![
        8 => any::<Index>().prop_map(Arg::Above),
        3 => any::<Index>().prop_map(Arg::Constant),
        1 => (-12i64..12).prop_map(Arg::Int),
        1 => any::<i64>().prop_map(Arg::Int),
        1 => any::<bool>().prop_map(Arg::Bool),
        1 => Just(Arg::None),
        2 => any::<Index>().prop_map(Arg::Primitive),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Arg::Tuple),
            (any::<Index>(), inner).prop_map(|(index, arg)| Arg::Call(index, Box::new(arg))),
        ]
    })
}

/// How a straight-line program is printed.
struct Style<'s> {
    head: &'s str,
    input: &'s str,
    name: &'s dyn Fn(usize) -> String,
}

impl Straight {
    /// Returns the text of the program with its lines in order.
    fn text(&self, style: &Style<'_>) -> String {
        let lines: Vec<_> = (0..self.lines.len()).map(|i| self.line(i, style)).collect();
        self.whole(style, &lines)
    }

    fn whole(&self, style: &Style<'_>, lines: &[String]) -> String {
        let result = (style.name)(self.result.index(self.lines.len()));
        format!("{}\n{}    return {result}\n", style.head, lines.concat())
    }

    fn line(&self, i: usize, style: &Style<'_>) -> String {
        let line = &self.lines[i];
        let primitives: Vec<_> = registry().iter().collect();
        let call = if line.how == 0 && i > 0 {
            let args: Vec<_> = line.args[..2].iter().map(|arg| arg.text(i, style)).collect();
            format!("{}({})", (style.name)(line.callee.index(i)), args.join(", "))
        } else {
            let primitive = line.callee.get(&primitives);
            let args = &line.args[..primitive.params.len()];
            let args: Vec<_> = args.iter().map(|arg| arg.text(i, style)).collect();
            format!("{}({})", primitive.name, args.join(", "))
        };
        format!("    {} = {call}\n", (style.name)(i))
    }

    /// Returns the lines that a line depends on.
    fn needs(&self, i: usize) -> Vec<usize> {
        let mut needs = Vec::new();
        let line = &self.lines[i];
        if line.how == 0 && i > 0 {
            needs.push(line.callee.index(i));
        }
        line.args.iter().for_each(|arg| arg.needs(i, &mut needs));
        needs
    }
}

impl Arg {
    fn text(&self, i: usize, style: &Style<'_>) -> String {
        match self {
            Arg::Above(index) => match index.index(i + 1) {
                0 => style.input.to_owned(),
                above => (style.name)(above - 1),
            },
            Arg::Constant(index) => index.get(constants()).name.to_owned(),
            Arg::Int(int) => int.to_string(),
            Arg::Bool(bool) => if *bool { "True" } else { "False" }.to_owned(),
            Arg::None => "None".to_owned(),
            Arg::Primitive(index) => primitive(index).to_owned(),
            Arg::Tuple(items) => {
                let items: Vec<_> = items.iter().map(|item| item.text(i, style) + ",").collect();
                format!("({})", items.join(" "))
            }
            Arg::Call(index, arg) => {
                let unary: Vec<_> =
                    registry().iter().filter(|primitive| primitive.params.len() == 1).collect();
                format!("{}({})", index.get(&unary).name, arg.text(i, style))
            }
        }
    }

    fn needs(&self, i: usize, needs: &mut Vec<usize>) {
        match self {
            Arg::Above(index) => needs.extend(index.index(i + 1).checked_sub(1)),
            Arg::Tuple(items) => items.iter().for_each(|item| item.needs(i, needs)),
            Arg::Call(_, arg) => arg.needs(i, needs),
            _ => {}
        }
    }
}

fn primitive(index: &Index) -> &'static str {
    let names: Vec<_> = registry().names().collect();
    names[index.index(names.len())]
}

const PLAIN: Style<'static> = Style { head: "def f(I):", input: "I", name: &|i| format!("x{}", i + 1) };

/// Pieces of programs, and of text that programs must not contain.
fn piece() -> impl Strategy<Value = String> {
    let fixed = [
        "def ",
        "f",
        "(",
        ")",
        "I",
        ":",
        "\n",
        "    ",
        "\t",
        "x1",
        " = ",
        "return ",
        ", ",
        ",",
        "hmirror",
        "T",
        "objects(",
        "0",
        "-",
        "12",
        "0x1f",
        "1.5",
        "\"",
        "'",
        "'''",
        "\"\"\"",
        "#",
        "\\",
        "\\\n",
        "[",
        "]",
        "{",
        "}",
        "if ",
        "else",
        "for ",
        "in ",
        "lambda ",
        "import ",
        "from ",
        "@",
        "class ",
        "*",
        "**",
        "==",
        "+=",
        ";",
        ".",
        "->",
        "é",
        "\u{feff}",
        "\r",
        "\r\n",
        "\u{c}",
        "\0",
        "def f(I):\n    return I\n",
        "    x1 = hmirror(I)\n",
        "    return x1\n",
        "None",
        "grid=",
        "async ",
        "S, I, C",
        "x1: int = ",
        "99999999999999999999",
        ":=",
        "not ",
        "日本",
        "_",
        "add(",
        "((((",
        "))))",
    ];
    prop_oneof![
        20 => any::<Index>().prop_map(move |index| (*index.get(&fixed)).to_owned()),
        1 => any::<Index>().prop_map(|index| primitive(&index).to_owned()),
        1 => "\\PC{0,6}",
    ]
}

const PROGRAMS: &str = "\"\"\"Some programs.\"\"\"
from dsl import *

def solve_1(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)  # the largest
    x3 = rbind(bordering, I)
    O = fill(I, FOUR, mfilter(x1, compose(flip, x3)))
    return O

def solve_2(S, I, C):
    '''Of the old dialect.'''
    a: Grid = crop(dims=(1, -2), grid=I, start=ORIGIN); b = size(S)
    f = branch(b, hmirror, vmirror)
    return f(a), (None, True, (1, 2), ())

def verify_3(I: Grid) -> Grid: return vconcat(
    hmirror(I),
    I)
";

/// Returns the text with blanks and comments in places where they have no meaning.
fn spread(text: &str, blanks: &[Index]) -> String {
    let inside = ["", "", "", " ", "\t", "\n\n", "#c\n", " # c, d (e\n", "\n# a\n\n    # b\n", "\\\n"];
    let lines = ["", "", "", "\n", "\n\n\n", "# a\n", "    # a\n", "\n  #b\n# c\n\n", "\t\n"];
    let mut picks = blanks.iter().cycle();
    let mut pick = |list: &[&'static str]| picks.next().map_or("", |pick| *pick.get(list));
    let (mut out, mut depth) = (String::new(), 0);
    for c in text.chars() {
        depth -= i32::from(c == ')');
        if c == ')' {
            out.push_str(pick(&inside));
        }
        out.push(c);
        depth += i32::from(c == '(');
        match c {
            '(' | ',' if depth > 0 => out.push_str(pick(&inside)),
            '\n' if depth == 0 => out.push_str(pick(&lines)),
            _ => {}
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check_anything(&bytes);
    }

    #[test]
    fn any_pieces(pieces in prop::collection::vec(piece(), 0..40)) {
        check_anything(pieces.concat().as_bytes());
    }

    #[test]
    fn any_pieces_in_a_function(pieces in prop::collection::vec(piece(), 0..20)) {
        let text = format!("def f(I):\n    x1 = {}\n    return x1\ndef g(I): return I\n", pieces.concat());
        check_anything(text.as_bytes());
    }

    #[test]
    fn damaged_programs(
        edits in prop::collection::vec((any::<Index>(), 0usize..12, prop::option::of(piece())), 1..4)
    ) {
        let mut bytes = PROGRAMS.as_bytes().to_vec();
        for (at, n, insert) in edits {
            let at = at.index(bytes.len() + 1);
            let end = (at + n).min(bytes.len());
            bytes.splice(at..end, insert.unwrap_or_default().into_bytes());
        }
        check_anything(&bytes);
    }

    #[test]
    fn cut_programs(at in any::<Index>()) {
        check_anything(&PROGRAMS.as_bytes()[..at.index(PROGRAMS.len() + 1)]);
    }

    #[test]
    fn printing_round_trips(program in straight()) {
        let text = program.text(&PLAIN);
        reprinted(&only(&text));
    }

    #[test]
    fn formatting_keeps_meaning_and_comments(
        program in straight(),
        blanks in prop::collection::vec(any::<Index>(), 20),
    ) {
        let text = spread(&format!("{PROGRAMS}\n{}", program.text(&PLAIN)), &blanks);
        prop_assert!(check_formatted(&text).is_some(), "in\n{}", text);
    }

    #[test]
    fn names_do_not_matter(program in straight(), salt in 0usize..100) {
        let name = move |i: usize| format!("v{}_{}", (i * 37 + salt) % 101, i);
        let head = "def another_name(S, whatever, C):";
        let other = program.text(&Style { head, input: "whatever", name: &name });
        prop_assert_eq!(only(&program.text(&PLAIN)).hash(), only(&other).hash());
    }

    #[test]
    fn the_order_of_independent_lines_does_not_matter(
        program in straight(),
        order in prop::collection::vec(any::<Index>(), 12),
    ) {
        let mut waiting: Vec<_> = (0..program.lines.len()).collect();
        let mut lines = Vec::new();
        for pick in order {
            let ready = |i: &usize| program.needs(*i).iter().all(|above| !waiting.contains(above));
            let ready: Vec<_> = waiting.iter().copied().filter(ready).collect();
            if ready.is_empty() {
                break;
            }
            let next = *pick.get(&ready);
            waiting.retain(|i| *i != next);
            lines.push(program.line(next, &PLAIN));
        }
        prop_assert!(waiting.is_empty());
        let other = program.whole(&PLAIN, &lines);
        prop_assert_eq!(only(&program.text(&PLAIN)).hash(), only(&other).hash());
    }

    #[test]
    fn unneeded_and_repeated_lines_do_not_matter(
        program in straight(),
        extra in prop::collection::vec((any::<Index>(), any::<bool>()), 1..6),
    ) {
        let mut lines: Vec<_> = (0..program.lines.len()).map(|i| program.line(i, &PLAIN)).collect();
        for (n, (place, again)) in extra.into_iter().enumerate() {
            let at = place.index(lines.len());
            let (name, call) = lines[at].trim().split_once(" = ").unwrap();
            let value = if again { call.to_owned() } else { format!("astuple({name}, {n})") };
            let line = format!("    extra{n} = {value}\n");
            lines.insert(at + 1, line);
        }
        let other = program.whole(&PLAIN, &lines);
        prop_assert_eq!(only(&program.text(&PLAIN)).hash(), only(&other).hash());
    }

    #[test]
    fn an_error_in_one_program_does_not_affect_others(program in straight(), pieces in prop::collection::vec(piece(), 0..6)) {
        // The line may contain anything except a string that continues after it.
        let damage = pieces.concat().replace(['\'', '"', '\\', '\n', '\r'], "");
        let text = format!("def broken(I):\n    x = {damage}\n    return x\n{}", program.text(&PLAIN));
        prop_assert!(all(&text).programs.iter().any(|found| found.name() == "f"), "in\n{}", text);
    }
}
