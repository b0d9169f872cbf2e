//! Calls that concern one environment.

use situated::iil::EcoString;
use situated_runtime::{Input, Request, Speed, Time};
use situated_wire::methods::{
    Acknowledge, Act, Description, Done, Entities, EntityListed, Free, GetMenu, GetScene, MenuAnswer, OutcomeAnswer,
    Pass, Perceive, Perceived, Property, Query, Right, SceneAnswer, StatusAnswer,
};
use situated_wire::{Call, Code, EntityPerception, Error, Name};

use super::seat::Seat;
use super::ticket::{Form, Ticket, To};
use crate::caller::Caller;
use crate::refusal::refusal;
use crate::session::Session;

impl Seat {
    pub(super) fn call(&mut self, caller: Caller, call: Call, now: Time) {
        if let Err(error) = self.check_call(caller.session(), &call) {
            return caller.refuse(&error);
        }
        match call {
            Call::Describe(_) => caller.reply(self.describe()),
            Call::Status(_) => {
                self.follow();
                caller.answer(&StatusAnswer { status: self.identity.status() });
            }
            Call::GetOutcome(_) => {
                let moment = self.owner.moment();
                let outcome = self.owner.look(|interface| interface.outcome()).map_err(|error| refusal(&error));
                caller.reply(outcome.map(|outcome| OutcomeAnswer { moment, outcome }));
            }
            Call::ListEntities(_) => caller.reply(self.list_entities()),
            Call::Query(query) => caller.reply(self.query(&query)),
            Call::GetScene(look) => {
                let scene = self.scene(caller.session(), &look);
                caller.reply(scene);
            }
            Call::GetMenu(ask) => caller.reply(self.menu(&ask)),
            Call::Perceive(perceive) => caller.reply(self.perceive(&perceive, now)),
            Call::Acknowledge(acknowledge) => {
                let done = self.acknowledge(&acknowledge, caller.session());
                caller.reply(done);
            }
            Call::Step(step) => self.step(caller, step, now),
            Call::UpdateHosted(tell) => {
                let heard = self.hear_update(caller.session(), tell, now);
                caller.reply(heard);
            }
            Call::SetSpeed(set) => match set.speed.map_or(Ok(Speed::MAX), Speed::try_hertz) {
                Ok(speed) => {
                    self.submit(To::Call(caller, Form::Done), Request::SetSpeed(speed), now);
                    // It is no input, but it is to be seen.
                    self.follow();
                    self.see_status_anew();
                }
                Err(error) => caller.refuse(&Error::new(Code::InvalidParameters, error.to_string())),
            },
            call => self.pass_on(caller, call, now),
        }
    }

    /// Whether somebody may act and perceive as this agent.
    pub(super) fn check_agent(&mut self, session: &Session, agent: &str) -> Result<(), Error> {
        match self.residents.get(agent) {
            Some(owner) if owner.number == session.number => return Ok(()),
            Some(_) => {}
            None => {
                let registered = self.owner.look(|interface| interface.agents().iter().any(|known| known == agent));
                // That it is not registered at all is said by whoever keeps the books.
                if !registered.unwrap_or(true) {
                    return Ok(());
                }
            }
        }
        let message =
            format!("agent `{agent}` belongs to somebody else; act and perceive as the agents you registered");
        Err(Error::new(Code::Forbidden, message))
    }

    /// What is passed on to the owner as it is.
    fn pass_on(&mut self, caller: Caller, call: Call, now: Time) {
        let form = match call {
            Call::Act(_) => Form::Acted,
            Call::RequestEntity(_) => Form::Body,
            _ => Form::Done,
        };
        let (to, request) = match call {
            Call::Register(call) => {
                let agent = call.agent.0;
                if let Err(error) = self.identity.claim(caller.session(), &agent) {
                    return caller.refuse(&error);
                }
                (To::Registration(caller, agent.clone()), Request::Input(Input::Register { agent }))
            }
            Call::Unregister(call) => {
                let agent = call.agent.0;
                (To::Departure(caller, agent.clone()), Request::Input(Input::Unregister { agent }))
            }
            call => match request(call) {
                Ok(request) => (To::Call(caller, form), request),
                Err(error) => return caller.refuse(&error),
            },
        };
        self.submit(to, request, now);
    }

    fn submit(&mut self, to: To, request: Request, now: Time) {
        self.owner.submit(Ticket(to), request, now);
        // What comes next may depend on it: an agent that was registered acts.
        self.hand_out_replies(now);
    }

    /// Whether somebody may do this, as far as it depends on whose the agents are.
    fn check_call(&mut self, session: &Session, call: &Call) -> Result<(), Error> {
        let agent = match call {
            Call::Unregister(call) if !session.may(Right::Manage) => &call.agent,
            Call::Associate(call) => &call.agent,
            Call::RequestEntity(call) => &call.agent,
            Call::Act(call) => &call.agent,
            Call::Pass(call) => &call.agent,
            Call::Perceive(call) => &call.agent,
            Call::Acknowledge(call) => &call.agent,
            Call::GetMenu(call) => &call.agent,
            Call::Free(Free { agent: Some(agent), .. }) if !session.may(Right::Manage) => agent,
            Call::Free(Free { agent: None, .. }) => return session.check(Right::Manage),
            _ => return Ok(()),
        };
        self.check_agent(session, agent)
    }

    fn describe(&mut self) -> Result<Description, Error> {
        self.follow();
        let parameters = self.owner.look(|interface| interface.parameters()).map_err(|error| refusal(&error))?;
        Ok(Description { status: self.identity.status(), ontology: self.identity.ontology.clone(), parameters })
    }

    fn list_entities(&mut self) -> Result<Entities, Error> {
        let listed = self.owner.look(|interface| {
            let entity = |entity: EcoString| {
                let entity_type = interface.entity_type(&entity).unwrap_or_default().into();
                let agents = interface.associated_agents(&entity).unwrap_or_default();
                EntityListed {
                    entity: entity.into(),
                    entity_type,
                    agents: agents.into_iter().map(Into::into).collect(),
                }
            };
            Entities {
                moment: interface.moment(),
                entities: interface.entities().into_iter().map(entity).collect(),
                agents: interface.agents().into_iter().map(Into::into).collect(),
            }
        });
        listed.map_err(|error| refusal(&error))
    }

    fn query(&mut self, query: &Query) -> Result<Property, Error> {
        let Query { environment: _, entity, property } = query;
        let found = self.owner.look(|interface| match entity {
            Some(entity) => interface.query_entity_property(entity, property),
            None => Ok(interface.query_property(property)),
        });
        let value = found.map_err(|error| refusal(&error))?.map_err(|error| Error::from(&error))?;
        Ok(Property { moment: self.owner.moment(), value })
    }

    fn scene(&mut self, session: &Session, look: &GetScene) -> Result<SceneAnswer, Error> {
        let viewer = look.viewer.as_ref().map(|name| name.as_str());
        self.check_viewer(session, viewer)?;
        let scene = self.owner.look(|interface| interface.scene(viewer)).map_err(|error| refusal(&error))?;
        Ok(SceneAnswer { moment: self.owner.moment(), scene: scene.map_err(|error| Error::from(&error))? })
    }

    /// Who may not observe sees what the entities of its own agents see.
    pub(super) fn check_viewer(&mut self, session: &Session, viewer: Option<&str>) -> Result<(), Error> {
        let Some(viewer) = viewer.filter(|_| !session.may(Right::Observe)) else {
            return session.check(Right::Observe);
        };
        let agents =
            self.owner.look(|interface| interface.associated_agents(viewer)).map_err(|error| refusal(&error))?;
        let agents = agents.map_err(|error| Error::from(&error))?;
        let own = |agent| self.residents.get(agent).is_some_and(|resident| resident.number == session.number);
        if agents.iter().any(own) {
            return Ok(());
        }
        Err(Error::new(Code::Forbidden, format!("you may not look through entity `{viewer}`; associate with it first")))
    }

    fn menu(&mut self, ask: &GetMenu) -> Result<MenuAnswer, Error> {
        let GetMenu { environment: _, agent, entity, at } = ask;
        let menu = self.owner.look(|interface| interface.menu(agent, entity, *at)).map_err(|error| refusal(&error))?;
        Ok(MenuAnswer { moment: self.owner.moment(), menu: menu.map_err(|error| Error::from(&error))? })
    }

    fn perceive(&mut self, perceive: &Perceive, now: Time) -> Result<Perceived, Error> {
        let Perceive { environment: _, agent, entities, form, since } = perceive;
        let entities: Vec<&str> = entities.iter().map(|name| name.as_str()).collect();
        let perceived = self.owner.perceive(agent, &entities, *form, *since, now).map_err(|error| refusal(&error))?;
        let perceptions = perceived.into_iter().map(|(entity, one)| EntityPerception::new(entity, one)).collect();
        Ok(Perceived { moment: self.owner.moment(), perceptions })
    }

    fn acknowledge(&mut self, acknowledge: &Acknowledge, session: &Session) -> Result<Done, Error> {
        let Acknowledge { environment: _, agent, versions } = acknowledge;
        for known in versions {
            self.owner.acknowledge(agent, &known.entity, known.version).map_err(|error| refusal(&error))?;
            self.note_acknowledged(session.number, agent, known);
        }
        Ok(Done { moment: self.owner.moment() })
    }
}

/// What is asked of the owner.
fn request(call: Call) -> Result<Request, Error> {
    Ok(match call {
        Call::Manage(call) => Request::Input(Input::Manage(call.command)),
        Call::Advance(call) => Request::Advance { steps: call.steps },
        Call::Associate(call) => Request::Input(Input::Associate { agent: call.agent.0, entity: call.entity.0 }),
        Call::Free(Free { environment: _, agent, entity }) => Request::Input(match (agent, entity) {
            (Some(agent), Some(entity)) => Input::FreePair { agent: agent.0, entity: entity.0 },
            (Some(agent), None) => Input::FreeAgent { agent: agent.0 },
            (None, Some(entity)) => Input::FreeEntity { entity: entity.0 },
            (None, None) => return Err(Error::new(Code::InvalidParameters, "name an agent, an entity, or both")),
        }),
        Call::RequestEntity(call) => Request::Input(Input::RequestEntity {
            agent: call.agent.0,
            entity_type: call.entity_type.0,
            name: call.name.map(|name| name.0),
        }),
        Call::Act(Act { environment: _, agent, action, entities, number }) => {
            Request::Act { agent: agent.0, action, entities: names(entities), number }
        }
        Call::Pass(Pass { environment: _, agent, entities }) => {
            Request::Pass { agent: agent.0, entities: names(entities) }
        }
        Call::Wait(call) => Request::Wait { after: call.after },
        _ => return Err(Error::new(Code::Internal, "this call does not concern an environment")),
    })
}

/// Names as the runtime has them.
pub(super) fn names(names: Vec<Name>) -> Vec<EcoString> {
    names.into_iter().map(|name| name.0).collect()
}
