//! The turns of the team's programs: each perceives and decides once a step; if each action makes a step, one after
//! the other.

use std::time::Duration;

use situated::interface::{Form, Since, State};
use situated::ontology::Pace;

use super::{Asker, Owner};
use crate::error::Error;
use crate::team::MemberId;
use situated::interface::Time;

impl<T> Owner<T> {
    /// Returns the time of the next turn.
    pub(super) fn next_turn(&self) -> Option<Duration> {
        let wants = self.environment.state() == State::Running
            && !self.team.is_settled(self.environment.moment())
            && self.refusal().is_none();
        let at = if self.pace == Pace::Reactive { self.ticker.due() } else { Duration::ZERO };
        wants.then_some(at)
    }

    pub(super) fn is_turn_due(&self, now: Time) -> bool {
        self.next_turn().is_some_and(|at| at <= now.monotonic)
    }

    /// Gives the programs their turns.
    pub(super) fn let_team_live(&mut self, now: Time) {
        let moment = self.environment.moment();
        if self.pace == Pace::Reactive {
            match self.team.whose_turn(moment) {
                Some(member) => {
                    self.take_turn(member, now);
                    self.team.end_turn(member);
                }
                None => self.team.settle(moment),
            }
            return;
        }
        let mut next = 0;
        while let Some(member) = self.team.next_undecided(next, moment) {
            self.take_turn(member, now);
            next = member + 1;
        }
        self.team.settle(moment);
    }

    /// Lets a program perceive, decide and act.
    fn take_turn(&mut self, member: MemberId, now: Time) {
        let Some((agent, entity)) = self.team.names(member) else { return };
        let perception = match self.environment.perceive(&agent, &[&entity], Form::Update, Since::LastCall, now) {
            Ok(mut told) => told.pop(),
            Err(Error::Crashed { .. }) => return,
            Err(error) => return self.team.note_failure(member, &entity, &error.to_string()),
        };
        let Some((_, perception)) = perception else { return };
        match self.team.decide(member, perception) {
            Ok(Some(action)) => {
                self.take_action(Asker::Member(member), agent.clone(), action, vec![entity.clone()], None, now)
            }
            Ok(None) => {}
            Err(reason) => {
                // If this crashes the environment, all waiting requests are answered afterwards.
                let _ = self.team.give_up(&mut self.environment, member, &reason, now);
                return;
            }
        }
        // A program that does nothing, or whose action is refused, passes.
        if self.pace == Pace::Lockstep && self.choices.is_open(&entity) {
            self.take_pass(Asker::Member(member), agent, vec![entity]);
        }
    }
}
