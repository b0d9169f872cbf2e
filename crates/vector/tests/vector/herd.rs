//! A small environment with all properties that a vector must handle: three agents whose episodes end one by one,
//! actions that cannot be done or that fail, float observations, termination and truncation, and optional randomness.

use serde::{Deserialize, Serialize};
use situated::encoding::{Buffers, Element, Encode, Encoding};
use situated::environment::{Context, Ending, EntityId, Environment, Failure, Percepts};
use situated::ontology::Ontology;
use situated::scene::Scene;
use situated::{Action, InitParameters, Percept};

const HOME: u8 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Action)]
pub(crate) enum Do {
    /// Does nothing.
    Stay,
    /// Moves one cell back; not possible at the start.
    Back,
    /// Moves one cell on; fails if another sheep is home already.
    On,
}

#[derive(Clone, Debug, Percept)]
pub(crate) enum Perceive {
    #[percept(event)]
    Stepped { step: u64 },
}

#[derive(Clone, Debug, InitParameters)]
pub(crate) struct Settings {
    /// Whether there is wind, and sheep start at random cells.
    #[parameter(default = false)]
    pub(crate) chance: bool,
    /// Whether there is a shepherd, who has no encoding.
    #[parameter(default = true)]
    pub(crate) shepherd: bool,
    /// Whether episodes with an odd seed fail to begin.
    #[parameter(default = false)]
    pub(crate) moody: bool,
    /// Whether there is also a dog, which has an encoding and another entity type.
    #[parameter(default = false)]
    pub(crate) dog: bool,
}

/// Three sheep on a line of five cells, on their way home.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Herd {
    sheep: [EntityId; 3],
    places: [u8; 3],
    /// Gains since the last step, including it.
    gains: [f32; 3],
    rewards: [f32; 3],
    chance: bool,
    /// A history on which nothing depends.
    moves: u64,
}

impl Environment for Herd {
    type Parameters = Settings;
    type Action = Do;
    type Percept = Perceive;

    fn ontology() -> Ontology {
        Self::ontology_builder("herd", "1", "Sheep on their way home.")
            .entity_type("sheep", "A sheep.")
            .entity_type("dog", "A dog.")
            .entity_type("shepherd", "A shepherd.")
            .build()
    }

    fn init(parameters: &Settings, context: &mut Context<Perceive>) -> Result<Self, Failure> {
        if parameters.moody && context.seed() % 2 == 1 {
            return Err(Failure::new("the seed is odd"));
        }
        if parameters.shepherd {
            context.add_entity("john", "shepherd")?;
        }
        let mut add = |name: &str| context.add_entity(name, "sheep");
        let sheep = [add("dolly")?, add("molly")?, add("polly")?];
        if parameters.dog {
            context.add_entity("rex", "dog")?;
        }
        let places = match parameters.chance {
            true => [(); 3].map(|_| context.random.below(4) as u8),
            false => [1, 2, 3],
        };
        Ok(Self { sheep, places, gains: [0.0; 3], rewards: [0.0; 3], chance: parameters.chance, moves: 0 })
    }

    fn act(&mut self, entity: EntityId, action: &Do, _: &mut Context<Perceive>) -> Result<(), Failure> {
        let sheep = self.number(entity);
        let taken = self.places.contains(&HOME);
        let place = &mut self.places[sheep];
        self.moves += 1;
        match action {
            Do::Stay => {}
            Do::Back => *place -= 1,
            Do::On if *place >= HOME - 1 && taken => return Err(Failure::new("home is full")),
            Do::On => *place += 1,
        }
        self.gains[sheep] = if *place == HOME { 1.5 } else { -0.25 * f32::from(*action as u8) };
        Ok(())
    }

    fn step(&mut self, context: &mut Context<Perceive>) {
        self.rewards = std::mem::take(&mut self.gains);
        if self.chance && context.random.chance(0.3) {
            let blown = context.random.index(3);
            self.places[blown] = self.places[blown].saturating_sub(1);
        }
        context.tell_all(&Perceive::Stepped { step: context.step() });
    }

    fn percepts(&self, _: EntityId, _: &Context<Perceive>, _: &mut Percepts<'_, Perceive>) {}

    fn scene(&self, viewer: Option<EntityId>, context: &Context<Perceive>) -> Scene {
        // The scene depends on the state and the step, so tests can compare it.
        let width = self.places.iter().fold(0.0, |width, place| width * 10.0 + f64::from(*place));
        let height = context.step() as f64 + viewer.map_or(0.0, |viewer| self.number(viewer) as f64 / 10.0);
        Scene { width, height, shapes: Vec::new() }
    }

    fn ending(&self) -> Option<Ending> {
        match self.places {
            [0, 0, 0] => Some(Ending::Truncated),
            [0, 0, HOME] => Some(Ending::Terminated),
            _ => None,
        }
    }
}

impl Encode for Herd {
    type Element = f32;

    fn encoding(_: &Settings, entity_type: &str) -> Option<Encoding> {
        let actions = ["stay", "back", "on"].map(str::to_owned).to_vec();
        let encoding = Encoding { shape: vec![2], element: f32::TYPE, low: 0.0, high: 4.0, actions };
        ["sheep", "dog"].contains(&entity_type).then_some(encoding)
    }

    fn encode(&self, entities: &[EntityId], buffers: Buffers<'_, f32>) {
        let sum: u8 = self.places.iter().sum();
        for (row, entity) in entities.iter().enumerate() {
            let sheep = self.number(*entity);
            let place = self.places[sheep];
            buffers.observations[2 * row..][..2].copy_from_slice(&[place.into(), f32::from(sum) / 3.0]);
            buffers.masks[3 * row..][..3].copy_from_slice(&[true, place > 0, place < HOME]);
            buffers.rewards[row] = self.rewards[sheep];
            buffers.terminated[row] = place == HOME;
            buffers.truncated[row] = sheep == 1 && place == 0;
        }
    }

    fn decode(&self, entity: EntityId, action: usize) -> Option<Do> {
        let place = self.places[self.number(entity)];
        match action {
            0 => Some(Do::Stay),
            1 => (place > 0).then_some(Do::Back),
            2 => (place < HOME).then_some(Do::On),
            _ => None,
        }
    }

    fn essence(&self) -> Option<Self> {
        (!self.chance).then(|| Self { moves: 0, rewards: [0.0; 3], ..self.clone() })
    }
}

impl Herd {
    fn number(&self, entity: EntityId) -> usize {
        self.sheep.iter().position(|sheep| *sheep == entity).expect("a sheep")
    }
}
