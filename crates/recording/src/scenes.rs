//! The scenes of environments that run elsewhere: their changes, which a host reports, are recorded on a channel of
//! their own.

use std::borrow::Cow;

use situated::host::{HostReport, HostUpdate};
use situated::scene::Scene;
use situated_runtime::{Input, Time};

use crate::SceneChanged;
use crate::channel::Channel;
use crate::output::Output;

/// Maximum size of the recorded scenes of an episode, in bytes before compression.
pub const SCENE_LIMIT: usize = 64 << 20;

/// The recorded scenes of an episode.
#[derive(Debug, Default)]
pub(crate) struct Scenes {
    /// The last one.
    last: Scene,
    /// The size of their entries in bytes.
    bytes: usize,
    /// Whether further ones are left out.
    full: bool,
}

impl Scenes {
    /// Records how the scene has changed, if there is room.
    pub(crate) fn note(&mut self, scene: Scene, (episode, step): (u64, u64), output: &mut Output, now: Time) {
        let size = |scene: &Scene| (scene.width, scene.height, scene.shapes.len());
        let shapes = scene.changes_since(&self.last);
        if self.full || (shapes.is_empty() && size(&scene) == size(&self.last)) {
            return;
        }
        let (width, height, count) = size(&scene);
        let mut changed = SceneChanged { episode, step, time: now.wall, width, height, count, shapes, full: false };
        if let Some(bytes) = output.write_within(SCENE_LIMIT - self.bytes, Channel::Scenes, &changed, now) {
            self.bytes += bytes;
            self.last = scene;
        } else {
            (changed.shapes, changed.full, self.full) = (Vec::new(), true, true);
            output.write(Channel::Scenes, &changed, now);
        }
    }
}

/// Returns the changes that a host reports; `None` for other inputs.
pub(crate) fn update_of_host(input: &Input) -> Option<&HostUpdate> {
    let Input::Host(report) = input else { return None };
    let (HostReport::Answer { update, .. } | HostReport::Update(update)) = &**report;
    Some(update)
}

/// Returns the input as it is recorded: without a scene.
pub(crate) fn without_scene(input: &Input) -> Cow<'_, Input> {
    let mut input = Cow::Borrowed(input);
    if update_of_host(&input).is_some_and(|update| update.scene.is_some())
        && let Input::Host(report) = input.to_mut()
    {
        let (HostReport::Answer { update, .. } | HostReport::Update(update)) = &mut **report;
        update.scene = None;
    }
    input
}

impl SceneChanged {
    /// Applies the change to the scene before it. The entry that says that there is no room changes nothing.
    pub fn apply(&self, scene: &mut Scene) {
        if !self.full {
            (scene.width, scene.height) = (self.width, self.height);
            scene.change(self.count, &self.shapes);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Cursor, Write};
    use std::sync::{Arc, Mutex};

    use situated::scene::{Color, Shape};

    use super::*;
    use crate::{Entry, Recording};

    #[derive(Clone, Default)]
    struct Memory(Arc<Mutex<Vec<u8>>>);

    impl Write for Memory {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no panic").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn scenes_beyond_the_limit_are_left_out() {
        let memory = Memory::default();
        let mut output = Output::begin(Box::new(memory.clone())).expect("memory does not fail");
        let mut scenes = Scenes { bytes: SCENE_LIMIT - 1000, ..Scenes::default() };
        for (step, label) in [(1, 10), (2, 10), (3, 1000), (4, 10)] {
            let shapes = vec![Shape::circle(1.0, 1.0, 1.0, Color(step, 0, 0)).labelled("x".repeat(label))];
            let scene = Scene { width: 9.0, height: 9.0, shapes };
            scenes.note(scene, (1, step.into()), &mut output, Time::default());
        }
        output.finish().expect("memory does not fail");
        let bytes = memory.0.lock().expect("no panic").clone();
        let mut recording = Recording::from_reader(Cursor::new(bytes)).expect("a recording");
        let kept = recording.entries().expect("readable").map(|entry| match entry.expect("whole").entry {
            Entry::Scene(changed) => (changed.step, changed.shapes.len(), changed.full),
            other => panic!("{other:?}"),
        });
        assert_eq!(kept.collect::<Vec<_>>(), [(1, 1, false), (2, 1, false), (3, 0, true)]);
    }
}
