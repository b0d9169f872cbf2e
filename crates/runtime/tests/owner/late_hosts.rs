//! Hosts that answer late, or not at all.

use situated::host::{HostAnswer, HostReport, HostRequest, HostTask, HostUpdate, Provider, REQUESTS_OPEN};
use situated::interface::Command;
use situated::ontology::Pace;
use situated_runtime::Error;

use crate::driver::{is_done, tempo};
use crate::hosting::Hosted;
use situated_toys::mill::Mill;

/// A running mill in real time, in which `anna` and `bert` have entities; its host has answered all so far.
pub(crate) fn running() -> (Hosted, Provider<Mill>) {
    let (mut hosted, mut provider) = (Hosted::asleep(tempo(Pace::Own)), Provider::new());
    hosted.manage(init());
    hosted.pump(&mut provider);
    hosted.driver.take("anna", "worker0");
    hosted.driver.take("bert", "worker1");
    hosted.manage(Command::Start);
    hosted.pump(&mut provider);
    (hosted, provider)
}

fn init() -> Command {
    Command::Init { parameters: Default::default(), seed: 1 }
}

fn done(number: u64) -> HostReport {
    HostReport::Answer {
        number,
        answer: HostAnswer::Done,
        update: HostUpdate { step: Some(1), ..HostUpdate::default() },
    }
}

#[test]
fn late_answers_are_applied_after_a_timeout() {
    let (mut hosted, _) = running();
    let asked = hosted.driver.act("anna", "work(1)");
    let HostRequest { number, .. } = hosted.driver.owner.next_host_request().expect("called");
    hosted.driver.run(999);
    assert_eq!(hosted.driver.answer(asked), None);
    hosted.driver.run(1);
    let error = hosted.driver.got(asked).expect_err("late").to_string();
    assert!(error.starts_with("the host of `mill` did not respond within 1s to the request to act;"), "{error}");
    hosted.hear(done(number)).expect("late, but so");
    assert_eq!(hosted.driver.step(), 1);
    hosted.hear(done(number)).expect_err("only once");
}

#[test]
fn beginning_has_a_longer_deadline() {
    let mut hosted = Hosted::asleep(tempo(Pace::Own));
    let asked = hosted.manage(init());
    hosted.driver.run(4_999);
    assert_eq!(hosted.driver.answer(asked), None);
    hosted.driver.run(1);
    assert!(matches!(hosted.driver.got(asked), Err(Error::HostTimeout { .. })));
}

#[test]
fn a_numbered_action_is_sent_to_the_host_once() {
    let (mut hosted, mut provider) = running();
    let first = hosted.driver.act_once("anna", "work(1)", 1);
    let again = hosted.driver.act_once("anna", "work(1)", 1);
    hosted.pump(&mut provider);
    let after = hosted.driver.act_once("anna", "work(1)", 1);
    let answers = [first, again, after].map(|asked| hosted.driver.got(asked));
    assert!(answers.iter().all(is_done));
    assert_eq!(
        provider.episode().and_then(|episode| episode.query("log")).expect("a log").to_string(),
        "['worker0 work(1)']"
    );
}

#[test]
fn a_numbered_action_without_an_answer_is_not_repeated() {
    let (mut hosted, _) = running();
    let late = hosted.driver.act_once("anna", "work(1)", 1);
    hosted.driver.owner.next_host_request().expect("called");
    hosted.driver.run(1_000);
    assert!(matches!(hosted.driver.got(late), Err(Error::HostTimeout { .. })));
    let again = hosted.driver.act_once("anna", "work(1)", 1);
    assert!(matches!(hosted.driver.got(again), Err(Error::NumberUsed { .. })));
    assert_eq!(hosted.driver.owner.next_host_request(), None);
}

#[test]
fn unsent_actions_expire_but_notifications_are_sent() {
    let (mut hosted, _) = running();
    hosted.driver.act("anna", "work(1)");
    hosted.driver.free("bert", "worker1");
    hosted.driver.run(2_000);
    let left: Vec<HostTask> =
        std::iter::from_fn(|| hosted.driver.owner.next_host_request()).map(|request| request.task).collect();
    assert_eq!(left, [HostTask::Freed { entity: "worker1".into() }]);
}

#[test]
fn a_waiting_request_does_not_delay_others() {
    let (mut hosted, mut provider) = running();
    let anna = hosted.driver.act("anna", "work(1)");
    hosted.driver.owner.next_host_request().expect("called, and lost");
    let bert = hosted.driver.act("bert", "work(2)");
    hosted.pump(&mut provider);
    assert!(is_done(&hosted.driver.got(bert)));
    assert_eq!(hosted.driver.answer(anna), None);
}

#[test]
fn limits_the_open_requests_to_a_host() {
    let (mut hosted, _) = running();
    let asked: Vec<u32> =
        (0..=REQUESTS_OPEN).map(|serial| hosted.driver.act("anna", &format!("work({serial})"))).collect();
    assert!(matches!(hosted.driver.got(asked[REQUESTS_OPEN]), Err(Error::Busy { .. })));
    assert_eq!(hosted.driver.answer(asked[REQUESTS_OPEN - 1]), None);
    // An agent whose session has ended could not try again.
    hosted.driver.unregister("anna");
    hosted.driver.register("anna");
}
