//! Wumpus: an explorer looks for gold in a dark cave with pits and a monster (Russell and Norvig: Artificial
//! Intelligence, a modern approach). It follows WumpusWorld, an environment of the Environment Interface Standard: the
//! same percepts, actions, scores and level files.
//!
//! [`Wumpus`] is the environment, [`cave`] contains its rules, [`level`] reads level files, and [`explorer`] is the
//! built-in agent.

pub mod cave;
mod encoding;
pub mod explorer;
pub mod level;
pub mod notes;
mod view;

use serde::{Deserialize, Serialize};
use situated::prelude::*;

use cave::{Cave, End};
pub use cave::{Heading, Side};
use notes::Notes;

/// The type of the entity, and its name.
pub const EXPLORER: &str = "explorer";
const NAME: &str = "caveExplorer";

/// The documentation in the ontology.
const DOCUMENTATION: &str = "\
Find the gold in a dark cave, avoid the pits and the Wumpus, and climb out where you came in.

The explorer enters the cave facing east. It perceives `breeze` beside a pit, `stench` beside the Wumpus, and \
`glitter` on the gold. `bump` says that it ran into a wall, `scream` that its only arrow killed the Wumpus. It dies in \
a pit, and where the Wumpus is alive.

The score is 1000 for the gold, -1000 for dying, -1 for each action, and -10 for shooting. Random caves can be solved \
without taking a risk.";

/// The environment: a cave, and what the explorer knows of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wumpus {
    /// The cave.
    pub cave: Cave,
    notes: Notes,
    entity: EntityId,
    /// The rewards since the last step, and those of the last step.
    rewards: [i64; 2],
}

/// The parameters of an episode.
#[derive(Clone, Debug, PartialEq, InitParameters)]
pub struct Parameters {
    /// A level file of the original (`.wld`), in base64, instead of a random cave.
    pub file: Option<FileContents>,
    /// The number of cells from one wall of a random cave to the other, from 3 to 30.
    #[parameter(default = 4, range = 3..=30)]
    pub size: u8,
    /// The probability that a cell of a random cave has a pit, from 0 to 0.5.
    #[parameter(default = 0.2, range = 0.0..=0.5)]
    pub pits: f64,
    /// Has no effect. The original opens a window if it is true.
    #[parameter(default = false)]
    pub gui: bool,
}

/// An action of the explorer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Action)]
pub enum Action {
    /// Goes to the cell ahead. If there is a wall, the explorer stays, and perceives `bump`.
    Forward,
    /// Turns by 90 degrees.
    Turn {
        /// The side.
        side: Side,
    },
    /// Picks up the gold, if there is any in this cell.
    Grab,
    /// Shoots the only arrow, straight ahead up to the next wall. It kills the Wumpus if it hits it.
    Shoot,
    /// Leaves the cave, where the explorer came in; elsewhere, nothing happens.
    Climb,
}

impl Action {
    /// All actions.
    pub const ALL: [Action; 6] = [
        Action::Forward,
        Action::Turn { side: Side::Left },
        Action::Turn { side: Side::Right },
        Action::Grab,
        Action::Shoot,
        Action::Climb,
    ];
}

/// A percept of the explorer.
#[derive(Clone, Debug, Percept)]
#[percept(on_change_with_negation)]
pub enum Percept {
    /// There is a pit in one of the four cells beside this one.
    Breeze,
    /// The Wumpus, dead or alive, is in one of the four cells beside this one.
    Stench,
    /// The last action ran into a wall.
    Bump,
    /// The last action killed the Wumpus.
    Scream,
    /// There is gold in this cell.
    Glitter,
    /// The number of actions so far.
    #[percept(on_change)]
    Time {
        /// The number.
        actions: u64,
    },
}

impl Environment for Wumpus {
    type Parameters = Parameters;
    type Action = Action;
    type Percept = Percept;

    fn ontology() -> Ontology {
        Self::ontology_builder("wumpus", env!("CARGO_PKG_VERSION"), DOCUMENTATION)
            .entity_type(EXPLORER, "Somebody who looks for gold.")
            .pace(Pace::Reactive)
            .build()
    }

    fn init(parameters: &Parameters, context: &mut Context<Percept>) -> Result<Self, Failure> {
        let cave = match &parameters.file {
            Some(file) => level::read(file.as_str()).map_err(Failure::new)?,
            None => Cave::random(parameters.size, parameters.pits, &mut context.random),
        };
        let mut notes = Notes::default();
        notes.visit((0, 0), cave.breeze(), cave.stench());
        Ok(Self { cave, notes, entity: context.add_entity(NAME, EXPLORER)?, rewards: [0; 2] })
    }

    fn act(&mut self, _: EntityId, action: &Action, _: &mut Context<Percept>) -> Result<(), Failure> {
        if self.cave.end.is_some() {
            return Err(Failure::new("the game is over; reset the environment to play again"));
        }
        let before = self.cave.score;
        self.cave.act(*action);
        self.rewards[0] += self.cave.score - before;
        if self.cave.bump {
            self.notes.wall(self.cave.ahead());
        }
        if self.cave.end.is_none() {
            self.notes.visit(self.cave.place, self.cave.breeze(), self.cave.stench());
        }
        Ok(())
    }

    fn step(&mut self, _: &mut Context<Percept>) {
        self.rewards = [0, self.rewards[0]];
    }

    fn percepts(&self, _: EntityId, _: &Context<Percept>, percepts: &mut Percepts<'_, Percept>) {
        let cave = &self.cave;
        percepts.section(0, cave.time, |listing| {
            if cave.end.is_some() {
                return;
            }
            listing.extend(cave.breeze().then_some(Percept::Breeze));
            listing.extend(cave.stench().then_some(Percept::Stench));
            listing.extend(cave.bump.then_some(Percept::Bump));
            listing.extend(cave.scream.then_some(Percept::Scream));
            listing.extend(cave.glitter().then_some(Percept::Glitter));
            listing.add(Percept::Time { actions: cave.time });
        });
    }

    fn scene(&self, viewer: Option<EntityId>, _: &Context<Percept>) -> Scene {
        if viewer.is_none() { view::whole(&self.cave) } else { view::seen(&self.cave, &self.notes) }
    }

    fn menu(&self, _: EntityId, request: &MenuRequest, _: &Context<Percept>) -> Menu<Action> {
        view::menu(&self.cave, &self.notes, request)
    }

    fn ending(&self) -> Option<Ending> {
        self.cave.end.map(|_| Ending::Terminated)
    }

    fn results(&self, _: &Context<Percept>) -> Vec<Measure> {
        let of = |name: &'static str, value: i64| Measure::new(NAME, name, value);
        let has_left = self.cave.end == Some(End::ClimbedOut);
        vec![
            of("score", self.cave.score),
            of("actions", self.cave.time as i64),
            of("gold", self.cave.has_gold.into()),
            of("climbed out", has_left.into()),
            Measure::new(NAME, "completed", has_left && self.cave.has_gold),
        ]
    }
}
