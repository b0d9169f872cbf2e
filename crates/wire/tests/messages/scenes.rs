//! Scenes are sent shape by shape.

use proptest::collection::vec;
use proptest::prelude::*;
use situated::interface::Moment;
use situated::scene::{Scene, Shape};
use situated_wire::notifications::SceneUpdate;

use crate::documents::of_type;

fn shape() -> impl Strategy<Value = Shape> {
    of_type("Shape").prop_map(|document| serde_json::from_value(document).expect("it is a shape"))
}

/// Two scenes that have some shapes in common, at the same places and at others.
fn scenes() -> impl Strategy<Value = (Scene, Scene)> {
    vec(shape(), 1..4).prop_flat_map(|palette| {
        let scene = move || {
            let shapes = vec(proptest::sample::select(palette.clone()), 0..8);
            (shapes, 1..9u8, 1..9u8).prop_map(|(shapes, width, height)| Scene {
                width: width.into(),
                height: height.into(),
                shapes,
            })
        };
        (scene(), scene())
    })
}

/// Returns the update from one scene to another.
fn update(before: &Scene, now: &Scene) -> SceneUpdate {
    let differs = |(place, shape): &(usize, &Shape)| before.shapes.get(*place) != Some(shape);
    let changed = now.shapes.iter().enumerate().filter(differs);
    SceneUpdate {
        subscription: 1,
        environment: "environment".into(),
        moment: Moment::default(),
        width: now.width,
        height: now.height,
        count: now.shapes.len(),
        shapes: changed.map(|(place, shape)| (place, shape.clone())).collect(),
    }
}

proptest! {
    #[test]
    fn an_update_leads_from_one_scene_to_another((before, now) in scenes()) {
        let received = serde_json::to_string(&update(&before, &now)).expect("it can be written");
        let received: SceneUpdate = serde_json::from_str(&received).expect("it is read");
        let mut seen = before;
        received.apply(&mut seen);
        prop_assert_eq!(seen, now);
    }

    #[test]
    fn all_shapes_lead_from_any_scene((before, now) in scenes()) {
        let mut seen = before;
        update(&Scene::default(), &now).apply(&mut seen);
        prop_assert_eq!(seen, now);
    }
}
