//! Find the Goals: two walkers in a maze that is too narrow to pass each other; each has to get to where the other
//! one comes from. It is the environment of the document with this name (Shuo Jiang, Northeastern University, 2018),
//! with the rules of its program of October 2018: reaching a goal counts and sends the walker back to its start.
//!
//! [`FindGoals`] is the environment, [`maze`] contains its rules, [`optimum`] the best possible results, and
//! [`team::Teammate`] is a built-in agent.

pub mod encoding;
pub mod maze;
pub mod optimum;
mod scene;
pub mod team;

use serde::{Deserialize, Serialize};
use situated::ontology::typed::TypedAction;
use situated::prelude::*;

use maze::Maze;
pub use maze::{Action, Body, Direction, Sight};

/// The type of both entities.
pub const WALKER: &str = "walker";

/// The documentation in the ontology.
const DOCUMENTATION: &str = "\
Two walkers in a narrow maze try to reach their goals, and are in each other's way.

The maze is 10 cells wide and 4 cells high; x grows to the right from 0 to 9, and y grows upwards from 0 to 3. All \
cells are walls except for a corridor, from (1, 2) to (8, 2), and two alcoves below it, (3, 1) and (6, 1). The walkers \
cannot pass each other in the corridor: one of them has to make way in an alcove.

`red` starts at (3, 1), and its goal is (8, 2). `blue` starts at (6, 1), and its goal is (1, 2). Goals cannot be seen. \
A walker that reaches its goal is sent back to its start at once, even if the other one stands there, and can reach \
its goal again. The episode never ends.

In each step both walkers act, first red, then blue. Both get the same reward, the sum of what they have won.";

/// The environment: the maze, the actions for the next step, and the results so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindGoals {
    view: View,
    /// The entities of red and blue.
    entities: [EntityId; 2],
    maze: Maze,
    /// The actions of red and blue for the next step.
    chosen: [Option<Action>; 2],
    /// The joint reward of the last step, 0 before the first.
    reward: i32,
    /// The joint reward of all steps.
    total_reward: i64,
    /// Number of times that red and blue have reached their goals.
    goals: [u64; 2],
}

/// The parameters of an episode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, InitParameters)]
pub struct Parameters {
    /// The view of the walkers.
    #[parameter(default = View::Local)]
    pub view: View,
}

/// The view of a walker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ParameterType)]
pub enum View {
    /// The eight cells around it (the document's figure 8), without its position.
    #[default]
    Local,
    /// The eight cells around it, and its position in the maze (figure 9).
    Global,
}

/// A percept of a walker.
#[derive(Clone, Debug, Percept)]
pub enum Percept {
    /// The contents of the neighbouring cell in this direction.
    #[percept(on_change_with_negation, say = "To the {direction}: {what}.")]
    See {
        /// The direction of the cell.
        direction: Direction,
        /// The contents of the cell.
        what: Sight,
    },
    /// The walker's position; in the global view only.
    #[percept(on_change_with_negation, say = "You are at ({x}, {y}).")]
    At {
        /// Number of cells to the left of it: 1 to 8.
        x: u8,
        /// Number of cells below it: 1 or 2.
        y: u8,
    },
    /// The joint reward of a step, which both walkers receive.
    #[percept(event, say = "The joint reward is {joint}.")]
    Reward {
        /// -1 for each walker that did anything but wait, 100 for each that reached its goal: 0, -1, -2, 98, 99 or
        /// 198.
        joint: i32,
    },
}

impl Environment for FindGoals {
    type Parameters = Parameters;
    type Action = Action;
    type Percept = Percept;

    fn ontology() -> Ontology {
        Self::ontology_builder("find-goals", env!("CARGO_PKG_VERSION"), DOCUMENTATION)
            .entity_type(WALKER, "A body that takes up one cell of the maze.")
            .pace(Pace::Lockstep)
            .relation(Restriction { one_agent_per_entity: true, ..Restriction::default() })
            .build()
    }

    /// The maze with both walkers at their starts. This environment uses no random numbers.
    fn init(parameters: &Parameters, context: &mut Context<Percept>) -> Result<Self, Failure> {
        let mut add = |body: Body| context.add_entity(body.name(), WALKER);
        Ok(Self {
            entities: [add(Body::Red)?, add(Body::Blue)?],
            view: parameters.view,
            maze: Maze::START,
            chosen: [None; 2],
            reward: 0,
            total_reward: 0,
            goals: [0; 2],
        })
    }

    /// Stores the action for the next step. The order in which agents act therefore makes no difference.
    #[inline]
    fn act(&mut self, entity: EntityId, action: &Action, _: &mut Context<Percept>) -> Result<(), Failure> {
        let body = self.body(entity).ok_or_else(|| Failure::unsupported("the entity is not a walker of this maze"))?;
        let chosen = &mut self.chosen[body as usize];
        if let Some(earlier) = chosen {
            return Err(chosen_already(body, *earlier));
        }
        *chosen = Some(*action);
        Ok(())
    }

    #[inline(always)]
    fn step(&mut self, context: &mut Context<Percept>) {
        let [red, blue] = self.chosen.each_mut().map(|chosen| chosen.take().unwrap_or(Action::Wait));
        let reward = self.maze.step(red, blue);
        self.reward = reward.joint;
        self.total_reward += i64::from(reward.joint);
        for (goals, reached) in self.goals.iter_mut().zip(reward.goals) {
            *goals += u64::from(reached);
        }
        for entity in self.entities {
            context.tell(entity, Percept::Reward { joint: reward.joint });
        }
    }

    fn percepts(&self, entity: EntityId, context: &Context<Percept>, percepts: &mut Percepts<'_, Percept>) {
        let Some(body) = self.body(entity) else { return };
        // Percepts change only with a step.
        percepts.section(0, context.step(), |listing| {
            for (direction, what) in Direction::ALL.into_iter().zip(self.maze.sees(body)) {
                listing.add(Percept::See { direction, what });
            }
            if self.view == View::Global {
                let cell = self.maze.cell(body);
                listing.add(Percept::At { x: cell.x(), y: cell.y() });
            }
        });
    }

    fn scene(&self, viewer: Option<EntityId>, _: &Context<Percept>) -> Scene {
        match viewer {
            None => scene::whole(&self.maze),
            Some(entity) => {
                let seen = |body| scene::seen_by(body, &self.maze, self.view);
                self.body(entity).map(seen).unwrap_or_default()
            }
        }
    }

    /// The results so far, and the best possible result, which each call [computes](optimum::best_return).
    fn results(&self, context: &Context<Percept>) -> Vec<Measure> {
        let best = optimum::best_return(context.step());
        let mut results = vec![
            Measure::new("team", "steps", context.step()),
            Measure::new("team", "joint reward", self.total_reward),
            Measure::new(Body::Red.name(), "goals", self.goals[0]),
            Measure::new(Body::Blue.name(), "goals", self.goals[1]),
            Measure::new("team", "best possible joint reward", best),
        ];
        // No result is possible in the first steps of an episode.
        if best > 0 {
            let share = 100.0 * self.total_reward as f64 / best as f64;
            results.push(Measure::new("team", "share of the best possible in percent", share));
        }
        results
    }
}

impl FindGoals {
    /// Returns the state of the game.
    pub fn maze(&self) -> &Maze {
        &self.maze
    }

    /// Returns the walker of this entity, or `None` if the entity does not exist in this environment.
    #[inline]
    pub fn body(&self, entity: EntityId) -> Option<Body> {
        Body::ALL.into_iter().find(|body| self.entities[*body as usize] == entity)
    }
}

#[cold]
fn chosen_already(body: Body, action: Action) -> Failure {
    let (body, action) = (body.name(), action.to_iil());
    Failure::new(format!("{body} has already chosen {action} for this step; choose again when the step is over"))
}
