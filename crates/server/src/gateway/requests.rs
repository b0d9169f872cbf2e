//! Calls of the wire protocol as requests of the hub.

use std::time::Duration;

use situated::host::{HostAnswer, HostUpdate};
use situated::iil::EcoString;
use situated::interface::NAME_LENGTH;
use situated::menu::MenuRequest;
use situated::ontology::Pace;
use situated_acl::Message;
use situated_hub::{self as hub, AnyRequest, Beginning, RequestKind};
use situated_runtime::{HostTerms, Speed};
use situated_wire::methods::{self as wire, AnswerOfHost, Topic};
use situated_wire::{AclMessage, Call, Code, Error, Method, Name};

/// The meaning of a call.
pub(super) enum Asked {
    /// A greeting.
    Greeting,
    /// The time of the server.
    Time,
    /// The end of the session.
    Goodbye,
    /// A request of the hub.
    Request(AnyRequest),
}

impl Asked {
    /// The environment that the call is about.
    pub(super) fn environment(&self) -> Option<EcoString> {
        match self {
            // No environment has a longer name.
            Asked::Request(request) => {
                request.subject().environment().filter(|name| name.len() <= NAME_LENGTH).map(EcoString::from)
            }
            Asked::Greeting | Asked::Time | Asked::Goodbye => None,
        }
    }

    /// Whether the call changes nothing that the server stores.
    pub(super) fn only_reads(&self) -> bool {
        match self {
            Asked::Greeting | Asked::Time => true,
            Asked::Goodbye => false,
            Asked::Request(request) => request.kind().only_reads(),
        }
    }
}

/// For each method: the types of requests that it becomes, and the translation.
macro_rules! translations {
    ($($Method:ident($call:ident) => [$($Request:ident),+] $request:expr;)*) => {
        /// Translates a call.
        pub(super) fn translate(call: Call) -> Result<Asked, Error> {
            let request: AnyRequest = match call {
                Call::Hello(_) => return Ok(Asked::Greeting),
                Call::Ping(_) => return Ok(Asked::Time),
                Call::Bye(_) => return Ok(Asked::Goodbye),
                $(Call::$Method($call) => $request.into(),)*
            };
            Ok(Asked::Request(request))
        }

        /// Returns the types of requests that calls of a method become; empty for methods that the gateway handles
        /// itself.
        pub fn requests_of_method(method: &str) -> &'static [RequestKind] {
            match method {
                $(<wire::$Method as Method>::NAME => &[$(RequestKind::$Request),+],)*
                _ => &[],
            }
        }
    };
}

translations! {
    ListEnvironments(_call) => [ListEnvironments] hub::ListEnvironments;
    Describe(call) => [DescribeEnvironment] hub::DescribeEnvironment { environment: call.environment.0 };
    Examine(call) => [Examine] hub::Examine {
        kind: call.kind.0,
        document: call.document.0.into(),
        parameters: call.parameters,
        seed: call.seed,
    };
    DescribeKind(call) => [DescribeKind] hub::DescribeKind { kind: call.kind.0 };
    Status(call) => [GetStatus] hub::GetStatus { environment: call.environment.0 };
    GetOutcome(call) => [GetOutcome] hub::GetOutcome { environment: call.environment.0 };
    CreateEnvironment(call) => [CreateEnvironment] create(call)?;
    RemoveEnvironment(call) => [RemoveEnvironment] hub::RemoveEnvironment { environment: call.environment.0 };
    Manage(call) => [Manage] hub::Manage { environment: call.environment.0, command: call.command };
    Advance(call) => [Advance] hub::Advance {
        environment: call.environment.0,
        steps: call.steps,
        at_once: call.at_once,
    };
    SetSpeed(call) => [SetSpeed] hub::SetSpeed {
        environment: call.environment.0,
        speed: speed(call.speed)?.unwrap_or(Speed::MAX),
    };
    Register(call) => [Register] hub::Register { environment: call.environment.0, agent: call.agent.0 };
    Unregister(call) => [Unregister] hub::Unregister { environment: call.environment.0, agent: call.agent.0 };
    ListEntities(call) => [ListEntities] hub::ListEntities { environment: call.environment.0 };
    Associate(call) => [Associate] hub::Associate {
        environment: call.environment.0,
        agent: call.agent.0,
        entity: call.entity.0,
    };
    Free(call) => [FreeAgent, FreeEntity] free(call)?;
    RequestEntity(call) => [RequestEntity] hub::RequestEntity {
        environment: call.environment.0,
        agent: call.agent.0,
        entity_type: call.entity_type.0,
        name: optional(call.name),
    };
    Act(call) => [Act] hub::Act {
        environment: call.environment.0,
        agent: call.agent.0,
        action: call.action,
        entities: names(call.entities),
        number: call.number,
    };
    Pass(call) => [Pass] hub::Pass {
        environment: call.environment.0,
        agent: call.agent.0,
        entities: names(call.entities),
    };
    Step(call) => [Step] hub::Step {
        environment: call.environment.0,
        turns: call.agents.into_iter().map(turn).collect(),
        form: call.form,
        since: call.since,
        perceive: call.perceive,
    };
    Perceive(call) => [Perceive] hub::Perceive {
        environment: call.environment.0,
        agent: call.agent.0,
        entities: names(call.entities),
        form: call.form,
        since: call.since,
    };
    Acknowledge(call) => [Acknowledge] hub::Acknowledge {
        environment: call.environment.0,
        agent: call.agent.0,
        versions: call.versions.into_iter().map(|known| (known.entity.0, known.version)).collect(),
    };
    GetMenu(call) => [GetMenu] hub::GetMenu {
        environment: call.environment.0,
        agent: call.agent.0,
        entity: call.entity.0,
        request: MenuRequest { about: call.about, text: call.text.into(), ..call.at.into() },
    };
    Wait(call) => [Wait] hub::Wait { environment: call.environment.0, after: call.after };
    Subscribe(call) => [
        SubscribeToEnvironments, SubscribeToHappenings, SubscribeToPercepts, SubscribeToScene, SubscribeToEntityScene,
        SubscribeToActivity, SubscribeToMail, SubscribeToConversations, SubscribeToRemarks
    ] subscribe(call.to);
    Unsubscribe(call) => [Unsubscribe] hub::Unsubscribe { subscription: call.subscription };
    Query(call) => [QueryOpenProperty, QueryEntityProperty, QueryProperty] hub::query(
        call.environment.0, optional(call.entity), call.property
    );
    GetScene(call) => [GetScene, GetEntityScene] scene(call);
    OpenMailbox(call) => [OpenMailbox] hub::OpenMailbox { agent: call.agent.0 };
    CloseMailbox(call) => [CloseMailbox] hub::CloseMailbox { agent: call.agent.0 };
    SendMessage(call) => [SendMessage] hub::SendMessage { agent: call.agent.0, message: message(*call.message)?, number: call.number };
    AskDirectory(call) => [AskDirectory] hub::AskDirectory { agent: call.agent.0, message: message(*call.message)? };
    AcknowledgeMail(call) => [AcknowledgeMail] hub::AcknowledgeMail { agent: call.agent.0, number: call.number };
    Host(call) => [HostEnvironment] host(call)?;
    UpdateHosted(call) => [UpdateHosted] hub::UpdateHosted {
        environment: call.environment.0,
        update: Box::new(call.update),
    };
}

/// Translates the answer of a host to the call with this id, which is `ENVIRONMENT/NUMBER`.
pub(super) fn host_answer(id: &str, answer: HostAnswer, update: HostUpdate) -> Result<hub::AnswerHostRequest, Error> {
    let unknown = || Error::new(Code::InvalidHost, "the server has made no call that this answers");
    let (environment, number) = id.rsplit_once('/').ok_or_else(unknown)?;
    let number = number.parse().map_err(|_| unknown())?;
    Ok(hub::AnswerHostRequest { environment: environment.into(), number, answer, update: Box::new(update) })
}

/// Reads the result of a host's answer.
pub(super) fn host_result(result: &str) -> Result<(HostAnswer, HostUpdate), serde_json::Error> {
    serde_json::from_str::<AnswerOfHost>(result).map(AnswerOfHost::into_parts)
}

/// Translates the call that creates an environment.
pub(super) fn create(call: wire::CreateEnvironment) -> Result<hub::CreateEnvironment, Error> {
    let wire::CreateEnvironment { kind, environment, parameters, seed, pace, speed: hertz, patience_ms, start, agents } =
        call;
    let (name, speed, patience) = (optional(environment), speed(hertz)?, patience_ms.map(Duration::from_millis));
    let beginning = Beginning { name, parameters, seed, pace: checked(pace)?, speed, patience, start };
    Ok(hub::CreateEnvironment {
        kind: kind.0,
        beginning,
        agents: agents.into_iter().map(agent_rule).collect(),
        kept: true,
    })
}

fn agent_rule(rule: wire::AgentRule) -> hub::AgentRule {
    let wire::AgentRule { entity, entity_type, count, agent } = rule;
    let count = count.map(|count| count as usize);
    hub::AgentRule { entity: optional(entity), entity_type: optional(entity_type), count, agent: Some(agent.0) }
}

fn host(call: wire::Host) -> Result<hub::HostEnvironment, Error> {
    let (name, speed) = (optional(call.environment), speed(call.speed)?);
    let (parameters, patience) = (call.parameters, call.patience_ms.map(Duration::from_millis));
    let (pace, seed, start) = (checked(call.pace)?, call.seed, call.start);
    let beginning = Beginning { name, parameters, seed, pace, speed, patience, start };
    let usual = HostTerms::default();
    let terms = HostTerms {
        begin_timeout: call.begin_timeout_ms.map_or(usual.begin_timeout, Duration::from_millis),
        answer_timeout: call.answer_timeout_ms.map_or(usual.answer_timeout, Duration::from_millis),
        steps_with_actions: call.steps_with_actions,
    };
    Ok(hub::HostEnvironment { ontology: Box::new(call.ontology), beginning, terms })
}

fn free(call: wire::Free) -> Result<AnyRequest, Error> {
    let wire::Free { environment, agent, entity } = call;
    let environment = environment.0;
    match (agent, optional(entity)) {
        (Some(agent), entity) => Ok(hub::FreeAgent { environment, agent: agent.0, entity }.into()),
        (None, Some(entity)) => Ok(hub::FreeEntity { environment, entity }.into()),
        (None, None) => Err(Error::new(Code::InvalidParameters, "name an agent, an entity, or both")),
    }
}

fn scene(call: wire::GetScene) -> AnyRequest {
    let environment = call.environment.0;
    match optional(call.viewer) {
        Some(entity) => hub::GetEntityScene { environment, entity }.into(),
        None => hub::GetScene { environment }.into(),
    }
}

fn subscribe(topic: Topic) -> AnyRequest {
    match topic {
        Topic::Environments {} => hub::SubscribeToEnvironments.into(),
        Topic::Happenings { environment } => hub::SubscribeToHappenings { environment: environment.0 }.into(),
        Topic::Percepts { environment, agent, form, since, changes_of, interval_ms } => hub::SubscribeToPercepts {
            environment: environment.0,
            agent: agent.0,
            form,
            since,
            changes_of: names(changes_of),
            interval: Duration::from_millis(interval_ms.into()),
        }
        .into(),
        Topic::Scene { environment, viewer: Some(entity) } => {
            hub::SubscribeToEntityScene { environment: environment.0, entity: entity.0 }.into()
        }
        Topic::Scene { environment, viewer: None } => hub::SubscribeToScene { environment: environment.0 }.into(),
        Topic::Mail { agent } => hub::SubscribeToMail { agent: agent.0 }.into(),
        Topic::Conversations { agent, protocol, conversation } => {
            let (protocol, conversation) = (protocol.map(Into::into), conversation.map(Into::into));
            let filter = hub::ConversationFilter { agent: optional(agent), protocol, conversation };
            hub::SubscribeToConversations { filter }.into()
        }
        Topic::Remarks { environment, entity } => {
            let filter = hub::RemarkFilter { environment: optional(environment), entity: optional(entity) };
            hub::SubscribeToRemarks { filter }.into()
        }
        Topic::Activity { environment, entity } => {
            hub::SubscribeToActivity { environment: environment.0, entity: optional(entity) }.into()
        }
    }
}

fn message(written: AclMessage) -> Result<Box<Message<'static>>, Error> {
    let read = Message::try_from(written).map(Box::new);
    read.map_err(|error| Error::new(Code::InvalidParameters, format!("the message is invalid: {error}")))
}

fn turn(turn: wire::Turn) -> hub::Turn {
    let wire::Turn { agent, action, entities, number } = turn;
    hub::Turn { agent: agent.0, action, entities: names(entities), number }
}

/// Returns a speed in steps per second.
fn speed(hertz: Option<f64>) -> Result<Option<Speed>, Error> {
    let wrong = |error| Error::new(Code::InvalidParameters, format!("`speed`: {error}"));
    hertz.map(Speed::try_hertz).transpose().map_err(wrong)
}

/// Returns a pace, after checking that its steps per second are a valid speed.
fn checked(pace: Option<Pace>) -> Result<Option<Pace>, Error> {
    if let Some(Pace::RealTime { steps_per_second }) = pace
        && Speed::try_hertz(steps_per_second).is_err()
    {
        let least = Speed::SLOWEST;
        let wrong = format!("`pace`: found {steps_per_second} steps per second, expected at least {least}");
        return Err(Error::new(Code::InvalidParameters, wrong));
    }
    Ok(pace)
}

fn names(names: Vec<Name>) -> Vec<EcoString> {
    names.into_iter().map(|name| name.0).collect()
}

fn optional(name: Option<Name>) -> Option<EcoString> {
    name.map(|name| name.0)
}
