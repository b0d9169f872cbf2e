//! The environment: the world with its entities, and their actions.

use serde::{Deserialize, Serialize};
use situated::document::Examination;
use situated::environment::{Context, Ending, EntityId, Environment, Failure, Measure, News, Percepts};
use situated::iil::{EcoString, Parameter, Percept as Told};
use situated::menu::{Menu, MenuRequest};
use situated::names::{did_you_mean, nearest};
use situated::ontology::typed::TypedAction;
use situated::ontology::{Ontology, Pace};
use situated::scene::Scene;

use crate::action::{Action, described_by};
use crate::encoding::learning::Learning;
use crate::geometry::Point;
use crate::ground::Ground;
use crate::log::Log;
use crate::map::Standard;
use crate::messages::{Dialect, Message};
use crate::parameters::{Names, Parameters, examine, read_collisions, read_map, read_team};
use crate::perceiving::Perceiver;
use crate::percept::Percept;
use crate::robot::Build;
use crate::standing::{Standing, results};
use crate::team::{BOT, EPARTNER, HUMAN, Team};
use crate::world::{Functions, Rules, TICKS_PER_SECOND, World};
use crate::{menu, scene};

/// The documentation in the ontology.
const DOCUMENTATION: &str = "\
Robots fetch coloured blocks from rooms and bring them to the drop zone, in a given order.

The percept `sequence` lists the colours in this order, and `sequenceIndex` is the number of colours delivered so far. A \
block is lost if a robot puts it down in the drop zone when another colour is needed, or in a hall. A robot sees only the \
blocks in its own room. A room, the drop zone included, holds one robot at a time.

Moving takes time: `goTo` and `goToBlock` are accepted at once. The percept `state` reports that the robot has arrived, or \
that it could not continue (`collided`), for example at the door of an occupied room. Players can send each other messages.";

/// Blocks World for Teams.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bw4t {
    world: World,
    names: Names,
    paths: bool,
    learning: Learning,
    log: Option<Log>,
}

impl Environment for Bw4t {
    type Parameters = Parameters;
    type Action = Action;
    type Percept = Percept;

    fn ontology() -> Ontology {
        Self::ontology_builder("bw4t", env!("CARGO_PKG_VERSION"), DOCUMENTATION)
            .entity_type(BOT, "A robot.")
            .entity_type(HUMAN, "A robot for a person; it can carry an e-partner.")
            .entity_type(EPARTNER, "A device that helps the human player who carries it.")
            .property("map", "The map, in the file format that the parameter `map` reads.")
            .property("log", "The log of the original, if the parameter `log` is set.")
            .pace(Pace::RealTime { steps_per_second: TICKS_PER_SECOND })
            .build()
    }

    fn init(parameters: &Parameters, context: &mut Context<Percept>) -> Result<Self, Failure> {
        let team = read_team(parameters)?;
        let map = read_map(parameters, &team)?;
        let filling = map.fill(&mut context.random);
        let Parameters { wait_at_doors, around_blockades, messages, names, paths, .. } = *parameters;
        let collisions = read_collisions(parameters, &team);
        let rules = Rules { collisions, wait_at_doors, around_blockades, are_silent: !messages };
        let learning = Learning::new(parameters, &team);
        let mut this = Self { world: World::new(Ground::from(map), filling, rules), names, paths, learning, log: None };
        this.add_team(&team, context)?;
        Standing::AT_FIRST.announce_changes(&this.world, context);
        this.log = parameters.log.then(|| Log::of(&this.world));
        Ok(this)
    }

    fn examine(document: &str, parameters: &Parameters, seed: Option<u64>) -> Option<Examination> {
        examine(document, parameters, seed)
    }

    fn act(&mut self, entity: EntityId, action: &Action, context: &mut Context<Percept>) -> Result<(), Failure> {
        let world = &mut self.world;
        match action {
            Action::GoTo { x, y } => world.go_to_point(entity, read_point(*x, *y)?)?,
            Action::GoToPlace { place } => {
                let zone = world.ground().find(place);
                let zone = zone.ok_or_else(|| {
                    let places = world.ground().zones().iter().map(|zone| zone.name.as_str());
                    Failure::new(format!("there is no place `{place}`{}", did_you_mean(nearest(place, places))))
                })?;
                world.go_to_zone(entity, zone)?;
            }
            Action::GoToBlock { block } => world.go_to_block(entity, *block)?,
            Action::PickUp { block } => world.pick_up(entity, *block)?,
            Action::PutDown => {
                let standing = Standing::of(world);
                let lost = world.put_down(entity, &mut context.random)?;
                lost.into_iter().for_each(|block| context.answer(Percept::Lost { block }));
                standing.announce_changes(world, context);
            }
            Action::SendMessage { to, content } => self.send(entity, to, content, context)?,
            Action::NavigateObstacles => world.navigate_obstacles(entity)?,
            Action::PickUpEpartner | Action::PickUpEPartner => world.pick_up_partner(entity)?,
            Action::DropEPartner | Action::PutDownEPartner => world.put_down_partner(entity)?,
            Action::Select { action } => context.tell(entity, self.selected(action)?),
        }
        self.learning.note(action);
        if let (Some(log), Some(body)) = (&mut self.log, context.entity(entity)) {
            log.note_action(&self.world, &body.name, &action.to_iil());
        }
        Ok(())
    }

    fn step(&mut self, _: &mut Context<Percept>) {
        self.learning.step(&mut self.world);
        if let Some(log) = &mut self.log {
            log.follow(&self.world);
        }
    }

    fn percepts(&self, entity: EntityId, _: &Context<Percept>, percepts: &mut Percepts<'_, Percept>) {
        Perceiver { world: &self.world, names: self.names }.list(entity, percepts);
    }

    fn hear(&mut self, news: News, context: &mut Context<Percept>) {
        // An agent that leaves makes its robot put down its blocks, which may be lost.
        let standing = Standing::of(&self.world);
        match news {
            News::Taken(entity) => self.world.set_taken(entity, true),
            News::Freed(entity) => {
                self.world.set_taken(entity, false);
                self.world.bring_home(entity);
                self.learning.forget(entity);
            }
            News::Left(entity) => {
                if self.world.remove(entity) {
                    self.learning.forget(entity);
                    context.delete_entity(entity);
                }
            }
        }
        standing.announce_changes(&self.world, context);
    }

    /// Returns a free body of this type or, if the map has a place for it, a new one.
    fn request(
        &mut self,
        entity_type: &str,
        name: Option<&str>,
        context: &mut Context<Percept>,
    ) -> Result<EntityId, Failure> {
        if let Some(free) = self.free_body(entity_type, name, context) {
            return Ok(free);
        }
        let default = match entity_type {
            HUMAN => "Human",
            EPARTNER => "E-Partner",
            _ => "Bot",
        };
        let name = name.map_or_else(|| numbered(default, &mut 1, context), EcoString::from);
        if entity_type == EPARTNER {
            return self.add_partner(name, Functions { gps: true, forget_me_not: true }, true, context);
        }
        self.add_robot(name, Build { human: entity_type == HUMAN, ..Build::default() }, true, context)
    }

    fn scene(&self, viewer: Option<EntityId>, _: &Context<Percept>) -> Scene {
        match viewer {
            None => scene::whole(&self.world, self.paths),
            Some(entity) => scene::seen_by(&self.world, entity, self.names),
        }
    }

    /// The menus of the original's window for human players.
    fn menu(&self, entity: EntityId, request: &MenuRequest, _: &Context<Percept>) -> Menu<Action> {
        menu::menu(&self.world, self.names, entity, request)
    }

    fn words(&self, entity: EntityId, request: &MenuRequest, _: &Context<Percept>) -> Menu<Action> {
        menu::words(&self.world, self.names, entity, request)
    }

    /// Messages in terms have the same meaning as sentences.
    fn in_words(percept: &Told) -> Option<String> {
        let [Parameter::Identifier(from), content] = &percept.parameters[..] else { return None };
        let message = Message::from_term(content, from).ok().filter(|_| percept.name == "message")?;
        Some(message.to_english(Dialect::Specification))
    }

    fn ending(&self) -> Option<Ending> {
        self.world.completed().map(|_| Ending::Terminated)
    }

    fn query(&self, property: &str, _: &Context<Percept>) -> Option<Parameter> {
        match property {
            "map" => Some(self.world.ground().map().to_xml().as_str().into()),
            "log" => Some(self.log.as_ref()?.text(&self.world).as_str().into()),
            _ => None,
        }
    }

    fn results(&self, _: &Context<Percept>) -> Vec<Measure> {
        results(&self.world)
    }
}

impl Bw4t {
    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    pub(crate) fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// Returns the data for learners.
    pub(crate) fn learning(&self) -> &Learning {
        &self.learning
    }

    fn add_team(&mut self, team: &Team, context: &mut Context<Percept>) -> Result<(), Failure> {
        for bots in &team.bots {
            let mut number = 1;
            for _ in 0..bots.amount {
                let name = numbered(&bots.name, &mut number, context);
                self.add_robot(name, bots.build(), false, context)?;
            }
        }
        for partners in &team.partners {
            let mut number = 1;
            for _ in 0..partners.amount {
                let name = numbered(&partners.name, &mut number, context);
                self.add_partner(name, partners.functions(), false, context)?;
            }
        }
        Ok(())
    }

    fn add_robot(
        &mut self,
        name: EcoString,
        build: Build,
        requested: bool,
        context: &mut Context<Percept>,
    ) -> Result<EntityId, Failure> {
        let spawn = self.world.free_spawn().ok_or_else(|| self.no_place_for(&name))?;
        let entity = context.add_entity(name.clone(), if build.human { HUMAN } else { BOT })?;
        self.world.add_robot(entity, name, build, spawn, requested);
        Ok(entity)
    }

    fn add_partner(
        &mut self,
        name: EcoString,
        functions: Functions,
        requested: bool,
        context: &mut Context<Percept>,
    ) -> Result<EntityId, Failure> {
        let place = self.world.place_for_partner().ok_or_else(|| self.no_place_for(&name))?;
        let entity = context.add_entity(name.clone(), EPARTNER)?;
        self.world.add_partner(entity, name, functions, place, requested);
        Ok(entity)
    }

    fn no_place_for(&self, name: &str) -> Failure {
        let ground = self.world.ground();
        let map =
            Standard::of(ground.map()).map_or_else(|| "this map".to_owned(), |map| format!("the map {}", map.name()));
        let (places, of_map) = (ground.places().len(), ground.map().spawns.len());
        Failure::new(format!(
            "there is no place for {name}: {map} has {places} for robots to begin, {of_map} of its own and {} in its \
             halls; ask for fewer, or take a larger map",
            places - of_map
        ))
    }

    /// Returns a free body of this type and name.
    fn free_body(&self, entity_type: &str, name: Option<&str>, context: &Context<Percept>) -> Option<EntityId> {
        let free = context.entities().filter(|(id, entity)| {
            entity.entity_type == entity_type
                && name.is_none_or(|name| entity.name == name)
                && !self.world.is_taken(*id)
        });
        free.map(|(id, _)| id).next()
    }

    /// Delivers a message to a player, or to all others.
    fn send(
        &mut self,
        entity: EntityId,
        to: &str,
        content: &Parameter,
        context: &mut Context<Percept>,
    ) -> Result<(), Failure> {
        if self.world.rules().are_silent {
            return Err(Failure::new("players cannot send messages in this episode"));
        }
        let from = context.entity(entity).map(|entity| entity.name.clone()).unwrap_or_default();
        let message = Percept::Message { from, content: content.clone() };
        if matches!(to, "all" | "allother") {
            let others: Vec<EntityId> = context.entities().map(|(id, _)| id).filter(|id| *id != entity).collect();
            others.into_iter().for_each(|other| context.tell(other, message.clone()));
        } else {
            let receiver = context.find_entity(to);
            let receiver = receiver.ok_or_else(|| {
                let players = context.entities().map(|(_, player)| player.name.as_str());
                Failure::new(format!("there is no player `{to}`{}", did_you_mean(nearest(to, players))))
            })?;
            if !self.world.is_taken(receiver) {
                let message = format!("no agent controls `{to}` now, so nobody would get the message; send it later");
                return Err(Failure::new(message));
            }
            context.tell(receiver, message);
        }
        self.world.count_message(entity);
        Ok(())
    }

    /// Returns the percept for an action that a person asked for.
    fn selected(&self, action: &Parameter) -> Result<Percept, Failure> {
        let wrong =
            || Failure::new(format!("{action} is not an action; select one as a function, such as goTo('RoomC1')"));
        let action = described_by(action).ok_or_else(wrong)?;
        let code = self.names == Names::Code;
        Ok(match Action::from_iil(&action).map_err(|mismatch| Failure::new(mismatch.to_string()))? {
            Action::GoTo { x, y } => Percept::GoTo { x, y },
            Action::GoToPlace { place } => Percept::GoToPlace { place },
            Action::GoToBlock { block } => Percept::GoToBlock { block },
            Action::PickUp { block } => Percept::PickUp { block },
            Action::PutDown => Percept::PutDown,
            Action::SendMessage { to, content } => Percept::SendMessage { to, content },
            Action::NavigateObstacles => Percept::NavigateObstacles,
            Action::PickUpEpartner | Action::PickUpEPartner if code => Percept::PickUpEPartner,
            Action::PickUpEpartner | Action::PickUpEPartner => Percept::PickUpEpartner,
            Action::DropEPartner | Action::PutDownEPartner if code => Percept::PutDownEPartner,
            Action::DropEPartner | Action::PutDownEPartner => Percept::DropEPartner,
            Action::Select { .. } => return Err(wrong()),
        })
    }
}

/// Returns the first unused name from this number on: `Bot_1`, `Bot_2`. Increases the number.
fn numbered(name: &str, number: &mut u64, context: &Context<Percept>) -> EcoString {
    loop {
        let name = EcoString::from(format!("{name}_{number}"));
        *number += 1;
        if context.find_entity(&name).is_none() {
            return name;
        }
    }
}

fn read_point(x: f64, y: f64) -> Result<Point, Failure> {
    if x.is_finite() && y.is_finite() {
        Ok(Point::new(x, y))
    } else {
        Err(Failure::new("the coordinates of a place must be finite"))
    }
}
