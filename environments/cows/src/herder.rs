//! The built-in agents. Each knows only the percepts of its own cowboy.
//!
//! * [`Herder`] works in a team without messages: the first cowboy opens the fence of the corral, and the others go
//!   behind cows, so that these flee into the corral;
//! * [`Chaser`] runs to the nearest cow.

use std::collections::{BTreeMap, VecDeque};

use situated::agent::{Agent, BuiltInAgent, BuiltInAgents, Translated};
use situated::interface::Perception;
use situated::random::Random;
use situated_grid::{Grid, Place};

use crate::pasture::{Corral, Direction, Team, distance};
use crate::{Action, Cows, Item, Percept};

/// The distance from which cows flee.
const FEAR: i32 = 5;

/// The number of steps without a move after which it leaves a cow to others, and for how long.
const PATIENCE: u64 = 12;
const BREAK: u64 = 30;

/// The number of steps after which a cow is probably elsewhere.
const MEMORY: u64 = 60;

impl BuiltInAgents for Cows {
    fn built_in_agents() -> Vec<BuiltInAgent> {
        vec![
            BuiltInAgent {
                name: "herder",
                documentation: "Cowboys share the work: one opens the fence, and the others drive cows into the corral.",
                make: |entity, _| {
                    let (team, number) = cowboy(entity)?;
                    Some(Box::new(Translated::new(Herder::new(team, number))))
                },
            },
            BuiltInAgent {
                name: "chaser",
                documentation: "A cowboy runs to the nearest cow.",
                make: |entity, _| {
                    let (team, number) = cowboy(entity)?;
                    Some(Box::new(Translated::new(Chaser::new(team, number))))
                },
            },
        ]
    }
}

/// Returns the team and the number in the name of a cowboy.
fn cowboy(entity: &str) -> Option<(Team, u64)> {
    Team::BOTH.into_iter().find_map(|team| Some((team, entity.strip_prefix(team.name())?.parse().ok()?)))
}

/// The percepts of a cowboy now, with places in the pasture.
#[derive(Clone, Debug, Default)]
struct Sight {
    beliefs: Vec<Percept>,
    place: Place,
    size: (i32, i32),
    corral: Corral,
    line: i32,
    step: u64,
    things: Vec<(Place, Item, Option<u16>)>,
}

impl Sight {
    /// Adds a perception, and returns whether the place of the cowboy is known.
    fn update(&mut self, perception: &Perception<Percept>) -> bool {
        perception.apply(&mut self.beliefs);
        let mut is_placed = false;
        self.things.clear();
        for belief in &self.beliefs {
            match *belief {
                Percept::GridSize { width, height } => self.size = (width.into(), height.into()),
                Percept::CorralPos { x0, y0, x1, y1 } => {
                    self.corral = ((x0.into(), y0.into()), (x1.into(), y1.into()));
                }
                Percept::LineOfSight { cells } => self.line = cells.into(),
                Percept::Pos { x, y, step } => {
                    (self.place, self.step, is_placed) = ((x.into(), y.into()), step, true);
                }
                Percept::Cell { x, y, item, cow, .. } => self.things.push(((x.into(), y.into()), item, cow)),
                _ => {}
            }
        }
        for (place, _, _) in &mut self.things {
            *place = (place.0 + self.place.0, place.1 + self.place.1);
        }
        is_placed
    }

    fn all(&self, item: Item) -> impl Iterator<Item = Place> {
        self.things.iter().filter(move |(_, other, _)| *other == item).map(|(place, _, _)| *place)
    }
}

/// A cowboy that runs to the nearest cow, and elsewhere if it sees none.
#[derive(Clone, Debug)]
pub struct Chaser {
    sight: Sight,
    random: Random,
    direction: Direction,
}

impl Chaser {
    /// Creates the agent of the cowboy with this number in its team.
    pub fn new(team: Team, number: u64) -> Self {
        Self { sight: Sight::default(), random: Random::stream(number, team as u64), direction: Direction::North }
    }
}

impl Agent<Action, Percept> for Chaser {
    fn decide(&mut self, perception: &Perception<Percept>) -> Option<Action> {
        if !self.sight.update(perception) {
            return None;
        }
        let place = self.sight.place;
        let nearest = self.sight.all(Item::Cow).min_by_key(|cow| distance(place, *cow));
        if self.random.chance(0.1) {
            self.direction = Direction::ALL[self.random.index(8)];
        }
        let direction = nearest.and_then(|cow| Direction::towards(place, cow)).unwrap_or(self.direction);
        Some(Action::Move { direction })
    }
}

/// A cowboy that works in a team.
#[derive(Clone, Debug)]
pub struct Herder {
    team: Team,
    number: u64,
    sight: Sight,
    random: Random,
    /// The cells that nobody can enter, and those of fences.
    walls: Option<Grid<Option<Wall>>>,
    /// The number of moves to the corral, with open fences.
    ways: Option<Grid<i32>>,
    /// The cows, and when it saw them.
    cows: BTreeMap<u16, (Place, u64)>,
    /// The switch of the fence of the corral, and the direction of the fence.
    gate: Option<Place>,
    /// Where it goes when it knows of no cow.
    search: Place,
    /// Where it was in earlier steps, the last step in which it was elsewhere, and the one until which it drives no
    /// cow.
    last: Place,
    moved: u64,
    pause: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wall {
    Solid,
    Fence,
}

impl Herder {
    /// Creates the agent of the cowboy with this number in its team.
    pub fn new(team: Team, number: u64) -> Self {
        Self {
            team,
            number,
            sight: Sight::default(),
            random: Random::stream(number, team as u64),
            walls: None,
            ways: None,
            cows: BTreeMap::new(),
            gate: None,
            search: (0, 0),
            last: (0, 0),
            moved: 0,
            pause: 0,
        }
    }
}

impl Agent<Action, Percept> for Herder {
    fn decide(&mut self, perception: &Perception<Percept>) -> Option<Action> {
        if perception.resync {
            *self = Self::new(self.team, self.number);
        }
        if !self.sight.update(perception) {
            return None;
        }
        self.learn();
        let goal = if self.number == 1 { self.gate() } else { self.drive() };
        let direction = self.go(goal?);
        Some(direction.map_or(Action::Skip, |direction| Action::Move { direction }))
    }
}

impl Herder {
    /// Remembers what it sees.
    fn learn(&mut self) {
        let (sight, (width, height)) = (&self.sight, self.sight.size);
        let walls = self.walls.get_or_insert_with(|| Grid::new(width, height, |_| None));
        let mut has_changed = self.ways.is_none();
        for (place, item, _) in &sight.things {
            let wall = match item {
                Item::Obstacle | Item::Switch => Wall::Solid,
                Item::Fence | Item::OpenFence => Wall::Fence,
                _ => continue,
            };
            if let Some(known) = walls.get_mut(*place) {
                has_changed |= known.replace(wall).is_none();
            }
        }
        if self.gate.is_none() {
            let is_gate = |place: &Place| {
                let is_fence = |side: &Direction| walls.get(side.from(*place)) == Some(&Some(Wall::Fence));
                from_corral(sight.corral, *place) <= 2 && Direction::ALL.iter().any(is_fence)
            };
            self.gate = sight.all(Item::Switch).find(is_gate);
            has_changed |= self.gate.is_some();
        }
        if has_changed {
            let ((west, north), (east, south)) = sight.corral;
            let corral = (north..=south).flat_map(|y| (west..=east).map(move |x| (x, y)));
            // Cows would flee from the cowboy at the gate.
            let is_gate = |place| self.gate.is_some_and(|gate| distance(gate, place) < FEAR);
            let is_open = |place| match walls.get(place) {
                Some(None) => true,
                Some(Some(Wall::Fence)) => !is_gate(place),
                _ => false,
            };
            self.ways = Some(ways(corral, (width, height), is_open));
        }
        if sight.place != self.last {
            (self.last, self.moved) = (sight.place, sight.step);
        }
        let is_in_sight = |place: Place| distance(place, sight.place) <= sight.line;
        self.cows.retain(|_, (place, step)| !is_in_sight(*place) && *step + MEMORY > sight.step);
        for (place, _, cow) in &sight.things {
            self.cows.extend(cow.map(|cow| (cow, (*place, sight.step))));
        }
    }

    /// Returns the place from which it opens the fence of the corral; on the way there, the corral.
    fn gate(&self) -> Option<Place> {
        let ((west, north), (east, south)) = self.sight.corral;
        let middle = ((west + east) / 2, (north + south) / 2);
        let Some(switch) = self.gate else { return Some(middle) };
        let is_open = |place: &Place| self.walls.as_ref().is_some_and(|walls| walls.get(*place) == Some(&None));
        let sides = Direction::STRAIGHT.map(|side| side.from(switch));
        let is_inside = from_corral(self.sight.corral, self.sight.place) == 0;
        let is_here = |place: &Place| (from_corral(self.sight.corral, *place) == 0) == is_inside;
        sides.into_iter().filter(is_open).max_by_key(is_here)
    }

    /// Returns the place behind the cow that it drives, or the next place where it looks for cows.
    fn drive(&mut self) -> Option<Place> {
        let (place, ways) = (self.sight.place, self.ways.as_ref()?);
        let way = |place: Place| ways.get(place).copied().filter(|way| *way < i32::MAX);
        let far = self.cows.values().filter_map(|(cow, _)| way(*cow).filter(|way| *way > 0).map(|way| (*cow, way)));
        let others = |cow: Place| {
            let nearer = |ally: &Place| distance(*ally, cow) < distance(place, cow);
            self.sight.all(Item::Ally).filter(nearer).count() as i32
        };
        // The way counts most: two teams that drive the same cows only hold them in the middle.
        let target = far.min_by_key(|(cow, way)| (2 * distance(place, *cow) + 3 * way + 6 * others(*cow), *cow));
        if self.sight.step > self.moved + PATIENCE && self.pause < self.sight.step {
            self.pause = self.sight.step + BREAK;
        }
        let Some((nearest, _)) = target.filter(|_| self.pause < self.sight.step) else {
            if distance(place, self.search) <= self.sight.line / 2 || self.random.chance(0.02) {
                let (width, height) = self.sight.size;
                self.search = (self.random.index(width as usize) as i32, self.random.index(height as usize) as i32);
            }
            return Some(self.search);
        };
        let herd = self.cows.values().map(|(cow, _)| *cow).filter(|cow| distance(*cow, nearest) < FEAR);
        let last = herd.max_by_key(|cow| (way(*cow), *cow)).unwrap_or(nearest);
        let behind = Direction::ALL.into_iter().map(|side| side.from(last)).filter_map(|one| Some((one, way(one)?)));
        behind.max_by_key(|(one, way)| (*way, -distance(place, *one))).map(|(one, _)| one)
    }

    /// Returns the first move of a shortest way to a place, around others, and around cows that it would drive away
    /// from the corral.
    fn go(&self, goal: Place) -> Option<Direction> {
        let (from, sight) = (self.sight.place, &self.sight);
        let (walls, ways) = (self.walls.as_ref()?, self.ways.as_ref()?);
        let taken: Vec<Place> = [Item::Ally, Item::Enemy, Item::Cow, Item::Fence]
            .into_iter()
            .flat_map(|item| sight.all(item))
            .filter(|place| distance(*place, from) <= 2)
            .collect();
        let is_free = |place: Place| walls.get(place) == Some(&None) && !taken.contains(&place);
        let is_fence = |place: Place| walls.get(place) == Some(&Some(Wall::Fence)) && !taken.contains(&place);
        let way = |place: Place| ways.get(place).copied().unwrap_or(i32::MAX);
        let mut fright = Grid::new(sight.size.0, sight.size.1, |_| false);
        for cow in self.cows.values().map(|(cow, _)| *cow).filter(|cow| from_corral(sight.corral, *cow) > 0) {
            for place in ways.around(cow, FEAR - 1).filter(|place| way(*place) <= way(cow)) {
                fright.set(place, true);
            }
        }
        let is_quiet = |place: Place| fright.get(place) == Some(&false);
        let step = |can_enter: &dyn Fn(Place) -> bool| {
            let from_goal = ways_until([goal].into_iter(), sight.size, |place| place == from || can_enter(place), from);
            let best = Direction::ALL.into_iter().filter(|direction| can_enter(direction.from(from)));
            let way = |direction: &Direction| from_goal.get(direction.from(from)).copied().unwrap_or(i32::MAX);
            best.filter(|direction| way(direction) < i32::MAX).min_by_key(way)
        };
        if from == goal {
            return None;
        }
        step(&|place| is_free(place) && is_quiet(place))
            .or_else(|| step(&is_free))
            .or_else(|| step(&|place| is_free(place) || is_fence(place)))
    }
}

/// Returns the distance from a corral.
fn from_corral(((west, north), (east, south)): Corral, (x, y): Place) -> i32 {
    (west - x).max(x - east).max(north - y).max(y - south).max(0)
}

/// Returns the number of moves from each place to the nearest goal, `i32::MAX` if there is no way.
fn ways(goals: impl Iterator<Item = Place>, size: (i32, i32), can_enter: impl Fn(Place) -> bool) -> Grid<i32> {
    ways_until(goals, size, can_enter, (-1, -1))
}

/// The same, only up to this place.
fn ways_until(
    goals: impl Iterator<Item = Place>,
    (width, height): (i32, i32),
    can_enter: impl Fn(Place) -> bool,
    until: Place,
) -> Grid<i32> {
    let mut ways = Grid::new(width, height, |_| i32::MAX);
    let mut open = VecDeque::new();
    for goal in goals {
        if let Some(way) = ways.get_mut(goal) {
            *way = 0;
            open.push_back((goal, 0));
        }
    }
    while let Some((place, moves)) = open.pop_front() {
        if place == until {
            break;
        }
        for next in Direction::ALL.map(|direction| direction.from(place)) {
            if let Some(way) = ways.get_mut(next).filter(|way| **way == i32::MAX && can_enter(next)) {
                *way = moves + 1;
                open.push_back((next, moves + 1));
            }
        }
    }
    ways
}
