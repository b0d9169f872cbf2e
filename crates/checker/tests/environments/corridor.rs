//! A corridor in which two walkers look for a treasure. Its parameter introduces one fault.

use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use situated::encoding::{Buffers, Element, Encode, Encoding};
use situated::environment::{Context, EntityId, Environment, Failure, Percepts};
use situated::menu::{Menu, MenuItem, MenuRequest};
use situated::ontology::{Ontology, Pace};
use situated::scene::{Color, Scene, Shape};
use situated::{Action, InitParameters, ParameterType, Percept};

/// The last cell of the corridor; the first is 0.
const LAST: u8 = 9;

#[derive(Clone, Debug, InitParameters)]
pub(crate) struct Parameters {
    /// The fault.
    #[parameter(default = Fault::None)]
    fault: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ParameterType)]
pub(crate) enum Fault {
    /// No fault.
    None,
    /// A counter outlives the episode.
    GlobalCounter,
    /// A part of the state is not serialized.
    SkippedState,
    /// A percept is declared for another type of entity.
    UndeclaredPercept,
    /// A percept is listed twice.
    ListedTwice,
    /// A section changes, and its revision does not.
    StaleRevision,
    /// A revision changes with every step, and its section does not.
    RestlessRevision,
    /// A shared section lists other percepts for each walker.
    SharedDiffers,
    /// A move into a wall is refused, and counted.
    CountedRefusal,
    /// The scene of a walker shows the treasure.
    TreasureInScene,
    /// The scene of a walker shows the other walker.
    OtherInScene,
    /// The menu of a walker offers the treasure.
    TreasureInMenu,
    /// The observation contains the cell of the treasure.
    TreasureInObservation,
    /// An element exceeds the bounds of the encoding.
    OutOfBounds,
    /// An element is not written.
    NotWritten,
    /// The mask permits moves into walls.
    TooPermissive,
    /// The mask forbids moves to the left, which are possible.
    TooStrict,
    /// It panics in the middle of the corridor.
    Panic,
    /// An episode cannot begin with one of the seeds.
    NoBeginning,
}

#[derive(Clone, Debug, Action)]
pub(crate) enum Action {
    /// Goes a cell to the left.
    Left,
    /// Goes a cell to the right.
    Right,
}

#[derive(Clone, Debug, Percept)]
pub(crate) enum Percept {
    /// The walker is in this cell.
    #[percept(on_change, entities("walker"))]
    At { cell: u8 },
    /// The cell exists.
    #[percept(once, entities("walker"))]
    Cell { cell: u8 },
    /// There is a wall behind this cell.
    #[percept(on_change, entities("walker"))]
    Wall { cell: u8 },
    /// The treasure is in the cell of the walker.
    #[percept(on_change_with_negation, entities("walker"))]
    Treasure,
    /// Number of moves of the walker.
    #[percept(on_change, entities("walker"))]
    Moves { count: u64 },
    /// A ghost sees everything.
    #[percept(on_change, entities("ghost"))]
    Everything,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Corridor {
    fault: Fault,
    walkers: Vec<Walker>,
    treasure: u8,
    count: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Walker {
    entity: EntityId,
    cell: u8,
    moves: u64,
    #[serde(skip)]
    skipped_moves: u64,
}

static COUNTER: AtomicU64 = AtomicU64::new(0);

impl Environment for Corridor {
    type Parameters = Parameters;
    type Action = Action;
    type Percept = Percept;

    fn ontology() -> Ontology {
        Self::ontology_builder("corridor", "1.0", "A corridor.")
            .entity_type("walker", "Walks.")
            .entity_type("ghost", "There is none.")
            .pace(Pace::Lockstep)
            .build()
    }

    fn init(parameters: &Parameters, context: &mut Context<Percept>) -> Result<Self, Failure> {
        let fault = parameters.fault;
        if fault == Fault::NoBeginning && context.seed() == 3 {
            return Err(Failure::new("there is no such corridor"));
        }
        let mut walkers = Vec::new();
        for (name, cell) in [("ann", 0), ("ben", LAST)] {
            let entity = context.add_entity(name, "walker")?;
            walkers.push(Walker { entity, cell, moves: 0, skipped_moves: 0 });
        }
        let treasure = 1 + context.random.below(8) as u8;
        Ok(Self { fault, walkers, treasure, count: 0 })
    }

    fn act(&mut self, entity: EntityId, action: &Action, _: &mut Context<Percept>) -> Result<(), Failure> {
        let fault = self.fault;
        let count = &mut self.count;
        let walker = self.walkers.iter_mut().find(|walker| walker.entity == entity);
        let walker = walker.ok_or_else(|| Failure::unsupported("only walkers can move"))?;
        if !is_free(walker.cell, action) {
            *count += u64::from(fault == Fault::CountedRefusal);
            return Err(Failure::new("there is a wall"));
        }
        match action {
            Action::Left => walker.cell -= 1,
            Action::Right => walker.cell += 1,
        }
        walker.moves += 1;
        walker.skipped_moves += 1;
        assert!(fault != Fault::Panic || walker.cell != 2, "nobody expected cell 2");
        Ok(())
    }

    fn step(&mut self, _: &mut Context<Percept>) {
        if self.fault == Fault::GlobalCounter {
            self.count = COUNTER.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn percepts(&self, entity: EntityId, context: &Context<Percept>, percepts: &mut Percepts<'_, Percept>) {
        let walker = self.walker(entity);
        let revision = if self.fault == Fault::StaleRevision { 0 } else { walker.moves };
        percepts.section(0, revision, |list| {
            list.add(Percept::At { cell: walker.cell });
            let skipped = self.fault == Fault::SkippedState;
            list.add(Percept::Moves { count: if skipped { walker.skipped_moves } else { walker.moves } });
            if walker.cell == self.treasure {
                list.add(Percept::Treasure);
            }
        });
        let revision = if self.fault == Fault::RestlessRevision { context.step() } else { 0 };
        percepts.section(1, revision, |list| (0..=LAST).for_each(|cell| list.add(Percept::Cell { cell })));
        let [first, last] = [0, LAST].map(|cell| Percept::Wall { cell });
        let hidden = (self.fault != Fault::SharedDiffers).then(|| first.clone());
        // Not the section above: shared sections have keys of their own.
        percepts.shared(1, 0, hidden.filter(|_| entity.index() == 0), |list| {
            list.add(last);
            if self.fault != Fault::SharedDiffers || entity.index() == 0 {
                list.add(first);
            }
        });
        match self.fault {
            Fault::UndeclaredPercept => percepts.add(Percept::Everything),
            Fault::ListedTwice => percepts.add(Percept::At { cell: walker.cell }),
            _ => {}
        }
    }

    fn scene(&self, viewer: Option<EntityId>, _: &Context<Percept>) -> Scene {
        let shape = |cell: u8, color| Shape::rectangle(cell.into(), 0.0, 1.0, 1.0, color);
        let mut shapes: Vec<Shape> = (0..=LAST).map(|cell| shape(cell, Color::WHITE)).collect();
        if viewer.is_none() || self.fault == Fault::TreasureInScene {
            shapes.push(shape(self.treasure, Color::YELLOW));
        }
        let is_shown =
            |walker: &&Walker| viewer.is_none_or(|viewer| walker.entity == viewer) || self.fault == Fault::OtherInScene;
        shapes.extend(self.walkers.iter().filter(is_shown).map(|walker| shape(walker.cell, Color::BLUE)));
        Scene { width: 10.0, height: 1.0, shapes }
    }

    fn menu(&self, entity: EntityId, _: &MenuRequest, _: &Context<Percept>) -> Menu<Action> {
        let cell = self.walker(entity).cell;
        let free = [Action::Left, Action::Right].into_iter().filter(|action| is_free(cell, action));
        let item = |action| MenuItem::direct("Go", action);
        let treasure = if self.fault == Fault::TreasureInMenu { self.treasure.to_string() } else { String::new() };
        Menu { subject: treasure.into(), items: free.map(item).collect() }
    }
}

impl Encode for Corridor {
    type Element = f32;

    fn encoding(_: &Parameters, entity_type: &str) -> Option<Encoding> {
        let actions = ["stay", "left", "right"].map(str::to_owned).into();
        let encoding = Encoding { shape: vec![2], element: f32::TYPE, low: 0.0, high: 1.0, actions };
        (entity_type == "walker").then_some(encoding)
    }

    fn encode(&self, entities: &[EntityId], buffers: Buffers<'_, f32>) {
        for (row, entity) in entities.iter().enumerate() {
            let walker = self.walker(*entity);
            let observation = &mut buffers.observations[2 * row..][..2];
            let cell = f32::from(walker.cell);
            observation[0] = if self.fault == Fault::OutOfBounds { cell } else { cell / f32::from(LAST) };
            match self.fault {
                Fault::NotWritten => {}
                Fault::TreasureInObservation => observation[1] = f32::from(self.treasure) / f32::from(LAST),
                _ => observation[1] = f32::from(u8::from(walker.cell == self.treasure)),
            }
            let (left, right) = (is_free(walker.cell, &Action::Left), is_free(walker.cell, &Action::Right));
            buffers.masks[3 * row..][..3].copy_from_slice(&match self.fault {
                Fault::TooPermissive => [true; 3],
                Fault::TooStrict => [true, false, right],
                _ => [true, left, right],
            });
            (buffers.rewards[row], buffers.terminated[row], buffers.truncated[row]) = (0.0, false, false);
        }
    }

    fn decode(&self, _: EntityId, action: usize) -> Option<Action> {
        [None, Some(Action::Left), Some(Action::Right)].get(action)?.clone()
    }
}

impl Corridor {
    fn walker(&self, entity: EntityId) -> &Walker {
        self.walkers.iter().find(|walker| walker.entity == entity).expect("a walker of this corridor")
    }
}

fn is_free(cell: u8, action: &Action) -> bool {
    match action {
        Action::Left => cell > 0,
        Action::Right => cell < LAST,
    }
}
