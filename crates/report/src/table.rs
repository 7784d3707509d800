//! Text tables.

use std::fmt::Write;

/// A table. The first column is left-aligned, the others are right-aligned up to column `left`.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
    /// Columns from this one on are left-aligned.
    left: usize,
}

impl Table {
    pub(crate) fn new(head: &[&str], left: usize) -> Table {
        Table { rows: vec![head.iter().map(|text| (*text).to_owned()).collect()], left }
    }

    pub(crate) fn row(&mut self, row: impl IntoIterator<Item = String>) {
        self.rows.push(row.into_iter().collect());
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let n = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            self.rows.iter().filter_map(|row| Some(row.get(column)?.chars().count())).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..n).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (text, width)) in row.iter().zip(&widths).enumerate() {
                let gap = if column == 0 { "" } else { "  " };
                match column == 0 || column >= self.left {
                    true => write!(line, "{gap}{text:<width$}")?,
                    false => write!(line, "{gap}{text:>width$}")?,
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
