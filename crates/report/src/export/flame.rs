//! A flame graph: the width of a box is its time, and its parts are below it.

use std::collections::BTreeMap;
use std::io::Write;

use crate::export::stacks;
use crate::facts::{Facts, ReportError};
use batt_base::number::percent;
use batt_base::time::brief_ns;

/// A box with its parts.
#[derive(Default)]
pub(crate) struct Frame {
    /// Time including all parts, in nanoseconds.
    pub(crate) width: u64,
    pub(crate) parts: BTreeMap<String, Frame>,
}

impl Frame {
    /// Returns the root of all lanes.
    pub(crate) fn of(facts: &Facts<'_>) -> Frame {
        let mut root = Frame::default();
        for lane in 0..facts.profile.lanes.len() {
            for (stack, ns) in stacks::of_lane(facts, lane) {
                let stack: Vec<String> = std::iter::once(facts.lane_name(lane)).chain(stack).collect();
                root.add(&stack, ns);
            }
        }
        root
    }

    fn add(&mut self, stack: &[String], ns: u64) {
        self.width += ns;
        if let [first, rest @ ..] = stack {
            self.parts.entry(first.clone()).or_default().add(rest, ns);
        }
    }

    fn depth(&self) -> usize {
        1 + self.parts.values().map(Frame::depth).max().unwrap_or(0)
    }
}

const WIDTH: f64 = 1200.0;
const HEIGHT: usize = 18;
const MARGIN: f64 = 10.0;
/// Minimum width of a box in pixels; smaller ones are not drawn.
const MIN_WIDTH: f64 = 0.2;

pub(super) fn write(facts: &Facts<'_>, out: &mut dyn Write) -> Result<(), ReportError> {
    let root = Frame::of(facts);
    let (width, height) = (WIDTH + 2.0 * MARGIN, (root.depth() + 2) * HEIGHT);
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <style>text{{font:11px monospace;fill:#222}}rect{{stroke:#fff;stroke-width:0.5}}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>"
    )?;
    let title = format!("{} of lane time, {} tasks", brief_ns(root.width as f64), facts.every.len());
    writeln!(out, "<text x=\"{MARGIN}\" y=\"14\">{}</text>", escaped(&title))?;
    let scale = Scale { total: root.width, pixels: WIDTH / root.width.max(1) as f64 };
    draw_parts(out, &root, MARGIN, 0, scale)?;
    Ok(writeln!(out, "</svg>")?)
}

#[derive(Clone, Copy)]
struct Scale {
    /// Time of the whole picture in nanoseconds.
    total: u64,
    /// Pixels per nanosecond.
    pixels: f64,
}

/// Draws the parts of a frame side by side, starting at `x`.
fn draw_parts(
    out: &mut dyn Write,
    frame: &Frame,
    mut x: f64,
    level: usize,
    scale: Scale,
) -> std::io::Result<()> {
    for (name, part) in &frame.parts {
        draw(out, name, part, (x, level), scale)?;
        x += part.width as f64 * scale.pixels;
    }
    Ok(())
}

fn draw(
    out: &mut dyn Write,
    name: &str,
    frame: &Frame,
    (x, level): (f64, usize),
    scale: Scale,
) -> std::io::Result<()> {
    let width = frame.width as f64 * scale.pixels;
    if width < MIN_WIDTH {
        return Ok(());
    }
    let y = (level + 1) * HEIGHT + 4;
    let share = percent(frame.width as f64 / scale.total.max(1) as f64);
    let title = format!("{name}: {}, {share}", brief_ns(frame.width as f64));
    // The hue depends on the name only, so that a function always has the same colour.
    let hue = name.bytes().fold(7u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into())) % 60;
    let letters = ((width - 6.0) / 6.7).max(0.0) as usize;
    let label: String = name.chars().take(if letters < 3 { 0 } else { letters }).collect();
    writeln!(
        out,
        "<g><title>{}</title><rect x=\"{x:.2}\" y=\"{y}\" width=\"{width:.2}\" height=\"{HEIGHT}\" fill=\"hsl({hue},80%,68%)\"/>\
         <text x=\"{:.2}\" y=\"{}\">{}</text></g>",
        escaped(&title),
        x + 3.0,
        y + 13,
        escaped(&label)
    )?;
    draw_parts(out, frame, x, level + 1, scale)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
