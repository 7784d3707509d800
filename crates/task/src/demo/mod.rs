//! The built-in data set: original tasks in ARC's format, made by small seeded generators.
//!
//! A [`Rule`] makes any number of tasks. [`dataset`] has one task for each rule and never changes;
//! [`generate`] makes any number of new ones. Rules compute outputs without the DSL. `programs/demo.py` has a
//! program for each rule, and tests compare the two.

mod colors;
mod sketch;

mod symmetry;
mod objects;
mod gravity;
mod patterns;
mod counting;
mod lines;
mod cropping;
mod recolor;
mod tiling;
mod enclosed;
mod noise;
mod scaling;
mod sorting;
mod panels;
mod borders;
mod connecting;
mod copying;
mod extremes;

use batt_base::Rng;
use sketch::{Drawn, Sketch};

use crate::{Dataset, Grid, Pair, Task};

/// The seed of the built-in set: the year of ARC.
pub const SEED: u64 = 2019;

/// Returns the built-in set: one task for each rule, named after it.
pub fn dataset() -> Dataset {
    Dataset::new("demo", tasks())
}

/// Returns the tasks of the built-in set, sorted by id.
pub fn tasks() -> Vec<Task> {
    let mut tasks: Vec<Task> = RULES.iter().map(|rule| rule.task(rule.name.to_owned(), SEED, 0)).collect();
    tasks.sort_by(|a, b| a.id.cmp(&b.id));
    tasks
}

/// Generates tasks of all rules in turn. The same seed gives the same tasks, and a longer series starts with
/// the shorter one.
///
/// Ids show the origin of a task: `gravity_down_s7_000123` is number 123 of the series with seed 7.
pub fn generate(seed: u64, count: u64) -> impl Iterator<Item = Task> {
    (0..count)
        .zip(RULES.iter().cycle())
        .map(move |(number, rule)| rule.task(format!("{}_s{seed}_{number:06}", rule.name), seed, number))
}

/// Returns all rules, grouped by theme.
pub fn rules() -> &'static [Rule] {
    RULES
}

/// Returns the rule that made a task of [`dataset`] or [`generate`], by the task's id.
pub fn rule_of(id: &str) -> Option<&'static Rule> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let series = id.rsplit_once('_').filter(|(_, number)| digits(number));
    let name = series.and_then(|(rest, _)| rest.rsplit_once("_s")).filter(|(_, seed)| digits(seed));
    let name = name.map_or(id, |(name, _)| name);
    RULES.iter().find(|rule| rule.name == name)
}

/// A generator of tasks with the same rule.
#[derive(Debug)]
pub struct Rule {
    pub name: &'static str,
    /// How the output follows from the input, in one line.
    pub about: &'static str,
    make: Make,
}

#[derive(Debug)]
enum Make {
    /// The rule is the same in all tasks.
    Same(fn(&mut Rng) -> Drawn),
    /// Each task has its own variant, which its demonstration pairs show.
    Chosen(fn(u64, &mut Rng) -> Drawn),
}

const fn same(name: &'static str, about: &'static str, make: fn(&mut Rng) -> Drawn) -> Rule {
    Rule { name, about, make: Make::Same(make) }
}

const fn chosen(name: &'static str, about: &'static str, make: fn(u64, &mut Rng) -> Drawn) -> Rule {
    Rule { name, about, make: Make::Chosen(make) }
}

#[rustfmt::skip] // One line for each rule.
const RULES: &[Rule] = &[
    same("kaleidoscope", "The picture is mirrored to the right and downwards.", symmetry::kaleidoscope),
    same("pinwheel", "The picture and its three rotations form a wheel.", symmetry::pinwheel),
    same("mirror_repair", "The gray patch is filled from the other half of a mirrored pattern.", symmetry::mirror_repair),
    same("hidden_patch", "The part under the black patch, read from the other side of the diagonal.", symmetry::hidden_patch),
    chosen("turned", "The picture is rotated or mirrored, the same way in all pairs of a task.", symmetry::turned),
    same("asymmetric_panel", "The panel that is not symmetric from left to right.", symmetry::asymmetric_panel),
    same("across_the_wall", "The shapes on each side of the gray wall are mirrored on the other.", symmetry::across_the_wall),
    same("largest_shape", "The largest shape, cut out.", objects::largest_shape),
    same("odd_shape", "The one shape that differs from the others, cut out.", objects::odd_shape),
    same("size_ranks", "The largest shape turns red, the smallest blue, the others green.", objects::size_ranks),
    same("contact", "Blocks that touch a red cell turn red.", objects::contact),
    same("infected", "Shapes with a red cell turn entirely red.", objects::infected),
    same("gravity_down", "All cells fall down.", gravity::gravity_down),
    same("pull_to_wall", "All shapes move until they touch the red wall.", gravity::pull_to_wall),
    same("step_closer", "The figure moves one step towards the red cell.", gravity::step_closer),
    same("to_their_sides", "Green cells slide to the green wall, blue ones to the blue wall.", gravity::to_their_sides),
    same("wallpaper_hole", "A repeating pattern is completed.", patterns::wallpaper_hole),
    same("diagonal_stripes", "The first cells continue as diagonal stripes.", patterns::diagonal_stripes),
    same("checker_fill", "Solid rectangles turn into checkerboards.", patterns::checker_fill),
    same("self_similar", "Every cell of the picture is replaced by the picture itself.", patterns::self_similar),
    same("count_staircase", "A staircase with one step for each shape.", counting::count_staircase),
    same("histogram", "A bar for each colour, as long as its number of cells, the longest on top.", counting::histogram),
    same("even_odd", "Shapes with an even number of cells turn blue, the others red.", counting::even_odd),
    same("podium", "The three most common colours, in order.", counting::podium),
    same("crosshair", "Red cells draw their row, blue cells their column; crossings are yellow.", lines::crosshair),
    same("join_dots", "Cells in the same row or column are joined in green.", lines::join_dots),
    same("diagonal_rays", "Cells send rays along their diagonals.", lines::diagonal_rays),
    same("full_lines", "Only the lines that cross the whole grid stay.", lines::full_lines),
    same("leak", "Yellow fills the boxes and leaks through the gap up to the border.", lines::leak),
    same("inside_corners", "The area between four yellow corners.", cropping::inside_corners),
    same("most_colors", "The patch with the most colours, cut out.", cropping::most_colors),
    same("drop_dividers", "The gray lines are removed.", cropping::drop_dividers),
    same("emptiest_panel", "The panel with the fewest coloured cells.", cropping::emptiest_panel),
    same("peel", "The two outermost rings are peeled off.", cropping::peel),
    same("tall_wide_square", "Tall rectangles turn red, wide ones blue, squares green.", recolor::tall_wide_square),
    same("swap_legend", "The two colours shown above the field are swapped in it.", recolor::swap_legend),
    same("border_touchers", "Rectangles that touch the border turn red.", recolor::border_touchers),
    same("in_line", "Blocks in the row of the yellow cell turn red, those in its column blue.", recolor::in_line),
    same("blue_then_red", "A blue cell and a red one to its right both turn green.", recolor::blue_then_red),
    same("headers", "Gray cells take the colour at the top of their column.", recolor::headers),
    chosen("replaced", "One colour is replaced by another, the same way in all pairs of a task.", recolor::replaced),
    same("flipped_tiles", "Three rows of three copies, the middle row mirrored.", tiling::flipped_tiles),
    same("tile_by_colors", "As many copies across and down as the picture has colours.", tiling::tile_by_colors),
    same("interleave", "The rows of the upper and the lower half take turns.", tiling::interleave),
    same("rotating_row", "In each row the pattern moves one cell to the left and wraps around.", tiling::rotating_row),
    same("fill_enclosed", "Enclosed areas turn yellow.", enclosed::fill_enclosed),
    same("rooms", "The largest room turns red, the smallest blue.", enclosed::rooms),
    same("closed_frames", "Closed frames turn green, open ones red.", enclosed::closed_frames),
    same("seeded_boxes", "Every box is filled with the colour of the cell in it.", enclosed::seeded_boxes),
    same("remove_specks", "Single cells disappear.", noise::remove_specks),
    same("repair_rectangles", "Holes in rectangles are filled.", noise::repair_rectangles),
    same("row_majority", "Every row takes its most common colour.", noise::row_majority),
    same("shrink_pixel_art", "The picture, with one cell for every block of three by three.", scaling::shrink_pixel_art),
    same("zoom_by_colors", "The picture is enlarged as many times as it has colours.", scaling::zoom_by_colors),
    same("double_shape", "The shape doubles its size; its upper left corner stays.", scaling::double_shape),
    same("unstretch", "Repeated rows and columns are dropped.", scaling::unstretch),
    same("stretch", "The picture becomes three times as high and twice as wide.", scaling::stretch),
    same("sort_bars", "The bars are sorted by length.", sorting::sort_bars),
    same("size_column", "The colours of the shapes, from the largest to the smallest.", sorting::size_column),
    same("legend_order", "From left to right the shapes take the colours of the legend.", sorting::legend_order),
    same("panels_and", "Cells that are coloured in both panels are red.", panels::panels_and),
    same("panels_xor", "Cells that are coloured in exactly one panel are green.", panels::panels_xor),
    same("overlay", "The panels are laid over each other, the left one on top.", panels::overlay),
    same("agreement", "The cells on which the upper and the lower half agree; the others are black.", panels::agreement),
    same("rare_frame", "A frame in the rarest colour.", borders::rare_frame),
    same("outline_blocks", "Every block gets a green outline.", borders::outline_blocks),
    same("inner_ring", "A yellow ring just inside the edge of every rectangle.", borders::inner_ring),
    same("corners_and_center", "The corners of every rectangle turn red, its centre yellow.", borders::corners_and_center),
    same("halo", "All black cells around the shapes turn yellow.", borders::halo),
    same("l_path", "A green path from red to blue: first along the row, then along the column.", connecting::l_path),
    same("bridges", "Squares of one colour are joined by a line between their centres.", connecting::bridges),
    same("branches", "Every cell grows a branch to the gray line.", connecting::branches),
    same("stamp", "The figure is drawn again around every gray cell.", copying::stamp),
    same("repeat_right", "The figure is repeated to the right, one column apart.", copying::repeat_right),
    same("water_reflection", "The upper half is mirrored in the blue water.", copying::water_reflection),
    same("highest_lowest", "The highest shape turns red, the lowest blue.", extremes::highest_lowest),
    same("level_bars", "All bars are cut to the length of the shortest.", extremes::level_bars),
    same("second_largest", "Only the second largest shape stays.", extremes::second_largest),
    same("farthest", "The square farthest from the red cell turns yellow.", extremes::farthest),
];

impl Rule {
    /// Makes task `number` of a seed.
    pub fn task(&self, id: String, seed: u64, number: u64) -> Task {
        let mut rng = Rng::of(seed, self.name, number);
        let choice = rng.next_u64();
        let (n_train, n_test) = (rng.between(3, 4), if rng.chance(25) { 2 } else { 1 });
        let mut train: Vec<Pair> = Vec::with_capacity(n_train + n_test);
        while train.len() < n_train + n_test {
            // This ends, because every rule accepts enough of its samples (a test counts them).
            let pair = self.pair(choice, &mut rng);
            train.extend(pair.filter(|pair| train.iter().all(|other| is_different(pair, other))));
        }
        let test = train.split_off(n_train);
        Task { id, train, test, extra: Vec::new() }
    }

    /// Makes one pair, or `None` if it is degenerate or too large.
    fn pair(&self, choice: u64, rng: &mut Rng) -> Option<Pair> {
        let (input, output) = match self.make {
            Make::Same(make) => make(rng),
            Make::Chosen(make) => make(choice, rng),
        }?;
        let grid = |sketch: Sketch| Grid::new(sketch.width(), sketch.into_cells()).ok();
        let (input, output) = (grid(input)?, grid(output)?);
        (input != output).then_some(Pair { input, output: Some(output) })
    }
}

/// Whether a pair shows something that the other does not.
fn is_different(a: &Pair, b: &Pair) -> bool {
    a.input != b.input && a.output != b.output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_accepts_enough_of_its_samples() {
        for rule in RULES {
            let mut rng = Rng::of(1, rule.name, 0);
            let accepted = (0..500).filter(|_| rule.pair(3, &mut rng).is_some()).count();
            assert!(accepted >= 25, "{} accepts {accepted} of 500", rule.name);
        }
    }
}
