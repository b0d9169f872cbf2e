//! The search for a colour: the order of rooms with the shortest expected time.

/// Probability that a room contains a colour if nothing else is known: rooms contain about three blocks of seven
/// colours.
const CHANCE: f64 = 0.35;

/// Value of knowing the contents of one more room, in ticks, while more colours must be found later.
pub(super) const INSIGHT: f64 = 30.0;

/// Maximum number of rooms that are considered at once.
pub(super) const MOST_ROOMS: usize = 7;

/// A search for a colour, from the robot's position to the drop zone. All lengths are in ticks.
#[derive(Debug)]
pub(super) struct Hunt {
    /// From the robot's position to each room that could contain the colour.
    pub(super) first: Vec<f64>,
    /// Between these rooms.
    pub(super) between: Vec<Vec<f64>>,
    /// From each of these rooms to the drop zone.
    pub(super) back: Vec<f64>,
    /// From the robot's position over the best room that is known to contain the colour, if there is one.
    pub(super) known: Option<f64>,
    /// The same from each room that could contain the colour.
    pub(super) known_after: Vec<Option<f64>>,
    /// The value of seeing one more room.
    pub(super) insight: f64,
}

impl Hunt {
    /// Returns the first room to search; `None` if fetching a known block is better, or if there are no rooms to
    /// search.
    pub(super) fn first_room(&self) -> Option<usize> {
        let count = self.first.len();
        let mut expected = vec![f64::INFINITY; count << count];
        for rooms in 0..1 << count {
            for last in 0..count {
                expected[rooms * count + last] = self.after(rooms, last, &expected);
            }
        }
        let all = (1 << count) - 1;
        let length = |room: usize| self.through(room, self.first[room], all, &expected);
        let best = (0..count).min_by(|one, other| length(*one).total_cmp(&length(*other)))?;
        (length(best) < self.known.unwrap_or(f64::INFINITY)).then_some(best)
    }

    /// Returns the expected length after a room that did not contain the colour, with these rooms left.
    fn after(&self, rooms: usize, last: usize, expected: &[f64]) -> f64 {
        let left = (0..self.first.len()).filter(|room| rooms & (1 << room) != 0 && *room != last);
        let on = left.map(|room| self.through(room, self.between[last][room], rooms, expected));
        let known = self.known_after[last].unwrap_or(f64::INFINITY);
        // If no room contains it, the order does not matter.
        let least = on.fold(known, f64::min);
        if least.is_finite() { least } else { 0.0 }
    }

    /// Returns the expected length if this one of the remaining rooms is searched next.
    fn through(&self, room: usize, way: f64, rooms: usize, expected: &[f64]) -> f64 {
        let rest = rooms & !(1 << room);
        let chance = self.chance(rooms.count_ones());
        let without = expected[rest * self.first.len() + room];
        way + chance * self.back[room] + (1.0 - chance) * without - self.insight
    }

    /// Returns the probability that the next of this number of rooms contains the colour. If it is nowhere else, one
    /// of these rooms contains it.
    fn chance(&self, rooms: u32) -> f64 {
        if self.known.is_some() {
            return CHANCE;
        }
        let none = (0..rooms).fold(1.0, |none, _| none * (1.0 - CHANCE));
        CHANCE / (1.0 - none)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunt(first: [f64; 2], known: Option<f64>) -> Hunt {
        let between = vec![vec![0.0, 100.0], vec![100.0, 0.0]];
        let known_after = vec![known.map(|ticks| ticks + 50.0); 2];
        Hunt { first: first.to_vec(), between, back: vec![100.0; 2], known, known_after, insight: 0.0 }
    }

    #[test]
    fn searches_the_nearer_of_two_rooms_first() {
        assert_eq!(hunt([50.0, 70.0], None).first_room(), Some(0));
        assert_eq!(hunt([70.0, 50.0], None).first_room(), Some(1));
    }

    #[test]
    fn does_not_search_for_a_colour_known_to_be_near() {
        assert_eq!(hunt([50.0, 50.0], Some(100.0)).first_room(), None);
        assert_eq!(hunt([50.0, 50.0], Some(900.0)).first_room(), Some(0));
    }
}
