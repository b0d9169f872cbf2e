//! Every request with every set of rights, on the session's own agents and on those of others.

use std::sync::Arc;
use std::time::Duration;

use situated::host::HostAnswer;
use situated::iil::{Action, EcoString};
use situated::interface::{Command, Form, Interface, Moment, Since};
use situated_acl::Message;
use situated_find_goals::FindGoals;
use situated_hub::*;
use situated_runtime::{HostTerms, Owner, Speed, Tempo};

use Right::{Act as A, Host as H, Manage as M, Observe as O};

/// An environment with an agent of the session under test, if it may have one, and an agent of another session.
struct Scene {
    environment: EcoString,
    /// An environment that the session hosts, or that another session hosts.
    hosted: EcoString,
    agent: EcoString,
    entity: EcoString,
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

/// Returns a request of each kind, and the sessions that may make it. A new kind of request does not compile until it
/// is added here.
fn case(kind: RequestKind, scene: &Scene) -> (AnyRequest, Wanted) {
    let environment = scene.environment.clone();
    let (agent, entity) = (scene.agent.clone(), scene.entity.clone());
    let (form, since) = (Form::Update, Since::LastCall);
    let beginning = Beginning::default();
    match kind {
        RequestKind::ListEnvironments => (ListEnvironments.into(), ANYBODY),
        RequestKind::DescribeKind => (DescribeKind { kind: "find-goals".into() }.into(), ANYBODY),
        RequestKind::Examine => {
            let (kind, document) = ("maze".into(), "map".to_owned());
            (Examine { kind, document, parameters: Default::default(), seed: None }.into(), only(&[M]))
        }
        RequestKind::CreateEnvironment => {
            (CreateEnvironment { kind: "maze".into(), beginning, agents: Vec::new(), kept: true }.into(), only(&[M]))
        }
        RequestKind::RemoveEnvironment => (RemoveEnvironment { environment }.into(), only(&[M])),
        RequestKind::HostEnvironment => {
            let ontology = Box::new(Interface::<FindGoals>::new().ontology().clone());
            let terms = HostTerms::default();
            (HostEnvironment { ontology, beginning, terms }.into(), only(&[H]))
        }
        RequestKind::SubscribeToEnvironments => (SubscribeToEnvironments.into(), ANYBODY),
        RequestKind::Unsubscribe => (Unsubscribe { subscription: scene.subscription }.into(), ANYBODY),
        RequestKind::DescribeEnvironment => (DescribeEnvironment { environment }.into(), ANYBODY),
        RequestKind::GetStatus => (GetStatus { environment }.into(), ANYBODY),
        RequestKind::GetOutcome => (GetOutcome { environment }.into(), ANYBODY),
        RequestKind::ListEntities => (ListEntities { environment }.into(), ANYBODY),
        RequestKind::QueryOpenProperty => (query(environment, Some(entity), "type".into()), ANYBODY),
        RequestKind::QueryProperty => (query(environment, None, "log".into()), only(&[O, M])),
        RequestKind::QueryEntityProperty => (query(environment, Some(entity), "mood".into()), own(&[A, O, M], &[O, M])),
        RequestKind::Wait => (Wait { environment, after: Moment::default() }.into(), ANYBODY),
        RequestKind::Manage => (Manage { environment, command: Command::Pause }.into(), only(&[M])),
        RequestKind::Advance => (Advance { environment, steps: 0, at_once: false }.into(), only(&[M])),
        RequestKind::SetSpeed => (SetSpeed { environment, speed: Speed::MAX }.into(), only(&[M])),
        RequestKind::Register => (Register { environment, agent: "new".into() }.into(), only(&[A])),
        RequestKind::Unregister => (Unregister { environment, agent }.into(), own(&[A, M], &[M])),
        RequestKind::Associate => (Associate { environment, agent, entity }.into(), own(&[A], &[])),
        RequestKind::FreeAgent => (FreeAgent { environment, agent, entity: None }.into(), own(&[A, M], &[M])),
        RequestKind::FreeEntity => (FreeEntity { environment, entity }.into(), only(&[M])),
        RequestKind::RequestEntity => {
            let entity_type = "robot".into();
            (RequestEntity { environment, agent, entity_type, name: None }.into(), own(&[A], &[]))
        }
        RequestKind::Act => {
            let action = Action::new("up", []);
            (Act { environment, agent, action, entities: vec![], number: None }.into(), own(&[A], &[]))
        }
        RequestKind::Pass => (Pass { environment, agent, entities: vec![] }.into(), own(&[A], &[])),
        RequestKind::Step => {
            let turns = vec![Turn { agent, action: None, entities: vec![], number: None }];
            (Step { environment, turns, form, since, perceive: true }.into(), own(&[A], &[]))
        }
        RequestKind::Perceive => {
            (Perceive { environment, agent, entities: vec![], form, since }.into(), own(&[A], &[]))
        }
        RequestKind::Acknowledge => (Acknowledge { environment, agent, versions: vec![] }.into(), own(&[A], &[])),
        RequestKind::Remark => (Remark { environment, agent, remark: "well".into() }.into(), own(&[A], &[])),
        RequestKind::GetMenu => (GetMenu { environment, agent, entity, request: None.into() }.into(), own(&[A], &[])),
        RequestKind::GetScene => (GetScene { environment }.into(), only(&[O, M])),
        RequestKind::GetEntityScene => (GetEntityScene { environment, entity }.into(), own(&[A, O, M], &[O, M])),
        RequestKind::SubscribeToHappenings => (SubscribeToHappenings { environment }.into(), ANYBODY),
        RequestKind::SubscribeToPercepts => {
            let (changes_of, interval) = (vec![], Duration::ZERO);
            (SubscribeToPercepts { environment, agent, form, since, changes_of, interval }.into(), own(&[A], &[]))
        }
        RequestKind::SubscribeToScene => (SubscribeToScene { environment }.into(), only(&[O, M])),
        RequestKind::SubscribeToEntityScene => {
            (SubscribeToEntityScene { environment, entity }.into(), own(&[A, O, M], &[O, M]))
        }
        RequestKind::SubscribeToActivity => (SubscribeToActivity { environment, entity: None }.into(), only(&[O, M])),
        RequestKind::SubscribeToRemarks => {
            (SubscribeToRemarks { filter: RemarkFilter::default() }.into(), only(&[O, M]))
        }
        RequestKind::OpenMailbox => (OpenMailbox { agent: "new".into() }.into(), only(&[A])),
        RequestKind::CloseMailbox => (CloseMailbox { agent }.into(), own(&[A], &[])),
        RequestKind::SendMessage => {
            let message = Box::new(Message::inform().to("stranger"));
            (SendMessage { agent, message, number: None }.into(), own(&[A], &[]))
        }
        RequestKind::AskDirectory => {
            let message = Box::new(Message::request().to("ams"));
            (AskDirectory { agent, message }.into(), own(&[A], &[]))
        }
        RequestKind::AcknowledgeMail => (AcknowledgeMail { agent, number: 0 }.into(), own(&[A], &[])),
        RequestKind::SubscribeToMail => (SubscribeToMail { agent }.into(), own(&[A], &[])),
        RequestKind::SubscribeToConversations => {
            (SubscribeToConversations { filter: ConversationFilter::default() }.into(), only(&[O, M]))
        }
        RequestKind::DescribeEncoding => {
            (DescribeEncoding { environment, entity_type: "walker".into() }.into(), ANYBODY)
        }
        RequestKind::Encode => (Encode { environment, entity }.into(), own(&[A, O, M], &[O, M])),
        RequestKind::Decode => (Decode { environment, entity, action: 0 }.into(), own(&[A, O, M], &[O, M])),
        RequestKind::UpdateHosted => {
            let environment = scene.hosted.clone();
            (UpdateHosted { environment, update: Box::default() }.into(), own(&[H], &[]))
        }
        RequestKind::AnswerHostRequest => {
            let (environment, answer, update) = (scene.hosted.clone(), HostAnswer::Done, Box::default());
            (AnswerHostRequest { environment, number: 1, answer, update }.into(), own(&[H], &[]))
        }
    }
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
    fn ask(&self, request: impl Into<AnyRequest>) -> Result<Answer, Error> {
        let request = request.into();
        let kind = request.kind();
        self.hub.submit(&self.session, ReplyToken(7), request);
        for _ in 0..10_000 {
            if let Some(answer) = self.last.0.lock().take() {
                return answer;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("{kind:?} is not answered");
    }

    /// Adds an agent with an entity.
    fn settle(&self, environment: &EcoString, agent: &str, entity: &str) {
        let (environment, agent) = (environment.clone(), EcoString::from(agent));
        self.ask(Register { environment: environment.clone(), agent: agent.clone() }).expect("the name is free");
        self.ask(Associate { environment, agent, entity: entity.into() }).expect("the entity is free");
    }

    fn host(&self) -> EcoString {
        let ontology = Box::new(Interface::<FindGoals>::new().ontology().clone());
        let (beginning, terms) = (Beginning::default(), HostTerms::default());
        match self.ask(HostEnvironment { ontology, beginning, terms }) {
            Ok(Answer::Hosting(hosting)) => hosting.environment,
            other => panic!("{other:?}"),
        }
    }
}

/// Whether the hub accepted the request, even if it failed later.
fn is_accepted(answer: &Result<Answer, Error>) -> bool {
    let error = match answer {
        Ok(Answer::Stepped(stepped)) => stepped.turns[0].error.as_deref(),
        Ok(_) => None,
        Err(error) => Some(error),
    };
    let refused = matches!(
        error,
        Some(Error::Forbidden { .. } | Error::OthersAgent { .. } | Error::OthersEntity { .. } | Error::NotHost { .. })
    );
    !refused
}

#[test]
fn accepts_each_request_from_exactly_the_sessions_with_the_right() {
    let hub = LocalHub::new(Kinds::new()).expect("a thread");
    let stranger = Client::new(&hub, Right::ALL.into_iter().collect());
    let others_hosted = stranger.host();
    for (number, kind) in RequestKind::ALL.iter().enumerate() {
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
                let subscription = match client.ask(SubscribeToEnvironments) {
                    Ok(Answer::Subscribed(subscribed)) => subscribed.subscription,
                    other => panic!("{other:?}"),
                };
                let (agent, entity) = (agent.into(), entity.into());
                let scene = Scene { environment, hosted, agent, entity, subscription };
                let (request, wanted) = case(*kind, &scene);
                assert_eq!(request.kind(), *kind, "case {number}");
                let wanted_rights = if is_own { wanted.own } else { wanted.others };
                let is_open = wanted.anybody || rights.iter().any(|right| wanted_rights.contains(right));
                let answer = client.ask(request);
                assert_eq!(is_accepted(&answer), is_open, "{kind:?} with {rights:?}, own: {is_own}: {answer:?}");
                hub.end_session(&client.session, Error::SessionEnded);
                // The request may have removed it already.
                let _ = stranger.ask(RemoveEnvironment { environment: scene.environment });
            }
        }
    }
}
