//! Every request with every set of rights, on the session's own agents and on those of others.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use situated::host::{HostAnswer, HostUpdate};
use situated::iil::Action;
use situated::interface::{Command, Form, Interface, Moment, Since};
use situated_acl::Message;
use situated_find_goals::FindGoals;
use situated_hub::*;
use situated_runtime::{Owner, Tempo};
use situated_wire::{AclMessage, Code, with_requests};

use Right::{Act as A, Host as H, Manage as M, Observe as O};

/// An environment with an agent of the session under test, if it may have one, and an agent of another session.
struct Scene {
    environment: Name,
    /// An environment that the session hosts, or that another session hosts.
    hosted: Name,
    agent: Name,
    entity: Name,
    /// Number of a subscription, if the session has one.
    subscription: u64,
}

/// Sessions that may make a request, by right.
struct Wanted {
    /// Rights that suffice for the session's own agents, or for requests that are not about agents.
    own: &'static [Right],
    /// Rights that suffice for agents, entities and hosted environments of other sessions.
    others: &'static [Right],
    /// Whether a session without any right may make it.
    anybody: bool,
}

const ANYBODY: Wanted = Wanted { own: &[A, O, H, M], others: &[A, O, H, M], anybody: true };

fn only(rights: &'static [Right]) -> Wanted {
    Wanted { own: rights, others: rights, anybody: false }
}

fn own(own: &'static [Right], others: &'static [Right]) -> Wanted {
    Wanted { own, others, anybody: false }
}

/// Each request that a session can make, and the sessions that may make it. Those whose contents decide are there in all
/// forms.
fn cases(scene: &Scene) -> Vec<(Call, Wanted)> {
    let environment = || scene.environment.clone();
    let (agent, entity) = (|| scene.agent.clone(), || scene.entity.clone());
    let (form, since) = (Form::Update, Since::LastCall);
    let subscribe = |to: Topic| Call::from(Subscribe { to });
    let query = |entity: Option<Name>, property: &str| {
        Call::from(Query { environment: environment(), entity, property: property.into() })
    };
    let ontology = || Interface::<FindGoals>::new().ontology().clone();
    let hello = Hello { protocol: 2, role: Role::Agent, token: None, resume: None, client: None, heartbeat_ms: None };
    let act = Act {
        environment: environment(),
        agent: agent(),
        action: Action::new("up", []),
        entities: vec![],
        number: None,
    };
    let turn = Turn::new(agent(), None);
    let step = Step { environment: environment(), agents: vec![turn], form, since, perceive: true };
    let percepts =
        Topic::Percepts { environment: environment(), agent: agent(), form, since, changes_of: vec![], interval_ms: 0 };
    let examine = Examine { kind: "maze".into(), document: "map".into(), parameters: [].into(), seed: None };
    let ask = Message::request().to("ams");
    vec![
        (hello.into(), ANYBODY),
        (Ping {}.into(), ANYBODY),
        (ListEnvironments {}.into(), ANYBODY),
        (DescribeKind { kind: "find-goals".into() }.into(), ANYBODY),
        (examine.into(), only(&[M])),
        (CreateEnvironment::new("maze").into(), only(&[M])),
        (RemoveEnvironment { environment: environment() }.into(), only(&[M])),
        (Host::new(ontology()).into(), only(&[H])),
        (subscribe(Topic::Environments {}), ANYBODY),
        (Unsubscribe { subscription: scene.subscription }.into(), ANYBODY),
        (Describe { environment: environment() }.into(), ANYBODY),
        (Status { environment: environment() }.into(), ANYBODY),
        (GetOutcome { environment: environment() }.into(), ANYBODY),
        (ListEntities { environment: environment() }.into(), ANYBODY),
        (query(Some(entity()), "type"), ANYBODY),
        (query(None, "log"), only(&[O, M])),
        (query(Some(entity()), "mood"), own(&[A, O, M], &[O, M])),
        (Wait { environment: environment(), after: Moment::default() }.into(), ANYBODY),
        (Manage { environment: environment(), command: Command::Pause }.into(), only(&[M])),
        (Advance { environment: environment(), steps: 0, at_once: false }.into(), only(&[M])),
        (SetSpeed { environment: environment(), speed: None }.into(), only(&[M])),
        (Register { environment: environment(), agent: "new".into() }.into(), only(&[A])),
        (Unregister { environment: environment(), agent: agent() }.into(), own(&[A, M], &[M])),
        (Associate { environment: environment(), agent: agent(), entity: entity() }.into(), own(&[A], &[])),
        (Free { environment: environment(), agent: Some(agent()), entity: None }.into(), own(&[A, M], &[M])),
        (Free { environment: environment(), agent: None, entity: Some(entity()) }.into(), only(&[M])),
        (
            RequestEntity { environment: environment(), agent: agent(), entity_type: "robot".into(), name: None }
                .into(),
            own(&[A], &[]),
        ),
        (act.into(), own(&[A], &[])),
        (Pass { environment: environment(), agent: agent(), entities: vec![] }.into(), own(&[A], &[])),
        (step.into(), own(&[A], &[])),
        (Perceive::new(environment(), agent()).into(), own(&[A], &[])),
        (Acknowledge { environment: environment(), agent: agent(), versions: vec![] }.into(), own(&[A], &[])),
        (Remark { environment: environment(), agent: agent(), remark: "well".into() }.into(), own(&[A], &[])),
        (
            GetMenu {
                environment: environment(),
                agent: agent(),
                entity: entity(),
                at: None,
                about: None,
                text: String::new(),
            }
            .into(),
            own(&[A], &[]),
        ),
        (GetScene { environment: environment(), viewer: None }.into(), only(&[O, M])),
        (GetScene { environment: environment(), viewer: Some(entity()) }.into(), own(&[A, O, M], &[O, M])),
        (subscribe(Topic::Happenings { environment: environment() }), ANYBODY),
        (subscribe(percepts), own(&[A], &[])),
        (subscribe(Topic::Scene { environment: environment(), viewer: None }), only(&[O, M])),
        (subscribe(Topic::Scene { environment: environment(), viewer: Some(entity()) }), own(&[A, O, M], &[O, M])),
        (subscribe(Topic::Activity { environment: environment(), entity: None }), only(&[O, M])),
        (subscribe(Topic::Remarks(RemarkFilter::default())), only(&[O, M])),
        (subscribe(Topic::Conversations(ConversationFilter::default())), only(&[O, M])),
        (subscribe(Topic::Mail { agent: agent() }), own(&[A], &[])),
        (OpenMailbox { agent: "new".into() }.into(), only(&[A])),
        (CloseMailbox { agent: agent() }.into(), own(&[A], &[])),
        (
            SendMessage { agent: agent(), message: written(&Message::inform().to("stranger")), number: None }.into(),
            own(&[A], &[]),
        ),
        (AskDirectory { agent: agent(), message: written(&ask) }.into(), own(&[A], &[])),
        (AcknowledgeMail { agent: agent(), number: 0 }.into(), own(&[A], &[])),
        (DescribeEncoding { environment: environment(), entity_type: "walker".into() }.into(), ANYBODY),
        (Encode { environment: environment(), entity: entity() }.into(), own(&[A, O, M], &[O, M])),
        (Decode { environment: environment(), entity: entity(), action: 0 }.into(), own(&[A, O, M], &[O, M])),
        (UpdateHosted { environment: scene.hosted.clone(), update: HostUpdate::default() }.into(), own(&[H], &[])),
        (
            AnswerHostRequest {
                environment: scene.hosted.clone(),
                number: 1,
                answer: HostAnswer::Done,
                update: Box::default(),
            }
            .into(),
            own(&[H], &[]),
        ),
        (Bye {}.into(), ANYBODY),
    ]
}

fn written(message: &Message<'_>) -> Box<AclMessage> {
    Box::new(AclMessage::from(message))
}

/// A session that stores the last answer.
#[derive(Default)]
struct LastAnswer(parking_lot::Mutex<Option<Result<Answer, Error>>>);

impl Receiver for LastAnswer {
    fn answer(&self, _: ReplyToken, answer: Result<Answer, Error>) -> Option<TooLarge> {
        *self.0.lock() = Some(answer);
        None
    }

    fn notify(&self, _: Notification<'_>) -> Option<TooLarge> {
        None
    }

    fn has_room(&self) -> bool {
        false
    }

    fn close(&self, _: Error) {}
}

struct Client {
    hub: Arc<Hub>,
    session: Arc<Session>,
    last: Arc<LastAnswer>,
}

impl Client {
    fn new(hub: &Arc<Hub>, rights: Rights) -> Self {
        let last = Arc::new(LastAnswer::default());
        let session = hub.open_session(rights, SessionLimits::default(), last.clone()).expect("the hub is open");
        Self { hub: hub.clone(), session, last }
    }

    /// Submits a request. No request of this test waits for a step, but the answer may come from another thread that
    /// holds the seat of the environment.
    fn ask(&self, request: impl Into<Call>) -> Result<Answer, Error> {
        let request = request.into();
        let name = request.name();
        self.hub.submit(&self.session, ReplyToken(7), request);
        for _ in 0..10_000 {
            if let Some(answer) = self.last.0.lock().take() {
                return answer;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("{name} is not answered");
    }

    /// Adds an agent with an entity.
    fn settle(&self, environment: &Name, agent: &str, entity: &str) {
        let (environment, agent) = (environment.clone(), Name::from(agent));
        self.ask(Register { environment: environment.clone(), agent: agent.clone() }).expect("the name is free");
        self.ask(Associate { environment, agent, entity: entity.into() }).expect("the entity is free");
    }

    fn host(&self) -> Name {
        match self.ask(Host::new(Interface::<FindGoals>::new().ontology().clone())) {
            Ok(Answer::Hosting(hosting)) => hosting.environment,
            other => panic!("{other:?}"),
        }
    }
}

/// Whether the hub accepted the request, even if it failed later.
fn is_accepted(answer: &Result<Answer, Error>) -> bool {
    let error = match answer {
        Ok(Answer::Stepped(stepped)) => stepped.agents[0].error.as_deref().cloned(),
        Ok(_) => None,
        Err(error) => Some(error.into()),
    };
    error.is_none_or(|error| error.code() != Some(Code::Forbidden))
}

macro_rules! declared_needs {
    (methods { $($methods:tt)* } local { $($local:tt)* }) => {
        declared_needs! { $($methods)* $($local)* }
    };
    ($(
        $(#[$documentation:meta])* $($name:literal)? $Request:ident -> $Answer:ty { $($declared:tt)* };
    )*) => {
        /// What each request declares that it may need.
        fn needs_of(request: &Call) -> &'static [Needs] {
            match request {
                $(Call::$Request(_) => $Request::NEEDS,)*
            }
        }

        /// The number of requests that there are.
        const REQUESTS: usize = [$(stringify!($Request)),*].len();
    };
}

with_requests!(declared_needs);

/// Checks that the cases are about all requests, in all forms.
fn check_completeness(cases: &[(Call, Wanted)]) {
    let mut needed = BTreeMap::<&str, Vec<Needs>>::new();
    for (request, _) in cases {
        needed.entry(request.name()).or_default().push(request.needs());
        assert!(needs_of(request).contains(&request.needs()), "{} declares other rights", request.name());
    }
    assert_eq!(needed.len(), REQUESTS, "a request is missing; add a case for it");
    for (request, _) in cases {
        let name = request.name();
        assert!(needs_of(request).iter().all(|needs| needed[name].contains(needs)), "a form of {name} is missing");
    }
}

#[test]
fn accepts_each_request_from_exactly_the_sessions_with_the_right() {
    let hub = LocalHub::new(Kinds::new()).expect("a thread");
    let stranger = Client::new(&hub, Right::ALL.into_iter().collect());
    let others_hosted = stranger.host();
    let nowhere = Scene {
        environment: "maze".into(),
        hosted: "maze".into(),
        agent: "ann".into(),
        entity: "red".into(),
        subscription: 1,
    };
    check_completeness(&cases(&nowhere));
    for number in 0..cases(&nowhere).len() {
        for set in 0..1 << Right::ALL.len() {
            let mut rights = Right::ALL.to_vec();
            rights.retain(|right| set & 1 << *right as u8 != 0);
            for is_own in [true, false] {
                let maze = Interface::<FindGoals>::new();
                let tempo = Tempo::of(maze.ontology());
                let init = Command::Init { parameters: [].into(), seed: 1 };
                let status = hub.add("maze", Owner::new(Box::new(maze), tempo), vec![init]).expect("there is room");
                let client = Client::new(&hub, rights.iter().copied().collect());
                let environment = status.environment;
                stranger.settle(&environment, "stranger", "blue");
                let has_agent = rights.contains(&A);
                if has_agent {
                    client.settle(&environment, "own", "red");
                }
                // Sessions that may not have agents cannot name their own.
                let (agent, entity) = if is_own && has_agent { ("own", "red") } else { ("stranger", "blue") };
                let hosted = if is_own && rights.contains(&H) { client.host() } else { others_hosted.clone() };
                let subscription = match client.ask(Subscribe { to: Topic::Environments {} }) {
                    Ok(Answer::Subscribed(subscribed)) => subscribed.subscription,
                    other => panic!("{other:?}"),
                };
                let (agent, entity) = (agent.into(), entity.into());
                let scene = Scene { environment, hosted, agent, entity, subscription };
                let (request, wanted) = cases(&scene).swap_remove(number);
                let name = request.name();
                let wanted_rights = if is_own { wanted.own } else { wanted.others };
                let is_open = wanted.anybody || rights.iter().any(|right| wanted_rights.contains(right));
                let answer = client.ask(request);
                assert_eq!(is_accepted(&answer), is_open, "{name} with {rights:?}, own: {is_own}: {answer:?}");
                hub.end_session(&client.session, Error::SessionEnded);
                // The request may have removed it already.
                let _ = stranger.ask(RemoveEnvironment { environment: scene.environment });
            }
        }
    }
}
