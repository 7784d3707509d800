//! Draws a scene as SVG.

use std::fmt::Write;

use super::layout::{Scene, Shape};
use batt_job::palette::Rgb;

pub(super) fn draw(scene: &Scene) -> String {
    let Scene { width, height, .. } = scene;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <style>text{{font:11px monospace;white-space:pre}}</style>\n<path fill=\"#ffffff\" d=\"M0 0h{width}v{height}h-{width}z"
    );
    // Consecutive rectangles of one colour share a path: a large task has tens of thousands of them.
    let mut open = Some((255, 255, 255));
    for shape in &scene.shapes {
        match shape {
            Shape::Rect { x, y, width, height, color } => {
                if open != Some(*color) {
                    close(&mut out, &mut open);
                    write!(out, "<path fill=\"{}\" d=\"", hex(*color))
                        .expect("writing to a string cannot fail");
                    open = Some(*color);
                }
                write!(out, "M{x} {y}h{width}v{height}h-{width}z").expect("writing to a string cannot fail");
            }
            Shape::Text { x, y, text, color } => {
                close(&mut out, &mut open);
                let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
                writeln!(out, "<text x=\"{x}\" y=\"{y}\" fill=\"{}\">{text}</text>", hex(*color))
                    .expect("writing to a string cannot fail");
            }
        }
    }
    close(&mut out, &mut open);
    out.push_str("</svg>\n");
    out
}

fn close(out: &mut String, open: &mut Option<Rgb>) {
    if open.take().is_some() {
        out.push_str("\"/>\n");
    }
}

fn hex((r, g, b): Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}
