//! Handles: from several threads and from asynchronous code at once, with a real thread behind them.

use std::pin::pin;
use std::sync::Arc;
use std::sync::mpsc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use situated::agent::Agent;
use situated::iil::Action;
use situated::interface::{Command, Form, Interface, Perception, Since, State};
use situated::ontology::Pace;
use situated_runtime::{Answer, Error, Handle, Owner, Post, Program, REQUESTS_WAITING, Rule, Team, Tempo, spawn};

use crate::driver::{action, at, tempo};
use crate::world::{Mill, log};

/// A running mill with a thread of its own.
fn mill(tempo: Tempo) -> (Handle, thread::JoinHandle<()>) {
    let (handle, driver) = spawn(Owner::new(Box::new(Interface::<Mill>::new()), tempo)).expect("a thread");
    handle.manage(Command::Init { parameters: [].into(), seed: 1 }).wait().expect("a mill");
    handle.manage(Command::Start).wait().expect("paused");
    let joined = thread::spawn(move || driver.join().expect("it does not panic").expect("nothing is recorded"));
    (handle, joined)
}

/// How long an answer is waited for: a test that waits for ever says nothing.
const PATIENCE: Duration = Duration::from_secs(20);

/// The answer, which comes soon.
fn soon<R: Send + 'static>(answer: Answer<R>) -> Result<R, Error> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || drop(sender.send(answer.wait())));
    receiver.recv_timeout(PATIENCE).expect("an answer")
}

/// Waits for a future on this thread.
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
    let (handle, driver) = mill(tempo(Pace::Lockstep));
    let agents = [("anna", "worker0"), ("bert", "worker1"), ("cleo", "guard0")];
    for (agent, entity) in agents {
        handle.register(agent).wait().expect("new");
        handle.associate(agent, entity).wait().expect("free");
    }
    thread::scope(|scope| {
        for (agent, _) in agents {
            let handle = handle.clone();
            scope.spawn(move || {
                for step in 1..=STEPS {
                    let results = handle.act(agent, action(&format!("work({step})")), &[]).wait().expect("allowed");
                    assert!(results[0].1.is_ok());
                    let told = handle.perceive(agent, &[], Form::Update, Since::LastCall).wait().expect("allowed");
                    assert!(told[0].1.moment.step >= step);
                }
            });
        }
    });
    let log = handle.look(log).wait().expect("whole");
    let expected = (1..=STEPS).flat_map(|step| {
        let done = agents.iter().map(move |(_, entity)| format!("{entity} work({step})"));
        done.chain([format!("step {step}")])
    });
    assert_eq!(log, expected.collect::<Vec<_>>());
    drop(handle);
    driver.join().expect("it has ended");
}

#[test]
fn asynchronous_code_awaits_answers() {
    let (handle, driver) = mill(at(Pace::RealTime { steps_per_second: 1_000.0 }, 1_000.0));
    block_on(async {
        handle.register("anna").await.expect("new");
        handle.associate("anna", "worker0").await.expect("free");
        let begin = handle.status().await.expect("it runs").moment;
        let later = handle.wait(begin).await.expect("it runs");
        assert!(later.step > begin.step);
        handle.act("anna", action("work(1)"), &[]).await.expect("allowed");
        handle.manage(Command::Pause).await.expect("running");
        let now = handle.advance(5).await.expect("paused");
        let status = handle.status().await.expect("there");
        assert_eq!((status.state, status.moment.step), (State::Paused, now.step));
    });
    drop(handle);
    driver.join().expect("it has ended");
}

#[test]
fn whoever_asks_too_much_of_a_slow_world_is_refused() {
    let (handle, driver) = mill(tempo(Pace::Own));
    let (release, released) = mpsc::channel::<()>();
    let (enter, entered) = mpsc::channel::<()>();
    let slow = handle.look(move |_| {
        enter.send(()).expect("somebody waits for this");
        released.recv().expect("it is released")
    });
    entered.recv().expect("the world is busy");
    let waiting: Vec<_> = (0..REQUESTS_WAITING).map(|_| handle.status()).collect();
    assert!(matches!(handle.status().wait(), Err(Error::Busy { limit: REQUESTS_WAITING, .. })));
    assert!(matches!(block_on(handle.look(|_| ())), Err(Error::Busy { .. })));
    release.send(()).expect("the world waits for this");
    slow.wait().expect("whole");
    assert!(waiting.into_iter().all(|answer| answer.wait().is_ok()));
    assert!(handle.status().wait().is_ok(), "there is room again");
    drop(handle);
    driver.join().expect("it has ended");
}

#[test]
fn an_answer_that_will_not_come_any_more_says_so() {
    let (handle, driver) = mill(tempo(Pace::Lockstep));
    for (agent, entity) in [("anna", "worker0"), ("bert", "worker1")] {
        handle.register(agent).wait().expect("new");
        handle.associate(agent, entity).wait().expect("free");
    }
    let act = handle.act("anna", action("work(1)"), &[]);
    drop(handle.clone());
    let wait = handle.wait(handle.status().wait().expect("there").moment);
    drop(handle);
    driver.join().expect("the last handle has ended it");
    assert!(matches!(soon(act), Err(Error::Ended)));
    assert!(matches!(block_on(wait), Err(Error::Ended)));
}

#[test]
fn a_crash_is_told_to_all_threads_and_ends_no_other_world() {
    let (handle, driver) = mill(tempo(Pace::Own));
    let (other, other_driver) = mill(tempo(Pace::Own));
    handle.register("anna").wait().expect("new");
    handle.associate("anna", "worker0").wait().expect("free");
    let waits = handle.wait(handle.status().wait().expect("there").moment);
    let crashed = handle.act("anna", action("burst"), &[]).wait();
    assert!(matches!(crashed, Err(Error::Crashed { .. })));
    assert!(matches!(soon(waits), Err(Error::Crashed { .. })));
    assert!(matches!(handle.register("bert").wait(), Err(Error::Crashed { .. })));
    assert_eq!(handle.status().wait().expect("that can be asked").state, State::Killed);
    other.register("anna").wait().expect("another world");
    drop((handle, other));
    driver.join().expect("it has ended");
    other_driver.join().expect("it has ended");
}

#[test]
fn a_question_that_panics_harms_only_whoever_asks() {
    let (handle, driver) = mill(tempo(Pace::Own));
    handle.register("anna").wait().expect("new");
    handle.associate("anna", "worker0").wait().expect("free");
    handle.act("anna", action("arm(scene)"), &[]).wait().expect("allowed");
    let looked = handle.look(|interface| interface.scene(None)).wait();
    assert!(matches!(looked, Err(Error::Panicked { reason }) if reason.contains("armed")));
    let looked = handle.look(|_| -> () { panic!("a mistake of whoever asks") }).wait();
    assert_eq!(looked, Err(Error::Panicked { reason: "a mistake of whoever asks".into() }));
    handle.register("bert").wait().expect("the world goes on");
    drop(handle);
    driver.join().expect("it has ended");
}

/// A program that waits for something else while it decides, as one that talks to another process does.
struct Caller(mpsc::Receiver<()>);

impl Agent for Caller {
    fn decide(&mut self, _: &Perception) -> Option<Action> {
        // The thread is woken for this, and is not for what is asked of the world meanwhile.
        let _ = self.0.recv_timeout(Duration::from_secs(20));
        None
    }
}

#[test]
fn what_is_asked_while_a_program_waits_for_something_else_is_answered() {
    let (answer, question) = mpsc::channel();
    let mut caller = Some(Caller(question));
    let employ = move |_: &Post<'_>| Ok(Box::new(caller.take().ok_or("there is one")?) as Box<dyn Agent>);
    let rule = Rule::new(Some("worker0".into()), None, None, Program::new("caller", employ));
    let (handle, driver) =
        spawn(Owner::new(Box::new(Interface::<Mill>::new()), tempo(Pace::Lockstep)).with_team(Team::new(vec![rule])))
            .expect("a thread");
    handle.manage(Command::Init { parameters: [].into(), seed: 1 }).wait().expect("a mill");
    handle.register("anna").wait().expect("new");
    handle.associate("anna", "worker1").wait().expect("free");
    let started = handle.manage(Command::Start);
    let act = handle.act("anna", action("work(1)"), &[]);
    // However long this takes: the program waits until it is answered.
    thread::sleep(Duration::from_millis(100));
    answer.send(()).expect("it waits");
    soon(started).expect("paused");
    soon(act).expect("all have chosen").remove(0).1.expect("it works");
    drop((answer, handle));
    driver.join().expect("it does not panic").expect("nothing is recorded");
}
