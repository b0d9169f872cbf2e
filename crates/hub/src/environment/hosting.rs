//! Environments that run in the process of a host: requests to the host, and its messages.

use situated::host::{HostReport, HostRequest};
use situated::interface::{Command, Error as InterfaceError, ErrorKind, Moment, State};
use situated::names::check_clear;
use situated_runtime::{Answered, Input, Time};
use situated_wire::methods::{AnswerHostRequest, Done, UpdateHosted};

use super::destination::{Destination, To};
use super::{AtEnvironment, Seat};
use crate::error::{Error, shortened};
use crate::notifications::Notification;
use crate::reply::Reply;

impl Seat {
    /// Begins the first episode, and then starts time if `start` is set.
    pub(crate) fn begin(&mut self, init: Command, start: bool, now: Time) {
        self.beginning = Some((init.clone(), start));
        let to = if start { To::Beginning } else { To::Nobody };
        self.owner.apply(Destination(to), Input::Manage(init), now);
    }

    /// Begins the first episode if the host, which has reconnected, has missed it.
    pub(super) fn begin_if_missed(&mut self, now: Time) {
        if self.owner.state() == State::Initializing
            && !self.owner.awaits_beginning()
            && let Some((init, start)) = self.beginning.take()
        {
            self.begin(init, start, now);
        }
    }

    pub(super) fn run_if_begun(&mut self, answered: &Answered, now: Time) {
        match answered {
            Ok(_) => self.owner.apply(Destination::NOBODY, Input::Manage(Command::Start), now),
            Err(error) => {
                let (environment, error) = (self.profile.name().as_str(), shortened(&error.to_string()));
                tracing::warn!(environment, error, "the first episode of a hosted environment could not begin");
            }
        }
    }

    /// Sends requests to the host while it has room for them.
    pub(super) fn call_host(&mut self) {
        let Some(host) = self.profile.host().cloned() else { return };
        while host.has_room(&self.me)
            && let Some(HostRequest { number, task }) = self.owner.next_host_request()
        {
            host.receiver().notify(Notification::HostRequest { environment: self.profile.name(), number, task });
        }
    }

    fn hear(&mut self, says: HostReport, now: Time) -> Result<Done, Error> {
        let (HostReport::Update(update) | HostReport::Answer { update, .. }) = &says;
        if let Some(unclear) = update.new.iter().find_map(|new| check_clear(&new.entity).err()) {
            let environment = self.profile.name().to_string();
            let refused =
                InterfaceError::Host { environment, reason: format!("an entity cannot have the name {unclear}") };
            return Err(Error::Host(Box::new(refused.into())));
        }
        self.count_bytes();
        self.owner.limit_host(self.charge.room());
        match self.owner.hear(says, now) {
            Ok(()) => Ok(Done { moment: self.owner.moment() }),
            // The interface reports an error of a manager, but here the host caused it.
            Err(situated_runtime::Error::Interface(error)) if error.kind() == ErrorKind::Management => {
                Err(Error::Host(Box::new(error.into())))
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl AtEnvironment for UpdateHosted {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        reply.send(seat.hear(HostReport::Update(self.update), now));
    }
}

impl AtEnvironment for AnswerHostRequest {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        let AnswerHostRequest { environment, number, answer, update } = self;
        let heard = seat.hear(HostReport::Answer { number, answer, update: *update }, now);
        if let Err(error) = &heard {
            let (environment, error) = (environment.as_str(), shortened(&error.to_string()));
            tracing::warn!(environment, call = number, error, "the host sent an invalid answer");
        }
        reply.send(heard);
    }

    /// The host may still answer when its environment has been removed, also the request to kill it.
    fn miss(self, reply: Reply<Self>, error: Error) {
        let has_hosted = reply.session().belongings().has_hosted(self.environment.as_str());
        if has_hosted { reply.answer(Done { moment: Moment::default() }) } else { reply.refuse(error) }
    }
}
