//! Requests about one environment.

use situated::iil::EcoString;
use situated::interface::{EnvironmentInterface, Error as InterfaceError, Form, Perception, Since};
use situated::menu::MenuRequest;
use situated::names::check_clear;
use situated_runtime::{Input, Speed, Time};
use situated_wire::EntityPerception;
use situated_wire::methods::{
    Acknowledge, Acknowledged, Act, Advance, Associate, Decode, Decoded, Describe, DescribeEncoding, Description, Done,
    Encode, EncodedNow, EncodingOfType, Entities, EntityListed, Free, GetMenu, GetOutcome, GetScene, ListEntities,
    Manage, MenuAnswer, OutcomeAnswer, Pass, Perceive, Perceived, Property, Query, Register, Remark, RequestEntity,
    SceneAnswer, SetSpeed, Status, StatusAnswer, Unregister, Wait,
};
use situated_wire::notifications::RemarkSeen;
use situated_wire::{Name, Right};

use super::destination::{Destination, To};
use super::{AtEnvironment, Seat};
use crate::error::Error;
use crate::post::check_name;
use crate::remarks::shown;
use crate::reply::Reply;

impl Seat {
    /// Calls a function with the interface. The function may fail.
    pub(super) fn read<R>(
        &mut self,
        look: impl FnOnce(&dyn EnvironmentInterface) -> Result<R, InterfaceError>,
    ) -> Result<R, Error> {
        Ok(self.owner.read(look)??)
    }
}

/// The reply of the owner becomes the answer.
fn to_session<R>(reply: Reply<R>) -> Destination {
    Destination(To::Session(reply.into_pending()))
}

impl AtEnvironment for Manage {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        seat.owner.apply(to_session(reply), Input::Manage(self.command), now);
    }
}

impl AtEnvironment for Associate {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        seat.note_wanted(&self.entity);
        let input = Input::Associate { agent: self.agent.0, entity: self.entity.0 };
        seat.owner.apply(to_session(reply), input, now);
    }
}

impl AtEnvironment for Act {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        let Act { environment: _, agent, action, entities, number } = self;
        seat.owner.act(to_session(reply), agent.0, action, texts(entities), number, now);
    }
}

impl AtEnvironment for Pass {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        seat.owner.pass(to_session(reply), self.agent.0, texts(self.entities), now);
    }
}

impl AtEnvironment for Advance {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        seat.owner.advance(to_session(reply), self.steps, self.at_once, now);
    }
}

fn texts(names: Vec<Name>) -> Vec<EcoString> {
    names.into_iter().map(|name| name.0).collect()
}

/// The names as the owner takes them.
pub(super) fn strs(names: &[Name]) -> Vec<&str> {
    names.iter().map(|name| name.as_str()).collect()
}

impl AtEnvironment for Free {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        let input = match (self.agent, self.entity) {
            (Some(agent), Some(entity)) => Input::FreePair { agent: agent.0, entity: entity.0 },
            (Some(agent), None) => Input::FreeAgent { agent: agent.0 },
            (None, Some(entity)) => Input::FreeEntity { entity: entity.0 },
            (None, None) => return reply.refuse(Error::Parameters("name an agent, an entity, or both".into())),
        };
        seat.owner.apply(to_session(reply), input, now);
    }
}

impl AtEnvironment for Register {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        let agent = self.agent.0;
        let claimed = check_name(&agent).and_then(|()| seat.profile.claim(reply.session(), &agent, None));
        let address = match claimed {
            Ok(address) => address,
            Err(error) => return reply.refuse(error),
        };
        let register = Input::Register { agent: agent.clone() };
        seat.owner.apply(Destination(To::Registration(reply.into_pending(), agent, address)), register, now);
    }
}

impl AtEnvironment for RequestEntity {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        let RequestEntity { environment: _, agent, entity_type, name } = self;
        if let Some(Err(unclear)) = name.as_ref().map(|name| check_clear(name)) {
            let reason = format!("an entity cannot have the name {unclear}; choose another name");
            let (agent, entity_type) = (agent.to_string(), entity_type.to_string());
            return reply.refuse(InterfaceError::NotGiven { agent, entity_type, reason }.into());
        }
        let (agent, entity_type, name) = (agent.0, entity_type.0, name.map(|name| name.0));
        seat.owner.apply(to_session(reply), Input::RequestEntity { agent, entity_type, name }, now);
    }
}

impl AtEnvironment for Unregister {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        let agent = self.agent.0;
        let unregister = Input::Unregister { agent: agent.clone() };
        seat.owner.apply(Destination(To::Departure(reply.into_pending(), agent)), unregister, now);
    }
}

impl AtEnvironment for Wait {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        // When a session ends, it drops only the requests that wait already, so check that it is still open.
        let open = reply.session().belongings().check_open();
        match open {
            Ok(()) => seat.owner.wait(to_session(reply), self.after, now),
            Err(error) => reply.refuse(error),
        }
    }
}

impl AtEnvironment for SetSpeed {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        let moment = seat.owner.moment();
        let set = speed(self.speed).and_then(|speed| Ok(seat.owner.set_speed(speed.unwrap_or(Speed::MAX), now)?));
        reply.send(set.map(|()| Done { moment }));
        // The speed is no input of the environment, but part of its status.
        seat.follow();
        seat.notify_of_status();
    }
}

impl AtEnvironment for Status {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        seat.follow();
        reply.answer(StatusAnswer { status: seat.profile.status() });
    }
}

impl AtEnvironment for Describe {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        seat.follow();
        let parameters = seat.owner.read(|interface| interface.parameters()).map_err(Error::from);
        // Hidden state could be derived from the parameters.
        let may_observe = reply.session().rights().contains(Right::Observe);
        reply.send(parameters.map(|parameters| {
            let (status, ontology) = (seat.profile.status(), seat.owner.ontology().clone());
            Description { status, ontology, parameters: parameters.filter(|_| may_observe) }
        }));
    }
}

impl AtEnvironment for GetOutcome {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        let moment = seat.owner.moment();
        let outcome = seat.owner.read(|interface| interface.outcome()).map_err(Error::from);
        reply.send(outcome.map(|outcome| OutcomeAnswer { moment, outcome }));
    }
}

impl AtEnvironment for ListEntities {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        let names = |names: Vec<EcoString>| names.into_iter().map(Name).collect();
        let listed = seat.owner.read(|interface| {
            let entities = interface.entities().into_iter().map(|entity| EntityListed {
                entity_type: interface.entity_type(&entity).unwrap_or_default().into(),
                agents: names(interface.associated_agents(&entity).unwrap_or_default()),
                entity: Name(entity),
            });
            let entities = entities.collect();
            Entities { moment: interface.moment(), entities, agents: names(interface.agents()) }
        });
        reply.send(listed.map_err(Error::from));
    }
}

impl AtEnvironment for Query {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        let Query { environment: _, entity, property } = self;
        let value = seat.read(|interface| interface.query(entity.as_ref().map(|name| name.as_str()), &property));
        reply.send(value.map(|value| Property { moment: seat.owner.moment(), value }));
    }
}

impl AtEnvironment for GetScene {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        let scene = seat.read(|interface| interface.scene(self.viewer.as_ref().map(|name| name.as_str())));
        reply.send(scene.map(|scene| SceneAnswer { moment: seat.owner.moment(), scene }));
    }
}

impl AtEnvironment for GetMenu {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        let GetMenu { environment: _, agent, entity, at, about, text } = self;
        let request = MenuRequest { about, text: text.into(), ..at.into() };
        let menu = seat.read(|interface| interface.menu(&agent, &entity, request));
        reply.send(menu.map(|menu| MenuAnswer { moment: seat.owner.moment(), menu }));
    }
}

impl AtEnvironment for Perceive {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        let Perceive { environment: _, agent, entities, form, since, known } = self;
        let session = reply.session().number();
        let perceived = seat.perceive(session, &agent, &entities, &known, (form, since), now);
        let moment = seat.owner.moment();
        let answer = perceived.map(|perceived| Perceived { moment, perceptions: EntityPerception::all(perceived) });
        if reply.send(answer).is_some() && since == Since::LastCall {
            seat.owner.take_back(&agent, &strs(&entities));
        }
    }
}

impl Seat {
    /// Perceives for an agent of a session that has these versions.
    pub(super) fn perceive(
        &mut self,
        session: u64,
        agent: &EcoString,
        entities: &[Name],
        known: &[Acknowledged],
        (form, since): (Form, Since),
        now: Time,
    ) -> Result<Vec<(EcoString, Perception)>, Error> {
        for Acknowledged { entity, version } in known {
            self.owner.know(agent, entity, *version)?;
            self.note_acknowledged(session, agent, entity, *version);
        }
        let perceived = self.owner.perceive(agent, &strs(entities), form, since, now)?;
        self.note_told(session, agent, &perceived);
        Ok(perceived)
    }
}

impl AtEnvironment for Remark {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        let Remark { environment, agent, remark } = self;
        let moment = seat.owner.moment();
        if let Err(error) = seat.owner.remark(&agent, &remark, now) {
            return reply.refuse(error.into());
        }
        // An agent that has just left has no entities any more.
        let entities = seat.read(|interface| interface.associated_entities(&agent)).unwrap_or_default();
        let entities = entities.into_iter().map(Name).collect();
        let (remark, time) = (shown(remark), now.wall);
        let seen = |number| RemarkSeen { number, environment, moment, agent, entities, remark, time };
        seat.profile.show(seen);
        reply.answer(Done { moment });
    }
}

impl AtEnvironment for Acknowledge {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        let Acknowledge { environment: _, agent, versions } = self;
        for Acknowledged { entity, version } in &versions {
            if let Err(error) = seat.owner.acknowledge(&agent, entity, *version) {
                return reply.refuse(error.into());
            }
            seat.note_acknowledged(reply.session().number(), &agent, entity, *version);
        }
        reply.answer(Done { moment: seat.owner.moment() });
    }
}

impl AtEnvironment for DescribeEncoding {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        let read = seat.owner.read(|interface| interface.encoded()?.encoding(&self.entity_type));
        reply.send(read.map(EncodingOfType).map_err(Error::from));
    }
}

impl AtEnvironment for Encode {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        reply.send(seat.read(|interface| {
            let encoded = match interface.encoded() {
                Some(view) => view.encode(&self.entity)?,
                None => interface.entity_id(&self.entity).map(|_| None)?,
            };
            Ok(EncodedNow { moment: interface.moment(), ending: interface.ending(), encoded })
        }));
    }
}

impl AtEnvironment for Decode {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        let decoded = seat.read(|interface| match interface.encoded() {
            Some(view) => view.decode(&self.entity, self.action),
            None => interface.entity_id(&self.entity).map(|_| None),
        });
        reply.send(decoded.map(Decoded));
    }
}

/// Returns a speed in steps per second; `None` is left to the caller.
pub(crate) fn speed(hertz: Option<f64>) -> Result<Option<Speed>, Error> {
    hertz.map(Speed::try_hertz).transpose().map_err(|error| Error::Parameters(format!("`speed`: {error}")))
}
