//! Every learner, with every option: a small task that it learns and one that it refuses.

mod common;

use batt_learn::{Completion, Criterion, Learner, Property, Spec, Steps, Vocabulary, Work, catalogue};
use common::{Example, Pairs, assert_learned, demos, image, learn};

/// The cell below a blue one becomes red.
const BELOW_BLUE: Pairs = &[("010/000/000", "010/020/000"), ("0000/1000/0000", "0000/1000/2000")];
/// The cell two to the right of a blue one becomes red.
const TWO_RIGHT: Pairs = &[("0100000", "0102000"), ("0010000/0000000/0000000", "0010200/0000000/0000000")];
/// Cells next to a blue one become red, in all four directions.
const AROUND_BLUE: Pairs =
    &[("10000/00000/00000", "12000/20000/00000"), ("00000/00010/00000", "00020/00212/00020")];
/// Coloured cells fill their rows.
const ROWS_FILLED: Pairs = &[("100/000/002", "111/000/222"), ("000/030/000", "000/333/000")];
/// Coloured cells draw to the right up to a grey one.
const FILLED_TO_GREY: Pairs = &[("10000005000000", "11111115000000"), ("00200000500000", "00222222500000")];
/// Every second column becomes green.
const ODD_COLUMNS: Pairs = &[("0000/0000", "0303/0303"), ("00000", "03030")];
/// Cells enclosed by green become yellow.
const ENCLOSED: Pairs =
    &[("33330/30030/33330", "33330/34430/33330"), ("3333/3003/3003/3333/0000", "3333/3443/3443/3333/0000")];
/// Holes take the colour around them.
const HOLES: Pairs = &[
    ("03330/03030/03330/00000", "03330/03330/03330/00000"),
    ("00000/04444/04004/04444", "00000/04444/04444/04444"),
];
/// The left half is repeated in a mirror.
const MIRRORED: Pairs = &[("1000/0200", "1001/0220"), ("030/400", "030/404")];
/// Cells take the colour of the nearest object.
const NEAREST: Pairs = &[("100002", "111222"), ("30000004", "33334444")];
/// Cells fall down.
const FALLEN: Pairs = &[("010/002/300", "000/000/312"), ("1200/0000/0030", "0000/0000/1230")];
/// The motif is repeated to the right.
const MOTIF: Pairs = &[("0120000/0340000", "0121212/0343434"), ("00500000", "00555555")];
/// Five colours change.
const FIVE_COLORS: Pairs = &[("12345", "23451"), ("54321", "15432")];
/// Outputs have nothing to do with inputs.
const NOISE: Pairs = &[(
    "21212222/01020001/10120200/20110100/02210000/00001102/22002011/01100101",
    "12202221/01111210/11200102/11021112/01020200/01121211/02211010/01221011",
)];
/// One cell becomes five different ones.
const ONE_TO_MANY: Pairs = &[("1", "23456")];
/// Grey objects take the colour of the object equal to them up to turning.
const TURNED_TWINS: Pairs = &[
    (
        "100200000/100200000/110200000/000200000/000000000/555500000/000000000/000005550/000000050",
        "100200000/100200000/110200000/000200000/000000000/222200000/000000000/000001110/000000010",
    ),
    (
        "300400000/300400000/300440000/300000000/000000000/055500000/000500000/000000000/000555500",
        "300400000/300400000/300440000/300000000/000000000/044400000/000400000/000000000/000333300",
    ),
];
/// Cells between equal colours in a row take this colour.
const BETWEEN: Pairs =
    &[("10010/20002/00003", "11110/22222/00003"), ("00000/40040/03000", "00000/44440/03000")];
/// Objects take two colours.
const TWO_COLORS: Pairs = &[("0110", "0230"), ("1100", "2300")];
/// The coloured cells are cut out and mirrored.
const CROPPED_AND_MIRRORED: Pairs = &[("0000/0120/0340/0000", "21/43"), ("00000/00140/00310/00000", "41/13")];

fn examples() -> Vec<Example> {
    use Learner::*;
    let example = |learner, pairs, input, output, words| Example {
        spec: Spec::Learn(learner),
        pairs,
        input,
        output,
        words,
    };
    vec![
        example(
            Transform(Steps::One),
            &[("12/30", "21/05"), ("31/00", "15/00")],
            "32",
            "25",
            "mirrored left-right, then green becomes grey",
        ),
        example(
            Transform(Steps::Two),
            CROPPED_AND_MIRRORED,
            "0000/0089/0067",
            "98/76",
            "mirrored left-right, then cropped to what is not black",
        ),
        example(
            Transform(Steps::Special),
            MOTIF,
            "060000/000000",
            "066666/000000",
            "the motif repeated to the right",
        ),
        example(
            Cells(Vocabulary::Near),
            BELOW_BLUE,
            "0001/0000/0000",
            "0001/0002/0000",
            "if its neighbour to the north is blue: red; else keep",
        ),
        example(
            Cells(Vocabulary::NearAndRing),
            TWO_RIGHT,
            "00000/01000",
            "00000/01020",
            "if the cell 0 down and -2 right of it is blue: red; else keep",
        ),
        example(
            Cells(Vocabulary::Rays),
            BETWEEN,
            "505/000/600",
            "555/000/600",
            "if it lies between equal colours in its row: the colour seen to the east; else keep",
        ),
        example(
            Cells(Vocabulary::LinesAndPosition),
            ODD_COLUMNS,
            "000000/000000",
            "030303/030303",
            "if its column is odd: green; else keep",
        ),
        example(
            Cells(Vocabulary::Objects),
            ENCLOSED,
            "333333/300303/333333",
            "333333/344343/333333",
            "if of its region: it touches the border: keep; else yellow",
        ),
        example(
            Cells(Vocabulary::BoxesAndMirrors),
            MIRRORED,
            "50000/06000",
            "50005/06060",
            "if the cell opposite left-right is black: keep; else the cell opposite left-right",
        ),
        example(Cells(Vocabulary::Nearest), NEAREST, "5006", "5566", "the colour of the nearest object"),
        example(Cells(Vocabulary::Views), FALLEN, "045/600", "000/645", "the cell in “cells fallen down”"),
        example(
            Cells(Vocabulary::All),
            ENCLOSED,
            "33333/30003/33333",
            "33333/34443/33333",
            "if of its region: it touches the border: keep; else yellow",
        ),
        example(
            Cells(Vocabulary::Free),
            HOLES,
            "55555/50005/55555",
            "55555/55555/55555",
            "the colour of the one-colour object whose box holds it",
        ),
        example(
            Cells(Vocabulary::FreeSmall),
            HOLES,
            "55555/50005/55555",
            "55555/55555/55555",
            "the colour of the one-colour object whose box holds it",
        ),
        example(
            Cells(Vocabulary::Undirected),
            AROUND_BLUE,
            "000/000/001",
            "000/002/021",
            "if the number of its 4 coloured neighbours = 0: keep; else red",
        ),
        example(
            Cells(Vocabulary::Directed),
            BELOW_BLUE,
            "0001/0000/0000",
            "0001/0002/0000",
            "if its neighbour to the north is blue: red; else keep",
        ),
        example(
            Cells(Vocabulary::Plain),
            ODD_COLUMNS,
            "000000/000000",
            "030303/030303",
            "if its column is odd: green; else keep",
        ),
        example(
            Cells(Vocabulary::MirrorsAndNear),
            MIRRORED,
            "50000/06000",
            "50005/06060",
            "if the cell opposite left-right is black: keep; else the cell opposite left-right",
        ),
        example(
            Cells(Vocabulary::SpecialViews),
            MOTIF,
            "060000/000000",
            "066666/000000",
            "the cell in “the motif repeated to the right”",
        ),
        example(
            Cells(Vocabulary::SpecialViewsAndObjects),
            MOTIF,
            "060000/000000",
            "066666/000000",
            "the cell in “the motif repeated to the right”",
        ),
        example(
            Cells(Vocabulary::SpecialViewsAndBoxes),
            MOTIF,
            "060000/000000",
            "066666/000000",
            "the cell in “the motif repeated to the right”",
        ),
        example(
            Recolor(Criterion::Properties),
            &[("1100/0001", "2200/0003"), ("1010/0010", "3020/0020")],
            "0110/0110/1000",
            "0220/0220/3000",
            "one-colour objects joined by edges: if its size = 1: green; else red",
        ),
        example(
            Recolor(Criterion::Relations),
            TURNED_TWINS,
            "900770/900070/900070/900000/000000/555500/000000/050000/055500",
            "900770/900070/900070/900000/000000/999900/000000/070000/077700",
            "one-colour objects joined by edges: if its colour is grey: the colour of the object \
             equal to it up to turning; else keep",
        ),
        example(
            Select(Property::Object),
            &[("1100/0002", "11"), ("0300/0044/0044", "44/44")],
            "50000/00666",
            "666",
            "the one-colour object joined by edges with the highest value of “its size”",
        ),
        example(
            Select(Property::Counting),
            &[("122011022/222012022", "11/12"), ("4440144/4140111", "144/111")],
            "3310131/3330111",
            "131/111",
            "the box of an object with the highest value of “the amount of blue”",
        ),
        example(
            Complete(Completion::Hidden),
            &[("121212/219121/121212", "121212/212121/121212")],
            "343434/434393/343434",
            "343434/434343/343434",
            "completed by shifts, replacing brown",
        ),
        example(
            Complete(Completion::Background),
            &[("1001/2002/3000", "1001/2002/3003"), ("4004/0550/6000", "4004/0550/6006")],
            "7007/8000/0990",
            "7007/8008/0990",
            "completed by mirrors on the background",
        ),
        example(
            Complete(Completion::Beyond),
            &[("010/101/010", "020/202/020/202"), ("100/010/100", "200/020/200/020")],
            "001/110/001",
            "002/220/002/220",
            "the height is the height + 1, the width is the width; blue becomes red; continued by \
             its period",
        ),
        example(
            Forest,
            ENCLOSED,
            "33333/30003/33333",
            "33333/34443/33333",
            "15 trees vote, the smallest says: if the number of directions in which it sees \
             something ≥ 4: yellow; else keep",
        ),
        example(
            Stack,
            &[
                ("00000/01000/00000", "02222/01111/02222"),
                ("000000/000000/001000/000000", "000000/002222/001111/002222"),
            ],
            "0000/0000/1000/0000/0000",
            "0000/2222/1111/2222/0000",
            "if the colour seen to the west is blue: blue; else keep; then if the colour at its edge \
             is blue: (if the number of diagonals on which it sees something ≥ 1: red; else keep); \
             else keep",
        ),
        example(
            Move,
            &[("010/000/000", "000/000/010"), ("200/000/500", "000/200/500")],
            "003/000/000/000",
            "000/000/000/003",
            "one-colour objects, each moves: slide south",
        ),
        example(
            Split,
            &[("10501/11500", "00/00"), ("11511/00501", "22/00"), ("01510/10510", "00/20")],
            "11510/00511",
            "20/00",
            "of the parts between the lines: if part 1 is blue: (if part 2 is blue: red; else \
             black); else part 1",
        ),
        example(
            Repeat,
            &[("12/34", "1212/3434"), ("5", "55")],
            "678",
            "678678",
            "the height is the height, the width is 2 · the width; the repeated input",
        ),
        example(
            Table,
            &[("10/00", "7"), ("11/00", "89"), ("00/01", "7"), ("01/10", "89")],
            "00/10",
            "7",
            "one of 2 stored outputs, by the number of coloured cells",
        ),
        example(Table, &[("1", "77"), ("2", "77")], "3", "77", "always the same output"),
        example(
            Count,
            &[("100", "3"), ("101", "33"), ("111", "333")],
            "1111",
            "3333",
            "1 × the number of coloured cells cells, all of them in colour number 3",
        ),
        example(
            Pool,
            &[("1011", "2002"), ("10110/11000", "00200/00000")],
            "11011",
            "22022",
            "if “the image itself” is blue: (if “mirrored left-right” is blue: red; else black); \
             else “the image itself”",
        ),
        example(
            Draw,
            &[("0000/0100/0000", "0000/0111/0000"), ("2000/0000", "2222/0000")],
            "00000/03000",
            "00000/03333",
            "one-colour objects draw in its colour: rays east through everything",
        ),
        example(
            Template,
            &[
                ("12300/00000/00020", "12300/00000/00123"),
                ("400000/450000/000000/000050", "400000/450000/000400/000450"),
            ],
            "678000/000000/000700",
            "678000/000000/006780",
            "the template with the most colours is completed at its marks",
        ),
        example(
            FillParts,
            &[("10500/00500", "11500/11500"), ("00502/00500", "00522/00522")],
            "00503500/00500500",
            "00533500/00533500",
            "every cell of the line grid: if its colour is black: keep; else fill with its commonest \
             colour",
        ),
        example(
            Assemble,
            &[("10000/00220", "122"), ("00330/40000", "433")],
            "5000/0060/0007",
            "567",
            "every one-colour object joined by edges (all), by columns: their pictures side by side",
        ),
    ]
}

/// Tasks that a learner finds no rule for, and why.
fn refusals() -> Vec<(Learner, Pairs, &'static str)> {
    use Learner::*;
    vec![
        (Transform(Steps::One), CROPPED_AND_MIRRORED, "two steps are needed"),
        (Transform(Steps::Two), BELOW_BLUE, "no view shows the output"),
        (Transform(Steps::Special), BELOW_BLUE, "no view shows the output"),
        (Cells(Vocabulary::Near), TWO_RIGHT, "the blue cell is not a neighbour"),
        (Cells(Vocabulary::NearAndRing), FILLED_TO_GREY, "the coloured cell may be far away"),
        (Cells(Vocabulary::Rays), ODD_COLUMNS, "there is nothing to see"),
        (Cells(Vocabulary::LinesAndPosition), TWO_RIGHT, "the distance to the blue cell matters"),
        (Cells(Vocabulary::Objects), ROWS_FILLED, "all black cells belong to one region"),
        (Cells(Vocabulary::BoxesAndMirrors), BELOW_BLUE, "the cell is in no box"),
        (Cells(Vocabulary::Nearest), ODD_COLUMNS, "there is no object"),
        (Cells(Vocabulary::Views), TWO_RIGHT, "no view shows the red cell"),
        (Cells(Vocabulary::All), NOISE, "there is nothing to learn"),
        (Cells(Vocabulary::Free), NOISE, "there is nothing to learn"),
        (Cells(Vocabulary::FreeSmall), FIVE_COLORS, "five leaves are needed"),
        (Cells(Vocabulary::Undirected), BELOW_BLUE, "the rule names a direction"),
        (Cells(Vocabulary::Directed), NOISE, "there is nothing to learn"),
        (Cells(Vocabulary::Plain), NOISE, "there is nothing to learn"),
        (Cells(Vocabulary::MirrorsAndNear), TWO_RIGHT, "the blue cell is neither near nor opposite"),
        (Cells(Vocabulary::SpecialViews), FALLEN, "falling is not a special view"),
        (Cells(Vocabulary::SpecialViewsAndObjects), ROWS_FILLED, "no special view fills rows"),
        (Cells(Vocabulary::SpecialViewsAndBoxes), ODD_COLUMNS, "there is no object"),
        (Recolor(Criterion::Properties), TWO_COLORS, "an object takes one colour"),
        (Recolor(Criterion::Relations), BELOW_BLUE, "the red cell is not an object of the input"),
        (Select(Property::Object), &[("1100/0002", "31"), ("0022/1000", "13")], "the output is not a piece"),
        (
            Select(Property::Counting),
            &[("1100/0002", "31"), ("0022/1000", "13")],
            "the output is not a piece",
        ),
        (
            Complete(Completion::Hidden),
            &[("1231/3993/2112", "1231/3123/2112")],
            "no symmetry gives blue and red",
        ),
        (
            Complete(Completion::Hidden),
            &[("121212/212912/121212", "121212/212112/121212")],
            "the pattern is broken",
        ),
        (Complete(Completion::Background), BELOW_BLUE, "one coloured cell is no pattern"),
        (Complete(Completion::Beyond), &[("12", "3334")], "the pattern does not have the new colour"),
        (Forest, NOISE, "there is nothing to learn"),
        (Stack, BELOW_BLUE, "the first step is right already"),
        (Move, BELOW_BLUE, "the new cell has another colour"),
        (Split, &[("10501/11500", "23/45")], "equal cells become different ones"),
        (Repeat, &[("12", "121"), ("34", "3434")], "no number gives the width"),
        (Table, MIRRORED, "all outputs differ"),
        (Count, &[("100", "34"), ("101", "43")], "the output has two colours"),
        (Pool, NEAREST, "no view tells the halves apart"),
        (Draw, FALLEN, "cells disappear"),
        (Template, ROWS_FILLED, "there is no template"),
        (FillParts, BELOW_BLUE, "there are no parts"),
        (Assemble, ONE_TO_MANY, "the input does not have these pieces"),
    ]
}

#[test]
fn learners_learn_their_examples() {
    assert_learned(&examples());
}

#[test]
fn learners_refuse_other_tasks() {
    for (learner, pairs, why) in refusals() {
        let rules = learn(&Spec::Learn(learner), pairs);
        assert!(rules.is_empty(), "{learner:?} should find nothing, because {why}: {rules:?}");
    }
}

#[test]
fn every_learner_has_an_example_and_a_refusal() {
    let (examples, refusals) = (examples(), refusals());
    for learner in Learner::all() {
        let learns = examples.iter().any(|example| example.spec == Spec::Learn(learner));
        assert!(learns, "{learner:?} has no example; add one to `examples`");
        let refuses = refusals.iter().any(|(refusing, ..)| *refusing == learner);
        assert!(refuses, "{learner:?} has no refusal; add one to `refusals`");
    }
}

#[test]
fn nothing_is_learned_from_contradictions() {
    let pairs = [("10", "20"), ("10", "30")];
    let demos = demos(&pairs);
    for candidate in catalogue(&demos, &Work::new(u64::MAX)) {
        let rules = candidate.spec.learn(&demos, &Work::new(u64::MAX)).unwrap();
        assert!(rules.is_empty(), "{candidate:?}: {rules:?}");
    }
}

#[test]
fn work_is_the_same_every_time_and_stops_learners() {
    let pairs = [
        ("03330/03030/03330/00000", "03330/03430/03330/00000"),
        ("0000/3330/3030/3330", "0000/3330/3430/3330"),
    ];
    let used = |spec: &Spec, limit: u64| {
        let work = Work::new(limit);
        let rules = spec.learn(&demos(&pairs), &work);
        (
            rules.ok().map(|rules| rules.iter().map(|rule| rule.words().to_string()).collect::<Vec<_>>()),
            work.used(),
        )
    };
    let shared = demos(&pairs);
    for candidate in catalogue(&demos(&pairs), &Work::new(u64::MAX)).iter().step_by(11) {
        let (rules, n) = used(&candidate.spec, u64::MAX);
        assert_eq!(used(&candidate.spec, n), (rules, n), "{candidate:?}");
        if n > 0 {
            assert_eq!(used(&candidate.spec, n - 1), (None, n - 1), "{candidate:?}");
        }
        // Values that others have computed already cost the same.
        let work = Work::new(u64::MAX);
        candidate.spec.learn(&shared, &work).unwrap();
        assert_eq!(work.used(), n, "{candidate:?}");
    }
}

#[test]
fn no_input_breaks_a_rule() {
    let odd = ["1", "0", "12/34", "111111111111111111111111111111", "0/0/0/0/5", "123456789/987654321"];
    let pairs = [("1200/0000/0000", "1222/0000/0000"), ("0000/0034/0000", "0000/0034/0000")];
    let small = [("12", "21"), ("34", "43")];
    for pairs in [&pairs[..], &small[..]] {
        let demos = demos(pairs);
        for candidate in catalogue(&demos, &Work::new(u64::MAX)) {
            for rule in candidate.spec.learn(&demos, &Work::new(u64::MAX)).unwrap() {
                for input in odd {
                    rule.apply(&image(input));
                }
            }
        }
    }
}
