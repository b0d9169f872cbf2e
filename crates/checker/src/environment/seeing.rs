//! Rules about the views of an entity: they show no more than the entity perceives. The checker plays two episodes in
//! which one entity acts the same, while the environment or the other entities differ. As long as the entity
//! perceives the same, its views must be the same.

use situated::environment::Entity;
use situated::iil::{Action, EcoString};
use situated::menu::Menu;
use situated::random::Random;
use situated::scene::Scene;

use super::moment::{row, same};
use super::playing::{Effect, Input, Player};
use super::report::Rule;
use super::subject::{Acted, Broken, Clock, Perceived};

/// The random streams for the inputs of the entity and of the others.
const OWN: u64 = 3;
const OTHERS: u64 = 4;

/// Probability that the entity acts, and that the others act, if they do.
const EAGERNESS: f64 = 0.5;

/// Maximum number of steps for which two episodes are compared.
const STEPS: u64 = 50;

/// The view of an entity at a moment: its percepts, its action, and what it is shown.
struct View {
    step: u64,
    perceived: Perceived,
    done: Option<(Action, Effect)>,
    shown: Shown,
}

struct Shown {
    scene: Scene,
    menu: Menu,
    /// The observation and the mask.
    numbers: Option<(Vec<f64>, Vec<bool>)>,
}

/// One episode of a pair.
#[derive(Clone, Copy)]
struct Half {
    seed: u64,
    others_act: bool,
}

/// The entity, and its views from moment to moment.
type Views = (Entity, Vec<View>);

impl Player<'_> {
    /// Compares pairs of episodes. The first one has this seed.
    pub(super) fn compare_views(&mut self, seed: u64) {
        if self.clock == Clock::Own {
            return;
        }
        let one = Half { seed, others_act: true };
        let others = [Half { seed, others_act: false }, Half { seed: seed.wrapping_add(1), others_act: true }];
        let Some(Some(views)) = self.guard(Rule::Runs, |player| player.views(seed, one)) else { return };
        for other in others {
            if let Some(Some(other_views)) = self.guard(Rule::Runs, |player| player.views(seed, other)) {
                self.compare((one, &views), (other, &other_views));
            }
        }
    }

    fn compare(
        &mut self,
        (one, (viewer, views)): (Half, &Views),
        (other, (other_viewer, other_views)): (Half, &Views),
    ) {
        if viewer != other_viewer {
            return;
        }
        for (view, other_view) in views.iter().zip(other_views) {
            let history = |view: &View| (view.step, view.perceived.clone(), view.done.clone());
            if !same(&history(view), &history(other_view)) {
                return;
            }
            let Some((rule, part)) = self.difference(&view.shown, &other_view.shown) else { continue };
            let how = if one.seed == other.seed {
                "in which only the others have acted differently".into()
            } else {
                format!("with seed {}", other.seed)
            };
            let what = format!("`{}` has perceived the same in an episode {how}, but has another {part}", viewer.name);
            return self.findings.add(rule, (one.seed, view.step), what);
        }
    }

    /// Returns the part in which two views differ, and the rule about it; `None` if they are the same.
    fn difference(&mut self, one: &Shown, other: &Shown) -> Option<(Rule, &'static str)> {
        let is_empty = |shown: &Shown| shown.scene.shapes.is_empty() && shown.menu.items.is_empty();
        if !is_empty(one) || !is_empty(other) {
            self.findings.count(Rule::Scenes, 1);
        }
        if one.numbers.is_some() {
            self.findings.count(Rule::Observations, 1);
        }
        if !same(&one.scene, &other.scene) {
            Some((Rule::Scenes, "scene"))
        } else if !same(&one.menu, &other.menu) {
            Some((Rule::Scenes, "menu"))
        } else if !same(&one.numbers, &other.numbers) {
            Some((Rule::Observations, "observation or mask"))
        } else {
            None
        }
    }

    /// Plays an episode of a pair. Returns the views of one of its entities, or `None` if there are no entities.
    fn views(&mut self, pair: u64, half: Half) -> Result<Option<Views>, Broken> {
        self.begin(half.seed)?;
        let (mut own, mut others) = (Random::stream(pair, OWN), Random::stream(half.seed, OTHERS));
        let entities = self.subject.entities()?;
        let Some(viewer) = entities.get(pair as usize % entities.len().max(1)).cloned() else { return Ok(None) };
        let mut views = vec![self.view(&viewer, None)?];
        for _ in 0..self.steps.min(STEPS) {
            if self.time.is_over() {
                return Ok(None);
            }
            let done = match views.last() {
                Some(view) if own.chance(EAGERNESS) => self.act_at_random(&viewer, &view.perceived, &mut own)?,
                _ => None,
            };
            if half.others_act {
                self.let_others_act(&viewer, &mut others)?;
            }
            if !self.is_there(&viewer)? {
                break;
            }
            views.push(self.view(&viewer, done)?);
            if self.clock != Clock::Actions {
                self.apply(&Input::Step)?;
            }
            if !self.is_there(&viewer)? {
                break;
            }
            views.push(self.view(&viewer, None)?);
        }
        Ok(Some((viewer, views)))
    }

    /// Returns whether the entity exists, in an episode that continues.
    fn is_there(&mut self, entity: &Entity) -> Result<bool, Broken> {
        Ok(self.subject.ending()?.is_none() && self.subject.entities()?.contains(entity))
    }

    fn let_others_act(&mut self, viewer: &Entity, random: &mut Random) -> Result<(), Broken> {
        for entity in self.subject.entities()? {
            if entity != *viewer && random.chance(EAGERNESS) && self.is_there(&entity)? {
                let perceived = self.subject.perceive(&entity.name)?;
                self.act_at_random(&entity, &perceived, random)?;
            }
        }
        Ok(())
    }

    /// Lets an entity act; where actions advance time, a step follows.
    fn act_at_random(
        &mut self,
        entity: &Entity,
        perceived: &Perceived,
        random: &mut Random,
    ) -> Result<Option<(Action, Effect)>, Broken> {
        let names: Vec<EcoString> = self.subject.entities()?.into_iter().map(|entity| entity.name).collect();
        let Some(action) = self.choose(entity, perceived, names, random) else { return Ok(None) };
        let effect = self.apply(&Input::Act(entity.name.clone(), action.clone()))?;
        if self.clock == Clock::Actions && matches!(effect, Effect::Acted(Acted::Done(_))) {
            self.apply(&Input::Step)?;
        }
        Ok(Some((action, effect)))
    }

    fn view(&mut self, viewer: &Entity, done: Option<(Action, Effect)>) -> Result<View, Broken> {
        let perceived = self.subject.perceive(&viewer.name)?;
        let scene = self.subject.scene(Some(&viewer.name))?;
        let inside = self.subject.inside();
        let numbers = inside.as_ref().and_then(|inside| row(&**inside, viewer));
        let menu = inside.map(|inside| inside.menu(&viewer.name)).unwrap_or_default();
        let shown = Shown { scene, menu, numbers: numbers.map(|row| (row.observation, row.mask)) };
        Ok(View { step: self.step, perceived, done, shown })
    }
}
