//! Every learner on a small task made for it: the rule carries over to an input not seen, and says so in words.

use batt_learn::{
    Completion, Context, Criterion, Demos, Finish, Frame, Image, Learner, Matrix, Parts, Placement, Property,
    Region, Rule, Spec, Steps, Vocabulary, Work, catalogue,
};

/// `"10/02"` is two rows.
fn image(text: &str) -> Image {
    let rows: Vec<&str> = text.split('/').collect();
    let cells = rows.iter().flat_map(|row| row.bytes().map(|digit| digit - b'0')).collect();
    Image { h: rows.len(), w: rows[0].len(), cells }
}

fn demos(pairs: &[(&str, &str)]) -> Demos {
    Demos::new(pairs.iter().map(|(input, output)| (image(input), image(output))).collect()).unwrap()
}

fn learn(spec: &Spec, pairs: &[(&str, &str)]) -> Vec<Rule> {
    let demos = demos(pairs);
    let rules = spec.learn(&demos, &Work::new(u64::MAX)).unwrap();
    for rule in &rules {
        for (input, output) in demos.pairs() {
            assert_eq!(rule.apply(input).as_ref(), Some(output), "{rule:?}");
        }
    }
    rules
}

#[track_caller]
fn check(spec: Spec, pairs: &[(&str, &str)], input: &str, output: &str) -> String {
    let rules = learn(&spec, pairs);
    let rule = rules.first().unwrap_or_else(|| panic!("{spec:?} finds nothing"));
    assert_eq!(rule.apply(&image(input)), Some(image(output)), "{rule:?}");
    rule.words().to_string()
}

fn plain(learner: Learner) -> Spec {
    Spec::Learn(learner)
}

#[test]
fn cells_enclosed_by_a_colour() {
    let pairs = [
        ("03330/03030/03330/00000", "03330/03430/03330/00000"),
        ("0000/3330/3030/3330", "0000/3330/3430/3330"),
    ];
    let spec = plain(Learner::Cells(Vocabulary::Objects));
    let words =
        check(spec, &pairs, "000000/033330/030030/033330/000000", "000000/033330/034430/033330/000000");
    assert!(words.starts_with("if ") && words.contains("yellow") && words.contains("keep"), "{words}");
}

#[test]
fn cells_copy_colours_that_were_never_seen() {
    let pairs = [("100/000/002", "111/000/222"), ("000/030/000", "000/333/000")];
    check(plain(Learner::Cells(Vocabulary::Rays)), &pairs, "0000/0080/0000", "0000/8888/0000");
}

#[test]
fn undirected_rules_turn_with_the_task() {
    let pairs = [("100/000/000", "120/200/000"), ("000/010/000", "020/212/020")];
    check(plain(Learner::Cells(Vocabulary::Undirected)), &pairs, "000/000/001", "000/002/021");
}

#[test]
fn transforms_with_a_colour_map() {
    let pairs = [("12/30", "21/05"), ("31/00", "15/00")];
    let words = check(plain(Learner::Transform(Steps::One)), &pairs, "32", "25");
    assert!(words.contains("mirrored left-right") && words.contains("green becomes grey"), "{words}");
}

#[test]
fn objects_are_recoloured_by_size() {
    let pairs = [("1100/0001", "2200/0003"), ("1010/0010", "3020/0020")];
    check(plain(Learner::Recolor(Criterion::Properties)), &pairs, "0110/0110/1000", "0220/0220/3000");
}

#[test]
fn objects_fall_until_they_touch() {
    let pairs = [("010/000/000", "000/000/010"), ("200/000/500", "000/200/500")];
    check(plain(Learner::Move), &pairs, "003/000/000/000", "000/000/000/003");
}

#[test]
fn the_largest_piece_is_selected() {
    let pairs = [("1100/0002", "11"), ("0300/0044/0044", "44/44")];
    let words = check(plain(Learner::Select(Property::Object)), &pairs, "50000/00666", "666");
    assert!(words.contains("its size"), "{words}");
}

#[test]
fn parts_are_combined() {
    let pairs = [("10501/11500", "00/00"), ("11511/00501", "22/00"), ("01510/10510", "00/20")];
    check(plain(Learner::Split), &pairs, "11510/00511", "20/00");
}

#[test]
fn tables_and_counts() {
    let same = [("1", "77"), ("2", "77")];
    check(plain(Learner::Table), &same, "3", "77");
    let pairs = [("100", "3"), ("101", "33"), ("111", "333")];
    check(plain(Learner::Count), &pairs, "1111", "3333");
}

#[test]
fn what_is_hidden_is_completed() {
    let pairs = [("1231/3993/2112", "1231/3123/2112")];
    assert!(learn(&plain(Learner::Complete(Completion::Hidden)), &pairs).is_empty(), "no symmetry says 12");
    let pairs = [("121212/212912/121212", "121212/212112/121212")];
    assert!(
        learn(&plain(Learner::Complete(Completion::Hidden)), &pairs).is_empty(),
        "the pattern says 1 there, then 2"
    );
    let pairs = [("121212/219121/121212", "121212/212121/121212")];
    check(
        plain(Learner::Complete(Completion::Hidden)),
        &pairs,
        "343434/434393/343434",
        "343434/434343/343434",
    );
}

#[test]
fn objects_draw_rays() {
    let pairs = [("0000/0100/0000", "0000/0111/0000"), ("2000/0000", "2222/0000")];
    let words = check(plain(Learner::Draw), &pairs, "00000/03000", "00000/03333");
    assert!(words.contains("rays east"), "{words}");
}

#[test]
fn contexts_wrap_and_nest() {
    let mirror = || plain(Learner::Transform(Steps::One));
    let background = [("550", "551"), ("4440", "4441")];
    let near = || plain(Learner::Cells(Vocabulary::Near));
    check(near().within(Context::Frame(Frame::Majority)), &background, "5505", "5515");
    check(mirror().within(Context::Parts(Parts::Rows)), &[("12/33", "21/33")], "56/78", "65/87");
    check(mirror().within(Context::Box(Region::NotBackground)), &[("0120", "0210")], "0034", "0043");
    check(
        mirror().within(Context::Matrix(Matrix::Blocks)),
        &[("1122/1122", "2211/2211")],
        "3344/3344",
        "4433/4433",
    );
    check(mirror().within(Context::Before(Finish::MirroredRight)), &[("12", "2112")], "34", "4334");
    check(
        mirror().within(Context::Canvas(Placement::TopLeft)),
        &[("10/00", "1111/0000")],
        "00/02",
        "0000/0222",
    );
    let nested = mirror().within(Context::Parts(Parts::Rows)).within(Context::Box(Region::NotBackground));
    let words = check(nested, &[("0000/0120/0310", "0000/0210/0130")], "000/045/067", "000/054/076");
    assert!(words.starts_with("in the box of everything: in every row: "), "{words}");
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
        // What others have computed already is paid for all the same.
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
