//! Chooses colours: legible pairs, and colours of places for a dark background.

use situated::scene::Color;

/// The colours that white and black of a scene become on a dark background. Greys lie in between; hues stay.
const FLOOR: [f64; 3] = [24.0, 27.0, 33.0];
const WALL: [f64; 3] = [84.0, 90.0, 104.0];

/// Colours for entities without a colour of their own. They are easy to tell apart and bright enough for a dark
/// background.
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

/// Difference between the largest and smallest component from which a colour has a hue.
const HUE: u8 = 60;

/// Returns the colour for an entity without a colour of its own, by index.
pub(crate) fn of_entity(index: usize) -> Color {
    ENTITIES[index % ENTITIES.len()]
}

/// Returns whether a colour has a hue.
pub(crate) fn has_hue(Color(red, green, blue): Color) -> bool {
    red.max(green).max(blue) - red.min(green).min(blue) >= HUE
}

/// Converts the colour of a place, chosen for white paper, for a dark background: its share of white becomes dark,
/// and its share of black becomes grey.
pub(crate) fn night(Color(red, green, blue): Color) -> Color {
    let parts = [red, green, blue].map(f64::from);
    let (most, least) = (parts.into_iter().fold(0.0, f64::max), parts.into_iter().fold(255.0, f64::min));
    let (white, black) = (least / 255.0, 1.0 - most / 255.0);
    let part = |index: usize| (parts[index] - least + white * FLOOR[index] + black * WALL[index]).min(255.0) as u8;
    Color(part(0), part(1), part(2))
}

/// Returns the colour of a line around a place on a dark background. It is lighter than the place.
pub(crate) fn lines(color: Color) -> Color {
    night(color).lighter(0.3)
}

/// Returns black or white, whichever is more legible on this colour.
pub(crate) fn contrast(behind: Color) -> Color {
    if brightness(behind) < 140 { Color::WHITE } else { Color::BLACK }
}

/// Returns the brightness from 0 for black to 255 for white (luma, ITU-R BT.709).
pub fn brightness(Color(red, green, blue): Color) -> u8 {
    ((2126 * u32::from(red) + 7152 * u32::from(green) + 722 * u32::from(blue)) / 10_000) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_a_dark_background_white_becomes_dark_and_hues_stay() {
        let [paper, ink, grey] = [Color::WHITE, Color::BLACK, Color(128, 128, 128)].map(night).map(brightness);
        assert!(paper < 40 && paper < grey && grey < ink && ink < 140, "{paper} {grey} {ink}");
        let Color(red, green, blue) = night(Color::RED.lighter(0.75));
        assert!(red > 60 && red > 3 * green / 2 && red > 3 * blue / 2);
    }
}
