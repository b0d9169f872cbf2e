//! Scenes as PNG files.

use situated::scene::Scene;
use situated_render::{Image, paint};

/// Pixels of the longer side of a picture.
const SIDE: usize = 1600;

/// Draws a scene, without labels.
pub(super) fn png(scene: &Scene) -> Result<Vec<u8>, png::EncodingError> {
    let Image { columns, pixels } = paint(scene, SIDE, SIDE);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, columns as u32, (pixels.len() / columns.max(1)) as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let bytes: Vec<u8> = pixels.iter().flat_map(|color| [color.0, color.1, color.2]).collect();
    encoder.write_header()?.write_image_data(&bytes)?;
    Ok(file)
}
