//! Programs in the same process: from several threads and from asynchronous code at once.

use std::pin::pin;
use std::sync::Arc;
use std::sync::mpsc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use situated::agent::Agent;
use situated::iil::Action;
use situated::interface::{Command, Interface, Moment, Perception, State};
use situated::ontology::Pace;
use situated_hub::{
    Advance, Answer, Answering, EnvironmentStatus, Error, GetScene, Kinds, LocalHub, LocalSession, Manage,
    REQUESTS_WAITING, Register, Right, Status, Wait,
};
use situated_runtime::{Error as OwnerError, Owner, Post, Program, Rule, Speed, Team, Tempo};
use situated_toys::mill::{Mill, log};

/// The name of the environment.
const MILL: &str = "mill";

fn action(text: &str) -> Action {
    text.parse().expect("an action")
}

fn manage(command: Command) -> Manage {
    Manage { environment: MILL.into(), command }
}

fn tempo(pace: Pace) -> Tempo {
    Tempo { pace, speed: Speed::MAX, patience: None }
}

/// A hub with a mill that has begun, and a session that may do everything.
fn mill(tempo: Tempo) -> (LocalHub, LocalSession) {
    with_team(tempo, Team::default())
}

fn with_team(tempo: Tempo, team: Team) -> (LocalHub, LocalSession) {
    let hub = LocalHub::new(Kinds::new()).expect("a thread");
    let owner = Owner::new(Box::new(Interface::<Mill>::new()), tempo).with_team(team);
    hub.add(MILL, owner, vec![Command::Init { parameters: [].into(), seed: 1 }]).expect("a mill");
    let session = hub.session(Right::ALL.into_iter().collect()).expect("the hub is open");
    (hub, session)
}

fn running(tempo: Tempo) -> (LocalHub, LocalSession) {
    let (hub, session) = mill(tempo);
    session.ask(manage(Command::Start)).wait().expect("paused");
    (hub, session)
}

fn settle(session: &LocalSession, name: &str, entity: &str) {
    let agent = session.agent(MILL, name);
    agent.register().wait().expect("new");
    agent.associate(entity).wait().expect("free");
}

fn status(session: &LocalSession) -> EnvironmentStatus {
    session.ask(Status { environment: MILL.into() }).wait().expect("it is there").status
}

fn wait_until_after(session: &LocalSession, after: Moment) -> Answering<situated_hub::Done> {
    session.ask(Wait { environment: MILL.into(), after })
}

/// Maximum time to wait for an answer, so that a test fails instead of waiting forever.
const PATIENCE: Duration = Duration::from_secs(20);

/// The answer, which comes soon.
fn soon<A: TryFrom<Answer> + Send + 'static>(answer: Answering<A>) -> Result<A, Error> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || drop(sender.send(answer.wait())));
    receiver.recv_timeout(PATIENCE).expect("an answer")
}

/// Blocks this thread until the future is ready.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park_timeout(PATIENCE),
        }
    }
    panic!("no answer");
}

#[test]
fn several_threads_act_in_lockstep() {
    const STEPS: u64 = 50;
    let (hub, session) = running(tempo(Pace::Lockstep));
    let agents = [("anna", "worker0"), ("bert", "worker1"), ("cleo", "guard0")];
    for (agent, entity) in agents {
        settle(&session, agent, entity);
    }
    thread::scope(|scope| {
        for (name, _) in agents {
            let agent = session.agent(MILL, name);
            scope.spawn(move || {
                for step in 1..=STEPS {
                    let acted = agent.act(action(&format!("work({step})"))).wait().expect("allowed");
                    assert!(acted.results[0].error.is_none());
                    let perceived = agent.perceive().wait().expect("allowed");
                    assert!(perceived.moment.step >= step);
                }
            });
        }
    });
    let log = hub.environment(MILL).expect("it is there").read(log).expect("whole");
    let expected = (1..=STEPS).flat_map(|step| {
        let done = agents.iter().map(move |(_, entity)| format!("{entity} work({step})"));
        done.chain([format!("step {step}")])
    });
    assert_eq!(log, expected.collect::<Vec<_>>());
}

#[test]
fn asynchronous_code_awaits_answers() {
    let real_time = Pace::RealTime { steps_per_second: 1_000.0 };
    let (_hub, session) = running(Tempo { speed: Speed::hertz(1_000.0), ..tempo(real_time) });
    let anna = session.agent(MILL, "anna");
    block_on(async {
        anna.register().await.expect("new");
        anna.associate("worker0").await.expect("free");
        let get_status = || session.ask(Status { environment: MILL.into() });
        let begin = get_status().await.expect("it runs").status.moment;
        let later = wait_until_after(&session, begin).await.expect("it runs");
        assert!(later.moment.step > begin.step);
        anna.act(action("work(1)")).await.expect("allowed");
        session.ask(manage(Command::Pause)).await.expect("running");
        let now = session.ask(Advance { environment: MILL.into(), steps: 5, at_once: false }).await.expect("paused");
        let status = get_status().await.expect("there").status;
        assert_eq!((status.state, status.moment.step), (State::Paused, now.moment.step));
    });
}

#[test]
fn refuses_requests_beyond_the_limit_while_an_environment_is_slow() {
    let (hub, session) = running(tempo(Pace::Own));
    let (release, released) = mpsc::channel::<()>();
    let (enter, entered) = mpsc::channel::<()>();
    let mill = hub.environment(MILL).expect("it is there");
    let slow = thread::spawn(move || {
        mill.read(move |_| {
            enter.send(()).expect("the receiver exists");
            released.recv().expect("it is released");
        })
    });
    entered.recv().expect("the environment is busy");
    let ask = || session.ask(Status { environment: MILL.into() });
    let waiting: Vec<_> = (0..REQUESTS_WAITING).map(|_| ask()).collect();
    assert!(matches!(ask().wait(), Err(Error::Limit { limit: REQUESTS_WAITING, .. })));
    assert!(matches!(block_on(ask()), Err(Error::Limit { .. })));
    release.send(()).expect("the environment waits for this");
    slow.join().expect("no panic").expect("whole");
    assert!(waiting.into_iter().all(|answer| soon(answer).is_ok()));
    assert!(ask().wait().is_ok(), "there is room again");
}

#[test]
fn waiting_requests_fail_when_the_hub_is_dropped() {
    let (hub, session) = running(tempo(Pace::Lockstep));
    settle(&session, "anna", "worker0");
    settle(&session, "bert", "worker1");
    let act = session.agent(MILL, "anna").act(action("work(1)"));
    let wait = wait_until_after(&session, status(&session).moment);
    drop(hub);
    assert!(soon(act).is_err());
    assert!(block_on(wait).is_err());
    assert!(matches!(session.agent(MILL, "cleo").register().wait(), Err(Error::EnvironmentEnded { .. })));
}

#[test]
fn unregisters_agents_when_the_last_clone_of_their_session_is_dropped() {
    let (hub, session) = running(tempo(Pace::Own));
    let agent = session.agent(MILL, "anna");
    agent.register().wait().expect("new");
    drop(session);
    let other = hub.session(Right::ALL.into_iter().collect()).expect("the hub is open");
    assert!(matches!(other.agent(MILL, "anna").register().wait(), Err(Error::AgentTaken { .. })));
    drop(agent);
    other.agent(MILL, "anna").register().wait().expect("free again");
}

#[test]
fn a_crash_is_reported_to_all_threads_and_ends_no_other_environment() {
    let (_hub, session) = running(tempo(Pace::Own));
    let (_other_hub, other) = running(tempo(Pace::Own));
    settle(&session, "anna", "worker0");
    let waits = wait_until_after(&session, status(&session).moment);
    let crashed = session.agent(MILL, "anna").act(action("burst")).wait();
    assert!(crashed.is_err_and(|error| is_crash(&error)));
    assert!(soon(waits).is_err_and(|error| is_crash(&error)));
    let register = Register { environment: MILL.into(), agent: "bert".into() };
    assert!(session.ask(register.clone()).wait().is_err_and(|error| is_crash(&error)));
    assert_eq!(status(&session).state, State::Killed);
    other.ask(register).wait().expect("another environment");
}

#[test]
fn a_panic_while_reading_affects_only_the_caller() {
    let (hub, session) = running(tempo(Pace::Own));
    settle(&session, "anna", "worker0");
    session.agent(MILL, "anna").act(action("arm(scene)")).wait().expect("allowed");
    let mill = hub.environment(MILL).expect("it is there");
    let looked = mill.read(|interface| interface.scene(None));
    assert!(matches!(looked, Err(OwnerError::Panicked { reason }) if reason.contains("armed")));
    let looked = mill.read(|_| -> () { panic!("a mistake of the caller") });
    assert_eq!(looked, Err(OwnerError::Panicked { reason: "a mistake of the caller".into() }));
    session.agent(MILL, "bert").register().wait().expect("the environment continues");
    // A panic in a request is different: then the environment itself has failed.
    let scene = session.ask(GetScene { environment: MILL.into(), viewer: None }).wait();
    assert!(scene.is_err_and(|error| is_crash(&error)));
}

/// A program that waits for another process while it decides.
struct Caller(mpsc::Receiver<()>);

impl Agent for Caller {
    fn decide(&mut self, _: &Perception) -> Option<Action> {
        let _ = self.0.recv_timeout(PATIENCE);
        None
    }
}

#[test]
fn answers_requests_while_a_program_blocks_another_thread() {
    let (answer, question) = mpsc::channel();
    let mut caller = Some(Caller(question));
    let employ = move |_: &Post<'_>| Ok(Box::new(caller.take().ok_or("there is one")?) as Box<dyn Agent>);
    let rule = Rule::new(Some("worker0".into()), None, None, Program::new("caller", employ));
    let (_hub, session) = with_team(tempo(Pace::Lockstep), Team::new(vec![rule]));
    settle(&session, "anna", "worker1");
    let starter = session.clone();
    let started = thread::spawn(move || starter.ask(manage(Command::Start)).wait());
    // The program decides on the thread that started the environment, and blocks it.
    thread::sleep(Duration::from_millis(100));
    let act = session.agent(MILL, "anna").act(action("work(1)"));
    answer.send(()).expect("it waits");
    drop(answer);
    started.join().expect("no panic").expect("paused");
    assert_eq!(soon(act).expect("all have chosen").results[0].error, None);
}

fn is_crash(error: &Error) -> bool {
    matches!(error, Error::Owner(error) if matches!(**error, OwnerError::Crashed { .. }))
}
