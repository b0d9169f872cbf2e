//! Answers of the hub as messages of the wire protocol.

use std::cell::RefCell;
use std::io;

use serde::{Serialize, Serializer};
use situated::agent::BuiltInAgent;
use situated::iil::EcoString;
use situated::interface::{ActionResult, Moment, Perception};
use situated_hub::{self as hub, Answer};
use situated_runtime::wall_clock;
use situated_wire::methods::{self as wire, EntityResult};
use situated_wire::rpc::{Id, write_answer, write_answer_within};
use situated_wire::{AclMessage, EntityPerception, Name};

use super::errors::translate;

/// Writes the answer to the call with this id.
pub(super) fn write(out: &mut Vec<u8>, id: &Id, answer: Answer) -> io::Result<()> {
    match answer {
        Answer::Done(hub::Done { moment }) => write_answer(out, id, &wire::Done { moment }),
        Answer::DoneByHub(_) => write_answer(out, id, &wire::ServerTime { time: wall_clock() }),
        Answer::EnvironmentList(list) => write_answer(out, id, &environments(list)),
        Answer::EnvironmentStatus(known) => write_answer(out, id, &wire::StatusAnswer { status: status(known) }),
        Answer::Description(hub::Description { status: known, ontology, parameters }) => {
            let (status, ontology) = (status(known), (*ontology).clone());
            write_answer(out, id, &wire::Description { status, ontology, parameters })
        }
        Answer::KindDescription(hub::KindDescription { ontology, agents }) => {
            let agent = |agent: &BuiltInAgent| wire::BuiltInAgent {
                name: EcoString::from(agent.name).into(),
                documentation: agent.documentation.into(),
            };
            let agents = agents.iter().map(agent).collect();
            write_answer(out, id, &wire::KindDescription { ontology: (*ontology).clone(), agents, time: wall_clock() })
        }
        Answer::Examined(hub::Examined(examination)) => {
            write_answer(out, id, &wire::Examined { examination, time: wall_clock() })
        }
        Answer::OutcomeSoFar(hub::OutcomeSoFar { moment, outcome }) => {
            write_answer(out, id, &wire::OutcomeAnswer { moment, outcome })
        }
        Answer::Entities(listed) => write_answer(out, id, &entities(listed)),
        Answer::Hosting(hub::Hosting { environment }) => {
            write_answer(out, id, &wire::Hosting { environment: environment.into(), time: wall_clock() })
        }
        Answer::ActionResults(hub::ActionResults { moment, results: done }) => {
            write_answer(out, id, &wire::Acted { moment, results: results(done) })
        }
        Answer::EntityGiven(hub::EntityGiven { moment, entity }) => {
            write_answer(out, id, &wire::EntityGiven { moment, entity: entity.into() })
        }
        Answer::Stepped(hub::Stepped { moment, turns }) => {
            write_step(usize::MAX, out, id, moment, &mut turns.into_iter())
        }
        Answer::Perceived(hub::Perceived { moment, perceptions: perceived }) => {
            write_answer(out, id, &wire::Perceived { moment, perceptions: perceptions(perceived) })
        }
        Answer::MenuOffered(hub::MenuOffered { moment, menu }) => {
            write_answer(out, id, &wire::MenuAnswer { moment, menu })
        }
        Answer::Property(hub::Property { moment, value }) => write_answer(out, id, &wire::Property { moment, value }),
        Answer::SceneSeen(hub::SceneSeen { moment, scene }) => {
            write_answer(out, id, &wire::SceneAnswer { moment, scene })
        }
        Answer::DirectoryAnswer(hub::DirectoryAnswer { message }) => write_answer(
            out,
            id,
            &wire::DirectoryAnswer { message: Box::new(AclMessage::from(&*message)), time: wall_clock() },
        ),
        // No call becomes a request that has one of these answers.
        Answer::EncodingOfType(_) | Answer::EncodedNow(_) | Answer::Decoded(_) => {
            Err(io::ErrorKind::Unsupported.into())
        }
        Answer::Subscribed(hub::Subscribed { subscription }) => {
            write_answer(out, id, &wire::Subscribed { subscription, time: wall_clock() })
        }
    }
}

/// Writes the answer to a step, one turn after another, until it is larger than the limit.
pub(super) fn write_step(
    limit: usize,
    out: &mut Vec<u8>,
    id: &Id,
    moment: Moment,
    turns: &mut dyn Iterator<Item = hub::TurnResult>,
) -> io::Result<()> {
    write_answer_within(limit, out, id, &wire::Stepped { moment, agents: Each(RefCell::new(turns.map(turn))) })
}

/// A list whose items are created while it is written.
struct Each<I>(RefCell<I>);

impl<I: Iterator<Item: Serialize>> Serialize for Each<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&mut *self.0.borrow_mut())
    }
}

/// The status of an environment.
pub(super) fn status(known: hub::EnvironmentStatus) -> wire::EnvironmentStatus {
    let hub::EnvironmentStatus { environment, kind, hosted, status, agents, entities } = known;
    wire::EnvironmentStatus {
        environment: environment.into(),
        kind: kind.into(),
        hosted,
        state: status.state,
        moment: status.moment,
        pace: status.pace,
        speed: status.speed.steps_per_second(),
        skipped_steps: status.missed,
        agents,
        entities,
        crash: status.crash,
        awaited: status.awaited.into_iter().map(Into::into).collect(),
        recording: status.recording.map(|recording| wire::RecordingStatus { error: recording.error }),
        data: status.data.map(|data| wire::DataStatus { error: data.error }),
    }
}

/// The perceptions of an agent.
pub(super) fn perceptions(perceived: Vec<(EcoString, Perception)>) -> Vec<EntityPerception> {
    // Not collected, since collecting in place would reallocate to shrink the vector.
    let mut perceptions = Vec::with_capacity(perceived.len());
    perceptions.extend(perceived.into_iter().map(|(entity, perception)| EntityPerception::new(entity, perception)));
    perceptions
}

/// The result of an action for one entity.
pub(super) fn result((entity, result): (EcoString, ActionResult)) -> EntityResult {
    EntityResult::new(entity, result)
}

fn results(done: impl IntoIterator<Item = (EcoString, ActionResult)>) -> Vec<EntityResult> {
    done.into_iter().map(result).collect()
}

fn turn(turn: hub::TurnResult) -> wire::TurnTaken {
    let hub::TurnResult { agent, results: done, error, perceptions: perceived } = turn;
    wire::TurnTaken {
        agent: agent.into(),
        results: results(done),
        error: error.map(|error| Box::new(translate(&error))),
        perceptions: perceptions(perceived),
    }
}

fn environments(list: hub::EnvironmentList) -> wire::Environments {
    let kinds = list
        .kinds
        .iter()
        .map(|ontology| wire::Kind { kind: ontology.name.as_str().into(), summary: ontology.summary().to_owned() });
    wire::Environments {
        environments: list.environments.into_iter().map(status).collect(),
        kinds: kinds.collect(),
        time: wall_clock(),
    }
}

fn entities(listed: hub::Entities) -> wire::Entities {
    let names = |names: Vec<EcoString>| -> Vec<Name> { names.into_iter().map(Name).collect() };
    let entities = listed.entities.into_iter().map(|entity| wire::EntityListed {
        entity: entity.name.into(),
        entity_type: entity.entity_type.into(),
        agents: names(entity.agents),
    });
    wire::Entities { moment: listed.moment, entities: entities.collect(), agents: names(listed.agents) }
}
