//! The search for a colour: the order of rooms in which it is expected to be found soonest.

/// How likely a room holds a colour if nothing else is known: it holds some three blocks of seven colours.
const CHANCE: f64 = 0.35;

/// How many ticks it is worth to know what is in one more room, as long as there is more to find later.
pub(super) const INSIGHT: f64 = 30.0;

/// Up to how many rooms are considered at once.
pub(super) const MOST_ROOMS: usize = 7;

/// A hunt for a colour, from where a robot is to the drop zone. All lengths are in ticks.
#[derive(Debug)]
pub(super) struct Hunt {
    /// To each of the rooms that could hold it, from where the robot is.
    pub(super) first: Vec<f64>,
    /// From each of them to each of them.
    pub(super) between: Vec<Vec<f64>>,
    /// From each of them to the drop zone.
    pub(super) back: Vec<f64>,
    /// From where the robot is over the best of the rooms that are known to hold it, if there is any.
    pub(super) known: Option<f64>,
    /// The same from each of the rooms that could hold it.
    pub(super) known_after: Vec<Option<f64>>,
    /// The value of seeing one more room.
    pub(super) insight: f64,
}

impl Hunt {
    /// The room to look at first; none if it is better to get what is known, or there is nowhere to look.
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

    /// What is expected from the room that was looked at last, if it did not hold the colour, and these are left.
    fn after(&self, rooms: usize, last: usize, expected: &[f64]) -> f64 {
        let left = (0..self.first.len()).filter(|room| rooms & (1 << room) != 0 && *room != last);
        let on = left.map(|room| self.through(room, self.between[last][room], rooms, expected));
        let known = self.known_after[last].unwrap_or(f64::INFINITY);
        // If it is nowhere, any order is as good as another.
        let least = on.fold(known, f64::min);
        if least.is_finite() { least } else { 0.0 }
    }

    /// What is expected if this one of the rooms that are left is looked at next.
    fn through(&self, room: usize, way: f64, rooms: usize, expected: &[f64]) -> f64 {
        let rest = rooms & !(1 << room);
        let chance = self.chance(rooms.count_ones());
        let without = expected[rest * self.first.len() + room];
        way + chance * self.back[room] + (1.0 - chance) * without - self.insight
    }

    /// How likely the next of so many rooms holds the colour. If it is nowhere else, it is in one of them.
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
    fn the_nearer_of_two_rooms_is_looked_at_first() {
        assert_eq!(hunt([50.0, 70.0], None).first_room(), Some(0));
        assert_eq!(hunt([70.0, 50.0], None).first_room(), Some(1));
    }

    #[test]
    fn what_is_known_and_near_is_not_looked_for() {
        assert_eq!(hunt([50.0, 50.0], Some(100.0)).first_room(), None);
        assert_eq!(hunt([50.0, 50.0], Some(900.0)).first_room(), Some(0));
    }
}
