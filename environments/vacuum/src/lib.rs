//! Vacuum world: robots clean dusty squares, and see little of them. It follows vacuumworld, an environment of the
//! Environment Interface Standard: the same percepts, actions, durations and level files.
//!
//! [`Vacuum`] is the environment, [`floor`] contains its rules, [`level`] reads level files, and [`cleaner`] is the
//! built-in agent.

pub mod cleaner;
mod encoding;
pub mod floor;
pub mod level;
mod view;

use serde::{Deserialize, Serialize};
use situated::prelude::*;
use situated_grid::Heading;

use floor::{Floor, Regeneration, STEPS_PER_SECOND, Sight, Task, Where};

/// The type of the entities.
pub const VACBOT: &str = "vacbot";

/// The names of the robots, in the order of the original.
pub const NAMES: [&str; level::MOST_ROBOTS] = ["Henry", "Decco", "Lloyd", "Harry", "Keano", "Stevo", "Benjy", "Darth"];

/// The documentation in the ontology.
const DOCUMENTATION: &str = "\
Clean all dusty squares with robots that see only the squares next to them.

A robot sees the squares to its left and right, the three ahead, and its own (`square`), and knows its `location` and \
`direction`. `move` turns it and moves it; it stops in front of obstacles, other robots and the end of the floor. \
`clean` cleans its square. All this takes time: 0.5 seconds for a quarter turn, 1.5 for a square, and 3 for cleaning \
one. A robot that is busy ignores further actions, and sees again when its `task` is `none`.

The location (0, 0) is the north-western square; x grows to the east, and y to the south. The episode ends when all \
squares are clean, unless dust appears again.";

/// The environment: a floor, and the entities of its robots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vacuum {
    /// The floor.
    pub floor: Floor,
    entities: Vec<EntityId>,
    /// The numbers of squares that the robots had cleaned after the last step but one.
    before: Vec<u32>,
}

/// The parameters of an episode.
#[derive(Clone, Debug, PartialEq, InitParameters)]
pub struct Parameters {
    /// A level file of the original (`.vwl`), or a digit for a random floor for so many robots, 0 to 8 (0 means 1).
    #[parameter(default = "4")]
    pub level: FileContents,
    /// The number of robots of a random floor, from 1 to 8, instead of a level.
    #[parameter(range = 1..=level::MOST_ROBOTS as u8)]
    pub robots: Option<u8>,
    /// The reappearance of dust: `no`; `5 s`, within 5 seconds after it was removed; or `2 %`, with a probability of 2
    /// percent for each square and second.
    #[parameter(default = "no")]
    pub generate: String,
    /// Another name of `generate`, as some versions of the original have it.
    pub regeneration: Option<String>,
    /// The speed of the robots in percent, from 1 to 1000.
    #[parameter(default = 100, range = 1..=1000)]
    pub speed: u16,
}

/// A direction in which a robot moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ParameterType)]
pub enum Way {
    /// Ahead.
    Forward,
    /// To the left of the robot.
    Left,
    /// To the right of the robot.
    Right,
    /// Opposite to the robot's direction.
    Back,
    /// To smaller y.
    North,
    /// To greater y.
    South,
    /// To greater x.
    East,
    /// To smaller x.
    West,
}

/// The state of a light.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ParameterType)]
pub enum Light {
    /// It shines.
    On,
    /// It is dark.
    Off,
}

/// A direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ParameterType)]
pub enum Direction {
    /// To smaller y.
    North,
    /// To greater y.
    South,
    /// To greater x.
    East,
    /// To smaller x.
    West,
}

/// An action of a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Action)]
pub enum Action {
    /// Turns if necessary, and moves.
    Move {
        /// The direction.
        direction: Way,
        /// The number of squares, by default 1; 0 only turns.
        distance: Option<u16>,
    },
    /// Cleans the robot's square. On a clean one, nothing happens.
    Clean,
    /// Switches the light.
    Light {
        /// Its new state.
        state: Light,
    },
}

/// A percept of a robot.
#[derive(Clone, Debug, Percept)]
#[percept(on_change)]
pub enum Percept {
    /// The robot's square. While the robot moves, the one on which it started.
    Location {
        /// The number of squares to the west.
        x: u16,
        /// The number of squares to the north.
        y: u16,
    },
    /// The direction in which the robot looks. While it turns, the one before.
    Direction {
        /// The direction.
        direction: Direction,
    },
    /// The state of the robot's light.
    Light {
        /// The state.
        state: Light,
    },
    /// The activity of the robot.
    Task {
        /// The activity.
        task: Task,
    },
    /// What the robot sees of a square; while it is busy, what it last saw.
    Square {
        /// The square.
        r#where: Where,
        /// What is there.
        what: Sight,
    },
}

impl Environment for Vacuum {
    type Parameters = Parameters;
    type Action = Action;
    type Percept = Percept;

    fn ontology() -> Ontology {
        Self::ontology_builder("vacuum", env!("CARGO_PKG_VERSION"), DOCUMENTATION)
            .entity_type(VACBOT, "A robot that cleans the square on which it stands.")
            .pace(Pace::RealTime { steps_per_second: STEPS_PER_SECOND.into() })
            .build()
    }

    fn init(parameters: &Parameters, context: &mut Context<Percept>) -> Result<Self, Failure> {
        let regeneration = regeneration(parameters.regeneration.as_ref().unwrap_or(&parameters.generate))?;
        let mut floor = match random_robots(parameters) {
            Some(robots @ 1..=8) => level::random(robots, &mut context.random),
            Some(robots) => return Err(Failure::new(format!("there are {robots} robots; there must be from 1 to 8"))),
            None => level::read(parameters.level.as_str())
                .map_err(|problem| Failure::new(format!("`level` is no level: {problem}")))?,
        };
        floor.speed = f64::from(parameters.speed) / 100.0;
        floor.regeneration = regeneration;
        let names = NAMES.iter().take(floor.robots.len());
        let entities: Vec<EntityId> = names.map(|name| context.add_entity(*name, VACBOT)).collect::<Result<_, _>>()?;
        Ok(Self { before: vec![0; entities.len()], floor, entities })
    }

    fn act(&mut self, entity: EntityId, action: &Action, _: &mut Context<Percept>) -> Result<(), Failure> {
        let index = self.robot_of(entity).ok_or_else(|| Failure::unsupported("the entity is not a robot"))?;
        if self.floor.robots[index].task != Task::None {
            return Ok(());
        }
        match *action {
            Action::Move { direction, distance } => {
                let heading = direction.from(self.floor.robots[index].heading);
                self.floor.go(index, heading, distance.unwrap_or(1).into());
            }
            Action::Clean => self.floor.clean(index),
            Action::Light { state } => self.floor.light(index, state == Light::On),
        }
        Ok(())
    }

    fn step(&mut self, context: &mut Context<Percept>) {
        self.before.clear();
        self.before.extend(self.floor.robots.iter().map(|robot| robot.cleaned));
        self.floor.step(&mut context.random);
    }

    fn percepts(&self, entity: EntityId, _: &Context<Percept>, percepts: &mut Percepts<'_, Percept>) {
        let Some(index) = self.robot_of(entity) else { return };
        percepts.section(0, self.floor.changes, |listing| {
            let robot = &self.floor.robots[index];
            let (x, y) = robot.seen.place;
            listing.add(Percept::Location { x: x as u16, y: (self.floor.size().1 - 1 - y) as u16 });
            listing.add(Percept::Direction { direction: Direction::of(robot.seen.heading) });
            listing.add(Percept::Light { state: if robot.has_light { Light::On } else { Light::Off } });
            listing.add(Percept::Task { task: robot.task });
            for (r#where, what) in Where::ALL.into_iter().zip(robot.seen.squares) {
                listing.add(Percept::Square { r#where, what });
            }
        });
    }

    fn scene(&self, viewer: Option<EntityId>, _: &Context<Percept>) -> Scene {
        match viewer.map(|viewer| self.robot_of(viewer)) {
            None => view::whole(&self.floor),
            Some(Some(index)) => view::seen(&self.floor, index).into_scene(),
            Some(None) => Scene::default(),
        }
    }

    fn menu(&self, entity: EntityId, request: &MenuRequest, _: &Context<Percept>) -> Menu<Action> {
        self.robot_of(entity).map(|index| view::menu(&self.floor, index, request)).unwrap_or_default()
    }

    fn ending(&self) -> Option<Ending> {
        (self.floor.dust == 0 && self.floor.regeneration == Regeneration::No).then_some(Ending::Terminated)
    }

    fn results(&self, context: &Context<Percept>) -> Vec<Measure> {
        let seconds = context.step() as f64 / f64::from(STEPS_PER_SECOND);
        let mut results = vec![
            Measure::new("team", "seconds", seconds),
            Measure::new("team", "dusty squares", self.floor.dust),
            Measure::new("team", "completed", self.floor.dust == 0),
        ];
        for (name, robot) in NAMES.into_iter().zip(&self.floor.robots) {
            results.push(Measure::new(name, "squares cleaned", robot.cleaned));
            results.push(Measure::new(name, "squares moved", robot.travelled));
        }
        results
    }
}

impl Vacuum {
    /// Returns the index of the robot of an entity.
    pub fn robot_of(&self, entity: EntityId) -> Option<usize> {
        self.entities.iter().position(|one| *one == entity)
    }
}

impl Way {
    /// Returns the heading of a robot with this heading after a turn.
    pub fn from(self, heading: Heading) -> Heading {
        match self {
            Way::Forward => heading,
            Way::Left => heading.left(),
            Way::Right => heading.right(),
            Way::Back => heading.back(),
            Way::North => Heading::North,
            Way::South => Heading::South,
            Way::East => Heading::East,
            Way::West => Heading::West,
        }
    }

    /// Returns the absolute direction of a heading.
    pub fn to(heading: Heading) -> Way {
        [Way::East, Way::North, Way::West, Way::South][heading as usize]
    }
}

impl Direction {
    const ALL: [Direction; 4] = [Direction::East, Direction::North, Direction::West, Direction::South];

    fn of(heading: Heading) -> Direction {
        Self::ALL[heading as usize]
    }

    /// Returns the direction as a heading.
    pub fn heading(self) -> Heading {
        Heading::ALL[Self::ALL.iter().position(|one| *one == self).unwrap_or_default()]
    }
}

/// Returns the number of robots of a random floor, or `None` if the parameters have a level file.
fn random_robots(parameters: &Parameters) -> Option<usize> {
    match parameters.robots {
        Some(robots) => Some(robots.into()),
        None => parameters.level.as_str().trim().parse().ok().map(|robots: usize| robots.max(1)),
    }
}

fn regeneration(text: &str) -> Result<Regeneration, Failure> {
    let problem =
        || Failure::new(format!("the reappearance of dust is `{text}`; it must be `no`, or such as `5 s` or `2 %`"));
    let number = |unit: char, most: f64| {
        let number: f64 = text.trim().strip_suffix(unit)?.trim().parse().ok()?;
        (0.0..=most).contains(&number).then_some(number)
    };
    match (text.trim(), number('s', 1e6), number('%', 100.0)) {
        ("no", _, _) => Ok(Regeneration::No),
        (_, Some(seconds), _) => Ok(Regeneration::Within(seconds)),
        (_, _, Some(percent)) => Ok(Regeneration::Chance(percent / 100.0)),
        _ => Err(problem()),
    }
}
