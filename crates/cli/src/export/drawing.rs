//! An animated picture of a recording: of its replay, or of the scenes that a host has reported.

use anyhow::{Context, bail};
use situated::host::HostReport;
use situated::ontology::Pace;
use situated::scene::Scene;
use situated::size::Size;
use situated_recording::{Entry, Recording, RecordingError, SCENE_LIMIT, replay};
use situated_render::Animation;
use situated_runtime::{Input, Speed};

use crate::environments;
use crate::program;

/// Scenes per second of an animation, at most. Between them, shapes move on straight lines.
const SMOOTH: f64 = 25.0;

/// Steps per second of an animation of an environment without a speed of its own.
const DEFAULT_SPEED: f64 = 10.0;

/// Maximum number of steps for which the scene of a host stays the same. A host can skip any number of steps.
const LONGEST_STILL: u64 = 1000;

/// Maximum size of all drawn scenes of a host together, in bytes.
const ALL_SCENES: u64 = 4 << 30;

/// Returns a recording as an animated picture.
///
/// # Errors
/// Returns an error if the recording has nothing to draw, or its replay differs.
pub(super) fn animated(recording: &mut Recording, speed: Option<Speed>) -> anyhow::Result<String> {
    let begun = recording.beginning()?.ok_or(RecordingError::NoEpisode)?;
    let own = match begun.pace {
        Pace::RealTime { steps_per_second } => steps_per_second,
        Pace::Reactive | Pace::Lockstep | Pace::Own => DEFAULT_SPEED,
    };
    let speed = speed.map_or(Some(own), Speed::steps_per_second).context("an animation needs a speed below `max`")?;
    let film = Film::new(speed);
    if begun.hosted { reported(recording, begun.pace, film) } else { replayed(recording, film) }
}

/// Draws the scenes of a replay.
fn replayed(recording: &mut Recording, mut film: Film) -> anyhow::Result<String> {
    let make = |environment: &str| environments::find(environment).map(|registered| (registered.interface)());
    let report = replay(recording, make, None, |step, environment| film.show(step, environment.scene(None).ok()))?;
    if !report.agrees() {
        bail!("its replay differs from the recording; `{} replay` shows where", program::name());
    }
    if report.steps == 0 {
        bail!("it has no steps to draw");
    }
    Ok(film.svg())
}

/// Draws the scenes that a host has reported.
fn reported(recording: &mut Recording, pace: Pace, film: Film) -> anyhow::Result<String> {
    let mut reel = Reel::new(film, pace);
    for recorded in recording.entries()? {
        match recorded?.entry {
            Entry::Episode(begun) => reel.reach(begun.episode, begun.step),
            Entry::Scene(changed) if changed.full => {
                let (step, most) = (changed.step, SCENE_LIMIT >> 20);
                eprintln!(
                    "warning: the scenes from step {step} on are not recorded: an episode has room for {most} MiB"
                );
            }
            Entry::Scene(changed) => {
                reel.reach(changed.episode, changed.step);
                reel.change(|scene| changed.apply(scene));
            }
            Entry::Input(given) => {
                reel.reach(given.episode, given.step);
                // Earlier recordings have whole scenes in the reports of the host.
                if let Input::Host(report) = given.input {
                    let (HostReport::Answer { update, .. } | HostReport::Update(update)) = *report;
                    if let Some(shown) = update.scene {
                        reel.change(|scene| *scene = shown);
                    }
                }
            }
            _ => {}
        }
        if reel.is_too_large() {
            bail!("its scenes are too large for one picture");
        }
    }
    reel.show();
    if !reel.has_scenes {
        bail!("its environment was run by a host, which has reported no scene, so there is nothing to draw");
    }
    Ok(reel.film.svg())
}

/// The scenes that a host has reported: those at the ends of steps, and with the host's own clock all of them, since it
/// need not count steps.
struct Reel {
    film: Film,
    pace: Pace,
    episode: u64,
    step: u64,
    /// The present scene, if the host has reported any in this episode.
    scene: Option<Scene>,
    /// Whether the host has reported it in this step.
    is_new: bool,
    /// Whether there was any scene.
    has_scenes: bool,
    /// The number of scenes shown in this episode.
    shown: u64,
    /// The size of the present scene, and of all shown scenes.
    bytes: usize,
    all_bytes: u64,
}

impl Reel {
    fn new(film: Film, pace: Pace) -> Self {
        Self {
            film,
            pace,
            episode: 0,
            step: 0,
            scene: None,
            is_new: false,
            has_scenes: false,
            shown: 0,
            bytes: 0,
            all_bytes: 0,
        }
    }

    /// Shows the present scene until this step.
    fn reach(&mut self, episode: u64, step: u64) {
        if episode > self.episode {
            self.show();
            (self.scene, self.bytes, self.shown) = (None, 0, 0);
        } else {
            (0..step.saturating_sub(self.step).min(LONGEST_STILL)).for_each(|_| self.show());
        }
        self.is_new &= (episode, step) <= (self.episode, self.step);
        (self.episode, self.step) = (episode, step).max((self.episode, self.step));
    }

    fn change(&mut self, change: impl FnOnce(&mut Scene)) {
        if self.pace == Pace::Own && self.is_new {
            self.show();
        }
        let scene = self.scene.get_or_insert_default();
        change(scene);
        self.bytes = scene.heap_bytes();
        (self.is_new, self.has_scenes) = (true, true);
    }

    fn show(&mut self) {
        let Some(scene) = &self.scene else { return };
        self.all_bytes += self.bytes as u64;
        if !self.is_too_large() {
            self.film.show(self.shown, Some(scene.clone()));
            self.shown += 1;
        }
    }

    /// Whether the scenes, which come from a file, take too much memory.
    fn is_too_large(&self) -> bool {
        self.bytes > SCENE_LIMIT || self.all_bytes > ALL_SCENES
    }
}

/// An animation that shows some of the scenes at the ends of steps.
struct Film {
    animation: Animation,
    /// The number of steps between two scenes that it shows.
    stride: u64,
    /// The last scene, if it is not shown.
    skipped: Option<Scene>,
}

impl Film {
    fn new(speed: f64) -> Self {
        let stride = (speed / SMOOTH).round().max(1.0);
        Self { animation: Animation::new(stride / speed), stride: stride as u64, skipped: None }
    }

    /// Adds the scene at the end of a step; step 0 is the beginning of an episode.
    fn show(&mut self, step: u64, scene: Option<Scene>) {
        // Another episode begins, so the last scene was the end of one.
        if let Some(end) = self.skipped.take().filter(|_| step == 0) {
            self.animation.add(&end);
        }
        match scene {
            Some(scene) if step.is_multiple_of(self.stride) => self.animation.add(&scene),
            scene => self.skipped = scene,
        }
    }

    fn svg(mut self) -> String {
        if let Some(end) = self.skipped.take() {
            self.animation.add(&end);
        }
        self.animation.svg()
    }
}
