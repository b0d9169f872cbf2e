//! Environments that run elsewhere have the same interface as others.

use situated::environment::Environment as _;
use situated::host::{HostAnswer, HostReport, HostTerms, HostUpdate, NewEntity, PerceptUpdate, Provider};
use situated::hosted::HostedInterface;
use situated::iil::Percept;
use situated::interface::{
    Command, Effect, EnvironmentInterface, Error, ErrorKind, Form, Happening, Input, Interface, Observer, Since, State,
    Time,
};
use situated::ontology::{Delivery, EntityType, Ontology, OntologyAddition, PerceptSignature, Signature};
use situated::random::Random;

use situated_toys::yard::Yard;

fn init() -> Input {
    Input::Manage(Command::Init { parameters: [].into(), seed: 7 })
}

fn act(agent: &str, action: &str) -> Input {
    let action = action.parse::<situated::iil::Action>().expect("an action").into();
    Input::Act { agent: agent.into(), action, entities: Vec::new() }
}

/// The percepts of an entity, sorted, since they have no order.
fn percepts(interface: &mut dyn EnvironmentInterface, agent: &str) -> Vec<(String, Vec<Percept>)> {
    let received = interface.perceive(agent, &[], Form::Snapshot, Since::LastCall).unwrap_or_default();
    let sorted = |(entity, perception): (situated::iil::EcoString, situated::interface::Perception)| {
        let mut percepts = perception.add;
        percepts.sort();
        (entity.to_string(), percepts)
    };
    received.into_iter().map(sorted).collect()
}

#[test]
fn a_host_in_this_process_is_like_the_environment_itself() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let hosted = HostedInterface::local(Yard::ontology(), Provider::<Yard>::new()).expect("sound");
        let mut both: [Box<dyn EnvironmentInterface>; 2] = [Box::new(Interface::<Yard>::new()), Box::new(hosted)];
        let mut inputs = vec![init(), Input::Manage(Command::Start)];
        for (agent, entity) in [("anna", "dog0"), ("bert", "cat1"), ("bert", "dog1")] {
            inputs.push(Input::Register { agent: agent.into() });
            inputs.push(Input::Associate { agent: agent.into(), entity: entity.into() });
        }
        let actions =
            ["toggle(3)", "count(4)", "learn(2)", "bear", "look", "fail", "fly", "fetch", "vanish", "unknown"];
        for _ in 0..60 {
            inputs.push(match random.below(10) {
                0..2 => Input::Step,
                2 => {
                    let (agent, entity_type) = ("anna".into(), "dog".into());
                    Input::RequestEntity { agent, entity_type, name: None }
                }
                3 => Input::FreeAgent { agent: "bert".into() },
                4 => Input::Associate { agent: "bert".into(), entity: "cat0".into() },
                _ => act(random.choose(&["anna", "bert"]).expect("two"), random.choose(&actions).expect("some")),
            });
        }
        for input in inputs {
            let [here, there] = &mut both;
            let (one, other) = (here.apply(&input, Time::default()), there.apply(&input, Time::default()));
            assert_eq!(one, other, "seed {seed}: {input:?}");
            for agent in ["anna", "bert"] {
                assert_eq!(percepts(&mut **here, agent), percepts(&mut **there, agent), "seed {seed}: {input:?}");
            }
            assert_eq!(here.entities(), there.entities());
            assert_eq!(here.outcome(), there.outcome());
        }
    }
}

/// A hosted yard in which anna has a dog, with the reports of its host.
fn hosted() -> (HostedInterface, Vec<Input>) {
    let mut hosted = HostedInterface::new(Yard::ontology(), HostTerms::default()).expect("sound");
    let new = vec![NewEntity { entity: "rex".into(), entity_type: "dog".into() }];
    let update = HostUpdate { new, ..HostUpdate::default() };
    let inputs = vec![
        Input::Register { agent: "anna".into() },
        init(),
        Input::Host(HostReport::Answer { number: 1, answer: HostAnswer::Done, update }.into()),
        Input::Associate { agent: "anna".into(), entity: "rex".into() },
        Input::Host(HostReport::Update(HostUpdate { state: Some(State::Running), ..HostUpdate::default() }).into()),
    ];
    inputs.iter().for_each(|input| drop(hosted.apply(input, Time::default()).expect("it is allowed")));
    (hosted, inputs)
}

fn signature(name: &str) -> Signature {
    Signature { name: name.into(), documentation: String::new(), parameters: Vec::new() }
}

/// Dogs can also swim and feel wet, and there are ducks.
fn addition() -> OntologyAddition {
    let wet = PerceptSignature { signature: signature("wet"), delivery: Delivery::OnChange, say: None };
    let of = |name: &str, actions, percepts| EntityType {
        name: name.into(),
        documentation: String::new(),
        actions,
        percepts,
    };
    let (dog, duck) = (of("dog", vec![signature("swim")], vec![wet]), of("duck", vec![signature("swim")], Vec::new()));
    OntologyAddition { entity_types: vec![dog, duck], ..OntologyAddition::default() }
}

#[test]
fn a_host_adds_to_its_ontology_while_it_runs() {
    let (mut hosted, mut inputs) = hosted();
    let mut observer = Observer::new();
    (&hosted as &dyn EnvironmentInterface).drain(&mut observer);
    let swim = act("anna", "swim");
    let error = hosted.apply(&swim, Time::default()).expect_err("nobody can swim yet");
    assert!(matches!(error, Error::NotSupportedByEnvironment { .. }), "{error}");

    let new = vec![NewEntity { entity: "donald".into(), entity_type: "duck".into() }];
    let wet = PerceptUpdate { entity: "rex".into(), add: vec![Percept::new("wet", [])], ..PerceptUpdate::default() };
    let ontology = Some(addition());
    let update = HostUpdate { ontology, new, percepts: vec![wet], ..HostUpdate::default() };
    let report = Input::Host(HostReport::Update(update).into());
    assert_eq!(hosted.apply(&report, Time::default()), Ok(Effect::Done));
    inputs.push(report.clone());

    let interface: &mut dyn EnvironmentInterface = &mut hosted;
    assert_eq!(interface.ontology().revision, 1);
    assert_eq!(interface.entity_type("donald"), Ok("duck"));
    let received = interface.drain(&mut observer).happenings;
    assert!(received.contains(&Happening::Ontology { revision: 1 }), "{received:?}");
    let newcomer = interface.drain(&mut Observer::new()).happenings;
    assert!(newcomer.contains(&Happening::Ontology { revision: 1 }), "{newcomer:?}");
    assert_eq!(percepts(interface, "anna"), [("rex".into(), vec![Percept::new("wet", [])])]);
    assert!(matches!(interface.apply(&swim, Time::default()), Ok(Effect::Acting { .. })));
    assert!(matches!(interface.apply(&act("anna", "look"), Time::default()), Ok(Effect::Acting { .. })));

    // The same addition again changes nothing.
    let again = HostUpdate { ontology: Some(addition()), ..HostUpdate::default() };
    interface.apply(&Input::Host(HostReport::Update(again).into()), Time::default()).expect("it is declared so");
    assert_eq!(interface.ontology().revision, 1);

    // The recorded inputs lead to the same state.
    let written = serde_json::to_string(&inputs).expect("inputs can be written");
    let read: Vec<Input> = serde_json::from_str(&written).expect("it was written");
    assert_eq!(read, inputs);
    let mut again = HostedInterface::new(Yard::ontology(), HostTerms::default()).expect("sound");
    read.iter().for_each(|input| drop(again.apply(input, Time::default()).expect("it was allowed")));
    let again: &dyn EnvironmentInterface = &again;
    assert_eq!((again.hash(), again.ontology()), (interface.hash(), interface.ontology()));
}

#[test]
fn the_host_of_an_open_environment_gets_undeclared_actions_and_parameters() {
    let ontology = Ontology { open: true, ..Yard::ontology() };
    let mut open = HostedInterface::new(ontology, HostTerms::default()).expect("sound");
    let parameters = [("level".to_owned(), 3.into())].into();
    let init = Input::Manage(Command::Init { parameters, seed: 7 });
    open.apply(&init, Time::default()).expect("an open environment has any parameters");
    let beginning = open.host_requests_mut().and_then(|requests| requests.take_next()).expect("the host has to begin");
    assert!(format!("{beginning:?}").contains("level"), "{beginning:?}");
    let (_, inputs) = hosted();
    for input in inputs.iter().filter(|input| !matches!(input, Input::Manage(_))) {
        open.apply(input, Time::default()).expect("it is allowed");
    }
    // Nobody declares the first, cats declare the second, and the third has a parameter too many.
    for action in ["swim(7)", "climb", "look(1)"] {
        let effect = open.apply(&act("anna", action), Time::default());
        assert!(matches!(effect, Ok(Effect::Acting { .. })), "{action}: {effect:?}");
    }
    let requests = open.host_requests_mut().expect("its host is elsewhere");
    let tasks: Vec<String> = std::iter::from_fn(|| requests.take_next()).map(|one| format!("{:?}", one.task)).collect();
    assert!(tasks.iter().any(|task| task.contains("swim")), "{tasks:?}");
    let interface: &mut dyn EnvironmentInterface = &mut open;
    let (_, checked) = interface.check_action("anna", &"fly".parse().expect("an action"), &[]).expect("it can act");
    assert_eq!(checked[0].verdict, Ok(()));
}

#[test]
fn properties_of_a_host_are_those_of_its_ontology() {
    let refused = Err(ErrorKind::NoSuchProperty);
    let none = Ontology { properties: vec![], entity_properties: vec![], ..Yard::ontology() };
    for (ontology, declared, other) in [
        (Yard::ontology(), Ok(None), refused.clone()),
        (Ontology { open: true, ..Yard::ontology() }, Ok(None), refused.clone()),
        (none.clone(), refused.clone(), refused),
        (Ontology { open: true, ..none }, Ok(None), Ok(None)),
    ] {
        let hosted = HostedInterface::new(ontology, HostTerms::default()).expect("sound");
        let query = |property| hosted.query(None, property).map_err(|error| error.kind());
        assert_eq!((query("animals"), query("weather")), (declared, other), "{:?}", hosted.bookkeeping().ontology());
        assert_eq!(query("name"), Ok(Some("yard".into())));
    }
}

#[test]
fn a_host_cannot_change_what_it_has_declared() {
    let (mut hosted, _) = hosted();
    let number = situated::ontology::Field::new("thing", "", situated::ontology::Type::Any);
    let mut changed = signature("toggle");
    changed.parameters.push(number);
    let mut ontology = addition();
    ontology.entity_types[0].actions.push(changed);
    let new = vec![NewEntity { entity: "donald".into(), entity_type: "duck".into() }];
    let update = HostUpdate { ontology: Some(ontology), new, ..HostUpdate::default() };
    let error = hosted.apply(&Input::Host(HostReport::Update(update).into()), Time::default());
    let error = error.expect_err("it has declared `toggle` otherwise").to_string();
    assert!(error.contains("`toggle` is declared twice"), "{error}");
    let interface: &dyn EnvironmentInterface = &hosted;
    assert_eq!((interface.ontology(), interface.entities().len()), (&Yard::ontology(), 1));
}

#[test]
fn saving_and_loading_a_hosted_environment_fails() {
    let (mut hosted, _) = hosted();
    let snapshot = EnvironmentInterface::episode(&hosted).expect("it has begun").snapshot();
    assert!(matches!(hosted.save(), Err(Error::RunElsewhere { what, .. }) if what == "saved"));
    let error = hosted.load(&snapshot).expect_err("its host continues");
    assert_eq!(
        error.to_string(),
        "environment `yard` cannot be loaded here: a host runs it elsewhere and keeps its state"
    );
    let seen = HostedInterface::of_snapshot(Yard::ontology(), &snapshot).expect("its own snapshot");
    let seen: &dyn EnvironmentInterface = &seen;
    assert_eq!((seen.entities(), seen.agents()), (vec!["rex".into()], vec!["anna".into()]));
}

#[test]
fn answers_after_a_kill_are_ignored() {
    let (mut hosted, _) = hosted();
    let Ok(Effect::Acting { requests, .. }) = hosted.apply(&act("anna", "look"), Time::default()) else {
        panic!("it needs the host")
    };
    hosted.apply(&Input::Manage(Command::Kill), Time::default()).expect("it runs");
    let update = HostUpdate { deleted: vec!["rex".into()], ..HostUpdate::default() };
    for number in [requests[0], requests[0] + 1] {
        let answer = HostReport::Answer { number, answer: HostAnswer::Done, update: update.clone() };
        assert_eq!(hosted.apply(&Input::Host(answer.into()), Time::default()), Ok(Effect::Nothing));
    }
    let update = Input::Host(HostReport::Update(update).into());
    assert!(hosted.apply(&update, Time::default()).is_err(), "a change of an environment that has ended");
}

#[test]
fn a_host_learns_how_to_declare_a_new_percept_or_type() {
    for open in [false, true] {
        let (_, inputs) = hosted();
        let ontology = Ontology { open, ..Yard::ontology() };
        let mut hosted = HostedInterface::new(ontology, HostTerms::default()).expect("sound");
        inputs.iter().for_each(|input| drop(hosted.apply(input, Time::default()).expect("it is allowed")));
        let percepts =
            vec![PerceptUpdate { entity: "rex".into(), add: vec![Percept::new("wet", [])], ..Default::default() }];
        let new = vec![NewEntity { entity: "donald".into(), entity_type: "duck".into() }];
        for update in [HostUpdate { percepts, ..Default::default() }, HostUpdate { new, ..Default::default() }] {
            let error = hosted.apply(&Input::Host(HostReport::Update(update).into()), Time::default());
            let error = error.expect_err("nobody has declared it").to_string();
            assert!(error.contains("; declare it first, with `update.ontology`; "), "{error}");
        }
    }
}
