//! The built-in set: properties of every task, and that it does not change by accident.

use std::collections::BTreeSet;

use batt_task::demo::{self, dataset, generate, rules};
use batt_task::series::write_task;
use batt_task::{Grid, Task};
use expect_test::expect;

fn text(task: &Task) -> Vec<u8> {
    let mut text = Vec::new();
    write_task(&mut text, task).unwrap();
    text
}

/// FNV-1a: short, and enough to notice a change.
fn digest(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[test]
fn every_rule_has_a_task_and_a_line() {
    let tasks = dataset().tasks;
    assert!(tasks.len() >= 48);
    assert!(tasks.is_sorted_by(|a, b| a.id < b.id), "ids ascend, and none is there twice");
    for rule in rules() {
        assert!(dataset().get(rule.name).is_some(), "{}", rule.name);
        assert!(rule.about.ends_with('.') && !rule.about.contains('\n'), "{}", rule.about);
        assert!(rule.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{}", rule.name);
    }
}

#[test]
fn tasks_are_valid() {
    let rounds = 20 * rules().len() as u64;
    for task in dataset().tasks.into_iter().chain(generate(3, rounds)) {
        let id = &task.id;
        assert!((3..=4).contains(&task.train.len()) && (1..=2).contains(&task.test.len()), "{id}");
        let pairs: Vec<(&Grid, &Grid)> =
            task.pairs().map(|(_, _, pair)| (&pair.input, pair.output.as_ref().unwrap())).collect();
        for (i, (input, output)) in pairs.iter().enumerate() {
            assert_ne!(input, output, "{id}: an output says more than its input");
            let alike = pairs[..i].iter().any(|other| other.0 == *input || other.1 == *output);
            assert!(!alike, "{id}: every pair shows something new");
        }
    }
}

#[test]
fn a_series_depends_only_on_its_seed() {
    let ids = |seed, count| generate(seed, count).map(|task| task.id).collect::<Vec<_>>();
    assert_eq!(ids(7, 3), ["kaleidoscope_s7_000000", "pinwheel_s7_000001", "mirror_repair_s7_000002"]);
    let n_rules = rules().len() as u64;
    let all: BTreeSet<_> = ids(7, 3 * n_rules).into_iter().collect();
    assert_eq!(all.len() as u64, 3 * n_rules, "no id twice");
    let texts = |seed, count| generate(seed, count).map(|task| text(&task)).collect::<Vec<_>>();
    assert_eq!(texts(7, 2 * n_rules)[..5], texts(7, 5), "a longer series starts with the shorter one");
    assert_ne!(texts(7, 1), texts(8, 1));
    assert_ne!(texts(7, 2 * n_rules)[0], texts(7, 2 * n_rules)[n_rules as usize], "fresh every time");
}

#[test]
fn rules_are_found_by_task_id() {
    let name = |id| demo::rule_of(id).map(|rule| rule.name);
    assert_eq!(name("gravity_down"), Some("gravity_down"));
    assert_eq!(name("gravity_down_s7_000123"), Some("gravity_down"));
    assert_eq!(name("step_closer_s18446744073709551615_1000000"), Some("step_closer"));
    for other in ["gravity_down_s7", "gravity_down_s7_", "gravity_down_s_1", "gravity", "", "00d62c1b"] {
        assert_eq!(name(other), None, "{other}");
    }
}

/// Shows which built-in tasks change when a rule or a drawing function changes.
#[test]
fn built_in_tasks_never_change() {
    let lines = dataset()
        .tasks
        .iter()
        .map(|task| format!("{:016x} {}\n", digest(text(task)), task.id))
        .collect::<String>();
    let series = digest(generate(7, 3 * rules().len() as u64).flat_map(|task| text(&task)));
    expect![[r#"
        61ac1e7e6ed9ec91 across_the_wall
        2d7361254f97351b agreement
        d13001ac90db4f68 asymmetric_panel
        353ea471dd4d775a blue_then_red
        d46647eeaa5c2573 border_touchers
        296fe19ba96a6eb2 branches
        a85c91e8a1a8e901 bridges
        e28c800297e48914 checker_fill
        6937c28c4d3870ff closed_frames
        ef2b521a3471332f contact
        665a2891d0efcd16 corners_and_center
        3ce4a804bfb262bb count_staircase
        3550079aa3c7f382 crosshair
        21be0bf7a385043c diagonal_rays
        1a816c5e16f6ae98 diagonal_stripes
        a96fcc7e37d96ce4 double_shape
        a87b305ef97ab67c drop_dividers
        53edfb9d4c42e72a emptiest_panel
        c431d3da600c6a78 even_odd
        dd62c88f75d6e8a4 farthest
        d860b420e44d20f8 fill_enclosed
        b39ba8b66d43f9a7 flipped_tiles
        5e3a581f395255b3 full_lines
        11ff4505c4676beb gravity_down
        9aab52db18bb39ed halo
        ae28fcc38cf2648d headers
        21a0cd540e1983cb hidden_patch
        12a80417b3264b36 highest_lowest
        acd95daf6499042f histogram
        da93e66835b761cb in_line
        c02e4710ca019062 infected
        461346473116db27 inner_ring
        eb08f9d7fec40ba9 inside_corners
        d97467281b5f076e interleave
        3140b7813dc5b81d join_dots
        1f5c55bc1cf8d5ca kaleidoscope
        cbd32810854e2418 l_path
        f9c32a76334e2d7c largest_shape
        51a145e5adb3d4d9 leak
        b2350175ed8a982f legend_order
        a1adefb26c578198 level_bars
        017c2bd70dd981d1 mirror_repair
        5b28ab903aa303c3 most_colors
        a9c0140181fcbe21 odd_shape
        0acecf4da4fb252f outline_blocks
        cb2ebcb19a3db760 overlay
        6eaaf7dfd2d9dd6d panels_and
        5f37bf7d9bf735d6 panels_xor
        d92d7fb7b8c068f9 peel
        eb2b0575f13eee22 pinwheel
        0071f53c4c002524 podium
        2810b9e860008098 pull_to_wall
        4ce8f1fc147515ae rare_frame
        3a31c3275e168f0c remove_specks
        c9ae2a6329f63ebf repair_rectangles
        f27202d4c6e3a72a repeat_right
        8a553d2936f25b2c replaced
        acb38851520db1ae rooms
        b2243bc1dc432d2f rotating_row
        909050e888df4a84 row_majority
        80b0a7d952c2da54 second_largest
        abf2a9ba054acef9 seeded_boxes
        2a8ad5360a29c0b9 self_similar
        7316fa7f9d6619c8 shrink_pixel_art
        bfb3e34b29835709 size_column
        8d4c39f84cbdd9ea size_ranks
        d936151687bf47d8 sort_bars
        249ef6249ad1619f stamp
        5302e137de003cac step_closer
        a673e1e2fdae0b85 stretch
        32550ba32ed4ac9b swap_legend
        c5b0390c8d7abdff tall_wide_square
        1635563a0197b0a8 tile_by_colors
        a71935a02bf77bfd to_their_sides
        73f6faf974effeba turned
        f938f637899d9f0c unstretch
        73a87e1c9868b024 wallpaper_hole
        7f4fdd873636d34f water_reflection
        c55b875517fb09ef zoom_by_colors
        f98cfa01d1dceb25 three rounds of seed 7
    "#]]
    .assert_eq(&format!("{lines}{series:016x} three rounds of seed 7\n"));
}
