//! The promises of an owner of an environment that runs elsewhere, point by point.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use situated::environment::Environment;
use situated::host::{
    EventReport, HostAnswer, HostReport, HostRequest, HostTask, HostUpdate, NewEntity, PerceptUpdate, Provider,
};
use situated::iil::{EcoString, Percept};
use situated::interface::{Command, ErrorKind, Form, State};
use situated::ontology::{Ontology, Pace};
use situated_runtime::{
    Checkpoint, Error, HostTerms, Input, Journal, Owner, Program, Record, Reply, Rule, Team, Tempo,
};

use crate::driver::{Driver, at, is_done, kind, real_time, tempo};
use crate::request::Request;
use situated_toys::mill::Mill;

/// An owner of a mill that runs elsewhere, and the requests to its host.
pub(crate) struct Hosted {
    pub(crate) driver: Driver,
    calls: Vec<HostRequest>,
}

impl Hosted {
    pub(crate) fn asleep(tempo: Tempo) -> Self {
        Self::on(HostTerms::default(), tempo)
    }

    fn on(terms: HostTerms, tempo: Tempo) -> Self {
        let owner = Owner::hosted(Mill::ontology(), tempo, terms).expect("a sound ontology");
        Self { driver: Driver::around(owner), calls: Vec::new() }
    }

    /// A running mill, in which these agents have the entities `worker0`, `worker1` and so on.
    fn new(tempo: Tempo, agents: &[&str]) -> Self {
        Self::asleep(tempo).running(agents)
    }

    fn running(self, agents: &[&str]) -> Self {
        let mut hosted = self;
        hosted.init(agents.len());
        for (number, agent) in agents.iter().enumerate() {
            hosted.driver.take(agent, &format!("worker{number}"));
        }
        hosted.start();
        hosted.take_calls();
        hosted
    }

    fn init(&mut self, workers: usize) {
        let asked = self.manage(Command::Init { parameters: BTreeMap::new(), seed: 1 });
        self.answer(HostAnswer::Done, beginning(workers));
        self.driver.got(asked).expect("it is initialized");
    }

    fn start(&mut self) {
        let asked = self.manage(Command::Start);
        self.answer_all();
        self.driver.got(asked).expect("it is started");
    }

    pub(crate) fn manage(&mut self, command: Command) -> u32 {
        self.driver.ask(Request::Input(Input::Manage(command)))
    }

    pub(crate) fn hear(&mut self, says: HostReport) -> Result<(), Error> {
        let now = self.driver.time();
        let heard = self.driver.owner.hear(says, now);
        self.driver.take_replies();
        heard
    }

    /// The host answers a call under its number, without changes.
    pub(crate) fn answer_to(&mut self, number: u64, answer: HostAnswer) -> Result<(), Error> {
        self.hear(HostReport::Answer { number, answer, update: HostUpdate::default() })
    }

    /// A provider answers all calls.
    pub(crate) fn pump(&mut self, provider: &mut Provider<Mill>) {
        while let Some(call) = self.driver.owner.next_host_request() {
            self.hear(provider.answer(call)).expect("a provider says nothing wrong");
        }
    }

    fn update(&mut self, update: HostUpdate) -> Result<(), Error> {
        self.hear(HostReport::Update(update))
    }

    /// Returns the tasks that the host has not received yet.
    fn take_calls(&mut self) -> Vec<HostTask> {
        while let Some(call) = self.driver.owner.next_host_request() {
            self.calls.push(call);
        }
        self.calls.drain(..).map(|request| request.task).collect()
    }

    fn next_host_request(&mut self) -> HostRequest {
        self.driver.owner.next_host_request().expect("the host is called")
    }

    /// Answers the next call.
    fn answer(&mut self, answer: HostAnswer, update: HostUpdate) {
        let number = self.next_host_request().number;
        self.hear(HostReport::Answer { number, answer, update }).expect("it can be so");
    }

    /// Answers all calls: they are done.
    fn answer_all(&mut self) {
        while let Some(HostRequest { number, .. }) = self.driver.owner.next_host_request() {
            self.answer_to(number, HostAnswer::Done).expect("it can be so");
        }
    }

    fn perceive(&mut self, agent: &str) -> situated::interface::Perception {
        self.driver.perceive(agent, Form::Update).expect("it has an entity").remove(0).1
    }
}

fn beginning(workers: usize) -> HostUpdate {
    HostUpdate { new: (0..workers).map(|number| worker(&format!("worker{number}"))).collect(), ..HostUpdate::default() }
}

fn percept(text: &str) -> Percept {
    text.parse().expect("a percept")
}

fn holds(entity: &str, text: &str) -> HostUpdate {
    let told = PerceptUpdate { entity: entity.into(), add: vec![percept(text)], ..PerceptUpdate::default() };
    HostUpdate { percepts: vec![told], ..HostUpdate::default() }
}

fn reason(heard: Result<(), Error>) -> String {
    heard.expect_err("it cannot be so").to_string()
}

#[test]
fn it_is_initialized_when_the_host_has_answered() {
    let mut hosted = Hosted::asleep(tempo(Pace::Reactive));
    let parameters = BTreeMap::from([("workers".into(), 1.into())]);
    let asked = hosted.manage(Command::Init { parameters, seed: 7 });
    assert_eq!(hosted.driver.answer(asked), None);
    assert_eq!(hosted.driver.state(), State::Initializing);
    let complete = [("workers", 1.into()), ("guards", 1.into()), ("fleeting", false.into())];
    let complete = BTreeMap::from(complete.map(|(name, value)| (name.to_owned(), value)));
    let HostRequest { number, task: call } = hosted.next_host_request();
    assert_eq!(call, HostTask::Init { parameters: complete.clone(), seed: 7 });
    hosted.hear(HostReport::Answer { number, answer: HostAnswer::Done, update: beginning(1) }).expect("so");
    assert_eq!(hosted.driver.got(asked), Ok(Reply::Done));
    assert_eq!(hosted.driver.state(), State::Paused);
    let (entities, known) =
        hosted.driver.owner.read(|interface| (interface.entities(), interface.parameters())).expect("whole");
    assert_eq!((entities, known), (vec![EcoString::from("worker0")], Some(complete)));
}

#[test]
fn wrong_parameters_do_not_reach_the_host() {
    let mut hosted = Hosted::asleep(tempo(Pace::Reactive));
    let parameters = BTreeMap::from([("workers".into(), "many".into())]);
    let asked = hosted.manage(Command::Init { parameters, seed: 7 });
    let error = hosted.driver.got(asked).expect_err("a word is not a number").to_string();
    assert_eq!(error, "the parameter `workers` expects integer 0..255, got many");
    assert_eq!(hosted.driver.owner.next_host_request(), None);
}

#[test]
fn a_host_may_refuse_to_begin_or_to_start() {
    let mut hosted = Hosted::asleep(tempo(Pace::Reactive));
    let failed = || HostAnswer::Failed { reason: "the map is lost".into(), tried: true };
    let asked = hosted.manage(Command::Init { parameters: BTreeMap::new(), seed: 7 });
    hosted.answer(failed(), HostUpdate::default());
    assert_eq!(kind(&hosted.driver.got(asked)), Some(ErrorKind::Management));
    assert_eq!(hosted.driver.state(), State::Initializing);
    hosted.init(1);
    let asked = hosted.manage(Command::Start);
    hosted.answer(failed(), HostUpdate::default());
    let error = hosted.driver.got(asked).expect_err("refused").to_string();
    assert_eq!(error, "the host of `mill` refuses to start: the map is lost");
    assert_eq!(hosted.driver.state(), State::Paused);
}

#[test]
fn a_host_gets_one_change_of_state_at_a_time() {
    let mut hosted = Hosted::asleep(tempo(Pace::Reactive));
    hosted.init(1);
    let first = hosted.manage(Command::Start);
    let second = hosted.manage(Command::Start);
    assert!(matches!(hosted.driver.got(second), Err(Error::Busy { .. })));
    hosted.answer_all();
    hosted.driver.got(first).expect("started");
}

#[test]
fn asks_for_the_percepts_of_an_entity_with_its_first_agent() {
    let mut hosted = Hosted::asleep(tempo(Pace::Reactive));
    hosted.init(1);
    hosted.driver.take("anna", "worker0");
    let entity = EcoString::from("worker0");
    let (perceive, taken) = (HostTask::Perceive { entity: entity.clone() }, HostTask::Taken { entity: entity.clone() });
    assert_eq!(hosted.take_calls(), [perceive, taken]);
    hosted.driver.take("bert", "worker0");
    assert_eq!(hosted.take_calls(), []);
    hosted.driver.free("anna", "worker0");
    hosted.driver.unregister("bert");
    assert_eq!(hosted.take_calls(), [HostTask::Freed { entity }]);
}

#[test]
fn perceiving_is_answered_at_once_from_the_last_reports() {
    let mut hosted = Hosted::new(tempo(Pace::Reactive), &["anna"]);
    assert_eq!(hosted.perceive("anna").add, []);
    hosted.update(holds("worker0", "step(3)")).expect("so");
    let told = hosted.perceive("anna");
    assert_eq!((told.add, told.delete), (vec![percept("step(3)")], vec![]));
    let resync =
        PerceptUpdate { entity: "worker0".into(), resync: true, add: vec![percept("step(4)")], delete: vec![] };
    let event = EventReport { entity: "worker0".into(), percept: percept("heard(1)") };
    let update = HostUpdate { percepts: vec![resync], events: vec![event], ..HostUpdate::default() };
    hosted.update(update).expect("so");
    let told = hosted.perceive("anna");
    assert_eq!((told.add, told.delete), (vec![percept("step(4)")], vec![percept("step(3)")]));
    assert_eq!(told.events, [percept("heard(1)")]);
    assert_eq!(hosted.take_calls(), []);
}

#[test]
fn an_action_is_answered_when_the_host_has_answered_it_and_made_the_step() {
    let mut hosted = Hosted::new(tempo(Pace::Reactive), &["anna"]);
    let asked = hosted.driver.act("anna", "work(5)");
    let HostRequest { number, task: call } = hosted.next_host_request();
    let action = crate::driver::action("work(5)");
    assert_eq!(call, HostTask::Act { agent: "anna".into(), entity: "worker0".into(), action, step: false });
    hosted.answer_to(number, HostAnswer::Found(vec![percept("step(0)")])).expect("so");
    assert_eq!(hosted.driver.answer(asked), None);
    assert_eq!(hosted.driver.step(), 0);
    let HostRequest { number, task: call } = hosted.next_host_request();
    assert_eq!(call, HostTask::Step);
    hosted.answer_to(number, HostAnswer::Done).expect("so");
    let results = [("worker0".into(), Ok(vec![percept("step(0)")]))].into();
    assert_eq!(hosted.driver.got(asked), Ok(Reply::Results(results)));
    assert_eq!(hosted.driver.step(), 1);
}

#[test]
fn an_action_and_the_step_after_it_are_one_request_if_the_host_can_do_so() {
    let terms = HostTerms { steps_with_actions: true, ..HostTerms::default() };
    let mut hosted = Hosted::on(terms, tempo(Pace::Reactive)).running(&["anna"]);
    let asked = hosted.driver.act("anna", "work(5)");
    let HostRequest { number, task } = hosted.next_host_request();
    let action = crate::driver::action("work(5)");
    assert_eq!(task, HostTask::Act { agent: "anna".into(), entity: "worker0".into(), action, step: true });
    hosted.answer_to(number, HostAnswer::Done).expect("so");
    assert_eq!(hosted.driver.got(asked), Ok(Reply::Results([("worker0".into(), Ok(vec![]))].into())));
    assert_eq!((hosted.driver.step(), hosted.take_calls()), (1, vec![]));

    let asked = hosted.driver.act("anna", "work(5)");
    hosted.answer(HostAnswer::Failed { reason: "it is too heavy".into(), tried: true }, HostUpdate::default());
    assert!(matches!(hosted.driver.got(asked), Ok(Reply::Results(results)) if results[0].1.is_err()));
    assert_eq!((hosted.driver.step(), hosted.take_calls()), (1, vec![]));
}

/// A journal in memory.
#[derive(Clone, Default)]
struct MemoryJournal(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    begin: Option<(Checkpoint, Option<Vec<u8>>)>,
    records: Vec<String>,
}

impl Journal for MemoryJournal {
    fn note(&mut self, record: &Record<'_>) {
        let record = serde_json::to_string(record).expect("it can be written");
        self.0.lock().expect("no panic").records.push(record);
    }

    fn seal(&mut self) -> bool {
        false
    }

    fn begin(&mut self, checkpoint: &Checkpoint, state: Option<Vec<u8>>) {
        *self.0.lock().expect("no panic") = Kept { begin: Some((checkpoint.clone(), state)), records: Vec::new() };
    }

    fn refusal(&self) -> Option<String> {
        None
    }
}

#[test]
fn steps_with_actions_survive_a_restart_even_if_the_host_does_not_number_them() {
    let terms = HostTerms { steps_with_actions: true, ..HostTerms::default() };
    let mut hosted = Hosted::on(terms, tempo(Pace::Reactive)).running(&["anna"]);
    let memory = MemoryJournal::default();
    hosted.driver.owner.keep(Box::new(memory.clone())).expect("it can be kept");
    for _ in 0..3 {
        let asked = hosted.driver.act("anna", "work(5)");
        hosted.answer_all();
        hosted.driver.got(asked).expect("it is done");
    }
    assert_eq!(hosted.driver.step(), 3);

    let Kept { begin, records } = std::mem::take(&mut *memory.0.lock().expect("no panic"));
    let (checkpoint, state) = begin.expect("it has begun");
    let records = records.iter().map(|record| serde_json::from_str(record).expect("it reads what it writes"));
    let mut resumed = Hosted::on(terms, tempo(Pace::Reactive));
    let now = resumed.driver.time();
    resumed.driver.owner.resume(checkpoint, state.as_deref(), records, 0, now).expect("it repeats the records");
    assert_eq!(resumed.driver.step(), 3);
}

#[test]
fn time_goes_on_after_a_restart_in_the_middle_of_a_pause_at_the_end_of_an_advance() {
    let mut hosted = Hosted::asleep(tempo(Pace::Lockstep));
    hosted.init(1);
    hosted.driver.take("anna", "worker0");
    let memory = MemoryJournal::default();
    hosted.driver.owner.keep(Box::new(memory.clone())).expect("it can be kept");
    hosted.driver.ask(Request::Advance { steps: 1, at_once: false });
    hosted.answer_all();
    hosted.driver.act("anna", "work(5)");
    hosted.driver.settle();
    // All but the pause after the step.
    while let HostRequest { number, task } = hosted.next_host_request()
        && task != HostTask::Pause
    {
        hosted.answer_to(number, HostAnswer::Done).expect("it can be so");
        hosted.driver.settle();
    }

    let Kept { begin, records } = std::mem::take(&mut *memory.0.lock().expect("no panic"));
    let (checkpoint, state) = begin.expect("it has begun");
    let records = records.iter().map(|record| serde_json::from_str(record).expect("it reads what it writes"));
    let mut resumed = Hosted::asleep(tempo(Pace::Lockstep));
    let now = resumed.driver.time();
    resumed.driver.owner.resume(checkpoint, state.as_deref(), records, 0, now).expect("it repeats the records");
    assert_eq!((resumed.driver.state(), resumed.driver.step()), (State::Running, 1));
    resumed.driver.act("anna", "work(5)");
    for _ in 0..2 {
        resumed.driver.settle();
        resumed.answer_all();
    }
    assert_eq!(resumed.driver.step(), 2);
}

#[test]
fn an_action_of_several_entities_makes_one_step_after_all_of_them() {
    let terms = HostTerms { steps_with_actions: true, ..HostTerms::default() };
    let mut hosted = Hosted::on(terms, tempo(Pace::Reactive)).running(&["anna", "bert"]);
    let (agent, entity) = ("anna".into(), "worker1".into());
    hosted.driver.get(Request::Input(Input::Associate { agent, entity })).expect("agents may share an entity");
    hosted.take_calls();
    let asked = hosted.driver.act("anna", "work(5)");
    let is_act = |task: &HostTask| matches!(task, HostTask::Act { step: false, .. });
    for _ in 0..2 {
        assert!(is_act(&hosted.next_host_request().task));
    }
    assert_eq!(hosted.driver.answer(asked), None);
}

#[test]
fn a_failed_action_makes_no_step_and_reports_the_usual_error() {
    let mut hosted = Hosted::new(tempo(Pace::Reactive), &["anna"]);
    let asked = hosted.driver.act("anna", "work(5)");
    hosted.answer(HostAnswer::Failed { reason: "it is too heavy".into(), tried: true }, HostUpdate::default());
    let Ok(Reply::Results(results)) = hosted.driver.got(asked) else { panic!("it has results") };
    let error = results[0].1.as_ref().expect_err("it has failed").to_string();
    assert_eq!(error, "work(5) of entity `worker0` failed: it is too heavy");
    assert_eq!(hosted.take_calls(), []);
}

#[test]
fn actions_outside_of_the_ontology_do_not_reach_the_host() {
    let mut hosted = Hosted::new(tempo(Pace::Reactive), &["anna"]);
    for (text, expected) in [
        ("wrok(5)", "agent `anna`: there is no action `wrok`; did you mean `work`?"),
        (
            "work(x)",
            "agent `anna`: work expects (serial: integer 0..), got work(x); expected integer 0.. for serial, got x",
        ),
    ] {
        let asked = hosted.driver.act("anna", text);
        assert_eq!(hosted.driver.got(asked).expect_err("unknown").to_string(), expected);
    }
    let asked = hosted.driver.act("anna", "watch");
    let Ok(Reply::Results(results)) = hosted.driver.got(asked) else { panic!("it has results") };
    let error = results[0].1.as_ref().expect_err("only guards can");
    assert_eq!(error.kind(), ErrorKind::NotSupportedByType);
    assert_eq!(hosted.take_calls(), []);
}

#[test]
fn in_lockstep_one_step_follows_when_all_have_acted() {
    let mut hosted = Hosted::new(tempo(Pace::Lockstep), &["anna", "bert", "cleo"]);
    let asked =
        [hosted.driver.act("anna", "work(1)"), hosted.driver.pass("bert"), hosted.driver.act("cleo", "work(3)")];
    assert_eq!(hosted.take_calls(), []);
    hosted.driver.advance();
    let calls = hosted.take_calls();
    assert!(matches!(
        &calls[..],
        [HostTask::Act { .. }, HostTask::ActByDefault { .. }, HostTask::Act { .. }, HostTask::Step]
    ));
    let numbers: Vec<u64> = (0..4).map(|place| 9 + place).collect();
    for number in &numbers[..3] {
        hosted.answer_to(*number, HostAnswer::Done).expect("so");
    }
    assert!(asked.iter().all(|asked| hosted.driver.answer(*asked).is_none()));
    let (answer, update) = (HostAnswer::Done, HostUpdate { step: Some(1), ..HostUpdate::default() });
    hosted.hear(HostReport::Answer { number: numbers[3], answer, update }).expect("so");
    assert!(asked.iter().all(|asked| hosted.driver.answer(*asked).is_some_and(Result::is_ok)));
    assert_eq!(hosted.driver.step(), 1);
}

#[test]
fn in_real_time_there_is_one_step_at_a_time_and_others_are_skipped() {
    let mut hosted = Hosted::new(real_time(10.0), &[]);
    hosted.driver.run(100);
    assert_eq!(hosted.take_calls(), [HostTask::Step]);
    hosted.driver.run(250);
    assert_eq!(hosted.take_calls(), []);
    hosted.answer_to(3, HostAnswer::Done).expect("so");
    assert_eq!(hosted.driver.step(), 1);
    hosted.driver.settle();
    assert_eq!(hosted.take_calls(), [HostTask::Step]);
    assert_eq!(hosted.driver.status().missed, 1);
}

#[test]
fn an_environment_with_its_own_clock_reports_its_steps() {
    let mut hosted = Hosted::new(tempo(Pace::Own), &["anna"]);
    let wait = hosted.driver.ask(Request::Wait { after: hosted.driver.status().moment });
    hosted.driver.run(5_000);
    assert_eq!(hosted.take_calls(), []);
    hosted.update(HostUpdate { step: Some(4), ..HostUpdate::default() }).expect("so");
    assert_eq!(hosted.driver.step(), 4);
    assert!(hosted.driver.got(wait).is_ok());
    let back = hosted.update(HostUpdate { step: Some(3), ..HostUpdate::default() });
    assert!(reason(back).contains("its step is 3, but was 4 before"));
}

#[test]
fn time_runs_for_as_many_steps_as_was_asked() {
    let mut hosted = Hosted::asleep(real_time(10.0));
    hosted.init(1);
    let asked = hosted.driver.ask(Request::Advance { steps: 2, at_once: false });
    for _ in 0..10 {
        hosted.answer_all();
        hosted.driver.run(100);
    }
    assert_eq!(hosted.driver.done_at(asked), (1, 2));
    assert_eq!(hosted.driver.state(), State::Paused);
}

#[test]
fn an_entity_is_given_when_the_host_has_answered() {
    let mut hosted = Hosted::new(tempo(Pace::Reactive), &[]);
    hosted.driver.register("anna");
    let (agent, entity_type) = (EcoString::from("anna"), EcoString::from("guard"));
    let asked = hosted.driver.ask(Request::Input(Input::RequestEntity { agent, entity_type, name: None }));
    let new = vec![NewEntity { entity: "guard9".into(), entity_type: "guard".into() }];
    hosted.answer(HostAnswer::Entity("guard9".into()), HostUpdate { new, ..HostUpdate::default() });
    assert_eq!(hosted.driver.got(asked), Ok(Reply::Entity("guard9".into())));
    hosted.answer_all();
    hosted.driver.unregister("anna");
    let entity = EcoString::from("guard9");
    assert_eq!(hosted.take_calls(), [HostTask::Freed { entity: entity.clone() }, HostTask::Left { entity }]);
}

#[test]
fn a_report_is_applied_completely_or_not_at_all() {
    let mut hosted = Hosted::new(tempo(Pace::Reactive), &["anna"]);
    let new = |entity: &str, entity_type: &str| HostUpdate {
        step: Some(9),
        new: vec![NewEntity { entity: entity.into(), entity_type: entity_type.into() }],
        ..HostUpdate::default()
    };
    let deleted = HostUpdate { deleted: vec!["worker7".into()], ..new("worker8", "worker") };
    let state = |state| HostUpdate { state: Some(state), ..new("worker8", "worker") };
    let cases = [
        (new("", "worker"), "an entity cannot have the name ``: a name has at least one character"),
        (new("worker0", "worker"), "it added entity `worker0`, which already exists"),
        (
            new("cat", "cat"),
            "entity `cat` has the type `cat`, which the ontology does not declare; declare it first, with \
             `update.ontology`",
        ),
        (deleted, "it deleted entity `worker7`, which does not exist"),
        (state(State::Initializing), "its state is initializing, which cannot follow running"),
        (
            HostUpdate { percepts: holds("nobody", "step(1)").percepts, ..new("worker8", "worker") },
            "it reported about entity `nobody`, which does not exist",
        ),
        (
            HostUpdate { percepts: holds("worker8", "stop(1)").percepts, ..new("worker8", "worker") },
            "entity `worker8` of type `worker`: there is no percept `stop`; did you mean `step`?; declare it first, \
             with `update.ontology`",
        ),
    ];
    for (update, expected) in cases {
        let said = reason(hosted.update(update));
        let whole = format!("the host of `mill` sent an invalid update: {expected}; the whole update was discarded");
        assert_eq!(said, whole);
        assert_eq!(hosted.driver.step(), 0);
        let entities = hosted.driver.owner.read(|interface| interface.entities()).expect("whole");
        assert_eq!(entities, ["worker0"]);
    }
    let unasked = hosted.answer_to(99, HostAnswer::Done);
    assert!(reason(unasked).contains("it answered request 99, which is not open"));
}

#[test]
fn only_hosted_environments_accept_reports() {
    let mut hosted = Hosted::new(tempo(Pace::Reactive), &["anna"]);
    let says = HostReport::Update(HostUpdate { step: Some(5), ..HostUpdate::default() });
    let asked = hosted.driver.input(Input::Host(Box::new(says.clone())));
    assert!(matches!(asked, Err(Error::HostOnly { .. })));
    let mut here = Driver::new(tempo(Pace::Reactive), &["anna"]);
    let now = here.time();
    assert!(here.owner.hear(says, now).expect_err("it has no host").to_string().contains("has no host"));
}

#[test]
fn an_environment_whose_host_has_disconnected_has_crashed() {
    let mut hosted = Hosted::new(tempo(Pace::Lockstep), &["anna", "bert"]);
    let act = hosted.driver.act("anna", "work(1)");
    let pause = hosted.manage(Command::Pause);
    let now = hosted.driver.time();
    hosted.driver.owner.host_gone("its connection was closed", now);
    hosted.driver.take_replies();
    for asked in [act, pause] {
        let error = hosted.driver.got(asked).expect_err("it is over").to_string();
        assert!(error.contains("its host has disconnected: its connection was closed"), "{error}");
    }
    assert_eq!(hosted.driver.state(), State::Killed);
}

#[test]
fn a_killed_environment_tells_its_host_and_waits_for_nothing() {
    let mut hosted = Hosted::new(tempo(Pace::Reactive), &["anna"]);
    let act = hosted.driver.act("anna", "work(1)");
    hosted.driver.manage(Command::Kill);
    assert_eq!(kind(&hosted.driver.got(act)), Some(ErrorKind::WrongState));
    assert_eq!(hosted.take_calls(), [HostTask::Kill]);
    let deleted = HostUpdate { deleted: vec!["worker0".into()], ..HostUpdate::default() };
    for number in 1..=8 {
        let report = HostReport::Answer { number, answer: HostAnswer::Done, update: deleted.clone() };
        hosted.hear(report).expect("answers to the kill and to earlier requests are ignored");
    }
    assert_eq!(hosted.driver.owner.deadline().filter(|deadline| *deadline < Duration::MAX), None);
}

#[test]
fn a_host_may_end_pause_and_start_its_environment() {
    let mut hosted = Hosted::new(at(Pace::Own, 10.0), &["anna"]);
    for state in [State::Paused, State::Running, State::Killed] {
        hosted.update(HostUpdate { state: Some(state), ..HostUpdate::default() }).expect("so");
        assert_eq!(hosted.driver.state(), state);
    }
}

#[test]
fn a_reset_keeps_the_agents_of_entities_that_exist_again() {
    let mut hosted = Hosted::new(tempo(Pace::Reactive), &["anna", "bert"]);
    let asked = hosted.manage(Command::Reset { parameters: None, seed: None });
    assert_eq!(hosted.driver.state(), State::Running);
    hosted.answer(HostAnswer::Done, beginning(1));
    hosted.driver.got(asked).expect("it is reset");
    let has = |agent: &'static str| {
        move |interface: &dyn situated::interface::EnvironmentInterface| {
            interface.associated_entities(agent).expect("registered")
        }
    };
    assert_eq!(hosted.driver.owner.read(has("anna")).expect("whole"), ["worker0"]);
    assert!(hosted.driver.owner.read(has("bert")).expect("whole").is_empty());
    assert_eq!((hosted.driver.state(), hosted.driver.status().moment.episode), (State::Paused, 2));
}

#[test]
fn rejects_hosts_with_unsound_ontologies() {
    let mut ontology: Ontology = Mill::ontology();
    ontology.entity_types.push(ontology.entity_types[0].clone());
    let refused = Owner::<u32>::hosted(ontology, tempo(Pace::Reactive), HostTerms::default());
    let error = refused.err().expect("two types have one name").to_string();
    assert!(error.contains("entity type `worker` is declared twice"), "{error}");
}

#[test]
fn an_accepted_action_is_done() {
    let mut hosted = Hosted::new(real_time(10.0), &["anna"]);
    let asked = hosted.driver.act("anna", "work(1)");
    hosted.answer_all();
    assert!(is_done(&hosted.driver.got(asked)));
}

#[test]
fn a_team_acts_in_a_hosted_environment() {
    for pace in [Pace::Reactive, Pace::Lockstep, Pace::RealTime { steps_per_second: 100.0 }] {
        let owner = Owner::hosted(Mill::ontology(), at(pace, 100.0), HostTerms::default()).expect("sound");
        let driver = Driver::around(owner.with_team(Team::new(vec![Rule::all(Program::idle())])));
        let (mut hosted, mut provider) = (Hosted { driver, calls: Vec::new() }, Provider::<Mill>::new());
        hosted.manage(Command::Init { parameters: BTreeMap::new(), seed: 1 });
        hosted.pump(&mut provider);
        hosted.manage(Command::Start);
        for _ in 0..20 {
            hosted.pump(&mut provider);
            hosted.driver.run(10);
        }
        assert_eq!(hosted.driver.owner.team().members().count(), 3);
        assert_eq!(hosted.driver.step() > 5, pace != Pace::Reactive, "{pace:?}");
    }
}

#[test]
fn a_reconnected_host_is_asked_again_for_percepts_of_controlled_entities() {
    let mut hosted = Hosted::new(tempo(Pace::Own), &["anna"]);
    hosted.update(HostUpdate { new: vec![worker("spare")], ..HostUpdate::default() }).expect("it can be so");
    let now = hosted.driver.time();
    hosted.driver.owner.host_back(now);
    assert_eq!(hosted.take_calls(), [HostTask::Perceive { entity: "worker0".into() }], "nobody has the other one");
}

#[test]
fn a_reconnected_host_is_asked_again_to_begin_the_first_episode() {
    let mut hosted = Hosted::asleep(tempo(Pace::Reactive));
    let asked = hosted.manage(Command::Init { parameters: BTreeMap::new(), seed: 7 });
    let missed = hosted.next_host_request();
    let now = hosted.driver.time();
    hosted.driver.owner.host_back(now);
    let HostRequest { number, task } = hosted.next_host_request();
    assert_eq!(task, missed.task);
    // The host may have got both requests; the episode is that of the last one.
    let answer = |number, workers| HostReport::Answer { number, answer: HostAnswer::Done, update: beginning(workers) };
    hosted.hear(answer(missed.number, 2)).expect("it is late");
    assert_eq!((hosted.driver.answer(asked), hosted.driver.state()), (None, State::Initializing));
    hosted.hear(answer(number, 1)).expect("it can be so");
    assert_eq!(hosted.driver.got(asked), Ok(Reply::Done));
    let entities = hosted.driver.owner.read(|interface| interface.entities()).expect("whole");
    assert_eq!(entities, ["worker0"]);
    let now = hosted.driver.time();
    hosted.driver.owner.host_back(now);
    assert_eq!(hosted.driver.owner.next_host_request(), None);
}

fn worker(name: &str) -> NewEntity {
    NewEntity { entity: name.into(), entity_type: "worker".into() }
}
