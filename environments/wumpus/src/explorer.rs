//! The built-in agent. It takes no risk: it visits cells that must be safe, until it finds the gold or no such cell is
//! left, and climbs out. It knows its place from its own actions.

use situated::agent::{Agent, BuiltInAgent, BuiltInAgents, Translated};
use situated::interface::Perception;
use situated_grid::first_step;

use crate::cave::{Heading, Place, Side};
use crate::notes::Notes;
use crate::{Action, Percept, Wumpus};

/// An explorer that takes no risk.
#[derive(Clone, Debug, Default)]
pub struct Explorer {
    beliefs: Vec<Percept>,
    notes: Notes,
    place: Place,
    heading: Heading,
    has_gold: bool,
    last: Option<Action>,
}

impl BuiltInAgents for Wumpus {
    fn built_in_agents() -> Vec<BuiltInAgent> {
        vec![BuiltInAgent {
            name: "explorer",
            documentation: "Visits cells that must be safe, and takes no risk.",
            make: |_, _| Some(Box::new(Translated::new(Explorer::default()))),
        }]
    }
}

impl Agent<Action, Percept> for Explorer {
    fn decide(&mut self, perception: &Perception<Percept>) -> Option<Action> {
        perception.apply(&mut self.beliefs);
        let holds = |percept: &Percept| self.beliefs.contains(percept);
        let actions =
            self.beliefs.iter().find_map(|one| if let Percept::Time { actions } = one { Some(*actions) } else { None });
        if actions? == 0 {
            *self = Self { beliefs: std::mem::take(&mut self.beliefs), ..Self::default() };
            return self.next();
        }
        let (bump, glitter) = (holds(&Percept::Bump), holds(&Percept::Glitter));
        match self.last {
            Some(Action::Forward) if bump => self.notes.wall(self.heading.from(self.place)),
            Some(Action::Forward) => self.place = self.heading.from(self.place),
            Some(Action::Turn { side }) => self.heading = side.turn(self.heading),
            Some(Action::Grab) => self.has_gold = true,
            _ => {}
        }
        if glitter {
            self.last = Some(Action::Grab);
            return self.last;
        }
        self.next()
    }
}

impl Explorer {
    /// Chooses the next action after an update of its place.
    fn next(&mut self) -> Option<Action> {
        let (breeze, stench) = (self.beliefs.contains(&Percept::Breeze), self.beliefs.contains(&Percept::Stench));
        self.notes.visit(self.place, breeze, stench);
        let goals = if self.has_gold { Vec::new() } else { self.notes.frontier() };
        let goals = if goals.is_empty() { vec![(0, 0)] } else { goals };
        let step = first_step(self.place, |place| goals.contains(&place), |place| self.notes.has_visited(place));
        self.last = Some(step.map_or(Action::Climb, |heading| self.towards(heading)));
        self.last
    }

    fn towards(&self, heading: Heading) -> Action {
        if heading == self.heading {
            return Action::Forward;
        }
        let side = if heading == self.heading.right() { Side::Right } else { Side::Left };
        Action::Turn { side }
    }
}
