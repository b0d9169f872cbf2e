//! Blocks world: a gripper moves one block at a time, at once.

use serde::{Deserialize, Serialize};
use situated::agent::{Agent, BuiltInAgent, BuiltInAgents, Translated};
use situated::encoding::{Buffers, Element, Encode, Encoding};
use situated::iil::{EcoString, Parameter};
use situated::interface::Perception;
use situated::ontology::typed::TypedAction;
use situated::prelude::*;

use crate::drawing::{self, Picture};
use crate::encoding::Progress;
use crate::towers::{MOST_BLOCKS, Support, Towers};
use crate::{GRIPPER, TABLE, arrangement, encoding};

/// The documentation in the ontology.
const DOCUMENTATION: &str = "\
Move blocks with a gripper, one at a time, until the towers look like those of the goal.

A block carries at most one block, and only a block that carries none can be moved. The gripper perceives where each \
block stands (`on`), and where the goal wants it (`target`). `move(b1, b2)` puts block b1 onto block b2, and \
`move(b1, table)` onto the table, which has room for all blocks. The episode ends when the goal is reached.";

/// The greatest number of choices in a menu.
const MOST_CHOICES: usize = 100;

/// The environment: the towers, the goal, and the progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlocksWorld {
    /// The towers.
    pub towers: Towers,
    progress: Progress,
    moves: u64,
    /// The block that was moved last.
    last: u8,
}

/// The parameters of an episode.
#[derive(Clone, Debug, PartialEq, InitParameters)]
pub struct Parameters {
    /// The blocks at the beginning: a list whose i-th number is the block on which block i stands, or 0 for the table,
    /// such as `[0,1,0]`; the same numbers as text, with blanks between them, as in the files of the original; `table`
    /// for all blocks on the table; or `random`.
    #[parameter(default = "table")]
    pub start: Parameter,
    /// The goal, written like `start`; `random`; or `none`, as in the original.
    #[parameter(default = "random")]
    pub goal: Parameter,
    /// The number of blocks, from 1 to 60, unless `start` or `goal` lists them.
    #[parameter(default = 8, range = 1..=MOST_BLOCKS as u8)]
    pub blocks: u8,
    /// Has no effect. The original opens a window if it is true.
    #[parameter(default = false)]
    pub gui: bool,
}

/// The name of a block: `b1`, `b2`, ...
#[derive(Clone, Debug, PartialEq, Eq, Hash, ParameterType)]
pub struct Block(pub EcoString);

/// The name of a block, or `table`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, ParameterType)]
pub struct Place(pub EcoString);

/// An action of the gripper.
#[derive(Clone, Debug, PartialEq, Eq, Action)]
pub enum Action {
    /// Moves a block that carries no other onto a block that carries no other, or onto the table.
    Move {
        /// The block.
        block: Block,
        /// The block on which it is put, or `table`.
        place: Place,
    },
}

/// A percept of the gripper.
#[derive(Clone, Debug, Percept)]
#[percept(on_change_with_negation)]
pub enum Percept {
    /// A block stands on a block or on the table.
    On {
        /// The block.
        block: Block,
        /// The block below it, or `table`.
        place: Place,
    },
    /// The goal: a block should stand on a block or on the table.
    Target {
        /// The block.
        block: Block,
        /// The block that should be below it, or `table`.
        place: Place,
    },
}

impl Environment for BlocksWorld {
    type Parameters = Parameters;
    type Action = Action;
    type Percept = Percept;

    fn ontology() -> Ontology {
        Self::ontology_builder("blocks-world", env!("CARGO_PKG_VERSION"), DOCUMENTATION)
            .entity_type(GRIPPER, "A gripper that moves one block at a time.")
            .pace(Pace::Reactive)
            .build()
    }

    fn init(parameters: &Parameters, context: &mut Context<Percept>) -> Result<Self, Failure> {
        let Parameters { start, goal, blocks, .. } = parameters;
        let (towers, goal) = arrangement::make(start, goal, *blocks, MOST_BLOCKS, &mut context.random)?;
        context.add_entity(GRIPPER, GRIPPER)?;
        let progress = Progress::new(&towers, goal);
        Ok(Self { towers, progress, moves: 0, last: 0 })
    }

    fn act(&mut self, _: EntityId, action: &Action, _: &mut Context<Percept>) -> Result<(), Failure> {
        let Action::Move { block, place } = action;
        let moved = self.find(&block.0)?;
        let onto = if place.0 == TABLE { Support::Table } else { Support::Block(self.find(&place.0)?) };
        self.check(moved, onto)?;
        self.towers.put(moved, onto);
        self.progress.update(&self.towers);
        self.last = moved;
        self.moves += 1;
        Ok(())
    }

    fn step(&mut self, _: &mut Context<Percept>) {
        self.progress.step();
    }

    fn percepts(&self, _: EntityId, _: &Context<Percept>, percepts: &mut Percepts<'_, Percept>) {
        percepts.section(0, 0, |listing| {
            let targets = self.progress.targets();
            listing.extend(targets.map(|(block, onto)| Percept::Target { block: named(block), place: place(onto) }));
        });
        percepts.section(1, self.moves, |listing| {
            let on = |block| Percept::On { block: named(block), place: place(self.towers.support(block)) };
            listing.extend(self.towers.blocks().map(on));
        });
    }

    fn scene(&self, viewer: Option<EntityId>, _: &Context<Percept>) -> Scene {
        let rest = self.towers.count() as f64 + 0.4;
        let gripper = (drawing::MARGIN + drawing::PITCH * f64::from(self.towers.column(self.last)), rest);
        let (towers, goal) = (&self.towers, self.goal());
        Picture { towers, goal, name, gripper, opening: 1.0, is_viewer: viewer.is_some() }.draw()
    }

    fn menu(&self, _: EntityId, request: &MenuRequest, _: &Context<Percept>) -> Menu<Action> {
        let blocks: Vec<u8> = match request.at {
            Some(at) => drawing::block_at(&self.towers, at).into_iter().collect(),
            None => self.towers.blocks().collect(),
        };
        let subject = match (request.at, blocks.first()) {
            (Some(_), Some(block)) => format!("{}, on {}", name(*block), place(self.towers.support(*block)).0).into(),
            _ => EcoString::new(),
        };
        let pairs = blocks.into_iter().flat_map(|block| self.supports().map(move |onto| (block, onto)));
        let makes_sense =
            |(block, onto): &(u8, Support)| self.check(*block, *onto).is_ok() && self.towers.support(*block) != *onto;
        let item = |(block, onto): (u8, Support)| MenuItem {
            sections: if request.at.is_some() { Vec::new() } else { vec![format!("Move {}", name(block)).into()] },
            label: format!("Put {} onto {}", name(block), onto.in_words(name)).into(),
            direct: false,
            action: to_action(block, onto),
        };
        Menu { subject, items: pairs.filter(makes_sense).take(MOST_CHOICES).map(item).collect() }
    }

    fn ending(&self) -> Option<Ending> {
        self.progress.ending()
    }

    fn results(&self, _: &Context<Percept>) -> Vec<Measure> {
        std::iter::once(Measure::new(GRIPPER, "moves", self.moves)).chain(self.progress.results()).collect()
    }
}

impl BlocksWorld {
    /// Returns the goal.
    pub fn goal(&self) -> Option<&Towers> {
        self.progress.goal.as_ref()
    }

    fn supports(&self) -> impl Iterator<Item = Support> + use<> {
        self.towers.blocks().map(Support::Block).chain([Support::Table])
    }

    fn find(&self, block: &str) -> Result<u8, Failure> {
        let count = self.towers.count();
        let problem = || Failure::new(format!("there is no block `{block}`; there are b1 to b{count}"));
        number(block).filter(|number| usize::from(*number) < count).ok_or_else(problem)
    }

    /// Checks that a block can be put onto a thing.
    fn check(&self, block: u8, onto: Support) -> Result<(), Failure> {
        let covered = |block: u8| {
            self.towers.above(block).map(|above| {
                let (block, above) = (name(block), name(above));
                Failure::new(format!("{above} stands on {block}; move {above} first"))
            })
        };
        let problem = match onto {
            Support::Block(below) if below == block => {
                Some(Failure::new(format!("{} cannot stand on itself; name another block or `table`", name(block))))
            }
            Support::Block(below) => covered(block).or_else(|| covered(below)),
            _ => covered(block),
        };
        problem.map_or(Ok(()), Err)
    }

    /// Returns the move with this number: each block onto each block, the last onto the table.
    fn numbered(&self, action: usize) -> Option<(u8, Support)> {
        numbered(action, self.towers.count()).filter(|(block, onto)| self.check(*block, *onto).is_ok())
    }
}

fn numbered(action: usize, count: usize) -> Option<(u8, Support)> {
    let (block, onto) = (action / (count + 1), action % (count + 1));
    let onto = if onto == count { Support::Table } else { Support::Block(onto as u8) };
    (block < count).then_some((block as u8, onto))
}

fn name(block: u8) -> EcoString {
    EcoString::from(format!("b{}", u32::from(block) + 1))
}

fn named(block: u8) -> Block {
    Block(name(block))
}

/// Returns the number of a block with a name. Like the original's, it accepts `b01`, too.
fn number(name: &str) -> Option<u8> {
    let number: u8 = name.strip_prefix('b')?.parse().ok()?;
    number.checked_sub(1)
}

fn place(onto: Support) -> Place {
    Place(if let Support::Block(below) = onto { name(below) } else { EcoString::from(TABLE) })
}

fn to_action(block: u8, onto: Support) -> Action {
    Action::Move { block: named(block), place: place(onto) }
}

impl Encode for BlocksWorld {
    type Element = u8;

    fn encoding(parameters: &Parameters, entity_type: &str) -> Option<Encoding> {
        let count = arrangement::count(&parameters.start, &parameters.goal, parameters.blocks, MOST_BLOCKS);
        let moves = (0..count * (count + 1)).filter_map(|action| numbered(action, count));
        let actions = moves.map(|(block, onto)| to_action(block, onto).to_iil().to_string()).collect();
        let shape = vec![2, count, count + 1];
        (entity_type == GRIPPER).then_some(Encoding { shape, element: u8::TYPE, low: 0.0, high: 1.0, actions })
    }

    fn meanings(parameters: &Parameters, entity_type: &str) -> Vec<String> {
        let count = arrangement::count(&parameters.start, &parameters.goal, parameters.blocks, MOST_BLOCKS);
        if entity_type == GRIPPER { encoding::meanings(count, name) } else { Vec::new() }
    }

    fn encode(&self, entities: &[EntityId], buffers: Buffers<'_, u8>) {
        for (_, row) in buffers.rows(entities, self.ending()) {
            encoding::write(&self.towers, self.goal(), row.observation);
            for (action, mask) in row.mask.iter_mut().enumerate() {
                *mask = self.numbered(action).is_some();
            }
            *row.reward = self.progress.reward();
        }
    }

    fn decode(&self, _: EntityId, action: usize) -> Option<Action> {
        self.numbered(action).map(|(block, onto)| to_action(block, onto))
    }
}

/// The built-in agent: it moves each block at most twice.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    beliefs: Vec<Percept>,
}

impl BuiltInAgents for BlocksWorld {
    fn built_in_agents() -> Vec<BuiltInAgent> {
        vec![BuiltInAgent {
            name: "builder",
            documentation: "Puts blocks into their places, and those that are in the way onto the table.",
            make: |_, _| Some(Box::new(Translated::new(Builder::default()))),
        }]
    }
}

impl Agent<Action, Percept> for Builder {
    fn decide(&mut self, perception: &Perception<Percept>) -> Option<Action> {
        perception.apply(&mut self.beliefs);
        let support = |place: &Place| number(&place.0).map_or(Support::Table, Support::Block);
        let towers = Towers::perceived(self.beliefs.iter().filter_map(|belief| match belief {
            Percept::On { block, place } => Some((number(&block.0)?, support(place))),
            Percept::Target { .. } => None,
        }))?;
        let goal = Towers::perceived(self.beliefs.iter().filter_map(|belief| match belief {
            Percept::Target { block, place } => Some((number(&block.0)?, support(place))),
            Percept::On { .. } => None,
        }))?;
        let (block, onto) = towers.next_move(&goal).filter(|_| goal.count() == towers.count())?;
        Some(to_action(block, onto))
    }
}
