//! Environments that this client hosts, with agents on a server.

use std::future::IntoFuture;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use situated::environment::Environment;
use situated::host::{HostRequest, HostTask, HostTerms, Provider};
use situated::hosted::HostedInterface;
use situated::iil::{Action, EcoString, Percept};
use situated::interface::{Command, EnvironmentInterface, Form, Interface, Perception, Since, State};
use situated_client::{Client, Error, ToHost, host};
use situated_find_goals::FindGoals;
use situated_recording::{Entry, Recorded, RecorderSettings, Recording, replay};
use situated_runtime::Input;
use situated_server::{Access, Right, Settings, Token};
use situated_wire::Code;
use situated_wire::methods::{Host, Role};
use tokio::time::timeout;

use crate::mill::{Mill, miller, turned};
use crate::server::{FIND_GOALS, TestServer};
use crate::wire_cutter::WireCutter;

const GRACE: Duration = Duration::from_secs(5);
const SOON: Duration = Duration::from_secs(5);

#[tokio::test]
async fn hosted_environments_behave_like_local_ones() {
    let server = TestServer::open(GRACE);
    for (address, name) in server.addresses().iter().zip(["one", "two"]) {
        let hosting =
            tokio::spawn(host::<FindGoals>(address).name(name).parameter("view", "global").seed(7).into_future());
        server.wait_for(name).await;
        let client = Client::connect(address).role(Role::Platform).await.expect("the server listens");
        let mut here = Interface::<FindGoals>::new();
        here.manage(Command::Init { parameters: [("view".into(), "global".into())].into(), seed: 7 }).expect("new");
        here.manage(Command::Start).expect("it is paused");
        let mut team = Vec::new();
        for entity in ["red", "blue"] {
            let mut agent = client.environment(name).register(entity).await.expect("the name is free");
            agent.associate(entity).await.expect("it is free");
            here.by_name().register_agent(entity).expect("the name is free");
            here.by_name().associate_entity(entity, entity).expect("it is free");
            // The first perception may be empty, since it does not wait for the host.
            while agent.beliefs(entity).is_empty() {
                agent.perceive().await.expect("it has one");
            }
            assert_eq!(sorted(agent.beliefs(entity)), told_here(&mut here, entity)[0].2);
            team.push(agent);
        }
        let (mut blue, mut red) = (team.pop().expect("two"), team.pop().expect("two"));
        for step in 0..60 {
            let moves = ["up", "right", "right", "left", "wait", "down", "left"];
            let chosen = [step * step, 3 * step + 1].map(|chance| Action::new(moves[chance % moves.len()], []));
            let [first, second] = chosen.clone();
            let (first, second) = tokio::join!(red.step(Some(first)), blue.step(Some(second)));
            for (entity, action) in ["red", "blue"].into_iter().zip(&chosen) {
                here.by_name().perform_action(entity, action, &[]).expect("it runs");
            }
            here.step().expect("it runs");
            for (entity, stepped) in [("red", first), ("blue", second)] {
                assert_eq!(
                    plain(stepped.expect("it runs").perceptions),
                    told_here(&mut here, entity),
                    "{entity} at {step}"
                );
            }
        }
        drop((red, blue, client));
        hosting.abort();
        assert!(server.has_removed(name, SOON).await, "the environment ends with its host");
    }
}

/// A perception without versions and times. Percepts that hold are sorted; events keep their order.
type Plain = (EcoString, bool, Vec<Percept>, Vec<Percept>, Vec<Percept>);

fn plain(received: Vec<(EcoString, Perception)>) -> Vec<Plain> {
    let one = |(entity, received): (EcoString, Perception)| {
        (entity, received.resync, sorted(&received.add), sorted(&received.delete), received.events)
    };
    received.into_iter().map(one).collect()
}

fn sorted(percepts: &[Percept]) -> Vec<Percept> {
    let mut percepts = percepts.to_vec();
    percepts.sort_by_key(ToString::to_string);
    percepts
}

fn told_here(local: &mut Interface<FindGoals>, agent: &str) -> Vec<Plain> {
    let received = EnvironmentInterface::perceive(local, agent, &[], Form::Update, Since::LastCall);
    plain(received.expect("it has an entity"))
}

#[tokio::test]
async fn reports_results_and_failures() {
    let server = TestServer::open(GRACE);
    let hosting = tokio::spawn(host::<Mill>(&server.addresses()[1]).parameter("turns", 41).into_future());
    let ada = miller(&server, "ada", "mill").await;
    assert_eq!(ada.beliefs("miller"), [turned(41)]);
    let found = ada.act(Action::new("look", [])).await.expect("it runs").check().expect("it can look");
    assert_eq!(found, [Percept::new("counted", [41.into()])]);
    let failed = ada.act(Action::new("fly", [])).await.expect("it runs").check().expect_err("no entity can fly");
    assert_eq!(failed.code(), Some(Code::Failure));
    assert!(failed.to_string().contains("millers do not fly"), "{failed}");
    hosting.abort();
}

#[tokio::test]
async fn reports_panics_to_agents_and_host() {
    let server = TestServer::open(GRACE);
    let hosting = tokio::spawn(host::<Mill>(&server.addresses()[0]).into_future());
    let ada = miller(&server, "ada", "mill").await;
    let received = ada.act(Action::new("collapse", [])).await.and_then(|acted| acted.check());
    let received = received.expect_err("it has collapsed").to_string();
    assert!(received.contains("a beam has snapped"), "{received}");
    let ended = timeout(SOON, hosting).await.expect("it is over").expect("the panic goes no further");
    assert_eq!(ended, Err(Error::Panicked { reason: "a beam has snapped".into() }));
    assert!(server.has_removed("mill", SOON).await);
}

#[tokio::test]
async fn an_invalid_report_ends_the_host_with_the_reason() {
    let server = TestServer::open(GRACE);
    for clock in [None, Some(Duration::from_millis(5))] {
        let hosting = host::<Mill>(&server.addresses()[0]);
        let hosting = clock.into_iter().fold(hosting, |hosting, period| hosting.clock(period));
        let hosting = tokio::spawn(hosting.into_future());
        let ada = miller(&server, "ada", "mill").await;
        let woken = ada.act(Action::new("wake", [])).await.and_then(|acted| acted.check());
        let ended = timeout(SOON, hosting).await.expect("it is over").expect("no panic").expect_err("it has failed");
        assert_eq!(ended.code(), Some(Code::InvalidHost), "{ended}");
        assert!(ended.to_string().contains("hooted"), "{ended}");
        match clock {
            Some(_) => assert_eq!(woken, Ok(Vec::new()), "the invalid report came later"),
            None => assert!(woken.as_ref().is_err_and(|error| error.to_string().contains("hooted")), "{woken:?}"),
        }
        assert!(server.has_removed("mill", SOON).await);
    }
}

#[tokio::test]
async fn a_dead_host_does_not_block_other_environments() {
    let server = TestServer::open(Duration::from_secs(2));
    let cutter = WireCutter::before(server.address);
    let through = format!("tcp://{}", cutter.address);
    let client = Client::connect(&through).role(Role::Host).patience(Duration::ZERO).await.expect("the server listens");
    let hosted = client.host(mill()).await.expect("there is room");
    let (asked, done) = tokio::sync::oneshot::channel();
    let dying = tokio::spawn(async move {
        let mut provider = Provider::<Mill>::new();
        while let ToHost::Call(call) = hosted.receive().await.expect("it is called") {
            if matches!(call.task, HostTask::Act { .. }) {
                break;
            }
            hosted.say(provider.answer(call)).await.expect("the server listens");
        }
        asked.send(()).expect("the receiver exists");
        std::future::pending::<()>().await;
        drop(hosted);
    });
    let ada = miller(&server, "ada", "mill").await;
    let mut happenings = client_of(&server).await.environment("mill").happenings().await.expect("it is there");
    let acting = tokio::spawn(ada.act(Action::new("look", [])));
    done.await.expect("it is called to act");
    cutter.close(true);
    cutter.cut();

    let environment = client_of(&server).await.environment(FIND_GOALS);
    let mut eve = environment.register("eve").await.expect("the name is free");
    eve.associate("red").await.expect("it is free");
    let (begin, mut slowest) = (Instant::now(), Duration::ZERO);
    while begin.elapsed() < Duration::from_millis(1200) {
        let asked = Instant::now();
        eve.step(Some(Action::new("wait", []))).await.expect("it runs");
        slowest = slowest.max(asked.elapsed());
    }
    assert!(slowest < Duration::from_millis(900), "another environment waited for {slowest:?}");
    let late = acting.await.expect("no panic").and_then(|acted| acted.check()).expect_err("there is no answer");
    assert_eq!(late.code(), Some(Code::HostTimeout), "{late}");
    assert!(server.has_removed("mill", SOON).await, "the grace is over");
    let received = async { while happenings.receive().await.is_ok() {} };
    timeout(SOON, received).await.expect("subscribers are notified of the end");
    assert_eq!(ada.act(Action::new("look", [])).await.expect_err("it is gone").code(), Some(Code::NoSuchEnvironment));
    dying.abort();
}

fn mill() -> Host {
    Host::new(Mill::ontology())
}

async fn client_of(server: &TestServer) -> Client {
    Client::connect(&server.addresses()[0]).role(Role::Platform).await.expect("the server listens")
}

async fn manager_of(server: &TestServer) -> Client {
    Client::connect(&server.addresses()[0]).role(Role::Observer).await.expect("the server listens")
}

#[tokio::test]
async fn accepts_late_reports_of_a_host() {
    let server = TestServer::open(GRACE);
    let address = server.addresses()[0].clone();
    let hosting = thread::spawn(move || host::<Mill>(&address).wait());
    let mut ada = miller(&server, "ada", "mill").await;
    let turning = ada.act(Action::new("turn", [1500.into()]));
    let begin = Instant::now();
    ada.perceive().await.expect("perceiving does not wait for the host");
    assert!(begin.elapsed() < Duration::from_millis(900), "{:?}", begin.elapsed());
    let late = turning.await.and_then(|acted| acted.check()).expect_err("it takes too long");
    assert_eq!(late.code(), Some(Code::HostTimeout), "{late}");
    // The action and the step after it turn the mill.
    let turned_late = async {
        while ada.beliefs("miller") != [turned(2)] {
            ada.perceive().await.expect("it runs");
        }
    };
    timeout(SOON, turned_late).await.expect("the host sends the changes late");
    manager_of(&server).await.environment("mill").manage(Command::Kill).await.expect("it may");
    assert_eq!(hosting.join().expect("no panic"), Ok(()));
}

#[tokio::test]
async fn manages_environments_with_their_own_clock() {
    let server = TestServer::open(GRACE);
    let clock = Duration::from_millis(5);
    let hosting = tokio::spawn(host::<Mill>(&server.addresses()[0]).clock(clock).start(false).into_future());
    let manager = manager_of(&server).await;
    let environment = manager.environment("mill");
    while environment.status().await.ok().is_none_or(|status| status.state != State::Paused) {
        tokio::time::sleep(clock).await;
    }
    tokio::time::sleep(10 * clock).await;
    assert_eq!(environment.status().await.expect("it is there").moment.step, 0, "time does not run yet");
    environment.manage(Command::Start).await.expect("it is paused");
    let mut ada = miller(&server, "ada", "mill").await;
    let mut percepts = ada.percepts().await.expect("it has one");
    let mut counted: Vec<Percept> = Vec::new();
    while counted.len() < 20 {
        counted
            .extend(percepts.receive().await.expect("it runs").into_iter().flat_map(|(_, received)| received.events));
    }
    let first = counted[0].parameters[0].to_string().parse::<u64>().expect("a number");
    for (place, event) in counted.iter().enumerate() {
        assert_eq!(event.parameters[0].to_string(), (first + place as u64).to_string(), "each once, in order");
    }
    drop(percepts);

    environment.manage(Command::Pause).await.expect("it runs");
    let paused = environment.status().await.expect("it is there").moment;
    assert!(paused.step >= 20);
    tokio::time::sleep(10 * clock).await;
    assert_eq!(environment.status().await.expect("it is there").moment.step, paused.step);
    let turns = [("turns".to_owned(), Some(500.into()))].into();
    environment.manage(Command::Reset { parameters: Some(turns), seed: None }).await.expect("it is paused");
    let anew = environment.status().await.expect("it is there");
    assert_eq!((anew.state, anew.moment.episode, anew.moment.step), (State::Paused, 2, 0));
    ada.perceive().await.expect("it has the same entity again");
    while ada.beliefs("miller").is_empty() {
        ada.perceive().await.expect("the host sends its percepts");
    }
    assert_eq!(ada.beliefs("miller"), [turned(500)]);
    environment.manage(Command::Start).await.expect("it is paused");
    while ada.beliefs("miller") == [turned(500)] {
        ada.perceive().await.expect("it runs");
    }
    environment.manage(Command::Kill).await.expect("it may");
    assert_eq!(timeout(SOON, hosting).await.expect("it is over").expect("no panic"), Ok(()));
    assert!(server.has_removed("mill", SOON).await);
}

#[tokio::test]
async fn records_hosted_environments_which_cannot_be_replayed() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hosted");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("there is room");
    let record = Some((folder.clone(), RecorderSettings::default()));
    let mut server = TestServer::with(Settings { record, ..Settings::default() });
    let hosting = tokio::spawn(host::<Mill>(&server.addresses()[0]).into_future());
    let mut ada = miller(&server, "ada", "mill").await;
    for _ in 0..3 {
        ada.step(Some(Action::new("look", []))).await.expect("it runs");
    }
    manager_of(&server).await.environment("mill").manage(Command::Kill).await.expect("it may");
    assert_eq!(timeout(SOON, hosting).await.expect("it is over").expect("no panic"), Ok(()));
    drop(ada);
    tokio::task::spawn_blocking(move || server.close()).await.expect("it closes");

    let files = std::fs::read_dir(&folder).expect("a folder").map(|file| file.expect("a file").path());
    let file = files.into_iter().find(|file| file.to_string_lossy().contains("mill-")).expect("a recording");
    let mut recording = Recording::open(&file).expect("a recording");
    assert!(recording.complete());
    let entries = recording.entries().expect("it can be read").map(|entry| entry.expect("whole"));
    let said =
        |recorded: &Recorded| matches!(&recorded.entry, Entry::Input(given) if matches!(given.input, Input::Host(_)));
    assert!(entries.filter(said).count() > 6, "the recording contains the reports of the host");
    let hosted = || HostedInterface::new(Mill::ontology(), HostTerms::default()).expect("sound");
    let mirror = |_: &str| Some(Box::new(hosted()) as Box<_>);
    let refused = replay(&mut recording, mirror, None, |_, _| {}).expect_err("its program is missing").to_string();
    assert!(refused.contains("`mill` was run elsewhere, by a host"), "{refused}");
}

#[tokio::test]
async fn only_tokens_with_the_right_can_host() {
    let access = Access::open().with_token(Token::new("the key to the house").expect("long enough"), Right::Act);
    let server = TestServer::with(Settings { access, ..Settings::default() });
    let client = Client::connect(&server.addresses()[0]).token("the key to the house").await.expect("it may act");
    assert_eq!(client.host(mill()).await.err().expect("it may only act").code(), Some(Code::Forbidden));
}

#[tokio::test]
async fn names_of_environments_are_unique() {
    let server = TestServer::open(GRACE);
    let error = host::<Mill>(&server.addresses()[0]).name(FIND_GOALS).await.expect_err("there is one of that name");
    assert_eq!(error.code(), Some(Code::EnvironmentName));
}

#[tokio::test]
async fn receives_calls() {
    let server = TestServer::open(GRACE);
    let client = Client::connect(&server.addresses()[0]).role(Role::Host).await.expect("the server listens");
    let hosted = client.host(mill()).await.expect("there is room");
    assert_eq!(hosted.name(), "mill");
    let first = hosted.receive().await.expect("it is called");
    let ToHost::Call(HostRequest { number: 1, task: HostTask::Init { seed: 1, .. } }) = first else {
        panic!("{first:?}")
    };
    assert_eq!(hosted.standing().await.expect("it is there").expect("not over").state, State::Initializing);
}
