//! The names that arc-dsl has too: a program of these alone runs in arc-dsl's Python unchanged.

/// arc-dsl's functions, in the order of its file.
const FUNCTIONS: [&str; 160] = [
    "identity", "add", "subtract", "multiply", "divide", "invert", "even", "double", "halve", "flip", "equality",
    "contained", "combine", "intersection", "difference", "dedupe", "order", "repeat", "greater", "size", "merge",
    "maximum", "minimum", "valmax", "valmin", "argmax", "argmin", "mostcommon", "leastcommon", "initset", "both",
    "either", "increment", "decrement", "crement", "sign", "positive", "toivec", "tojvec", "sfilter", "mfilter",
    "extract", "totuple", "first", "last", "insert", "remove", "other", "interval", "astuple", "product", "pair",
    "branch", "compose", "chain", "matcher", "rbind", "lbind", "power", "fork", "apply", "rapply", "mapply",
    "papply", "mpapply", "prapply", "mostcolor", "leastcolor", "height", "width", "shape", "portrait",
    "colorcount", "colorfilter", "sizefilter", "asindices", "ofcolor", "ulcorner", "urcorner", "llcorner",
    "lrcorner", "crop", "toindices", "recolor", "shift", "normalize", "dneighbors", "ineighbors", "neighbors",
    "objects", "partition", "fgpartition", "uppermost", "lowermost", "leftmost", "rightmost", "square", "vline",
    "hline", "hmatching", "vmatching", "manhattan", "adjacent", "bordering", "centerofmass", "palette",
    "numcolors", "color", "toobject", "asobject", "rot90", "rot180", "rot270", "hmirror", "vmirror", "dmirror",
    "cmirror", "fill", "paint", "underfill", "underpaint", "hupscale", "vupscale", "upscale", "downscale",
    "hconcat", "vconcat", "subgrid", "hsplit", "vsplit", "cellwise", "replace", "switch", "center", "position",
    "index", "canvas", "corners", "connect", "cover", "trim", "move", "tophalf", "bottomhalf", "lefthalf",
    "righthalf", "vfrontier", "hfrontier", "backdrop", "delta", "gravitate", "inbox", "outbox", "box", "shoot",
    "occurrences", "frontiers", "compress", "hperiod", "vperiod",
];

/// arc-dsl's constants besides the integers from -2 to 10, which have names there too.
const CONSTANTS: [&str; 15] = [
    "F", "T", "DOWN", "RIGHT", "UP", "LEFT", "ORIGIN", "UNITY", "NEG_UNITY", "UP_RIGHT", "DOWN_LEFT",
    "ZERO_BY_TWO", "TWO_BY_ZERO", "TWO_BY_TWO", "THREE_BY_THREE",
];
const INTEGERS: [&str; 13] = [
    "NEG_TWO", "NEG_ONE", "ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN",
];

/// Whether a name of a primitive or constant means the same in arc-dsl.
pub fn is_arc_dsl(name: &str) -> bool {
    FUNCTIONS.contains(&name) || CONSTANTS.contains(&name) || INTEGERS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_ours_too() {
        for name in FUNCTIONS {
            assert!(crate::symbol(name).is_some_and(|symbol| symbol.name == name), "{name}");
        }
        for name in CONSTANTS.iter().chain(&INTEGERS) {
            assert!(crate::constant(name).is_some(), "{name}");
        }
        assert!(!is_arc_dsl("view") && !is_arc_dsl("F0") && !is_arc_dsl("BLACK"));
    }
}
