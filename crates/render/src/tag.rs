//! Numbers and colours that identify the entities of a scene.

use std::collections::HashMap;

use situated::iil::Parameter;
use situated::scene::{Color, Scene, Shape};

use crate::colors::{contrast, has_hue, of_entity};

/// The number and colour of an entity in all parts of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The name of the entity.
    pub name: String,
    /// The number, from 1.
    pub number: usize,
    /// The entity's own colour in the scene if no other entity has it, or if it is that of a team: one of several
    /// colours that several entities have. Otherwise, a colour that differs from the others.
    pub color: Color,
    /// The colour of the shape that covers the entity in the scene, such as a block that it carries.
    pub load: Option<Color>,
}

impl Tag {
    /// Returns black or white, whichever is more legible on the colour.
    pub fn ink(&self) -> Color {
        contrast(self.color)
    }
}

/// Returns the tags of the entities with these names, in this order.
pub fn tags<'a>(scene: &Scene, names: impl IntoIterator<Item = &'a str>) -> Vec<Tag> {
    let mut tags: Vec<Tag> = names.into_iter().enumerate().map(|(index, name)| tag(index, name)).collect();
    let numbers = numbers(&tags);
    let mut own: Vec<Option<Color>> = vec![None; tags.len()];
    for shape in &scene.shapes {
        if let Some(index) = entity(shape, &numbers) {
            let first = *own[index].get_or_insert(shape.color);
            tags[index].load = Some(shape.color).filter(|color| *color != first);
        }
    }
    let mut count = HashMap::new();
    own.iter().flatten().for_each(|color| *count.entry(parts(*color)).or_insert(0) += 1);
    let shared = count.iter().filter(|(color, count)| **count > 1 && has_hue(Color(color[0], color[1], color[2])));
    let are_teams = shared.count() > 1;
    for (tag, own) in tags.iter_mut().zip(own) {
        if let Some(color) = own.filter(|color| has_hue(*color) && (are_teams || count[&parts(*color)] == 1)) {
            tag.color = color;
        }
    }
    tags
}

/// Returns the indices of tags by the names of their entities.
pub(crate) fn numbers(tags: &[Tag]) -> HashMap<String, usize> {
    tags.iter().enumerate().map(|(index, tag)| (tag.name.clone(), index)).collect()
}

/// Returns the entity that a shape represents.
pub(crate) fn entity(shape: &Shape, numbers: &HashMap<String, usize>) -> Option<usize> {
    match &shape.stands_for {
        Some(Parameter::Identifier(name)) => numbers.get(name.as_str()).copied(),
        _ => None,
    }
}

fn tag(index: usize, name: &str) -> Tag {
    Tag { name: name.to_owned(), number: index + 1, color: of_entity(index), load: None }
}

fn parts(Color(red, green, blue): Color) -> [u8; 3] {
    [red, green, blue]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(colors: &[(&str, Color)]) -> Scene {
        let shape = |(name, color): &(&str, Color)| Shape::circle(1.0, 1.0, 1.0, *color).standing_for(*name);
        Scene { width: 9.0, height: 9.0, shapes: colors.iter().map(shape).collect() }
    }

    #[test]
    fn entities_keep_colors_that_no_other_entity_has() {
        let different = tags(&scene(&[("a", Color::RED), ("b", Color::BLUE)]), ["a", "b"]);
        assert_eq!([different[0].color, different[1].color], [Color::RED, Color::BLUE]);
        for same in [Color::RED, Color::BLACK] {
            let tags = tags(&scene(&[("a", same), ("b", same)]), ["a", "b", "c"]);
            assert_eq!(tags.iter().map(|tag| tag.number).collect::<Vec<_>>(), [1, 2, 3]);
            assert!(tags.iter().all(|tag| tag.color != same) && tags[0].color != tags[1].color);
        }
    }

    #[test]
    fn entities_of_teams_keep_the_colors_of_their_teams() {
        let colors = [Color::RED, Color::RED, Color::BLUE, Color::BLUE, Color::GREEN];
        let names = ["a", "b", "c", "d", "e"];
        let scene = scene(&names.into_iter().zip(colors).collect::<Vec<_>>());
        assert_eq!(tags(&scene, names).iter().map(|tag| tag.color).collect::<Vec<_>>(), colors);
    }

    #[test]
    fn a_shape_on_top_of_an_entity_is_its_load() {
        let tags = tags(&scene(&[("a", Color::BLACK), ("b", Color::BLACK), ("a", Color::GREEN)]), ["a", "b"]);
        assert_eq!((tags[0].load, tags[1].load), (Some(Color::GREEN), None));
    }
}
