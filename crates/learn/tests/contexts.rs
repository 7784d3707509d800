//! Every context: a small task that a learner solves in it, and one that it does not fit.

mod common;

use batt_learn::{
    Context, Finish, Frame, Learner, Matrix, Parts, Placement, Region, Spec, Steps, ViewId, Vocabulary, Work,
};
use common::{Example, Pairs, assert_learned, demos, image, learn};

const TRANSFORM: Learner = Learner::Transform(Steps::One);

/// The context of a view, given the constant that names it.
fn after(name: &str) -> Context {
    Context::After(ViewId::all().find(|view| view.name().to_string() == name).unwrap())
}

fn examples() -> Vec<(Context, Example)> {
    use Context::{Before, Box, Canvas, Frame as In, Matrix as On, Parts as Each};
    let within = |context: Context, learner, pairs, input, output, words| {
        (context, Example { spec: Spec::Learn(learner).within(context), pairs, input, output, words })
    };
    let example =
        |context, pairs, input, output, words| within(context, TRANSFORM, pairs, input, output, words);
    vec![
        within(
            In(Frame::Majority),
            Learner::Cells(Vocabulary::Near),
            &[("550", "551"), ("4440", "4441")],
            "5505",
            "5515",
            "with the commonest colour as background (called black): if the cell is black: keep; \
             else blue",
        ),
        within(
            In(Frame::Frequency),
            Learner::Cells(Vocabulary::Near),
            &[("343354345", "343344344"), ("868867678", "868866668")],
            "111223",
            "111222",
            "with colours named by frequency (black the commonest, then blue, red, …): if the cell \
             is red: blue; else keep",
        ),
        example(
            In(Frame::FrequencyButBlack),
            &[("0333400", "0444400"), ("0077755", "0055555")],
            "2220100",
            "1110100",
            "with colours but black named by frequency (blue the commonest, …): the image itself, \
             then blue becomes red",
        ),
        example(
            In(Frame::Rarity),
            &[("0333400", "0333300"), ("00555770", "00555550")],
            "8880090",
            "8880080",
            "with colours but black named by rarity (blue the rarest, …): the image itself, then \
             blue becomes red",
        ),
        example(
            Box(Region::Color(3)),
            &[("31200/00030", "02130/30000"), ("0000/0340/0403", "0000/0043/0304")],
            "3500/0030",
            "0530/3000",
            "in the box of green: mirrored left-right",
        ),
        example(
            Box(Region::LargestObject),
            &[("10000/00550/00500", "10000/00550/00050"), ("44400/40000/00030", "44400/00400/00030")],
            "0660/0600/2000",
            "0660/0060/2000",
            "in the box of the largest object: mirrored left-right",
        ),
        example(
            Box(Region::NotBackground),
            &[("0120", "0210")],
            "0034",
            "0043",
            "in the box of everything: mirrored left-right",
        ),
        example(
            Box(Region::LargestBox),
            &[("88888/81288/88883", "88888/82188/88883"), ("7777/7347/7777/5777", "7777/7437/7777/5777")],
            "999999/912399/999999",
            "999999/932199/999999",
            "in the largest box on the commonest colour: mirrored left-right",
        ),
        example(
            Each(Parts::Objects),
            &[("11000/12000/00034/00033", "11000/21000/00043/00033")],
            "5600/5500",
            "6500/5500",
            "in the box of every object: mirrored left-right",
        ),
        example(
            Each(Parts::OneColorObjects),
            &[("11000/10000/00333/00300", "11000/01000/00333/00003")],
            "6600/6000",
            "6600/0600",
            "in the box of every one-colour object: mirrored left-right",
        ),
        example(
            Each(Parts::OnMajority),
            &[
                ("88888/81088/80088/88888", "88888/80188/80088/88888"),
                ("77777/70277/77077", "77777/72077/70777"),
            ],
            "9999/9349/9339/9999",
            "9999/9439/9339/9999",
            "in the box of every object on the commonest colour: mirrored left-right",
        ),
        example(
            Each(Parts::LineCells),
            &[("12534/00500", "21543/00500")],
            "67589/00500",
            "76598/00500",
            "in every cell of the line grid: mirrored left-right",
        ),
        example(
            Each(Parts::Rows),
            &[("12/33", "21/33")],
            "56/78",
            "65/87",
            "in every row: mirrored left-right",
        ),
        example(
            Each(Parts::Columns),
            &[("13/23", "23/13")],
            "57/68",
            "68/57",
            "in every column: mirrored up-down",
        ),
        example(
            On(Matrix::LineCells),
            &[("11522/11522", "22511/22511")],
            "66577/66577",
            "77566/77566",
            "on the matrix of the line grid's cells: mirrored left-right",
        ),
        example(
            On(Matrix::Blocks),
            &[("1122/1122", "2211/2211")],
            "3344/3344",
            "4433/4433",
            "on the matrix of blocks: mirrored left-right",
        ),
        example(
            after("CROPPED_TO_COLORED"),
            &[("00000/01200/00000", "21")],
            "000/034",
            "43",
            "after “cropped to what is not black”: mirrored left-right",
        ),
        example(
            Before(Finish::Enlarged),
            &[("12", "2211/2211")],
            "34",
            "4433/4433",
            "enlarged 2 times in the end: mirrored left-right",
        ),
        example(
            Before(Finish::MirroredRight),
            &[("12", "2112")],
            "34",
            "4334",
            "mirrored to the right in the end: mirrored left-right",
        ),
        example(
            Before(Finish::MirroredDown),
            &[("1/2", "2/1/1/2")],
            "3/4",
            "4/3/3/4",
            "mirrored downwards in the end: mirrored up-down",
        ),
        example(
            Before(Finish::MirroredBoth),
            &[("12/30", "2112/0330/0330/2112")],
            "45/60",
            "5445/0660/0660/5445",
            "mirrored to the right and downwards in the end: mirrored left-right",
        ),
        example(
            Before(Finish::DoubledRight),
            &[("12", "2121")],
            "34",
            "4343",
            "doubled to the right in the end: mirrored left-right",
        ),
        example(
            Before(Finish::DoubledDown),
            &[("1/2", "2/1/2/1")],
            "3/4",
            "4/3/4/3",
            "doubled downwards in the end: mirrored up-down",
        ),
        example(
            Before(Finish::Framed),
            &[("123/456/789", "55555/53215/56545/59875/55555")],
            "000/120/340",
            "55555/50005/50215/50435/55555",
            "framed in grey in the end: mirrored left-right",
        ),
        example(
            Canvas(Placement::TopLeft),
            &[("10/02", "1000/0200/0000/0000"), ("200", "200000/000000")],
            "03/30",
            "0300/3000/0000/0000",
            "the height is 2 · the height, the width is 2 · the width; the input in the top left \
             corner: the image itself",
        ),
        example(
            Canvas(Placement::BottomLeft),
            &[("10/02", "0000/0000/1000/0200"), ("200", "000000/200000")],
            "03/30",
            "0000/0000/0300/3000",
            "the height is 2 · the height, the width is 2 · the width; the input in the bottom left \
             corner: the image itself",
        ),
        example(
            Canvas(Placement::TopRight),
            &[("10/02", "0010/0002/0000/0000"), ("200", "000200/000000")],
            "03/30",
            "0003/0030/0000/0000",
            "the height is 2 · the height, the width is 2 · the width; the input in the top right \
             corner: the image itself",
        ),
        example(
            Canvas(Placement::BottomRight),
            &[("10/02", "0000/0000/0010/0002"), ("200", "000000/000200")],
            "03/30",
            "0000/0000/0003/0030",
            "the height is 2 · the height, the width is 2 · the width; the input in the bottom right \
             corner: the image itself",
        ),
        example(
            Canvas(Placement::Centre),
            &[("10/02", "0000/0100/0020/0000"), ("200", "00000/02000/00000")],
            "03/30",
            "0000/0030/0300/0000",
            "the height is the height + 2, the width is the width + 2; the input in the centre: the \
             image itself",
        ),
        example(
            Canvas(Placement::CentreSpread),
            &[("100/020/003", "11000/11000/00200/00033/00033")],
            "040/000/005",
            "00400/00400/00000/00055/00055",
            "the height is the height + 2, the width is the width + 2; the input in the centre, its \
             edges drawn out: the image itself",
        ),
        example(
            Canvas(Placement::Tiled),
            &[("10/02", "1010/0202/1010/0202"), ("200", "200200/200200")],
            "03/30",
            "0303/3030/0303/3030",
            "the height is 2 · the height, the width is 2 · the width; the input tiled: the image \
             itself",
        ),
        example(
            Canvas(Placement::Enlarged),
            &[("10/02", "1100/1100/0022/0022"), ("200", "220000/220000")],
            "03/30",
            "0033/0033/3300/3300",
            "the height is 2 · the height, the width is 2 · the width; the input enlarged: the image \
             itself",
        ),
        example(
            Canvas(Placement::MirrorTiled),
            &[("10/02", "1001/0220/0220/1001"), ("200", "200002/200002")],
            "03/40",
            "0330/4004/4004/0330",
            "the height is 2 · the height, the width is 2 · the width; the input mirror-tiled: the \
             image itself",
        ),
        example(
            Canvas(Placement::Blocks),
            &[("10", "110011"), ("02", "002200")],
            "30",
            "330033",
            "the height is the height, the width is 3 · the width; a block for every cell of the \
             input: the image itself",
        ),
        example(
            Canvas(Placement::TopLeftSpread),
            &[("10/02", "100/022/022")],
            "03/40",
            "033/400/400",
            "the height is the height + 1, the width is the width + 1; the input in the top left \
             corner, its edges drawn out: the image itself",
        ),
    ]
}

/// Tasks that a context does not fit, and why.
fn refusals() -> Vec<(Context, Pairs, &'static str)> {
    use Context::{Before, Box, Canvas, Frame as In, Matrix as On, Parts as Each};
    vec![
        (In(Frame::Majority), &[("0050", "0051")], "black is the commonest colour"),
        (In(Frame::Frequency), &[("0012", "0011")], "the names of the colours stay"),
        (In(Frame::FrequencyButBlack), &[("0110", "0220")], "the names of the colours stay"),
        (In(Frame::Rarity), &[("0122", "0022")], "the names of the colours stay"),
        (Box(Region::Color(3)), &[("3120/0003", "0213/3000"), ("12", "21")], "the second input has no green"),
        (Box(Region::LargestObject), &[("1000/0055", "2000/0055")], "a cell outside changes"),
        (Box(Region::NotBackground), &[("12", "21")], "the box is the whole input"),
        (Box(Region::LargestBox), &[("88888/81288/88883", "88888/81288/88884")], "a cell outside changes"),
        (
            Each(Parts::Objects),
            &[("11000/12000/00034/00033", "11003/21000/00043/00033")],
            "a cell outside changes",
        ),
        (
            Each(Parts::OneColorObjects),
            &[("11000/10000/00011/00010", "11000/01000/00011/00010")],
            "equal parts become different",
        ),
        (Each(Parts::OnMajority), &[("8812/8888", "8821/8888")], "objects of two cells are too small"),
        (Each(Parts::LineCells), &[("123/456", "321/654")], "there are no lines"),
        (Each(Parts::Rows), &[("12/12", "21/12")], "equal rows become different"),
        (Each(Parts::Columns), &[("1/2", "2/1"), ("3/4", "4/3")], "the only column is the whole input"),
        (On(Matrix::LineCells), &[("11522/11522", "12522/11522")], "a cell of the output has two colours"),
        (On(Matrix::Blocks), &[("12", "21")], "there are no blocks"),
        (after("CROPPED_TO_COLORED"), &[("12", "21")], "the view changes nothing"),
        (after("CROPPED_TO_COLORED"), &[("120", "21"), ("000", "00")], "there is nothing to crop to"),
        (Before(Finish::Enlarged), &[("12", "21")], "the output has no blocks"),
        (Before(Finish::MirroredRight), &[("12", "2121")], "the copy is not mirrored"),
        (Before(Finish::MirroredDown), &[("1/2", "2/1/2/1")], "the copy is not mirrored"),
        (Before(Finish::MirroredBoth), &[("12", "2112")], "the height is odd"),
        (Before(Finish::DoubledRight), &[("12", "2112")], "the copy is mirrored"),
        (Before(Finish::DoubledDown), &[("1/2", "2/1/1/2")], "the copy is mirrored"),
        (
            Before(Finish::Framed),
            &[
                ("123/456/789", "55555/53215/56545/59875/55555"),
                ("123/456/789", "66666/63216/66546/69876/66666"),
            ],
            "the frames have two colours",
        ),
        (Canvas(Placement::TopLeft), &[("10/02", "10")], "the output is smaller"),
        (Canvas(Placement::BottomLeft), &[("10/02", "02/10")], "the size stays"),
        (Canvas(Placement::TopRight), &[("10/02", "1000")], "the height shrinks"),
        (Canvas(Placement::BottomRight), &[("10/02", "1/0/0/2")], "the width shrinks"),
        (Canvas(Placement::Centre), &[("10", "0100"), ("10", "00100")], "no number gives the width"),
        (Canvas(Placement::CentreSpread), &[("10", "1100"), ("10", "11000")], "no number gives the width"),
        (Canvas(Placement::Tiled), &[("10/02", "02/10")], "the size stays"),
        (Canvas(Placement::Enlarged), &[("10", "110")], "three cells are no multiple of two"),
        (Canvas(Placement::MirrorTiled), &[("10/02", "1")], "the output is smaller"),
        (Canvas(Placement::Blocks), &[("10/02", "02/10")], "the size stays"),
        (Canvas(Placement::TopLeftSpread), &[("10", "100"), ("10", "1000")], "no number gives the width"),
    ]
}

/// Whether a context fits the pairs.
fn fits(context: Context, pairs: &[(&str, &str)]) -> bool {
    demos(pairs).inside(context, &Work::new(u64::MAX)).unwrap().is_some()
}

#[test]
fn learners_learn_in_contexts() {
    let examples: Vec<Example> = examples().into_iter().map(|(_, example)| example).collect();
    assert_learned(&examples);
}

#[test]
fn contexts_refuse_other_tasks() {
    for (context, pairs, why) in refusals() {
        assert!(!fits(context, pairs), "{context:?} should not fit, because {why}");
    }
}

#[test]
fn every_context_has_an_example_and_a_refusal() {
    let (examples, refusals) = (examples(), refusals());
    // One colour stands for all, and one view.
    let alike = |a: Context, b: Context| match (a, b) {
        (Context::Box(Region::Color(_)), Context::Box(Region::Color(_))) => true,
        (Context::After(_), Context::After(_)) => true,
        _ => a == b,
    };
    for context in Context::all() {
        let learns = examples.iter().any(|(with, _)| alike(*with, context));
        assert!(learns, "{context:?} has no example; add one to `examples`");
        let refuses = refusals.iter().any(|(refusing, ..)| alike(*refusing, context));
        assert!(refuses, "{context:?} has no refusal; add one to `refusals`");
    }
}

#[test]
fn contexts_nest() {
    let rows = Spec::Learn(TRANSFORM).within(Context::Parts(Parts::Rows));
    assert_learned(&[Example {
        spec: rows.within(Context::Box(Region::NotBackground)),
        pairs: &[("0000/0120/0310", "0000/0210/0130")],
        input: "000/045/067",
        output: "000/054/076",
        words: "in the box of everything: in every row: mirrored left-right",
    }]);
}

#[test]
fn small_parts_of_a_large_input_fit_in_any_order() {
    // The part fills most of the small input, but the three parts of the large one do not.
    let small = ("120/340", "210/430");
    let large = ("1200056/1300055/0000000/0078000/0077000", "2100065/3100055/0000000/0087000/0077000");
    let spec = Spec::Learn(TRANSFORM).within(Context::Parts(Parts::Objects));
    for pairs in [[large, small], [small, large]] {
        let rules = learn(&spec, &pairs);
        let rule = rules.first().unwrap_or_else(|| panic!("no rule for {pairs:?}"));
        assert_eq!(rule.apply(&image("9800/8800")), Some(image("8900/8800")), "{rule:?}");
    }
}

#[test]
fn parts_that_fill_most_of_every_input_are_refused_in_any_order() {
    // Learning in such parts is learning on the whole input.
    let large = ("12340/11110/22220/33330/00000", "43210/11110/22220/33330/00000");
    let small = ("120/340", "210/430");
    for pairs in [[large, small], [small, large]] {
        assert!(!fits(Context::Parts(Parts::Objects), &pairs), "{pairs:?}");
    }
}
