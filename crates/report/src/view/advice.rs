//! The profile in three sentences: where the time goes, which functions take it, and which work outside the DSL could be faster.

use std::fmt;

use batt_base::number::percent;
use batt_base::time::brief_ns;
use batt_record::profile::Function;
use batt_trace::Category;
use schemars::JsonSchema;
use serde::Serialize;

use crate::facts::{Facts, is_of_device, is_waiting};
use crate::noise::{Base, Exposed, Range};
use crate::view::dsl::tied;
use crate::view::framework::between;
use crate::view::phases::{PARTS, part_of};

/// The profile in a few sentences.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct Advice {
    /// The sentences, in the order to read them.
    pub sentences: Vec<Sentence>,
}

/// A statement about the profile.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct Sentence {
    /// The sentence. Names of functions are in backquotes.
    pub text: String,
    /// False if the recording cannot tell, which the sentence says.
    pub sure: bool,
}

/// The time of a part or a function, and the range of its share of the busy time.
struct Item {
    name: String,
    exposed: Exposed,
    share: f64,
    range: Range,
}

impl Advice {
    pub fn new(facts: &Facts<'_>) -> Advice {
        let whole = facts.exposed_base();
        let of = |name: &str, is_mine: &dyn Fn(&Function) -> bool| {
            let is_busy = |it: &Function| !is_waiting(it) && !is_of_device(it) && is_mine(it);
            let exposed = facts.exposed(is_busy);
            Item::new(name, exposed, &whole, facts.spread(is_busy))
        };
        let parts = PARTS.iter().map(|(name, _)| of(name, &|it| part_of(&it.phase) == Some(*name)));
        let parts = sorted(parts);
        let of_dsl = facts.functions().into_iter().filter(|(it, _)| facts.function(*it).primitive);
        let of_dsl = sorted(of_dsl.map(|(function, sum)| {
            let name = &facts.function(function).name;
            Item::new(name, Exposed::of(&sum), &whole, facts.primitive_spread(function, sum.hits))
        }));
        let apart = facts.profile.functions.iter().filter(|it| is_apart(it));
        let apart = sorted(apart.map(|it| of(&it.name, &|other| !other.primitive && other.name == it.name)));
        let primitives = of("primitives", &|it| it.primitive);
        let sentences = [where_it_goes(&parts), in_the_dsl(&primitives, &of_dsl), apart_from_it(&apart)];
        Advice { sentences: sentences.into_iter().flatten().collect() }
    }
}

/// Returns whether the function can be made faster without work on primitives or on how they are called.
fn is_apart(function: &Function) -> bool {
    let never = [Category::Unaccounted, Category::Profiling, Category::Language].map(Category::name);
    !function.primitive
        && !is_waiting(function)
        && !is_of_device(function)
        && !never.contains(&&*function.category)
}

impl Item {
    fn new(name: &str, exposed: Exposed, whole: &Base, spread: f64) -> Item {
        Item {
            name: name.to_owned(),
            exposed,
            share: exposed.time as f64 / whole.time.max(1) as f64,
            range: exposed.share_of(whole, spread),
        }
    }

    /// Returns several items together.
    fn sum(items: &[Item]) -> Item {
        let mut sum =
            Item { name: String::new(), exposed: Exposed::default(), share: 0.0, range: (0.0, 0.0) };
        for item in items {
            sum.exposed.join(item.exposed);
            sum.share += item.share;
            sum.range = (sum.range.0 + item.range.0, (sum.range.1 + item.range.1).min(1.0));
        }
        sum
    }

    /// Returns the share of the busy time in words.
    fn share(&self) -> String {
        share_text(self.share, self.range)
    }

    /// Returns the share of `whole` in words. The rest of `whole` is disturbed too.
    fn part_of(&self, whole: &Item) -> String {
        let share = self.exposed.time as f64 / whole.exposed.time.max(1) as f64;
        let ends = |mine: f64, rest: f64| if mine > 0.0 { mine / (mine + rest) } else { 0.0 };
        let rest = (whole.range.0 - self.range.0, whole.range.1 - self.range.1);
        share_text(share, (ends(self.range.0, rest.1.max(0.0)), ends(self.range.1, rest.0.max(0.0))))
    }
}

/// Formats a share, as its range if that is wide.
fn share_text(share: f64, range: Range) -> String {
    if is_wide(share, range) { between(range) } else { percent(share) }
}

/// A range is shown if its ends differ by more than half of the share; otherwise the figure itself says enough.
fn is_wide(share: f64, range: Range) -> bool {
    range.1 - range.0 > share / 2.0
}

fn sorted(items: impl Iterator<Item = Item>) -> Vec<Item> {
    let mut items: Vec<Item> = items.filter(|item| item.exposed.time > 0).collect();
    items.sort_by(|a, b| b.exposed.time.cmp(&a.exposed.time).then_with(|| a.name.cmp(&b.name)));
    items
}

/// Returns the names of the items that may be the largest; none if it is clear.
fn unclear(items: &[Item]) -> Vec<String> {
    tied(items.iter().map(|item| (&*item.name, item.range)))
}

fn where_it_goes(parts: &[Item]) -> Option<Sentence> {
    let first = parts.first()?;
    let unclear = unclear(parts);
    if !unclear.is_empty() {
        let text =
            format!("The recording cannot tell which takes the most time: {}.", list(&unclear, " or "));
        return Some(Sentence { text, sure: false });
    }
    let amount = if is_wide(first.share, first.range) {
        format!("{} of the busy time", first.share())
    } else {
        amount(first.share)
    };
    Some(Sentence { text: format!("{} is {}.", capitalised(&amount), first.name), sure: true })
}

fn in_the_dsl(all: &Item, primitives: &[Item]) -> Option<Sentence> {
    let first = primitives.first()?;
    let whole = format!("Primitives take {} of the busy time", all.share());
    let named = |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
    // The first primitives, three at most, that certainly take more time than all others: as few as take half of the
    // time, or else as many as possible.
    let certain = (1..=primitives.len().min(3)).filter(|n| {
        let most = primitives[*n..].iter().map(|it| it.range.1).fold(0.0, f64::max);
        primitives[..*n].iter().all(|it| it.range.0 > most)
    });
    let certain: Vec<usize> = certain.collect();
    let half = certain.iter().find(|n| 2 * Item::sum(&primitives[..**n]).exposed.time >= all.exposed.time);
    let (text, sure) = match half.or(certain.last()) {
        Some(n) => {
            let names: Vec<String> = primitives[..*n].iter().map(|it| it.name.clone()).collect();
            let part = Item::sum(&primitives[..*n]).part_of(all);
            let (names, verb) = (list(&named(&names), " and "), if *n == 1 { "takes" } else { "take" });
            (format!("{whole}; {names} {verb} {part} of that."), true)
        }
        None => {
            let names = list(&named(&unclear(primitives)), " and ");
            let share = first.share();
            (
                format!(
                    "{whole}; the recording cannot tell which of {names} takes the most (`{}`: {share}).",
                    first.name
                ),
                false,
            )
        }
    };
    Some(Sentence { text, sure })
}

fn apart_from_it(functions: &[Item]) -> Option<Sentence> {
    let first = functions.first()?;
    let unclear: Vec<String> = unclear(functions).iter().map(|name| format!("`{name}`")).collect();
    if !unclear.is_empty() {
        let text = format!(
            "Without any work on the DSL, {} would bring the most; the recording cannot tell which.",
            list(&unclear, " or ")
        );
        return Some(Sentence { text, sure: false });
    }
    let (name, time, share) = (&first.name, brief_ns(first.exposed.time as f64), first.share());
    let text = format!("`{name}` takes {time}, {share} of the busy time, and needs no work on the DSL.");
    Some(Sentence { text, sure: true })
}

/// Returns a share of the busy time in words.
fn amount(share: f64) -> String {
    // Within a thirtieth, a fraction is as good as the figure.
    let fractions = [
        (0.25, "a quarter"),
        (1.0 / 3.0, "a third"),
        (0.5, "half"),
        (2.0 / 3.0, "two thirds"),
        (0.75, "three quarters"),
    ];
    let near = fractions.iter().find(|(fraction, _)| (share - fraction).abs() < 1.0 / 30.0);
    match near {
        _ if share > 0.95 => "nearly all of the busy time".to_owned(),
        Some((_, name)) => format!("{name} of the busy time"),
        None => format!("{} of the busy time", percent(share)),
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// Joins names, at most four of them.
fn list(names: &[String], word: &str) -> String {
    const SHOWN: usize = 4;
    let more = names.len().saturating_sub(SHOWN);
    let shown = &names[..names.len() - more];
    match (shown.split_last(), more) {
        (Some((last, [])), 0) => last.clone(),
        (Some((last, others)), 0) => format!("{}{word}{last}", others.join(", ")),
        (_, more) => format!("{}{word}{more} more", shown.join(", ")),
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentences.iter().try_for_each(|sentence| writeln!(f, "{}", sentence.text))
    }
}
