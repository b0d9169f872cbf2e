//! The plan of a robot: the colours that it fetches, the rooms from which it fetches them, and the rooms that it
//! searches.
//!
//! Blocks are delivered in order, and a robot puts down the block that it took last first. It takes no block that
//! could keep it, or the team, from ever getting the next one. As long as it has another free gripper, it can take
//! any block. And one robot always has a free gripper if the blocks in the last grippers are among the next colours,
//! as many as there are robots.

use std::collections::BTreeSet;

use situated::iil::EcoString;

use super::atlas::NEVER;
use super::hunt::{Hunt, INSIGHT, MOST_ROOMS};
use super::memory::Room;
use super::robot::{Robot, Task};
use crate::Color;
use crate::map::DROP_ZONE;

/// Number of ticks by which another room must be better before a robot changes its plan.
const HABIT: f64 = 40.0;

/// Costs in ticks if another robot is about to be in a room.
const QUEUE: f64 = 80.0;

/// Number of steps after which the contents of a room are worth checking again.
const STALE: u64 = 300;

/// A robot's knowledge about its team.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outlook {
    /// Number of robots that carry blocks, including itself.
    pub(super) hands: usize,
    /// The colours held by others that go first if too many hold the same.
    pub(super) held_before: Vec<Color>,
    /// The colours held by others that go after it.
    pub(super) held_after: Vec<Color>,
    /// The colours fetched by others that were the first to announce them.
    pub(super) promised: Vec<Color>,
    /// The rooms that others search.
    pub(super) searched: BTreeSet<EcoString>,
    /// The rooms from which others fetch a block.
    pub(super) visited: BTreeSet<EcoString>,
    /// Whether no other robot will get the colour that is needed now, so that this robot must, even if it holds other
    /// blocks.
    pub(super) must_swap: bool,
    /// Whether any robot that can should deliver the next colour, because the robot whose turn it is does not.
    pub(super) is_overdue: bool,
}

impl Default for Outlook {
    /// Without a team.
    fn default() -> Self {
        Self {
            hands: 1,
            held_before: Vec::new(),
            held_after: Vec::new(),
            promised: Vec::new(),
            searched: BTreeSet::new(),
            visited: BTreeSet::new(),
            must_swap: true,
            is_overdue: true,
        }
    }
}

/// The robots that bring the colours left to deliver.
struct Agenda {
    /// The colours that no robot brings yet, with their positions in the rest of the sequence.
    open: Vec<(usize, Color)>,
    /// The positions of the blocks that the robot holds, the top one first; `None` for blocks that are not needed.
    own: Vec<Option<usize>>,
}

impl Robot {
    /// Chooses the next task, given the present one.
    pub(super) fn choose(&self, outlook: &Outlook, now: &Task) -> Task {
        if self.body.wanted().is_empty() || self.body.color_blind {
            return Task::Rest;
        }
        let agenda = self.agenda(outlook);
        let planner = Planner { robot: self, outlook, agenda: &agenda, now };
        if self.body.held.is_empty() { planner.with_empty_hands() } else { planner.with_load() }
    }

    /// Returns the colours left to deliver for which no robot brings a block, in order.
    pub(super) fn open_colors(&self, outlook: &Outlook) -> Vec<Color> {
        self.agenda(outlook).open.into_iter().map(|(_, color)| color).collect()
    }

    /// Returns the task of searching a room for a colour.
    pub(super) fn place_to_search(&self, outlook: &Outlook, color: Color) -> Option<Task> {
        let agenda = self.agenda(outlook);
        Planner { robot: self, outlook, agenda: &agenda, now: &Task::Rest }.search(color)
    }

    /// Returns the task of putting down its blocks in a room.
    pub(super) fn place_to_stow(&self, outlook: &Outlook) -> Option<Task> {
        let agenda = self.agenda(outlook);
        let task = Planner { robot: self, outlook, agenda: &agenda, now: &Task::Rest }.stow();
        (task != Task::Rest).then_some(task)
    }

    /// Returns the first position of a colour left to deliver for which no robot brings a block.
    pub(super) fn first_open(&self, outlook: &Outlook) -> Option<usize> {
        self.agenda(outlook).open.first().map(|(place, _)| *place)
    }

    /// Returns the position of the block that it took last.
    pub(super) fn own_place(&self, outlook: &Outlook) -> Option<usize> {
        self.agenda(outlook).own.first().copied().flatten()
    }

    fn agenda(&self, outlook: &Outlook) -> Agenda {
        let mut open: Vec<(usize, Color)> = self.body.wanted().iter().copied().enumerate().collect();
        let mut take = |color: Color| {
            let taken = open.iter().position(|(_, wanted)| *wanted == color)?;
            Some(open.remove(taken).0)
        };
        outlook.held_before.iter().for_each(|color| _ = take(*color));
        let own = self.load().map(|color| color.and_then(&mut take)).collect();
        outlook.held_after.iter().chain(&outlook.promised).for_each(|color| _ = take(*color));
        Agenda { open, own }
    }
}

struct Planner<'a> {
    robot: &'a Robot,
    outlook: &'a Outlook,
    agenda: &'a Agenda,
    now: &'a Task,
}

impl Planner<'_> {
    fn with_empty_hands(&self) -> Task {
        let searches_for = || self.agenda.open.iter().map(|(_, color)| *color).find(|color| !self.is_known(*color));
        self.more().or_else(|| self.search(searches_for()?)).unwrap_or(Task::Rest)
    }

    fn with_load(&self) -> Task {
        let own = &self.agenda.own;
        let Some(top) = own.first().copied().flatten() else { return self.stow() };
        let next_is_on_top = self.robot.load().next().flatten() == self.robot.body.wanted().first().copied();
        // In narrow places, not all robots with the next colour go to deliver it.
        let is_in_turn = top == 0 || self.outlook.is_overdue || !self.robot.is_in_the_way();
        if next_is_on_top && is_in_turn {
            return Task::Deliver;
        }
        if own.iter().any(|place| place.is_none_or(|place| place < top)) {
            return self.stow();
        }
        let swap = || self.swap().filter(|_| self.outlook.must_swap && self.robot.body.free_grippers() == 0);
        let awaited = self.agenda.open.iter().filter(|(place, _)| *place < top);
        let missing = || awaited.map(|(_, color)| *color).find(|color| !self.is_known(*color));
        let search = || self.search(missing()?);
        self.more().or_else(swap).or_else(search).unwrap_or(Task::AwaitTurn { turn: top })
    }

    /// Returns the task of fetching one more block, if the robot can take one.
    fn more(&self) -> Option<Task> {
        let free = self.robot.body.free_grippers();
        if free == 0 {
            return None;
        }
        if let Some(here) = self.here(free) {
            return Some(here);
        }
        let eligible = self.eligible();
        if self.keeps_to(&eligible, free) {
            return Some(self.now.clone());
        }
        let known: Vec<(usize, Color)> =
            eligible.iter().copied().take_while(|(_, color)| self.is_known(*color)).take(free).collect();
        match known[..] {
            [] => self.later_one(&eligible, free),
            [(_, color)] => self.fetch_or_search(color),
            _ => self.batch(&known),
        }
    }

    /// Whether it keeps its plan, which others may know. If all robots changed their plans whenever others do, none
    /// would make progress.
    fn keeps_to(&self, eligible: &[(usize, Color)], free: usize) -> bool {
        let Task::Fetch { color, room } = self.now else { return false };
        let Some((place, _)) = eligible.iter().find(|(_, open)| open == color) else { return false };
        let is_there = self.rooms_with(*color).any(|(name, _)| name == room);
        let is_urgent = self.outlook.must_swap && self.agenda.open.first().is_some_and(|(first, _)| first < place);
        is_there && self.may_take(*place, free) && !is_urgent
    }

    /// Returns the open positions for which the robot may take a block now.
    fn eligible(&self) -> Vec<(usize, Color)> {
        let top = self.agenda.own.first().copied().flatten().unwrap_or(usize::MAX);
        let limit = self.outlook.hands + self.robot.body.grippers.saturating_sub(1);
        let open = self.agenda.open.iter().copied();
        open.filter(|(place, _)| *place < top.min(limit)).collect()
    }

    /// Whether the robot may take a block for this position with this number of free grippers.
    fn may_take(&self, place: usize, free: usize) -> bool {
        free > 1 || place < self.outlook.hands
    }

    /// Returns the task of taking a block in the present room: of the possible ones the last in the sequence, which
    /// it then delivers last.
    fn here(&self, free: usize) -> Option<Task> {
        let room = self.robot.body.room()?;
        let (_, seen) = self.robot.memory.rooms().find(|(name, _)| *name == room)?;
        let mut here: Vec<(usize, Color)> = self.eligible();
        here.retain(|(_, color)| seen.count(*color) > 0);
        here.truncate(free);
        if here.len() == free && here.first().is_some_and(|(place, _)| !self.may_take(*place, 1)) {
            here.pop();
        }
        here.last().map(|(_, color)| Task::Fetch { color: *color, room: room.clone() })
    }

    /// If the location of the first possible colour is unknown, returns a later one, if others search for the first.
    fn later_one(&self, eligible: &[(usize, Color)], free: usize) -> Option<Task> {
        let (_, missing) = eligible.first()?;
        let somebody_looks = !self.outlook.searched.is_empty() || self.unchecked().next().is_none();
        let mut known = eligible.iter().filter(|(place, color)| self.is_known(*color) && self.may_take(*place, free));
        let later = known.next().filter(|_| somebody_looks).and_then(|(_, color)| self.fetch(*color));
        later.or_else(|| self.search(*missing))
    }

    /// Returns the task of fetching the nearest block of a colour, or of searching a more promising room.
    fn fetch_or_search(&self, color: Color) -> Option<Task> {
        let search = self.hunt(color);
        search.or_else(|| self.fetch(color))
    }

    fn fetch(&self, color: Color) -> Option<Task> {
        let length = |room: &EcoString, known: &Room| self.to(room) + self.back_from(room, known, color);
        let rooms = self.rooms_with(color);
        let nearest = rooms.min_by(|one, other| length(one.0, one.1).total_cmp(&length(other.0, other.1)))?;
        Some(Task::Fetch { color, room: nearest.0.clone() })
    }

    /// Returns the task of fetching the first of several blocks: the last in the sequence, from the room at which the
    /// shortest way through all their rooms begins.
    fn batch(&self, places: &[(usize, Color)]) -> Option<Task> {
        let mut rest: Vec<(&EcoString, f64)> = Vec::new();
        for (_, color) in places {
            let to_rest = |room: &EcoString, known: &Room| {
                let on = |(next, length): &(&EcoString, f64)| self.robot.atlas.ticks(room, next) + length;
                let on = rest.iter().map(on).fold(f64::INFINITY, f64::min);
                let back = if rest.is_empty() { self.back_from(room, known, *color) } else { on };
                back + self.detour(room, known, *color)
            };
            rest = self.rooms_with(*color).map(|(room, known)| (room, to_rest(room, known))).collect();
            rest.sort_by(|one, other| one.1.total_cmp(&other.1));
            rest.truncate(MOST_ROOMS);
        }
        let (_, color) = places.last()?;
        let length = |(room, rest): &(&EcoString, f64)| self.to(room) + rest;
        let first = rest.iter().min_by(|one, other| length(one).total_cmp(&length(other)))?;
        Some(Task::Fetch { color: *color, room: first.0.clone() })
    }

    /// Returns the task of searching a room for a colour. If all rooms have been searched, blocks may have been
    /// moved.
    fn search(&self, color: Color) -> Option<Task> {
        self.hunt(color).or_else(|| {
            let is_stale = |room: &Room| room.seen + STALE <= self.robot.body.step;
            let stale = self.robot.memory.rooms().filter(|(name, room)| is_stale(room) && self.is_open(name, room));
            let others_are_not = stale.filter(|(name, _)| !self.outlook.searched.contains(*name));
            let length = |name: &EcoString| self.to(name);
            let longest_ago = others_are_not.min_by(|(one, first), (other, second)| {
                first.seen.cmp(&second.seen).then(length(one).total_cmp(&length(other)))
            });
            longest_ago.map(|(room, _)| Task::Search { room: room.clone() })
        })
    }

    /// Returns the task of searching a new room, if that is more promising than fetching a known block.
    fn hunt(&self, color: Color) -> Option<Task> {
        let mut rooms: Vec<(f64, &EcoString)> = self
            .unchecked()
            .map(|room| (self.to(room) + self.robot.atlas.ticks(DROP_ZONE, room), room))
            .filter(|(length, _)| *length < NEVER)
            .collect();
        rooms.sort_by(|one, other| one.0.total_cmp(&other.0));
        rooms.truncate(MOST_ROOMS);
        let rooms: Vec<&EcoString> = rooms.into_iter().map(|(_, room)| room).collect();
        let atlas = &self.robot.atlas;
        let known = |to: &dyn Fn(&EcoString) -> f64| {
            let lengths = self.rooms_with(color).map(|(room, known)| to(room) + self.back_from(room, known, color));
            lengths.reduce(f64::min)
        };
        let hunt = Hunt {
            first: rooms.iter().map(|room| self.to(room)).collect(),
            between: rooms.iter().map(|from| rooms.iter().map(|to| atlas.ticks(from, to)).collect()).collect(),
            back: rooms.iter().map(|room| atlas.ticks(DROP_ZONE, room)).collect(),
            known: known(&|room| self.to(room)),
            known_after: rooms.iter().map(|from| known(&|room| atlas.ticks(from, room))).collect(),
            insight: if self.robot.body.wanted().len() > 1 { INSIGHT } else { 0.0 },
        };
        hunt.first_room().map(|room| Task::Search { room: rooms[room].clone() })
    }

    /// Returns the task of putting down blocks that are not needed and in the way, in the nearest room.
    fn stow(&self) -> Task {
        if let Some(room) = self.robot.body.room().filter(|room| *room != DROP_ZONE) {
            return Task::Stow { room: room.clone() };
        }
        let rooms = self.robot.memory.rooms().filter(|(name, room)| self.is_open(name, room));
        let nearest = rooms.min_by(|(one, _), (other, _)| self.to(one).total_cmp(&self.to(other)));
        nearest.map_or(Task::Rest, |(room, _)| Task::Stow { room: room.clone() })
    }

    /// Returns the task of putting down its block in a room that contains the colour that is needed now.
    fn swap(&self) -> Option<Task> {
        let (place, color) = *self.agenda.open.first()?;
        match self.fetch(color)? {
            Task::Fetch { room, .. } if place == 0 => Some(Task::Stow { room }),
            _ => None,
        }
    }

    fn is_known(&self, color: Color) -> bool {
        self.rooms_with(color).next().is_some()
    }

    /// Returns the rooms that contain a colour.
    fn rooms_with(&self, color: Color) -> impl Iterator<Item = (&EcoString, &Room)> {
        let rooms = self.robot.memory.rooms();
        rooms.filter(move |(name, room)| room.count(color) > 0 && self.is_open(name, room))
    }

    /// Returns the rooms that nobody has searched or is about to search.
    fn unchecked(&self) -> impl Iterator<Item = &EcoString> {
        let rooms = self.robot.memory.rooms();
        let unchecked = rooms.filter(|(name, room)| !room.checked && self.is_open(name, room));
        unchecked.map(|(name, _)| name).filter(|name| !self.outlook.searched.contains(*name))
    }

    fn is_open(&self, name: &EcoString, room: &Room) -> bool {
        room.shunned_until <= self.robot.body.step && !self.robot.atlas.is_blocked(name)
    }

    /// Returns the ticks to a room, including those lost there because of others.
    fn to(&self, room: &EcoString) -> f64 {
        let body = &self.robot.body;
        if body.rooms.contains(room) {
            return 0.0;
        }
        let is_shared = body.occupied.contains(room) || self.outlook.visited.contains(room);
        let is_goal = match self.now {
            Task::Search { room: goal } | Task::Fetch { room: goal, .. } | Task::Stow { room: goal } => goal == room,
            Task::Deliver | Task::AwaitTurn { .. } | Task::Rest => false,
        };
        let extra = if is_shared { QUEUE } else { 0.0 } - if is_goal { HABIT } else { 0.0 };
        self.robot.atlas.ticks_for(body, room) + extra
    }

    /// Returns the ticks from a room to the drop zone with a block of this colour.
    fn back_from(&self, name: &EcoString, room: &Room, color: Color) -> f64 {
        self.robot.atlas.ticks(DROP_ZONE, name) + self.detour(name, room, color)
    }

    fn detour(&self, name: &EcoString, room: &Room, color: Color) -> f64 {
        /// The expected extra ticks for a block that another robot has seen.
        const UNSEEN: f64 = 10.0;
        let of_color = room.blocks.iter().filter(|block| block.color == color);
        let detours = of_color.map(|block| block.position.map_or(UNSEEN, |place| self.robot.detour(name, place)));
        detours.fold(NEVER, f64::min)
    }
}
