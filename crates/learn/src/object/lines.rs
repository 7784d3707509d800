//! Lines that divide an image, and division into equal parts.

use crate::image::{Area, Image};

/// Full lines of one colour that cut an image into cells.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    pub color: u8,
    /// First row and height of each band.
    pub rows: Vec<(usize, usize)>,
    /// First column and width of each band.
    pub cols: Vec<(usize, usize)>,
}

impl Lines {
    /// The colour whose lines cut most evenly, black last.
    pub(crate) fn find(image: &Image) -> Option<Lines> {
        let mut best: Option<(usize, Lines)> = None;
        for color in 0..10u8 {
            let rows: Vec<usize> =
                (0..image.h).filter(|&y| (0..image.w).all(|x| image.at(y, x) == color)).collect();
            let cols: Vec<usize> =
                (0..image.w).filter(|&x| (0..image.h).all(|y| image.at(y, x) == color)).collect();
            if rows.len() + cols.len() == 0 || rows.len() == image.h {
                continue;
            }
            let (rows, cols) = (bands(&rows, image.h), bands(&cols, image.w));
            if rows.len() * cols.len() < 2 {
                continue;
            }
            let even = usize::from(rows.iter().all(|b| b.1 == rows[0].1))
                + usize::from(cols.iter().all(|b| b.1 == cols[0].1));
            let score = even * 1000 + if color == 0 { 0 } else { 500 } + rows.len() * cols.len();
            if best.as_ref().is_none_or(|(top, _)| score > *top) {
                best = Some((score, Lines { color, rows, cols }));
            }
        }
        best.map(|(_, lines)| lines)
    }

    /// The cells between the lines, in reading order.
    pub(crate) fn areas(&self) -> Vec<Area> {
        let all = self.rows.iter().flat_map(|r| self.cols.iter().map(move |c| (r, c)));
        all.map(|(r, c)| Area { y: r.0, x: c.0, h: r.1, w: c.1 }).collect()
    }
}

fn bands(lines: &[usize], n: usize) -> Vec<(usize, usize)> {
    let mut bands = Vec::new();
    let mut start = 0;
    for i in 0..=n {
        if i == n || lines.contains(&i) {
            if i > start {
                bands.push((start, i - start));
            }
            start = i + 1;
        }
    }
    bands
}

/// Equal parts, one-cell separators allowed.
pub(crate) fn equal_parts(image: &Image, rows: usize, cols: usize) -> Option<Vec<Image>> {
    let step = |n: usize, k: usize| {
        if k > 0 && n >= k && n.is_multiple_of(k) {
            Some((n / k, n / k))
        } else if k > 1 && (n + 1).is_multiple_of(k) && (n + 1) / k > 1 {
            Some(((n + 1) / k - 1, (n + 1) / k))
        } else {
            None
        }
    };
    let ((h, dy), (w, dx)) = (step(image.h, rows)?, step(image.w, cols)?);
    let places = (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j)));
    Some(places.map(|(i, j)| image.crop(Area { y: i * dy, x: j * dx, h, w })).collect())
}
