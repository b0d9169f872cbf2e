//! Colours: which can be read on which, and how those of places look in the dark.

use situated::scene::Color;

/// White and black of a scene in the dark. In between are the greys; hues stay.
const FLOOR: [f64; 3] = [24.0, 27.0, 33.0];
const WALL: [f64; 3] = [84.0, 90.0, 104.0];

/// Colours of entities that have none of their own, told apart easily and bright enough for the dark.
const ENTITIES: [Color; 10] = [
    Color(122, 178, 255),
    Color(255, 179, 82),
    Color(140, 220, 120),
    Color(255, 140, 170),
    Color(190, 160, 255),
    Color(90, 220, 225),
    Color(245, 220, 110),
    Color(235, 130, 90),
    Color(120, 230, 190),
    Color(205, 212, 235),
];

/// The difference between the parts of a colour from which on it has a hue.
const HUE: u8 = 60;

/// The colour of the entity with this index that has none of its own.
pub(crate) fn of_entity(index: usize) -> Color {
    ENTITIES[index % ENTITIES.len()]
}

/// Returns whether a colour has a hue.
pub(crate) fn has_hue(Color(red, green, blue): Color) -> bool {
    red.max(green).max(blue) - red.min(green).min(blue) >= HUE
}

/// The colour of a place, chosen for white paper, as it looks in the dark: its share of white becomes dark, and its share
/// of black becomes grey.
pub(crate) fn night(Color(red, green, blue): Color) -> Color {
    let parts = [red, green, blue].map(f64::from);
    let (most, least) = (parts.into_iter().fold(0.0, f64::max), parts.into_iter().fold(255.0, f64::min));
    let (white, black) = (least / 255.0, 1.0 - most / 255.0);
    let part = |index: usize| (parts[index] - least + white * FLOOR[index] + black * WALL[index]).min(255.0) as u8;
    Color(part(0), part(1), part(2))
}

/// The colour of a line around a place, in the dark: lighter than the place.
pub(crate) fn lines(color: Color) -> Color {
    night(color).lighter(0.3)
}

/// Black or white, whichever can be read better on this colour.
pub(crate) fn contrast(behind: Color) -> Color {
    if brightness(behind) < 140 { Color::WHITE } else { Color::BLACK }
}

/// From 0 for black to 255 for white (luma, ITU-R BT.709).
pub(crate) fn brightness(Color(red, green, blue): Color) -> usize {
    (2126 * usize::from(red) + 7152 * usize::from(green) + 722 * usize::from(blue)) / 10_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paper_is_dark_and_ink_is_light_but_hues_stay() {
        let [paper, ink, grey] = [Color::WHITE, Color::BLACK, Color(128, 128, 128)].map(night).map(brightness);
        assert!(paper < 40 && paper < grey && grey < ink && ink < 140, "{paper} {grey} {ink}");
        let Color(red, green, blue) = night(Color::RED.lighter(0.75));
        assert!(red > 60 && red > 3 * green / 2 && red > 3 * blue / 2);
    }
}
