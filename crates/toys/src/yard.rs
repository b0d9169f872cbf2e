//! A yard with animals that uses all features of environments. Entities appear and disappear. Percepts have all five
//! deliveries; they are listed without sections, or with sections that belong to one animal or to several. Actions
//! return percepts, fail, or are only supported by some types of entities.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use situated::environment::{Context, Ending, EntityId, Environment, Failure, Measure, News, Percepts};
use situated::iil::Parameter;
use situated::menu::{Menu, MenuItem, MenuRequest};
use situated::ontology::{Ontology, Restriction};
use situated::scene::{Color, Scene, Shape};
use situated::{Action, InitParameters, Percept};

/// The actions of animals.
#[derive(Clone, Debug, PartialEq, Action)]
pub enum Do {
    /// Adds or removes a thing. Animals perceive things on change with negation.
    Toggle { thing: u8 },
    /// Sets a number. Animals perceive numbers on change. 0 removes all numbers.
    Count { number: u8 },
    /// Learns a fact, which the animal perceives once, and forgets the previous one.
    Learn { fact: u8 },
    /// Gives a percept to all animals.
    Bark { serial: u64 },
    /// Makes an announcement, which observers get and animals do not.
    Boast { serial: u64 },
    /// Adds a dog or a cat.
    Bear,
    /// Deletes the entity. Only cats support this, so that tests that try every action can keep a dog.
    #[action(entities("cat"))]
    Vanish,
    /// Deletes the youngest animal.
    #[action(entities("cat"))]
    DevourYoungest,
    /// Returns the existing things as percepts.
    Look,
    /// Fails.
    Fail,
    /// No entity supports this action.
    Fly,
    /// Only dogs support this action.
    #[action(entities("dog"))]
    Fetch,
    /// Ends the episode.
    End,
}

/// The percepts of animals.
#[derive(Clone, Debug, Percept)]
pub enum Perceive {
    #[percept(once)]
    Fact { fact: u8 },
    #[percept(on_change)]
    Number { index: u8, number: u8 },
    #[percept(on_change_with_negation)]
    Thing { thing: u8 },
    /// Another animal; only cats perceive it.
    #[percept(on_change_with_negation)]
    Other { number: u64 },
    /// An animal that has as many things as this cat, both an even or both an odd number.
    #[percept(on_change)]
    Alike { number: u64 },
    #[percept(always)]
    Step { step: u64 },
    /// A percept that is not a number, for an animal that knows fact 99.
    #[percept(always)]
    Warmth { degrees: f64 },
    #[percept(event)]
    Heard { serial: u64 },
}

#[derive(Clone, Debug, InitParameters)]
pub struct Settings {
    #[parameter(default = 2)]
    pub dogs: u8,
    #[parameter(default = 2)]
    pub cats: u8,
    /// Whether the first dog is listed in sections.
    #[parameter(default = true)]
    pub sections: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { dogs: 2, cats: 2, sections: true }
    }
}

/// A yard in which agents and entities have any number of partners.
pub type Yard = AnyYard<false>;

/// A yard in which an agent has at most one entity, and an entity at most one agent.
pub type MonogamousYard = AnyYard<true>;

#[derive(Debug, Serialize, Deserialize)]
pub struct AnyYard<const MONOGAMOUS: bool> {
    animals: BTreeMap<EntityId, Animal>,
    sections: bool,
    born: u32,
    over: bool,
    pub news: Vec<News>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Animal {
    things: BTreeSet<u8>,
    things_revision: u64,
    numbers: Vec<u8>,
    numbers_revision: u64,
    fact: Option<u8>,
    requested: bool,
}

impl<const MONOGAMOUS: bool> AnyYard<MONOGAMOUS> {
    fn add(&mut self, name: String, of: &str, context: &mut Context<Perceive>) -> Result<EntityId, Failure> {
        let id = context.add_entity(name, of)?;
        self.animals.insert(id, Animal::default());
        Ok(id)
    }

    fn remove(&mut self, entity: EntityId, context: &mut Context<Perceive>) {
        self.animals.remove(&entity);
        context.delete_entity(entity);
    }

    /// Returns the animals with an even or an odd number of things.
    fn alike(&self, odd: bool) -> impl Iterator<Item = u64> {
        let alike = self.animals.iter().filter(move |(_, animal)| (animal.things.len() % 2 == 1) == odd);
        alike.map(|(animal, _)| animal.index() as u64)
    }

    /// Returns a number that changes whenever an animal is added or deleted; the numbers of animals only grow.
    fn animals_revision(&self) -> u64 {
        let youngest = self.animals.last_key_value().map_or(0, |(youngest, _)| youngest.index() as u64);
        (youngest << 32) + self.animals.len() as u64
    }
}

impl<const MONOGAMOUS: bool> Environment for AnyYard<MONOGAMOUS> {
    type Parameters = Settings;
    type Action = Do;
    type Percept = Perceive;

    fn ontology() -> Ontology {
        let relation = Restriction { one_agent_per_entity: MONOGAMOUS, one_entity_per_agent: MONOGAMOUS };
        Self::ontology_builder("yard", "1.0", "A yard with animals.")
            .entity_type("dog", "It fetches.")
            .entity_type("cat", "It does not.")
            .property("animals", "The number of animals.")
            .entity_property("things", "The number of things that the animal has.")
            .relation(relation)
            .build()
    }

    fn init(parameters: &Settings, context: &mut Context<Perceive>) -> Result<Self, Failure> {
        if parameters.dogs > 100 {
            return Err(Failure::new("too many dogs for this yard"));
        }
        let animals = BTreeMap::new();
        let (sections, news) = (parameters.sections, Vec::new());
        let mut yard = Self { animals, sections, born: 0, over: false, news };
        for number in 0..parameters.dogs {
            yard.add(format!("dog{number}"), "dog", context)?;
        }
        for number in 0..parameters.cats {
            yard.add(format!("cat{number}"), "cat", context)?;
        }
        Ok(yard)
    }

    fn act(&mut self, entity: EntityId, action: &Do, context: &mut Context<Perceive>) -> Result<(), Failure> {
        let animal = self.animals.get_mut(&entity).ok_or_else(|| Failure::new("no such animal"))?;
        match *action {
            Do::Toggle { thing } => {
                if !animal.things.remove(&thing) {
                    animal.things.insert(thing);
                }
                animal.things_revision += 1;
            }
            Do::Count { number: 0 } => {
                animal.numbers.clear();
                animal.numbers_revision += 1;
            }
            Do::Count { number } => {
                let index = usize::from(number % 3);
                animal.numbers.resize(animal.numbers.len().max(index + 1), 0);
                animal.numbers[index] = number;
                animal.numbers_revision += 1;
            }
            Do::Learn { fact } => animal.fact = Some(fact),
            Do::Bark { serial } => context.tell_all(&Perceive::Heard { serial }),
            Do::Boast { serial } => context.announce("boast", format!("this is boast {serial}")),
            Do::Bear => {
                self.born += 1;
                let name = format!("young{}", self.born);
                let of = if context.random.chance(0.5) { "dog" } else { "cat" };
                self.add(name, of, context)?;
            }
            Do::Vanish => self.remove(entity, context),
            Do::DevourYoungest => {
                let youngest = self.animals.last_key_value().map(|(youngest, _)| *youngest);
                youngest.into_iter().for_each(|youngest| self.remove(youngest, context));
            }
            Do::Look => animal.things.iter().for_each(|thing| context.answer(Perceive::Thing { thing: *thing })),
            Do::Fail => return Err(Failure::new("it is too high")),
            Do::Fly => return Err(Failure::unsupported("it has no wings")),
            Do::Fetch => {}
            Do::End => self.over = true,
        }
        Ok(())
    }

    fn percepts(&self, entity: EntityId, context: &Context<Perceive>, percepts: &mut Percepts<'_, Perceive>) {
        let Some(animal) = self.animals.get(&entity) else { return };
        if let Some(fact) = animal.fact {
            percepts.add(Perceive::Fact { fact });
        }
        if animal.fact == Some(99) {
            percepts.add(Perceive::Warmth { degrees: f64::NAN });
        }
        let things = animal.things.iter().map(|thing| Perceive::Thing { thing: *thing });
        let number = |(index, number): (usize, &u8)| Perceive::Number { index: index as u8, number: *number };
        let numbers = animal.numbers.iter().enumerate().map(number);
        let one = |animal: &EntityId| Perceive::Other { number: animal.index() as u64 };
        let is_cat = context.entity(entity).is_some_and(|entity| entity.entity_type == "cat");
        if self.sections {
            if is_cat {
                percepts.shared(0, self.animals_revision(), Some(one(&entity)), |list| {
                    self.animals.keys().for_each(|animal| list.add(one(animal)));
                });
                // A cat moves from one of two sections to the other.
                let odd = animal.things.len() % 2 == 1;
                let revision = self.alike(odd).fold(0, |all: u64, number| all.wrapping_mul(1_000_003) + number + 1);
                percepts.shared(10 + u32::from(odd), revision, None, |list| {
                    self.alike(odd).for_each(|number| list.add(Perceive::Alike { number }));
                });
            }
            percepts.section(1, animal.things_revision, |list| things.for_each(|one| list.add(one)));
            if !animal.numbers.is_empty() {
                let revision = animal.numbers_revision;
                percepts.section(2, revision, |list| numbers.for_each(|one| list.add(one)));
            }
        } else {
            let others = self.animals.keys().filter(|other| is_cat && **other != entity).map(one);
            let alike = self.alike(animal.things.len() % 2 == 1).filter(|_| is_cat);
            let alike = alike.map(|number| Perceive::Alike { number });
            things.chain(numbers).chain(others).chain(alike).for_each(|percept| percepts.add(percept));
        }
        percepts.add(Perceive::Step { step: context.step() });
    }

    fn hear(&mut self, news: News, context: &mut Context<Perceive>) {
        self.news.push(news);
        if let News::Left(entity) = news
            && self.animals.get(&entity).is_some_and(|animal| animal.requested)
        {
            self.remove(entity, context);
        }
    }

    fn request(
        &mut self,
        entity_type: &str,
        name: Option<&str>,
        context: &mut Context<Perceive>,
    ) -> Result<EntityId, Failure> {
        if self.animals.len() > 200 {
            return Err(Failure::new("the yard is full"));
        }
        self.born += 1;
        let name = name.map_or_else(|| format!("guest{}", self.born), str::to_owned);
        let id = self.add(name, entity_type, context)?;
        if let Some(animal) = self.animals.get_mut(&id) {
            animal.requested = true;
        }
        Ok(id)
    }

    fn ending(&self) -> Option<Ending> {
        self.over.then_some(Ending::Terminated)
    }

    fn results(&self, _: &Context<Perceive>) -> Vec<Measure> {
        vec![Measure::new("all", "animals", self.animals.len())]
    }

    fn query(&self, property: &str, _: &Context<Perceive>) -> Option<Parameter> {
        (property == "animals").then(|| self.animals.len().into())
    }

    fn query_entity(&self, entity: EntityId, property: &str, _: &Context<Perceive>) -> Option<Parameter> {
        let animal = self.animals.get(&entity)?;
        (property == "things").then(|| Parameter::from(animal.things.len() as i64))
    }

    /// Draws a rectangle for each animal, whose length is its number of things; an animal sees only its own.
    fn scene(&self, viewer: Option<EntityId>, context: &Context<Perceive>) -> Scene {
        let is_seen = |(entity, _): &(&EntityId, &Animal)| viewer.is_none_or(|viewer| viewer == **entity);
        let shape = |(entity, animal): (&EntityId, &Animal)| {
            let (y, length) = (entity.index() as f64, 1.0 + animal.things.len() as f64);
            let name = context.entity(*entity).map(|entity| entity.name.clone()).unwrap_or_default();
            Shape::rectangle(0.0, y, length, 1.0, Color(9, 9, 9)).labelled(&*name)
        };
        let shapes = self.animals.iter().filter(is_seen).map(shape).collect();
        Scene { width: 256.0, height: 256.0, shapes }
    }

    /// Offers to go to the position of the request, and before that a call if the animal has other agents too.
    fn menu(&self, _: EntityId, request: &MenuRequest, _: &Context<Perceive>) -> Menu<Do> {
        let Some((x, _)) = request.at else { return Menu::default() };
        let item = |label: &str, action| MenuItem {
            sections: vec!["Commands".into()],
            label: label.into(),
            direct: true,
            action,
        };
        let call = request.shared.then(|| item("call", Do::Bark { serial: 1 }));
        let go = item("go", Do::Count { number: x as u8 });
        Menu { subject: "here".into(), items: call.into_iter().chain([go]).collect() }
    }
}
