//! The host of an environment, which is called over its session, and what it says.

use situated::interface::Command;
use situated::mirror::{HostAnswer, HostSays, HostUpdate};
use situated_runtime::{Answered, Input, Request, Time};
use situated_wire::methods::{AnswerOfHost, CallToHost, Done, UpdateHosted};
use situated_wire::rpc::{self, Id};
use situated_wire::{Code, Error};

use super::seat::Seat;
use super::ticket::{Ticket, To};
use crate::refusal::refusal;
use crate::session::Session;

impl Seat {
    /// The first episode begins; time is to run then, if that is wanted.
    pub(super) fn begin(&mut self, init: Command, start: bool, now: Time) {
        let to = if start { To::Beginning } else { To::Nobody };
        self.owner.submit(Ticket(to), Request::Input(Input::Manage(init)), now);
    }

    pub(super) fn run_if_begun(&mut self, answered: &Answered, now: Time) {
        match answered {
            Ok(_) => self.owner.submit(Ticket::NOBODY, Request::Input(Input::Manage(Command::Start)), now),
            Err(error) => tracing::warn!(%error, "a hosted environment has not begun"),
        }
    }

    /// Calls the host for what there is to do, as far as it has room for it.
    pub(super) fn call_host(&mut self) {
        let Some(host) = self.identity.host.clone() else { return };
        while host.outbox().has_room(&self.me)
            && let Some(call) = self.owner.next_call()
        {
            let id = Id::Text(format!("{}/{}", self.identity.name, call.number));
            let (method, params) =
                CallToHost { environment: self.identity.name.clone().into(), call: call.call }.to_rpc();
            host.outbox().write(None, |out| rpc::write_call(out, Some(&id), &method, &params));
        }
    }

    /// The host tells what has changed.
    pub(super) fn hear_update(&mut self, session: &Session, tell: UpdateHosted, now: Time) -> Result<Done, Error> {
        if self.identity.host_of(session.number).is_none() {
            let message = format!("you do not host environment `{}`", self.identity.name);
            return Err(Error::new(Code::Forbidden, message));
        }
        self.hear(HostSays::Update(tell.update), now)?;
        Ok(Done { moment: self.owner.moment() })
    }

    /// The host has answered a call. If that answer cannot be, it is told why.
    pub(super) fn hear_answer(&mut self, session: u64, number: u64, answered: Result<AnswerOfHost, Error>, now: Time) {
        let Some(host) = self.identity.host_of(session).cloned() else { return };
        let (answer, update) = match answered {
            Ok(answer) => answer.into_parts(),
            Err(error) => (HostAnswer::from(error), HostUpdate::default()),
        };
        if let Err(error) = self.hear(HostSays::Answer { number, answer, update }, now) {
            tracing::warn!(environment = %self.identity.name, call = number, %error, "the host answers what cannot be");
            host.count_error(&error);
            host.outbox().write(None, |out| rpc::write_error(out, None, &error));
        }
    }

    /// The host has gone for good, and its world with it.
    pub(super) fn lose_host(&mut self, session: u64, now: Time) {
        if self.identity.host_of(session).is_some() {
            self.owner.host_gone("its host has gone", now);
        }
    }

    fn hear(&mut self, says: HostSays, now: Time) -> Result<(), Error> {
        self.owner.hear(says, now).map_err(|error| {
            let told = refusal(&error);
            // What the interface says of a host is no fault of management.
            if told.code() == Some(Code::Management) { Error::new(Code::InvalidHost, told.message) } else { told }
        })
    }
}
