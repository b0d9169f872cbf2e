// A walker that makes way: it goes towards its goal, and when it meets the other one, it goes into its alcove and waits
// there until the other one has passed. The same as policy.py and examples/jason/find-goals/walker.asl.

use situated_find_goals::{Action, Body, Direction, Sight};

/// A walker that makes way.
pub(crate) struct Walker {
    body: Body,
    /// For how many steps it has waited in its alcove.
    waited: u32,
}

impl Walker {
    pub(crate) fn new(body: Body) -> Self {
        Self { body, waited: 0 }
    }

    /// Returns the next action, given what it sees.
    pub(crate) fn decide(&mut self, sees: impl Fn(Direction) -> Sight) -> Action {
        let (ahead, behind, onwards) = match self.body {
            Body::Red => (Direction::East, Direction::NorthWest, Action::Right),
            Body::Blue => (Direction::West, Direction::NorthEast, Action::Left),
        };
        let (action, waited) = if sees(Direction::West) == Sight::Wall && sees(Direction::East) == Sight::Wall {
            let goes_first = self.waited == 0 && self.body == Body::Red;
            let goes = goes_first || sees(behind) == Sight::Other;
            if goes { (Action::Up, 0) } else { (Action::Wait, (self.waited + 1) % 16) }
        } else if sees(ahead) == Sight::Other && sees(Direction::South) == Sight::Free {
            (Action::Down, 1)
        } else if sees(ahead) == Sight::Other && self.body == Body::Red {
            (Action::Left, 1)
        } else {
            (onwards, 1)
        };
        self.waited = waited;
        action
    }
}

/// A step as the file of the trajectory writes it.
pub(crate) fn line(actions: [Action; 2], reward: i32, sees: [[Sight; 8]; 2]) -> String {
    let [red, blue] = actions.map(|action| format!("{action:?}").to_lowercase());
    let [red_sees, blue_sees] =
        sees.map(|sights| sights.iter().map(|sight| char::from(b'0' + *sight as u8)).collect::<String>());
    format!(r#"{{"red":"{red}","blue":"{blue}","reward":{reward},"redSees":"{red_sees}","blueSees":"{blue_sees}"}}"#)
}
