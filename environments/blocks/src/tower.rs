//! Tower: a robot arm picks up blocks and puts them down, which takes time.

use serde::{Deserialize, Serialize};
use situated::agent::{Agent, BuiltInAgent, BuiltInAgents, Translated};
use situated::encoding::{Buffers, Element, Encode, Encoding};
use situated::iil::{EcoString, Parameter};
use situated::interface::Perception;
use situated::ontology::typed::TypedAction;
use situated::prelude::*;

use crate::arm::{Arm, Order};
use crate::drawing::{self, Picture};
use crate::encoding::Progress;
use crate::towers::{Support, Towers};
use crate::{GRIPPER, TABLE, arrangement, encoding};

/// The steps in a second, as in the original.
const STEPS_PER_SECOND: f64 = 40.0;

/// The greatest number of blocks: the letters of their names.
const MOST_BLOCKS: usize = 26;

/// The documentation in the ontology.
const DOCUMENTATION: &str = "\
Pick up blocks with a robot arm and put them down, until the towers look like those of the goal.

The arm holds at most one block, and a block carries at most one. `pickup(a)` lets the arm go to block a and take it, \
and `putdown(a, b)` puts it onto block b; `putdown(a, table)` onto the table. Both take a few seconds, and a new \
action replaces the last one on the way. An action that is not possible yet waits until it is. `nil` lets the arm rest.

The arm perceives the blocks (`block`), where each stands (`on`), what it holds (`holding`), and where the goal wants \
the blocks (`target`). The episode ends when the goal is reached.";

/// The environment: the towers, the arm, the goal, and the progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tower {
    /// The towers.
    pub towers: Towers,
    arm: Arm,
    progress: Progress,
    /// The number of blocks that were picked up or put down.
    changes: u64,
}

/// The parameters of an episode.
#[derive(Clone, Debug, PartialEq, InitParameters)]
pub struct Parameters {
    /// The blocks at the beginning: `table` for all blocks on the table, or `random`; or a list whose i-th number is
    /// the block on which block i stands, or 0 for the table, such as `[0,1,0]`, or the same numbers as text.
    #[parameter(default = "table")]
    pub start: Parameter,
    /// The goal, written like `start`; `random`; or `none`, as in the original.
    #[parameter(default = "random")]
    pub goal: Parameter,
    /// The number of blocks, from 1 to 26, unless `start` or `goal` lists them.
    #[parameter(default = 5, range = 1..=MOST_BLOCKS as u8)]
    pub blocks: u8,
}

/// The name of a block: `a`, `b`, ... Capital letters are accepted, too.
#[derive(Clone, Debug, PartialEq, Eq, Hash, ParameterType)]
pub struct Block(pub EcoString);

/// The name of a block, or `table`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, ParameterType)]
pub struct Place(pub EcoString);

/// An action of the arm.
#[derive(Clone, Debug, PartialEq, Eq, Action)]
pub enum Action {
    /// Goes to a block that carries no other, and takes it.
    Pickup {
        /// The block.
        block: Block,
    },
    /// Puts the block in the arm onto a block that carries no other, or onto the table.
    Putdown {
        /// The block in the arm.
        block: Block,
        /// The block on which it is put, or `table`.
        place: Place,
    },
    /// Goes to the place of rest.
    Nil,
}

/// A percept of the arm.
#[derive(Clone, Debug, Percept)]
#[percept(on_change_with_negation)]
pub enum Percept {
    /// There is a block.
    Block {
        /// The block.
        block: Block,
    },
    /// A block stands on a block or on the table.
    On {
        /// The block.
        block: Block,
        /// The block below it, or `table`.
        place: Place,
    },
    /// The arm holds a block.
    Holding {
        /// The block.
        block: Block,
    },
    /// The goal: a block should stand on a block or on the table.
    Target {
        /// The block.
        block: Block,
        /// The block that should be below it, or `table`.
        place: Place,
    },
}

impl Environment for Tower {
    type Parameters = Parameters;
    type Action = Action;
    type Percept = Percept;

    fn ontology() -> Ontology {
        Self::ontology_builder("tower", env!("CARGO_PKG_VERSION"), DOCUMENTATION)
            .entity_type(GRIPPER, "A robot arm that holds at most one block.")
            .pace(Pace::RealTime { steps_per_second: STEPS_PER_SECOND })
            .build()
    }

    fn init(parameters: &Parameters, context: &mut Context<Percept>) -> Result<Self, Failure> {
        let Parameters { start, goal, blocks } = parameters;
        let (towers, goal) = arrangement::make(start, goal, *blocks, MOST_BLOCKS, &mut context.random)?;
        context.add_entity(GRIPPER, GRIPPER)?;
        let progress = Progress::new(&towers, goal);
        Ok(Self { arm: Arm::new(towers.count()), towers, progress, changes: 0 })
    }

    fn act(&mut self, _: EntityId, action: &Action, _: &mut Context<Percept>) -> Result<(), Failure> {
        self.arm.order = match action {
            Action::Pickup { block } => Order::Pickup(self.find(&block.0)?),
            Action::Putdown { block, place } => {
                let is_table = place.0.eq_ignore_ascii_case(TABLE);
                let onto = if is_table { Support::Table } else { Support::Block(self.find(&place.0)?) };
                Order::Putdown(self.find(&block.0)?, onto)
            }
            Action::Nil => Order::Nil,
        };
        Ok(())
    }

    fn step(&mut self, _: &mut Context<Percept>) {
        if self.arm.step(&mut self.towers) {
            self.changes += 1;
            self.progress.update(&self.towers);
        }
        self.progress.step();
    }

    fn percepts(&self, _: EntityId, _: &Context<Percept>, percepts: &mut Percepts<'_, Percept>) {
        percepts.section(0, 0, |listing| {
            listing.extend(self.towers.blocks().map(|block| Percept::Block { block: named(block) }));
            let targets = self.progress.targets();
            listing.extend(targets.map(|(block, onto)| Percept::Target { block: named(block), place: place(onto) }));
        });
        percepts.section(1, self.changes, |listing| {
            for block in self.towers.blocks() {
                listing.add(match self.arm.holds {
                    Some(held) if held == block => Percept::Holding { block: named(block) },
                    _ => Percept::On { block: named(block), place: place(self.towers.support(block)) },
                });
            }
        });
    }

    fn scene(&self, viewer: Option<EntityId>, _: &Context<Percept>) -> Scene {
        let (towers, goal) = (&self.towers, self.goal());
        let (gripper, opening) = (self.arm.position(), self.arm.opening());
        Picture { towers, goal, name, gripper, opening, is_viewer: viewer.is_some() }.draw()
    }

    /// Offers to pick up the block at the point or, with a block in the arm, to put it there.
    fn menu(&self, _: EntityId, request: &MenuRequest, _: &Context<Percept>) -> Menu<Action> {
        let put = |held: u8, onto: Support| {
            let label = format!("Put {} onto {}", name(held), onto.in_words(name));
            MenuItem::direct(label, Action::Putdown { block: named(held), place: place(onto) })
        };
        let pick =
            |block: u8| MenuItem::direct(format!("Pick up {}", name(block)), Action::Pickup { block: named(block) });
        let clear = || self.towers.blocks().filter(|block| self.towers.is_clear(*block));
        let (subject, items) = match (request.at, self.arm.holds) {
            (None, None) => (EcoString::new(), clear().map(pick).collect()),
            (None, Some(held)) => {
                let onto = clear().map(Support::Block).chain([Support::Table]);
                (format!("The arm holds {}", name(held)).into(), onto.map(|onto| put(held, onto)).collect())
            }
            (Some(at), held) => match (drawing::block_at(&self.towers, at), held) {
                (Some(block), None) if self.towers.is_clear(block) => (name(block), vec![pick(block)]),
                (Some(block), Some(held)) if self.towers.is_clear(block) => {
                    (name(block), vec![put(held, Support::Block(block))])
                }
                (Some(block), _) => (name(block), Vec::new()),
                (None, Some(held)) if drawing::is_at_table(&self.towers, at) => {
                    (TABLE.into(), vec![put(held, Support::Table)])
                }
                (None, _) => return Menu::default(),
            },
        };
        Menu { subject, items }
    }

    fn ending(&self) -> Option<Ending> {
        self.progress.ending()
    }

    fn results(&self, context: &Context<Percept>) -> Vec<Measure> {
        let seconds = Measure::new(GRIPPER, "seconds", context.step() as f64 / STEPS_PER_SECOND);
        let put_down = Measure::new(GRIPPER, "blocks put down", self.changes / 2);
        [seconds, put_down].into_iter().chain(self.progress.results()).collect()
    }
}

impl Tower {
    /// Returns the goal.
    pub fn goal(&self) -> Option<&Towers> {
        self.progress.goal.as_ref()
    }

    /// Returns the block in the arm.
    pub fn holds(&self) -> Option<u8> {
        self.arm.holds
    }

    fn find(&self, block: &str) -> Result<u8, Failure> {
        let last = name(self.towers.count() as u8 - 1);
        let problem = || Failure::new(format!("there is no block `{block}`; there are a to {last}"));
        number(block).filter(|number| usize::from(*number) < self.towers.count()).ok_or_else(problem)
    }
}

fn name(block: u8) -> EcoString {
    EcoString::from(char::from(b'a' + block).to_string())
}

fn named(block: u8) -> Block {
    Block(name(block))
}

fn number(name: &str) -> Option<u8> {
    match name.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(letter.to_ascii_lowercase() - b'a'),
        _ => None,
    }
}

fn place(onto: Support) -> Place {
    Place(if let Support::Block(below) = onto { name(below) } else { EcoString::from(TABLE) })
}

/// Returns the action with this number: to wait, to rest, to pick up each block, and to put the block in the arm onto
/// each block, or onto the table.
fn numbered(number: usize, count: usize, held: Option<u8>) -> Option<Action> {
    match number {
        1 => Some(Action::Nil),
        _ if (2..2 + count).contains(&number) => Some(Action::Pickup { block: named((number - 2) as u8) }),
        _ => {
            let onto = number.checked_sub(2 + count).filter(|onto| *onto <= count)?;
            let onto = if onto == count { Support::Table } else { Support::Block(onto as u8) };
            held.map(|held| Action::Putdown { block: named(held), place: place(onto) })
        }
    }
}

impl Encode for Tower {
    type Element = u8;

    fn encoding(parameters: &Parameters, entity_type: &str) -> Option<Encoding> {
        let count = arrangement::count(&parameters.start, &parameters.goal, parameters.blocks, MOST_BLOCKS);
        let text = |action: Action| action.to_iil().to_string();
        let put = |onto: Support| format!("putdown(held,{})", place(onto).0);
        let blocks = || 0..count as u8;
        let actions = ["wait".to_owned(), text(Action::Nil)]
            .into_iter()
            .chain(blocks().map(|block| text(Action::Pickup { block: named(block) })))
            .chain(blocks().map(Support::Block).chain([Support::Table]).map(put))
            .collect();
        let shape = vec![encoding::elements(count) + count];
        (entity_type == GRIPPER).then_some(Encoding { shape, element: u8::TYPE, low: 0.0, high: 1.0, actions })
    }

    fn meanings(parameters: &Parameters, entity_type: &str) -> Vec<String> {
        if entity_type != GRIPPER {
            return Vec::new();
        }
        let count = arrangement::count(&parameters.start, &parameters.goal, parameters.blocks, MOST_BLOCKS);
        let held = (0..count as u8).map(|block| format!("holds {}", name(block)));
        encoding::meanings(count, name).into_iter().chain(held).collect()
    }

    /// Writes the arrangements, and which block the arm holds.
    fn encode(&self, entities: &[EntityId], buffers: Buffers<'_, u8>) {
        let count = self.towers.count();
        for (_, row) in buffers.rows(entities, self.ending()) {
            let (arrangements, holds) = row.observation.split_at_mut(encoding::elements(count));
            encoding::write(&self.towers, self.goal(), arrangements);
            for (block, element) in self.towers.blocks().zip(holds) {
                *element = (self.arm.holds == Some(block)).into();
            }
            for (number, mask) in row.mask.iter_mut().enumerate().skip(1) {
                *mask = numbered(number, count, self.arm.holds).is_some();
            }
            *row.reward = self.progress.reward();
        }
    }

    fn decode(&self, _: EntityId, number: usize) -> Option<Action> {
        numbered(number, self.towers.count(), self.arm.holds)
    }
}

/// The built-in agent: it picks up each block at most twice.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    beliefs: Vec<Percept>,
    last: Option<Action>,
}

impl BuiltInAgents for Tower {
    fn built_in_agents() -> Vec<BuiltInAgent> {
        vec![BuiltInAgent {
            name: "builder",
            documentation: "Puts blocks into their places, and those that are in the way onto the table.",
            make: |_, _| Some(Box::new(Translated::new(Builder::default()))),
        }]
    }
}

impl Agent<Action, Percept> for Builder {
    /// Decides when a block has been picked up or put down.
    fn decide(&mut self, perception: &Perception<Percept>) -> Option<Action> {
        perception.apply(&mut self.beliefs);
        let action = self.next();
        if action == self.last && !perception.resync {
            return None;
        }
        self.last.clone_from(&action);
        action
    }
}

impl Builder {
    fn next(&self) -> Option<Action> {
        let support = |place: &Place| number(&place.0).map_or(Support::Table, Support::Block);
        let (mut on, mut wanted, mut held) = (Vec::new(), Vec::new(), None);
        for belief in &self.beliefs {
            match belief {
                Percept::On { block, place } => on.push((number(&block.0)?, support(place))),
                Percept::Target { block, place } => wanted.push((number(&block.0)?, support(place))),
                Percept::Holding { block } => held = Some(number(&block.0)?),
                Percept::Block { .. } => {}
            }
        }
        on.extend(held.map(|held| (held, Support::Arm)));
        let (towers, goal) = (Towers::perceived(on)?, Towers::perceived(wanted)?);
        if towers.count() != goal.count() {
            return None;
        }
        match held {
            Some(held) => {
                let place = place(towers.destination(held, &goal));
                Some(Action::Putdown { block: named(held), place })
            }
            None => towers.next_move(&goal).map(|(block, _)| Action::Pickup { block: named(block) }),
        }
    }
}
