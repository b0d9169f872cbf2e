//! Management: commands, and their consequences.

use situated::interface::{Command, Effect, Error as Refused, Input, Moment, State, Time};
use situated::ontology::Pace;

use super::hosting::Purpose;
use super::{Advance, Owner};
use crate::error::Error;
use crate::journal::Record;
use crate::reply::Reply;
use crate::speed::Speed;

/// Maximum number of times in a row that the owner follows the environment, which may create another entity for each
/// program that it gets. The rest is done in the next call.
const FOLLOWED: usize = 8;

impl<T> Owner<T> {
    /// Applies an input that is done at once: management, registering, the relation. It refuses other inputs: agents
    /// [act](Self::act), and the pace decides when steps are made. If the environment has a host, the reply may come
    /// when the host has responded.
    pub fn apply(&mut self, from: T, input: Input, now: Time) {
        match self.manage(input, now) {
            Ok(Effect::Requested(call)) => self.expect(call, Purpose::Request(from)),
            done => self.reply(from, done.map(Reply::of)),
        }
        self.conclude(now);
    }

    /// Runs a paused environment for a number of steps and pauses it again. The reply comes then, or when another
    /// client pauses it. With `at_once`, steps are made as fast as possible, whatever the speed.
    pub fn advance(&mut self, from: T, steps: u64, at_once: bool, now: Time) {
        self.run_for(from, steps, at_once, now);
        self.conclude(now);
    }

    /// Sets the maximum speed.
    ///
    /// # Errors
    /// Returns an error if this cannot be written to the journal.
    pub fn set_speed(&mut self, speed: Speed, now: Time) -> Result<(), Error> {
        self.refusal().map_or(Ok(()), Err)?;
        self.ticker.set_speed(speed, now.monotonic);
        self.environment.note(&Record::Speed { period: speed.period() });
        self.seal();
        Ok(())
    }

    /// Applies an input that is done at once, and follows the changes.
    fn manage(&mut self, input: Input, now: Time) -> Result<Effect, Error> {
        if matches!(input, Input::Step | Input::ActByDefault { .. } | Input::Act { .. }) {
            return Err(Error::Paced);
        }
        if let Input::Host(_) = input {
            return Err(Error::HostOnly { environment: self.environment.ontology().name.clone() });
        }
        let input = match input {
            Input::Manage(command) => Input::Manage(self.environment.read(|interface| interface.completed(command))?),
            input => input,
        };
        let (moment, state) = (self.environment.moment(), self.environment.state());
        let effect = self.environment.apply(&input, now)?;
        self.follow_management(moment, state, now);
        self.follow(now);
        if let Input::Unregister { agent } = &input {
            self.forget_agent(agent);
        }
        Ok(effect)
    }

    /// Follows a command that may have started time or an episode.
    pub(super) fn follow_management(&mut self, moment: Moment, state: State, now: Time) {
        if state != State::Running && self.environment.state() == State::Running {
            self.ticker.begin(now.monotonic);
        }
        if self.environment.moment().episode != moment.episode {
            self.ticker.missed = 0;
            self.refuse_all(|agent| Error::Superseded { agent: agent.clone() });
        }
    }

    /// Runs a paused environment for a number of steps.
    fn run_for(&mut self, from: T, steps: u64, at_once: bool, now: Time) {
        const ADVANCING: &str = "advancing by some steps";
        match self.environment.state() {
            State::Paused if steps == 0 => return self.reply(from, Ok(Reply::Done)),
            State::Paused => {}
            State::Killed => return self.reply(from, Err(self.environment.ended(ADVANCING))),
            state => return self.reply(from, Err(Refused::WrongState { what: ADVANCING.into(), state }.into())),
        }
        match self.manage(Input::Manage(Command::Start), now) {
            Err(error) => self.reply(from, Err(error)),
            Ok(Effect::Requested(call)) => {
                self.expect(call, Purpose::Advance { asker: from, steps, at_once });
            }
            // Following the environment may have crashed it.
            Ok(_) if self.environment.state() == State::Killed => {
                self.reply(from, Err(self.environment.ended(ADVANCING)))
            }
            Ok(_) => self.begin_advance(from, steps, at_once),
        }
    }

    /// Starts running for a number of steps.
    pub(super) fn begin_advance(&mut self, asker: T, steps: u64, at_once: bool) {
        self.environment.note(&Record::Advance { steps, at_once });
        self.advance = Some(Advance { asker, steps });
        self.ticker.hurries = at_once;
    }

    /// Stops counting steps. Returns the receiver of the request.
    pub(super) fn end_advance(&mut self) -> Option<T> {
        self.ticker.hurries = false;
        self.advance.take().map(|advance| advance.asker)
    }

    /// Counts the steps of a requested number.
    pub(super) fn count_steps(&mut self, made: u64, now: Time) {
        let Some(advance) = self.advance.as_mut().filter(|advance| advance.steps > 0) else { return };
        advance.steps = advance.steps.saturating_sub(made);
        if advance.steps > 0 {
            return;
        }
        match self.environment.apply(&Input::Manage(Command::Pause), now) {
            Ok(Effect::Requested(call)) => self.expect(call, Purpose::Halt),
            // A killed environment need not be paused.
            Err(error) if self.environment.state() == State::Running => self.stop_advance(error),
            _ => {}
        }
    }

    /// Follows changes of the environment: the relation, the state, the step.
    pub(super) fn follow(&mut self, now: Time) {
        // An environment with its own clock changes by itself.
        let mut changed = self.pace == Pace::Own;
        for _ in 0..FOLLOWED {
            if !std::mem::take(&mut self.environment.has_changed) && !std::mem::take(&mut changed) {
                return;
            }
            self.follow_change(now);
        }
    }

    fn follow_change(&mut self, now: Time) {
        if self.environment.state() != State::Killed {
            // The code below reports a crash to all.
            let _ = self.team.follow(&mut self.environment, now);
            for agent in self.team.take_dismissed() {
                self.forget_agent(&agent);
            }
        }
        if self.environment.state() == State::Killed {
            self.team.stop();
            self.let_host_go();
            let error = self.environment.ended("acting");
            self.refuse_all(|_| error.clone());
        }
        if self.pace == Pace::Lockstep
            && let Ok(voided) = self.environment.read(|interface| self.choices.follow(interface))
        {
            self.void(voided);
        }
        if self.environment.state() != State::Running
            && let Some(asker) = self.end_advance()
        {
            let killed = self.environment.state() == State::Killed;
            self.reply(asker, if killed { Err(self.environment.ended("advancing")) } else { Ok(Reply::Done) });
        }
        self.wake();
    }
}
