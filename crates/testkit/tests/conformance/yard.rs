//! A yard: an environment that gives entities for the asking, which several agents may share, and whose percepts are
//! told in all ways.

use serde::{Deserialize, Serialize};
use situated::environment::{Context, EntityId, Environment, Failure, Percepts};
use situated::ontology::Ontology;
use situated::scene::{Color, Scene, Shape};
use situated::{Action, InitParameters, Percept};

/// What dogs do in a yard.
#[derive(Clone, Debug, PartialEq, Action)]
pub(crate) enum Do {
    /// Runs so far to the right.
    Run {
        /// How far.
        by: u8,
        /// How fast.
        speed: Option<f64>,
    },
    /// Is heard by all.
    Bark,
    /// Is in vain.
    Fly,
}

/// What dogs perceive in a yard.
#[derive(Clone, Debug, Percept)]
pub(crate) enum Perceive {
    /// What its name is.
    #[percept(once)]
    Called { name: String },
    /// Where it is.
    #[percept(on_change)]
    At { x: u8 },
    /// Who is where.
    #[percept(on_change_with_negation)]
    Near { name: String },
    /// How late it is.
    #[percept(always)]
    Time { step: u64 },
    /// Somebody has barked.
    #[percept(event)]
    Barked { name: String },
}

/// There is nothing to be chosen.
#[derive(Clone, Debug, InitParameters)]
pub(crate) struct Nothing {}

/// A dog, and where it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Dog {
    entity: EntityId,
    name: String,
    x: u8,
}

/// The yard.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Yard {
    dogs: Vec<Dog>,
}

impl Yard {
    fn dog(&self, entity: EntityId) -> Option<&Dog> {
        self.dogs.iter().find(|dog| dog.entity == entity)
    }

    fn add(&mut self, name: String, context: &mut Context<Perceive>) -> Result<EntityId, Failure> {
        let entity = context.add_entity(name.clone(), "dog")?;
        self.dogs.push(Dog { entity, name, x: 0 });
        Ok(entity)
    }
}

impl Environment for Yard {
    type Parameters = Nothing;
    type Action = Do;
    type Percept = Perceive;

    fn ontology() -> Ontology {
        Ontology::builder::<Nothing, Do, Perceive>("yard", "1.0", "Dogs run about.")
            .entity_type("dog", "It barks.")
            .build()
    }

    fn init(_: &Nothing, context: &mut Context<Perceive>) -> Result<Self, Failure> {
        let mut yard = Yard { dogs: Vec::new() };
        yard.add("rex".into(), context)?;
        Ok(yard)
    }

    fn act(
        &mut self,
        entity: EntityId,
        action: &Do,
        context: &mut Context<Perceive>,
    ) -> Result<Vec<Perceive>, Failure> {
        let Some(dog) = self.dogs.iter_mut().find(|dog| dog.entity == entity) else {
            return Err(Failure::unsupported("it is no dog"));
        };
        match action {
            Do::Run { by, .. } => dog.x = dog.x.wrapping_add(*by),
            Do::Bark => context.tell_all(&Perceive::Barked { name: dog.name.clone() }),
            Do::Fly => return Err(Failure::new("it has no wings")),
        }
        Ok(Vec::new())
    }

    fn percepts(&self, entity: EntityId, context: &Context<Perceive>, percepts: &mut Percepts<'_, Perceive>) {
        let Some(own) = self.dog(entity) else { return };
        percepts.add(Perceive::Called { name: own.name.clone() });
        percepts.add(Perceive::At { x: own.x });
        percepts.add(Perceive::Time { step: context.step() });
        for dog in self.dogs.iter().filter(|dog| dog.entity != entity && dog.x.abs_diff(own.x) < 2) {
            percepts.add(Perceive::Near { name: dog.name.clone() });
        }
    }

    fn request(&mut self, _: &str, name: Option<&str>, context: &mut Context<Perceive>) -> Result<EntityId, Failure> {
        let name = name.map_or_else(|| format!("dog{}", self.dogs.len()), str::to_owned);
        self.add(name, context)
    }

    fn scene(&self, viewer: Option<EntityId>, _: &Context<Perceive>) -> Scene {
        let seen = self.dogs.iter().filter(|dog| viewer.is_none_or(|viewer| dog.entity == viewer));
        let shape = |dog: &Dog| Shape::rectangle(dog.x.into(), 0.0, 1.0, 1.0, Color(9, 9, 9)).labelled(&dog.name);
        Scene { width: 256.0, height: 1.0, shapes: seen.map(shape).collect() }
    }
}
