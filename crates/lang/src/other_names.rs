//! Names of primitives and constants in Python, in numpy, in other dialects, and in the output of language
//! models.

use batt_dsl::registry;

/// Our names, each with its names elsewhere, in lower case and without `_`.
const OTHER_NAMES: &[(&str, &[&str])] = &[
    ("adjacent", &["touching", "touches"]),
    ("apply", &["foreach", "map", "transform"]),
    ("argmax", &["largest", "maxby"]),
    ("argmin", &["minby", "smallest"]),
    ("backdrop", &["bbox", "boundingbox", "boundingboxindices"]),
    ("both", &["and", "logicaland"]),
    ("bottomhalf", &["lowerhalf"]),
    ("box", &["border", "boundary", "outline"]),
    ("branch", &["choose", "conditional", "conditionifelse", "ifelse", "ifthenelse"]),
    (
        "canvas",
        &[
            "blankgrid",
            "creategrid",
            "emptygrid",
            "full",
            "makegrid",
            "newgrid",
            "np.full",
            "np.zeros",
            "zeros",
        ],
    ),
    ("chain", &["pipe"]),
    ("cmirror", &["antitranspose", "counterdiagonalmirror"]),
    ("color", &["colorof", "objectcolor"]),
    ("colorcount", &["countcolor"]),
    ("colorfilter", &["filterbycolor", "filtercolor"]),
    ("combine", &["concat", "concatenate", "union"]),
    ("connect", &["drawline", "line", "linebetween"]),
    ("contained", &["contains", "isin"]),
    ("cover", &["clear", "erase", "erasepatch", "removeobject"]),
    ("crop", &["slice", "subarray"]),
    ("dedupe", &["distinct", "np.unique", "removeduplicates", "unique"]),
    ("dmirror", &["diagonalmirror", "np.transpose", "transpose"]),
    ("downscale", &["downsample", "shrink"]),
    ("either", &["logicalor", "or"]),
    ("equality", &["eq", "equal", "equals"]),
    ("extract", &["find", "findfirst"]),
    ("fgpartition", &["foregroundpartition", "partitiononlyforeground"]),
    ("fill", &["colorfill", "fillcells", "fillcolor", "fillwith", "floodfill", "setcolor"]),
    ("flip", &["logicalnot", "negation", "not"]),
    ("fork", &["combinetwofunctionresults"]),
    ("gravitate", &["gravity", "moveuntiltouching"]),
    ("greater", &["greaterthan", "gt"]),
    ("hconcat", &["concathorizontal", "horizontalconcat", "hstack", "joinhorizontal", "np.hstack"]),
    ("height", &["nrows", "numrows", "rowcount"]),
    (
        "hmirror",
        &[
            "flipud",
            "flipupdown",
            "flipvertical",
            "flipvertically",
            "horizontalmirror",
            "np.flipud",
            "verticalflip",
        ],
    ),
    ("hsplit", &["horizontalsplit", "np.hsplit", "splithorizontal"]),
    ("index", &["cellat", "colorat", "pixelat"]),
    ("initset", &["frozenset", "set", "singleton"]),
    ("interval", &["arange", "np.arange", "range"]),
    ("invert", &["neg", "negate", "negative"]),
    ("lbind", &["curry", "fixfirstargument", "partial"]),
    ("leastcolor", &["leastcommoncolor", "rarestcolor"]),
    ("lefthalf", &["halfleft"]),
    ("llcorner", &["bottomleft", "bottomleftcorner", "lowerleft", "lowerleftcorner"]),
    ("lrcorner", &["bottomright", "bottomrightcorner", "lowerright", "lowerrightcorner"]),
    ("mapply", &["flatmap", "mapmerge"]),
    ("maximum", &["max", "np.max"]),
    ("merge", &["flatten", "mergeobjects"]),
    ("minimum", &["min", "np.min"]),
    ("mostcolor", &["background", "backgroundcolor", "bgcolor", "dominantcolor", "mostcommoncolor"]),
    ("mostcommon", &["mode"]),
    ("move", &["moveobject"]),
    ("normalize", &["shifttoorigin", "toorigin"]),
    ("numcolors", &["colorscount", "countcolors", "ncolors", "numberofcolors"]),
    ("objects", &["blobs", "components", "connectedcomponents", "label", "o", "segments"]),
    ("ofcolor", &["cellsofcolor", "colormask", "findcolor", "np.argwhere", "np.where", "where"]),
    ("order", &["sort", "sortby", "sorted"]),
    ("pair", &["zip"]),
    ("paint", &["drawobject", "overlay", "paintobject", "paintontogrid", "placeobject"]),
    ("palette", &["colors", "colorset", "uniquecolors"]),
    ("papply", &["zipmap", "zipwith"]),
    ("power", &["iterate", "repeatfunction"]),
    ("product", &["cartesian", "cartesianproduct"]),
    ("rbind", &["fixlastargument"]),
    ("recolor", &["colorobject", "paintpatch"]),
    ("repeat", &["np.repeat", "replicate"]),
    ("replace", &["changecolor", "recolorgrid", "replacecolor", "substitute"]),
    ("righthalf", &["halfright"]),
    ("rot180", &["rotate180", "turnaround"]),
    // numpy rotates counterclockwise.
    ("rot270", &["np.rot90", "rotate270", "rotateccw", "rotatecounterclockwise", "rotateleft"]),
    ("rot90", &["rotate", "rotate90", "rotateclockwise", "rotatecw", "rotateright"]),
    ("sfilter", &["filter", "keepif", "select"]),
    ("shape", &["dimensions", "dims", "gridsize"]),
    ("shift", &["offset", "translate"]),
    ("shoot", &["ray", "castray"]),
    ("size", &["area", "count", "len", "length"]),
    ("sizefilter", &["filterbysize"]),
    ("subgrid", &["cropobject", "croptoobject", "cutout"]),
    ("switch", &["swap", "swapcolors"]),
    ("tophalf", &["upperhalf"]),
    ("totuple", &["list", "tolist", "tuple"]),
    ("trim", &["peel", "removeborder", "trimborder"]),
    ("ulcorner", &["topleft", "topleftcorner", "upperleft", "upperleftcorner"]),
    ("upscale", &["enlarge", "np.kron", "resize", "scale", "zoom"]),
    ("urcorner", &["topright", "toprightcorner", "upperright", "upperrightcorner"]),
    ("vconcat", &["concatvertical", "joinvertical", "np.vstack", "verticalconcat", "vstack"]),
    (
        "vmirror",
        &[
            "fliphorizontal",
            "fliphorizontally",
            "flipleftright",
            "fliplr",
            "horizontalflip",
            "mirror",
            "np.fliplr",
            "verticalmirror",
        ],
    ),
    ("vsplit", &["np.vsplit", "splitvertical", "verticalsplit"]),
    ("width", &["columncount", "ncols", "numcols"]),
    ("CYAN", &["azure", "lightblue", "teal"]),
    ("GRAY", &["grey"]),
    ("MAGENTA", &["fuchsia", "pink", "purple"]),
];

/// Common prefixes of names.
const PREFIXES: [&str; 6] = ["np.", "get", "find", "extract", "compute", "is"];

/// Returns the primitive or constant that has this name elsewhere. `name` may be dotted.
pub(crate) fn by_other_name(name: &str) -> Option<&'static str> {
    let name = name.replace('_', "").to_ascii_lowercase().replace("numpy.", "np.").replace("colour", "color");
    let direct = |name: &str| {
        let listed = OTHER_NAMES.iter().find(|(_, others)| others.contains(&name)).map(|(ours, _)| *ours);
        listed.or_else(|| registry().get(name).map(|primitive| primitive.name))
    };
    direct(&name).or_else(|| PREFIXES.iter().find_map(|prefix| direct(name.strip_prefix(prefix)?)))
}

/// Returns `did you mean …?` with the summary of the primitive, because the names differ.
pub(crate) fn did_you_mean(ours: &str) -> String {
    match registry().get(ours) {
        Some(primitive) => format!("did you mean `{ours}`? {}", primitive.summary()),
        None => format!("did you mean `{ours}`?"),
    }
}

#[cfg(test)]
mod tests {
    use batt_dsl::constant;

    use super::*;

    #[test]
    fn every_suggestion_exists_and_every_other_name_is_new() {
        let mut seen = std::collections::BTreeSet::new();
        for (ours, others) in OTHER_NAMES {
            assert!(registry().get(ours).is_some() || constant(ours).is_some(), "there is no {ours}");
            for other in *others {
                assert!(seen.insert(other), "{other} is listed twice");
                assert!(registry().get(other).is_none() && constant(other).is_none(), "{other} is ours");
                assert_eq!(
                    **other,
                    other.replace('_', "").to_lowercase(),
                    "{other} is not in lower case without `_`"
                );
            }
        }
    }

    #[test]
    fn names_are_found_in_other_spellings() {
        for (name, ours) in [
            ("rotate", "rot90"),
            ("o", "objects"),
            ("np.rot90", "rot270"),
            ("numpy.fliplr", "vmirror"),
            ("vertical_mirror", "vmirror"),
            ("flip_horizontal", "vmirror"),
            ("transpose", "dmirror"),
            ("get_objects", "objects"),
            ("findObjects", "objects"),
            ("bg_color", "mostcolor"),
            ("background_colour", "mostcolor"),
            ("fill_color", "fill"),
            ("bounding_box", "backdrop"),
            ("is_square", "square"),
            ("get_height", "height"),
            ("to_indices", "toindices"),
            ("Grey", "GRAY"),
        ] {
            assert_eq!(by_other_name(name), Some(ours), "{name}");
        }
        assert_eq!(by_other_name("frobnicate"), None);
    }
}
