//! Draws a scene as PNG.

use super::font::glyph;
use super::layout::{Scene, Shape};
use batt_job::palette::Rgb;

/// Pixels per unit of the scene; one would be too coarse for letters.
const SCALE: usize = 2;
/// Distance from one letter to the next.
const ADVANCE: usize = 6;

pub(super) fn draw(scene: &Scene) -> Vec<u8> {
    let (width, height) = (scene.width * SCALE, scene.height * SCALE);
    let mut canvas = Canvas { width, pixels: vec![255; width * height * 3] };
    for shape in &scene.shapes {
        match shape {
            Shape::Rect { x, y, width, height, color } => {
                canvas.fill(x * SCALE, y * SCALE, width * SCALE, height * SCALE, *color);
            }
            Shape::Text { x, y, text, color } => canvas.text(x * SCALE, y * SCALE, text, *color),
        }
    }
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().expect("writing to memory cannot fail");
    writer.write_image_data(&canvas.pixels).expect("the canvas has the size of the header");
    writer.finish().expect("writing to memory cannot fail");
    bytes
}

struct Canvas {
    width: usize,
    pixels: Vec<u8>,
}

impl Canvas {
    /// Fills a rectangle, clipped to the canvas.
    fn fill(&mut self, x: usize, y: usize, width: usize, height: usize, (r, g, b): Rgb) {
        let (left, right) = (x.min(self.width), (x + width).min(self.width));
        for row in self.pixels.chunks_exact_mut(self.width * 3).skip(y).take(height) {
            row[left * 3..right * 3].chunks_exact_mut(3).for_each(|pixel| pixel.copy_from_slice(&[r, g, b]));
        }
    }

    fn text(&mut self, x: usize, base: usize, text: &str, color: Rgb) {
        for (i, c) in text.chars().enumerate() {
            for (row, bits) in glyph(c).iter().enumerate() {
                for col in (0..5).filter(|col| bits >> (4 - col) & 1 == 1) {
                    let left = x + (i * ADVANCE + col) * SCALE;
                    self.fill(left, (base + row * SCALE).saturating_sub(7 * SCALE), SCALE, SCALE, color);
                }
            }
        }
    }
}
