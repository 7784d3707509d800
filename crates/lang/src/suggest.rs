//! Suggestions for misspelled names.

/// Returns the candidate that is closest to `name`, if one is similar enough to be what was meant.
pub fn suggest<'c>(name: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let mut best = None;
    // A third of the letters may be wrong. Picked by feel.
    let mut limit = if name.len() < 3 { 0 } else { (name.len() / 3).max(1) };
    for candidate in candidates {
        if candidate.eq_ignore_ascii_case(name) {
            return Some(candidate);
        }
        if candidate.len().abs_diff(name.len()) > limit {
            continue;
        }
        let distance = distance(name.as_bytes(), candidate.as_bytes());
        // Of equally close candidates, the first wins.
        if distance.is_some_and(|distance| distance <= limit - usize::from(best.is_some())) {
            limit = distance.unwrap_or(limit);
            best = Some(candidate);
        }
        if limit == 0 {
            break;
        }
    }
    best
}

/// Maximum length of names to compare, so that no text can make this slow.
const MAX_LEN: usize = 40;

/// Returns the number of letters to insert, remove, change or swap with their neighbour.
fn distance(a: &[u8], b: &[u8]) -> Option<usize> {
    if a.len() > MAX_LEN || b.len() > MAX_LEN {
        return None;
    }
    let mut rows = [[0; MAX_LEN + 1]; 3];
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        let (now, before, earlier) = (i % 3, (i + 2) % 3, (i + 1) % 3);
        rows[now][0] = i;
        for j in 1..=b.len() {
            let change = rows[before][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(rows[before][j] + 1).min(rows[now][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[earlier][j - 2] + 1);
            }
            rows[now][j] = least;
        }
    }
    Some(rows[a.len() % 3][b.len()])
}
