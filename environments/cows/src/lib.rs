//! Cows and Cowboys: two teams drive cows into their corrals. It is the scenario of the multi-agent programming contest
//! of 2010, which the paper on the Environment Interface Standard uses: the same rules, scores, percepts and actions.
//!
//! [`Cows`] is the environment, [`pasture`] contains its rules, [`map`] reads and draws maps, and [`herder`] contains
//! the built-in agents.

mod encoding;
pub mod herder;
pub mod map;
pub mod pasture;
mod view;

use serde::{Deserialize, Serialize};
use situated::prelude::*;
use situated_grid::Place;

use pasture::{Being, Direction, Ground, Pasture, Team};

/// The type of the entities.
pub const COWBOY: &str = "cowboy";

/// The documentation in the ontology.
const DOCUMENTATION: &str = "\
Drive cows into the corral of your team: they flee from cowboys, and a fence opens while somebody stands at its switch.

There are two teams, `red` and `blue`. A cowboy sees the square of cells around it (`cell`, relative to its own \
place), and knows its place (`pos`), its corral (`corralPos`), and how many cows are there (`cowsInCorral`). (0, 0) is \
the north-western cell; x grows to the east, and y to the south. In each step all cowboys move by at most one cell \
(`move`), then the cows do, one in three. Cows like company and free ground, and keep away from cowboys within 5 \
cells. Two cannot be in one cell, and obstacles, switches and closed fences stop everybody. 5 % of all moves fail.

A fence is open while a cowboy of either team stands beside its switch, but for the side of the fence. When it closes, \
it pushes out those who stand in it. The score of a team is the mean number of cows in its corral over all steps.";

/// The environment: a pasture, and the entities of its cowboys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cows {
    pasture: Pasture,
    entities: Vec<EntityId>,
    sight: u8,
    steps: u64,
}

/// The parameters of an episode.
#[derive(Clone, Debug, PartialEq, InitParameters)]
pub struct Parameters {
    /// A map, instead of a random one: a line for each row, with `.` for grass, `#` an obstacle, `r` and `b` the
    /// corrals, `R` and `B` the cowboys, `c` a cow, `s` a switch, and `-` or `|` its fence.
    pub pasture: Option<FileContents>,
    /// The number of rows and columns of a random map, from 20 to 100.
    #[parameter(default = 40, range = 20..=100)]
    pub size: u8,
    /// The number of cowboys in each team of a random map, from 1 to 20.
    #[parameter(default = 10, range = 1..=map::MOST_COWBOYS)]
    pub cowboys: u8,
    /// The number of cows of a random map, from 0 to a cell in eight.
    #[parameter(default = 40, range = 0..=map::MOST_COWS as u16)]
    pub cows: u16,
    /// The number of cells that a cowboy sees in each direction, from 1 to 20.
    #[parameter(default = 8, range = 1..=20)]
    pub line_of_sight: u8,
    /// The number of steps.
    #[parameter(default = 1000, range = 1..=u32::MAX)]
    pub max_steps: u32,
}

/// An action of a cowboy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Action)]
pub enum Action {
    /// Moves by one cell, unless it is taken.
    Move {
        /// The direction.
        direction: Direction,
    },
    /// Stays.
    Skip,
}

/// The contents of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ParameterType)]
#[parameter(all)]
pub enum Item {
    /// A tree or a wall.
    Obstacle,
    /// A cowboy of the same team.
    Ally,
    /// A cowboy of the other team.
    Enemy,
    /// A cow.
    Cow,
    /// The corral of the own team.
    Corral,
    /// The corral of the other team.
    EnemyCorral,
    /// The switch of a fence.
    Switch,
    /// A closed fence.
    Fence,
    /// An open fence.
    OpenFence,
}

/// The result of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ParameterType)]
pub enum Verdict {
    /// The team has the higher score.
    Win,
    /// Both teams have the same score.
    Draw,
    /// The team has the lower score.
    Lose,
}

/// A percept of a cowboy.
#[derive(Clone, Debug, Percept)]
#[percept(on_change)]
pub enum Percept {
    /// The simulation has begun.
    #[percept(once)]
    SimStart,
    /// The name of the simulation.
    #[percept(once)]
    SimId {
        /// The name.
        name: String,
    },
    /// The name of the other team.
    #[percept(once)]
    Opponent {
        /// The name.
        name: String,
    },
    /// The number of steps of the simulation.
    #[percept(once)]
    Steps {
        /// The number.
        number: u64,
    },
    /// The number of columns and rows of the pasture.
    #[percept(once)]
    GridSize {
        /// The number of columns.
        width: u16,
        /// The number of rows.
        height: u16,
    },
    /// The corral of the own team.
    #[percept(once)]
    CorralPos {
        /// The x of the north-western cell.
        x0: u16,
        /// The y of the north-western cell.
        y0: u16,
        /// The x of the south-eastern cell.
        x1: u16,
        /// The y of the south-eastern cell.
        y1: u16,
    },
    /// The number of cells that a cowboy sees in each direction.
    #[percept(once)]
    LineOfSight {
        /// The number.
        cells: u8,
    },
    /// The number of steps so far.
    CurrentStep {
        /// The number.
        step: u64,
    },
    /// The place of the cowboy.
    Pos {
        /// The number of cells to the west.
        x: u16,
        /// The number of cells to the north.
        y: u16,
        /// The number of steps so far.
        step: u64,
    },
    /// The number of cows in the corral of the own team.
    CowsInCorral {
        /// The number.
        number: u32,
        /// The number of steps so far.
        step: u64,
    },
    /// Something in a cell in sight. Cells in sight without such a percept are free.
    Cell {
        /// The number of cells to the east of the cowboy, negative to the west.
        x: i8,
        /// The number of cells to the south of the cowboy, negative to the north.
        y: i8,
        /// The contents.
        item: Item,
        /// The number of steps so far.
        step: u64,
        /// The number of the cow, if it is one.
        cow: Option<u16>,
    },
    /// The simulation is over.
    SimEnd,
    /// The result of the simulation.
    Result {
        /// The result.
        result: Verdict,
    },
    /// The score of the own team at the end of the simulation.
    AverageScore {
        /// The score.
        score: f64,
    },
}

impl Environment for Cows {
    type Parameters = Parameters;
    type Action = Action;
    type Percept = Percept;

    fn ontology() -> Ontology {
        Self::ontology_builder("cows", env!("CARGO_PKG_VERSION"), DOCUMENTATION)
            .entity_type(COWBOY, "A cowboy of one of the teams, such as `red1` or `blue10`.")
            .pace(Pace::Lockstep)
            .relation(Restriction { one_agent_per_entity: true, ..Restriction::default() })
            .build()
    }

    fn init(parameters: &Parameters, context: &mut Context<Percept>) -> Result<Self, Failure> {
        let Parameters { size, cowboys, cows, line_of_sight, max_steps, .. } = *parameters;
        let most_cows = (usize::from(size) * usize::from(size) / 8).min(map::MOST_COWS);
        if usize::from(cows) > most_cows {
            return Err(Failure::new(format!("`cows` is {cows}; it must be from 0 to {most_cows}")));
        }
        let pasture = match &parameters.pasture {
            Some(text) => map::read(text.as_str(), &mut context.random),
            None => map::read(&map::random(size, cowboys, cows, &mut context.random), &mut context.random),
        };
        let pasture = pasture.map_err(|problem| Failure::new(format!("`pasture` is no map: {problem}")))?;
        let mut entities = Vec::new();
        let mut numbers = [0; 2];
        for cowboy in pasture.cowboys() {
            let number = &mut numbers[cowboy.team as usize];
            *number += 1;
            entities.push(context.add_entity(format!("{}{number}", cowboy.team.name()), COWBOY)?);
        }
        Ok(Self { pasture, entities, sight: line_of_sight, steps: max_steps.into() })
    }

    /// Stores the move for the next step, so that the order in which agents act makes no difference.
    fn act(&mut self, entity: EntityId, action: &Action, _: &mut Context<Percept>) -> Result<(), Failure> {
        let index = self.cowboy_of(entity).ok_or_else(|| Failure::unsupported("the entity is not a cowboy"))?;
        let choice = &mut self.pasture.cowboys[index].choice;
        if choice.is_some() {
            return Err(Failure::new("the cowboy has already acted in this step; act again when it is over"));
        }
        *choice = Some(match *action {
            Action::Move { direction } => Some(direction),
            Action::Skip => None,
        });
        Ok(())
    }

    fn step(&mut self, context: &mut Context<Percept>) {
        if self.ending().is_none() {
            self.pasture.step(&mut context.random);
        } else {
            self.pasture.cowboys.iter_mut().for_each(|cowboy| cowboy.choice = None);
        }
    }

    fn percepts(&self, entity: EntityId, _: &Context<Percept>, percepts: &mut Percepts<'_, Percept>) {
        let Some(index) = self.cowboy_of(entity) else { return };
        let (pasture, cowboy) = (&self.pasture, &self.pasture.cowboys[index]);
        percepts.section(0, 0, |listing| {
            let ((x0, y0), (x1, y1)) = pasture.corral(cowboy.team);
            let [x0, y0, x1, y1] = [x0, y0, x1, y1].map(|number| number as u16);
            let (width, height) = pasture.size();
            listing.add(Percept::SimStart);
            listing.add(Percept::SimId { name: "cows".to_owned() });
            listing.add(Percept::Opponent { name: cowboy.team.other().name().to_owned() });
            listing.add(Percept::Steps { number: self.steps });
            listing.add(Percept::GridSize { width: width as u16, height: height as u16 });
            listing.add(Percept::CorralPos { x0, y0, x1, y1 });
            listing.add(Percept::LineOfSight { cells: self.sight });
        });
        let step = pasture.steps;
        percepts.section(1, step, |listing| {
            listing.add(Percept::CurrentStep { step });
            listing.add(Percept::Pos { x: cowboy.place.0 as u16, y: cowboy.place.1 as u16, step });
            listing.add(Percept::CowsInCorral { number: pasture.count(cowboy.team), step });
            self.sights(index, |(x, y), item, cow| {
                listing.add(Percept::Cell { x: x as i8, y: y as i8, item, step, cow });
            });
            if self.ending().is_some() {
                let (own, other) = (pasture.score(cowboy.team), pasture.score(cowboy.team.other()));
                let result = if own > other { Verdict::Win } else { Verdict::Lose };
                listing.add(Percept::SimEnd);
                listing.add(Percept::Result { result: if own == other { Verdict::Draw } else { result } });
                listing.add(Percept::AverageScore { score: own });
            }
        });
    }

    fn scene(&self, viewer: Option<EntityId>, context: &Context<Percept>) -> Scene {
        let name = |index: usize| context.entity(self.entities[index]).map(|entity| entity.name.as_str());
        match viewer.map(|viewer| self.cowboy_of(viewer)) {
            Some(None) => Scene::default(),
            index => view::scene(self, index.flatten(), name),
        }
    }

    fn menu(&self, entity: EntityId, request: &MenuRequest, _: &Context<Percept>) -> Menu<Action> {
        self.cowboy_of(entity).map(|index| view::menu(self, index, request)).unwrap_or_default()
    }

    fn ending(&self) -> Option<Ending> {
        (self.pasture.steps >= self.steps).then_some(Ending::Truncated)
    }

    fn results(&self, _: &Context<Percept>) -> Vec<Measure> {
        let score = |team: Team| Measure::new(team.name(), "score", self.pasture.score(team));
        let cows = |team: Team| Measure::new(team.name(), "cows in corral", self.pasture.count(team));
        Team::BOTH.into_iter().flat_map(|team| [score(team), cows(team)]).collect()
    }
}

impl Cows {
    /// Returns the pasture.
    pub fn pasture(&self) -> &Pasture {
        &self.pasture
    }

    /// Returns the index of the cowboy of an entity.
    pub fn cowboy_of(&self, entity: EntityId) -> Option<usize> {
        // Entities have been added in this order, and none is deleted.
        self.entities.binary_search(&entity).ok()
    }

    /// Returns the places that a cowboy sees, row by row.
    fn view_of(&self, index: usize) -> impl Iterator<Item = Place> + use<> {
        self.pasture.cells.around(self.pasture.cowboys[index].place, self.sight.into())
    }

    /// Lists what a cowboy sees: the relative place, what is there, and the number if it is a cow.
    fn sights(&self, index: usize, mut list: impl FnMut(Place, Item, Option<u16>)) {
        let viewer = &self.pasture.cowboys[index];
        for place in self.view_of(index) {
            let at = (place.0 - viewer.place.0, place.1 - viewer.place.1);
            match self.pasture.ground(place) {
                None | Some(Ground::Grass) => {}
                Some(Ground::Obstacle) => list(at, Item::Obstacle, None),
                Some(Ground::Corral(team)) if team == viewer.team => list(at, Item::Corral, None),
                Some(Ground::Corral(_)) => list(at, Item::EnemyCorral, None),
                Some(Ground::Switch) => list(at, Item::Switch, None),
                Some(Ground::Fence(fence)) if self.pasture.fences()[usize::from(fence)].is_open => {
                    list(at, Item::OpenFence, None);
                }
                Some(Ground::Fence(_)) => list(at, Item::Fence, None),
            }
            match self.pasture.being(place) {
                Some(Being::Cow(cow)) => list(at, Item::Cow, Some(cow)),
                Some(Being::Cowboy(other)) if usize::from(other) != index => {
                    let team = self.pasture.cowboys[usize::from(other)].team;
                    list(at, if team == viewer.team { Item::Ally } else { Item::Enemy }, None);
                }
                _ => {}
            }
        }
    }
}
