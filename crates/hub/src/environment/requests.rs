//! Requests about one environment.

use situated::interface::{EnvironmentInterface, Error as Refused, Since};
use situated::names::check_clear;
use situated_runtime::{Input, Time};

use super::seat::{Destination, To};
use super::{AtEnvironment, Seat};
use crate::answers::{
    Decoded, Description, Done, EncodedNow, EncodingOfType, Entities, Entity, MenuOffered, OutcomeSoFar, Perceived,
    Property, SceneSeen,
};
use crate::error::Error;
use crate::remarks::RemarkSeen;
use crate::reply::Reply;
use crate::requests::{
    Acknowledge, Act, Advance, Associate, Decode, DescribeEncoding, DescribeEnvironment, Encode, FreeAgent, FreeEntity,
    GetEntityScene, GetMenu, GetOutcome, GetScene, GetStatus, ListEntities, Manage, Pass, Perceive,
    QueryEntityProperty, QueryOpenProperty, QueryProperty, Register, Remark, RequestEntity, SetSpeed, Unregister, Wait,
};

impl Seat {
    /// Calls a function with the interface. The function may fail.
    pub(super) fn read<R>(
        &mut self,
        look: impl FnOnce(&dyn EnvironmentInterface) -> Result<R, Refused>,
    ) -> Result<R, Error> {
        Ok(self.owner.read(look)?.map_err(situated_runtime::Error::from)?)
    }

    fn property(&mut self, entity: Option<&str>, property: &str) -> Result<Property, Error> {
        let value = self.read(|interface| interface.query(entity, property))?;
        Ok(Property { moment: self.owner.moment(), value })
    }

    fn scene(&mut self, viewer: Option<&str>) -> Result<SceneSeen, Error> {
        let scene = self.read(|interface| interface.scene(viewer))?;
        Ok(SceneSeen { moment: self.owner.moment(), scene })
    }
}

/// The reply of the owner becomes the answer.
fn to_session<R>(reply: Reply<R>) -> Destination {
    Destination(To::Session(reply.into_pending()))
}

/// Requests that are inputs of the environment.
macro_rules! inputs {
    ($($Request:ident { $($field:ident),* } => $input:expr;)*) => {
        $(impl AtEnvironment for $Request {
            fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
                let $Request { environment: _, $($field),* } = self;
                seat.owner.apply(to_session(reply), $input, now);
            }
        })*
    };
}

inputs! {
    Manage { command } => Input::Manage(command);
    Associate { agent, entity } => Input::Associate { agent, entity };
    FreeEntity { entity } => Input::FreeEntity { entity };
    FreeAgent { agent, entity } => match entity {
        Some(entity) => Input::FreePair { agent, entity },
        None => Input::FreeAgent { agent },
    };
}

impl AtEnvironment for Act {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        let Act { environment: _, agent, action, entities, number } = self;
        seat.owner.act(to_session(reply), agent, action, entities, number, now);
    }
}

impl AtEnvironment for Pass {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        seat.owner.pass(to_session(reply), self.agent, self.entities, now);
    }
}

impl AtEnvironment for Advance {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        seat.owner.advance(to_session(reply), self.steps, self.at_once, now);
    }
}

impl AtEnvironment for Register {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        let agent = self.agent;
        let checked = check_clear(&agent).map_err(Error::UnclearAgent);
        if let Err(error) = checked.and_then(|()| seat.profile.claim(reply.session(), &agent)) {
            return reply.refuse(error);
        }
        let register = Input::Register { agent: agent.clone() };
        seat.owner.apply(Destination(To::Registration(reply.into_pending(), agent)), register, now);
    }
}

impl AtEnvironment for RequestEntity {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        let RequestEntity { environment: _, agent, entity_type, name } = self;
        if let Some(Err(unclear)) = name.as_deref().map(check_clear) {
            let reason = format!("an entity cannot have the name {unclear}; choose another name");
            let refused = Refused::NotGiven { agent: agent.into(), entity_type: entity_type.into(), reason };
            return reply.refuse(situated_runtime::Error::from(refused).into());
        }
        seat.owner.apply(to_session(reply), Input::RequestEntity { agent, entity_type, name }, now);
    }
}

impl AtEnvironment for Unregister {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        let agent = self.agent;
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
        reply.send(seat.owner.set_speed(self.speed, now).map(|()| Done { moment }).map_err(Error::from));
        // The speed is no input of the environment, but part of its status.
        seat.follow();
        seat.notify_of_status();
    }
}

impl AtEnvironment for GetStatus {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        seat.follow();
        reply.answer(seat.profile.status());
    }
}

impl AtEnvironment for DescribeEnvironment {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        seat.follow();
        let parameters = seat.owner.read(|interface| interface.parameters()).map_err(Error::from);
        reply.send(parameters.map(|parameters| {
            let (status, ontology) = (seat.profile.status(), seat.profile.ontology(seat.owner.ontology()));
            Description { status, ontology, parameters }
        }));
    }
}

impl AtEnvironment for GetOutcome {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        let moment = seat.owner.moment();
        let outcome = seat.owner.read(|interface| interface.outcome()).map_err(Error::from);
        reply.send(outcome.map(|outcome| OutcomeSoFar { moment, outcome }));
    }
}

impl AtEnvironment for ListEntities {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        let listed = seat.owner.read(|interface| {
            let entities = interface.entities().into_iter().map(|name| {
                let entity_type = interface.entity_type(&name).unwrap_or_default().into();
                let agents = interface.associated_agents(&name).unwrap_or_default();
                Entity { name, entity_type, agents }
            });
            let entities = entities.collect();
            Entities { moment: interface.moment(), entities, agents: interface.agents() }
        });
        reply.send(listed.map_err(Error::from));
    }
}

impl AtEnvironment for QueryOpenProperty {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        reply.send(seat.property(self.entity.as_deref(), &self.property));
    }
}

impl AtEnvironment for QueryProperty {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        reply.send(seat.property(None, &self.property));
    }
}

impl AtEnvironment for QueryEntityProperty {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        reply.send(seat.property(Some(&self.entity), &self.property));
    }
}

impl AtEnvironment for GetScene {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        reply.send(seat.scene(None));
    }
}

impl AtEnvironment for GetEntityScene {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        reply.send(seat.scene(Some(&self.entity)));
    }
}

impl AtEnvironment for GetMenu {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        let menu = seat.read(|interface| interface.menu(&self.agent, &self.entity, self.request));
        reply.send(menu.map(|menu| MenuOffered { moment: seat.owner.moment(), menu }));
    }
}

impl AtEnvironment for Perceive {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        let Perceive { environment: _, agent, entities, form, since } = self;
        let entities: Vec<&str> = entities.iter().map(|name| name.as_str()).collect();
        let perceptions = seat.owner.perceive(&agent, &entities, form, since, now).map_err(Error::from);
        if let Ok(perceptions) = &perceptions {
            seat.note_told(reply.session().number(), &agent, perceptions);
        }
        let answer = perceptions.map(|perceptions| Perceived { moment: seat.owner.moment(), perceptions });
        if reply.send(answer).is_some() && since == Since::LastCall {
            seat.owner.take_back(&agent, &entities);
        }
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
        seat.profile.show(RemarkSeen::new(environment, moment, agent, entities, remark, now.wall));
        reply.answer(Done { moment });
    }
}

impl AtEnvironment for Acknowledge {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        let Acknowledge { environment: _, agent, versions } = self;
        for (entity, version) in &versions {
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
        let read = seat.owner.read(|interface| {
            let encoded = match interface.encoded() {
                Some(view) => view.encode(&self.entity)?,
                None => interface.entity_id(&self.entity).map(|_| None)?,
            };
            Ok(EncodedNow { moment: interface.moment(), ending: interface.ending(), encoded })
        });
        reply.send(read.and_then(|read| read.map_err(situated_runtime::Error::Interface)).map_err(Error::from));
    }
}

impl AtEnvironment for Decode {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        let read = seat.owner.read(|interface| match interface.encoded() {
            Some(view) => view.decode(&self.entity, self.action),
            None => interface.entity_id(&self.entity).map(|_| None),
        });
        let read = read.and_then(|read| read.map_err(situated_runtime::Error::Interface));
        reply.send(read.map(Decoded).map_err(Error::from));
    }
}
