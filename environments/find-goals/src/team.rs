//! The built-in agent. Two of them play as a team without communication: each knows the game, keeps the set of states
//! that are possible given its percepts, and relies on the other one to play its part of the best plan.

use std::collections::BTreeSet;

use situated::agent::{Agent, BuiltInAgent, BuiltInAgents, Translated};
use situated::interface::Perception;

use crate::maze::{Body, Maze};
use crate::optimum::{Game, Optimum};
use crate::{Action, FindGoals, Percept};

/// An agent for one of the walkers, in either view. It takes perceptions in the form of updates. When a perception
/// voids all beliefs (`resync`), as each snapshot does, it starts again.
#[derive(Clone, Debug)]
pub struct Teammate {
    body: Body,
    optimum: Optimum,
    /// The percepts that hold for its walker.
    beliefs: Vec<Percept>,
    /// The states in which the game can be, whatever the other walker did.
    possible: BTreeSet<usize>,
    /// The state in which it is if the other walker played its part; `possible` if that is unknown.
    likely: BTreeSet<usize>,
    /// Its last choice.
    chosen: Action,
}

/// Returns the built-in agent for the entity with this name, or `None` if there is no such entity.
pub fn teammate(entity: &str) -> Option<Teammate> {
    Body::ALL.into_iter().find(|body| body.name() == entity).map(Teammate::new)
}

impl BuiltInAgents for FindGoals {
    fn built_in_agents() -> Vec<BuiltInAgent> {
        vec![BuiltInAgent {
            name: "teammate",
            documentation: "Plays its part of the best plan for both walkers.",
            make: |entity, _| Some(Box::new(Translated::new(teammate(entity)?))),
        }]
    }
}

impl Agent<Action, Percept> for Teammate {
    /// Chooses the best action, on average over the likely states. It does nothing if no step has passed since its
    /// last choice, which still stands.
    fn decide(&mut self, perception: &Perception<Percept>) -> Option<Action> {
        perception.apply(&mut self.beliefs);
        if perception.resync || perception.lost > 0 {
            self.begin(perception.moment.step);
        } else if perception.events.is_empty() {
            return None;
        } else {
            self.follow(&perception.events);
        }
        self.look_around();
        self.chosen = self.best_action();
        Some(self.chosen)
    }
}

impl Teammate {
    /// Creates an agent for this walker.
    pub fn new(body: Body) -> Self {
        Self {
            body,
            optimum: Optimum::compute(),
            beliefs: Vec::new(),
            possible: BTreeSet::new(),
            likely: BTreeSet::new(),
            chosen: Action::Wait,
        }
    }

    /// Forgets everything except the state in which episodes begin.
    fn begin(&mut self, step: u64) {
        self.possible = match step {
            0 => BTreeSet::from([Game::START]),
            _ => (0..self.optimum.game().states().len()).collect(),
        };
        self.likely = self.possible.clone();
    }

    /// Concludes from rewards to which states the steps have led.
    fn follow(&mut self, events: &[Percept]) {
        let mut own = self.chosen;
        for event in events {
            let Percept::Reward { joint } = *event else { continue };
            let others_part = |state| vec![self.others_part(state)];
            self.likely = self.after(&self.likely, &[own], others_part, joint);
            // Its choice may have come too late for the first step, and have counted for another one.
            let either = [self.chosen, Action::Wait];
            self.possible = self.after(&self.possible, &either, |_| Action::ALL.to_vec(), joint);
            own = Action::Wait;
        }
    }

    /// Keeps the states that match its percepts.
    fn look_around(&mut self) {
        let (body, beliefs, states) = (self.body, &self.beliefs, self.optimum.game().states());
        let looks_so = |&state: &usize| beliefs.iter().all(|belief| holds(belief, body, &states[state]));
        self.possible.retain(looks_so);
        self.likely.retain(looks_so);
        if self.possible.is_empty() {
            self.possible = (0..states.len()).filter(looks_so).collect();
        }
        if self.likely.is_empty() {
            self.likely.clone_from(&self.possible);
        }
    }

    /// Returns the first of the actions with the highest value, as in [`Optimum::best_pair`].
    fn best_action(&self) -> Action {
        let worth = |action: Action| -> i64 {
            let in_state = |&state: &usize| {
                let (red, blue) = self.in_order(action, self.others_part(state));
                self.optimum.worth(state, red, blue)
            };
            self.likely.iter().map(in_state).sum()
        };
        let best = Action::ALL.into_iter().rev().max_by_key(|&action| worth(action));
        best.unwrap_or(Action::Wait)
    }

    /// Returns the states to which one of its own actions and one of the other walker's lead from these states, with
    /// this reward.
    fn after(
        &self,
        states: &BTreeSet<usize>,
        own: &[Action],
        others: impl Fn(usize) -> Vec<Action>,
        reward: i32,
    ) -> BTreeSet<usize> {
        let mut after = BTreeSet::new();
        for &state in states {
            for other in others(state) {
                let transitions = own.iter().map(|&own| {
                    let (red, blue) = self.in_order(own, other);
                    self.optimum.game().transition(state, red, blue)
                });
                let fitting = transitions.filter(|transition| transition.reward == reward);
                after.extend(fitting.map(|transition| transition.next));
            }
        }
        after
    }

    /// Returns the action of the other walker in this state if it plays its part of the best plan.
    fn others_part(&self, state: usize) -> Action {
        let (red, blue) = self.optimum.best_pair(state);
        match self.body {
            Body::Red => blue,
            Body::Blue => red,
        }
    }

    /// Returns red's action and blue's.
    fn in_order(&self, own: Action, other: Action) -> (Action, Action) {
        match self.body {
            Body::Red => (own, other),
            Body::Blue => (other, own),
        }
    }
}

/// Returns whether this percept holds for the walker in this state; events never contradict a state.
fn holds(percept: &Percept, body: Body, maze: &Maze) -> bool {
    match *percept {
        Percept::See { direction, what } => maze.sees(body)[direction as usize] == what,
        Percept::At { x, y } => (maze.cell(body).x(), maze.cell(body).y()) == (x, y),
        Percept::Reward { .. } => true,
    }
}
