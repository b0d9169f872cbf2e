//! A team's knowledge about rooms, from messages. Each robot keeps its own copy, and reports what is missing.

use std::collections::BTreeMap;

use situated::iil::EcoString;

use super::memory::{RobotMemory, Room};
use crate::Color;
use crate::messages::Message;

/// The reported contents of rooms.
#[derive(Clone, Debug, Default)]
pub(super) struct Board(BTreeMap<EcoString, Known>);

#[derive(Clone, Debug, Default)]
struct Known {
    checked: bool,
    counts: BTreeMap<Color, usize>,
}

impl Board {
    /// Processes a message, possibly from the robot itself.
    pub(super) fn hear(&mut self, message: &Message) {
        match message {
            Message::RoomContains { room, color } => {
                let count = self.known(room).counts.entry(*color).or_default();
                *count = (*count).max(1);
            }
            Message::RoomContainsAmount { room, number, color } => {
                self.known(room).counts.insert(*color, *number as usize);
            }
            Message::RoomIsEmpty { room } => *self.known(room) = Known { checked: true, counts: BTreeMap::new() },
            Message::Checked { room, .. } => self.known(room).checked = true,
            Message::HasColorFromRoom { color, room } => {
                let count = self.known(room).counts.entry(*color).or_default();
                *count = count.saturating_sub(1);
            }
            _ => {}
        }
    }

    /// Returns the contents of a visible room that the team does not know yet.
    pub(super) fn news(&self, name: &EcoString, room: &Room) -> Vec<Message> {
        let unknown = Known::default();
        let known = self.0.get(name).unwrap_or(&unknown);
        if room.blocks.is_empty() && !known.checked {
            return vec![Message::RoomIsEmpty { room: name.clone() }];
        }
        let mut colors = room.colors();
        colors.extend(known.counts.keys());
        let differs = |color: &Color| room.count(*color) != known.counts.get(color).copied().unwrap_or(0);
        let mut news: Vec<Message> =
            colors.into_iter().filter(differs).map(|color| contents(name, color, room.count(color))).collect();
        if !known.checked {
            news.push(Message::Checked { room: name.clone(), player: None });
        }
        news
    }

    fn known(&mut self, room: &EcoString) -> &mut Known {
        self.0.entry(room.clone()).or_default()
    }
}

/// Returns messages with everything that a robot knows about the rooms, for a player that knows nothing.
pub(super) fn report(memory: &RobotMemory) -> Vec<Message> {
    let checked = memory.rooms().filter(|(_, room)| room.checked);
    checked.flat_map(|(name, room)| Board::default().news(name, room)).collect()
}

/// Remembers a message about a room.
pub(super) fn remember(memory: &mut RobotMemory, message: &Message, step: u64) {
    match message {
        // The block may be one of several that are known.
        Message::RoomContains { room, color } => memory.hear_of(room, *color, 1),
        Message::RoomContainsAmount { room, number, color } => memory.hear_of(room, *color, *number as usize),
        Message::RoomIsEmpty { room } => memory.hear_checked(room, true, step),
        Message::Checked { room, .. } => memory.hear_checked(room, false, step),
        Message::HasColorFromRoom { color, room } => memory.hear_taken(room, *color),
        _ => {}
    }
}

/// Returns the message about the number of blocks of a colour in a room.
pub(super) fn contents(room: &EcoString, color: Color, count: usize) -> Message {
    let room = room.clone();
    match u32::try_from(count) {
        Ok(1) => Message::RoomContains { room, color },
        number => Message::RoomContainsAmount { room, number: number.unwrap_or(u32::MAX), color },
    }
}
