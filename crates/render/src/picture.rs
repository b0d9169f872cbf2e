//! Scenes as PNG files.

use situated::scene::Scene;

use crate::{Image, paint};

/// Draws a scene as a PNG file without labels, whose longer side has at most this many pixels.
///
/// # Errors
/// Returns an error if the scene has no size.
pub fn png(scene: &Scene, side: usize) -> Result<Vec<u8>, png::EncodingError> {
    let Image { columns, pixels } = paint(scene, side, side);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, columns as u32, (pixels.len() / columns.max(1)) as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let bytes: Vec<u8> = pixels.iter().flat_map(|color| [color.0, color.1, color.2]).collect();
    encoder.write_header()?.write_image_data(&bytes)?;
    Ok(file)
}
