//! Tests the environment through the interface, as a bare episode, and through its encoding.

use std::collections::{BTreeMap, BTreeSet};

use situated::encoding::{Buffers, Encode, Encoding};
use situated::environment::{EntityId, Environment, Episode};
use situated::iil::Parameter;
use situated::interface::{AgentId, Form, Interface, Since};
use situated::ontology::typed::{InitParameters, TypedPercept};
use situated::ontology::{Delivery, Ontology, Pace};
use situated::random::Random;
use situated::scene::{Outline, Scene};
use situated_checker::Settings;
use situated_find_goals::maze::Cell;
use situated_find_goals::optimum::Game;
use situated_find_goals::{Action, Body, Direction, FindGoals, Parameters, Percept, View, WALKER};

const VIEWS: [View; 2] = [View::Local, View::Global];

fn begin(view: View) -> Episode<FindGoals> {
    Episode::init(&Parameters { view }, 7).expect("the parameters are valid")
}

fn entities(episode: &Episode<FindGoals>) -> [EntityId; 2] {
    Body::ALL.map(|body| episode.context().find_entity(body.name()).expect("an entity"))
}

fn step(episode: &mut Episode<FindGoals>, actions: [Action; 2]) {
    for (entity, action) in entities(episode).into_iter().zip(actions) {
        episode.act(entity, &action).expect("one action a step is accepted");
    }
    episode.step();
}

fn random_pair(random: &mut Random) -> [Action; 2] {
    Body::ALL.map(|_| Action::ALL[random.index(Action::ALL.len())])
}

/// Returns an interface with a running environment and an agent for each walker.
fn running(view: View) -> (Interface<FindGoals>, [(AgentId, EntityId); 2]) {
    let mut interface = Interface::new();
    interface.init(Parameters { view }, 7).expect("the parameters are valid");
    interface.start().expect("it is paused");
    let entities = entities(interface.episode().expect("it is initialized"));
    let players = entities.map(|entity| {
        let agent = interface.register(&interface.entity_name(entity)).expect("the name is free");
        interface.associate(agent, entity).expect("the entity is free");
        (agent, entity)
    });
    (interface, players)
}

fn texts(percepts: &[Percept]) -> Vec<String> {
    percepts.iter().map(|percept| percept.to_iil().to_string()).collect()
}

/// Returns the observation, mask and reward of an entity.
fn encode(episode: &Episode<FindGoals>, view: View, entity: EntityId) -> (Vec<u8>, f32) {
    let size = encoding(view).size();
    let (mut observations, mut masks, mut rewards) = (vec![9; size], [false; 5], [9.0]);
    let buffers = Buffers {
        observations: &mut observations,
        masks: &mut masks,
        rewards: &mut rewards,
        terminated: &mut [true],
        truncated: &mut [true],
    };
    episode.environment().encode(&[entity], buffers);
    assert_eq!(masks, [true; 5]);
    (observations, rewards[0])
}

fn encoding(view: View) -> Encoding {
    FindGoals::encoding(&Parameters { view }, WALKER).expect("walkers have one")
}

#[test]
fn follows_the_rules_for_environments() {
    for view in ["local", "global"] {
        let settings = Settings { seeds: 1..=5, ..Settings::default() }.parameter("view", view);
        settings.check_encoded::<FindGoals>().expect("there is such a view").assert_passed();
    }
}

#[test]
fn the_order_of_actions_within_a_step_makes_no_difference() {
    let mut random = Random::new(1);
    let (mut one, mut other) = (begin(View::Local), begin(View::Local));
    let [red, blue] = entities(&one);
    for _ in 0..1_000 {
        let actions = random_pair(&mut random);
        for (entity, action) in [(red, actions[0]), (blue, actions[1])] {
            one.act(entity, &action).expect("one action a step is accepted");
        }
        for (entity, action) in [(blue, actions[1]), (red, actions[0])] {
            other.act(entity, &action).expect("one action a step is accepted");
        }
        one.step();
        other.step();
        assert_eq!(one.hash(), other.hash());
    }
}

#[test]
fn a_second_action_is_refused_until_the_step_is_over() {
    let (mut interface, [(agent, red), _]) = running(View::Local);
    interface.act(agent, red, &Action::Up).expect("the first action is accepted");
    let before = interface.episode().map(Episode::hash);
    let error = interface.act(agent, red, &Action::Left).expect_err("the second action is refused");
    assert_eq!(
        error.to_string(),
        "left of entity `red` failed: red has already chosen up for this step; \
         choose again when the step is over"
    );
    assert_eq!(interface.episode().map(Episode::hash), before);
    interface.step().expect("it is running");
    interface.act(agent, red, &Action::Left).expect("a new step");
}

#[test]
fn an_entity_without_an_action_waits() {
    let (mut one, mut other) = (begin(View::Local), begin(View::Local));
    one.step();
    step(&mut other, [Action::Wait; 2]);
    assert_eq!(one.hash(), other.hash());
}

#[test]
fn an_entity_has_one_agent() {
    let (mut interface, [(_, red), _]) = running(View::Local);
    let second = interface.register("second").expect("the name is free");
    let error = interface.associate(second, red).expect_err("it is taken");
    assert!(error.to_string().contains("at most one agent"), "{error}");
}

#[test]
fn percepts_come_in_order_and_as_differences() {
    let (mut interface, [(agent, red), (partner, blue)]) = running(View::Global);
    let perceive = |interface: &mut Interface<FindGoals>| {
        let received = interface.perceive(agent, red, Form::Update, Since::LastCall);
        let received = received.expect("it is running");
        [texts(&received.add), texts(&received.delete), texts(&received.events)]
    };
    let [add, delete, events] = perceive(&mut interface);
    let seen = [
        "see(northWest,free)",
        "see(north,free)",
        "see(northEast,free)",
        "see(west,wall)",
        "see(east,wall)",
        "see(southWest,wall)",
        "see(south,wall)",
        "see(southEast,wall)",
        "at(3,1)",
    ];
    assert_eq!(add, seen);
    assert_eq!((delete.len(), events.len()), (0, 0));

    interface.act(partner, blue, &Action::Up).expect("it can");
    interface.step().expect("it is running");
    interface.act(partner, blue, &Action::Left).expect("it can");
    interface.step().expect("it is running");
    let nothing: [String; 0] = [];
    let two_steps = ["reward(-1)".to_owned(), "reward(-1)".to_owned()];
    assert_eq!(perceive(&mut interface), [&nothing[..], &nothing, &two_steps]);

    interface.act(partner, blue, &Action::Left).expect("it can");
    interface.step().expect("it is running");
    let [add, delete, events] = perceive(&mut interface);
    assert_eq!(add, ["see(northEast,other)"]);
    assert_eq!(delete, ["see(northEast,free)"]);
    assert_eq!(events, ["reward(-1)"]);
}

#[test]
fn percepts_and_observations_agree_in_every_state() {
    for view in VIEWS {
        explore(view, |episode, entity| {
            let (observation, reward) = encode(episode, view, entity);
            assert_eq!(observation, observed(&episode.percepts(entity), view));
            let joint = reward as i32;
            let received = (entity, Percept::Reward { joint });
            assert!(episode.context().step() == 0 || episode.events().contains(&received));
        });
    }
}

/// Plays long enough to reach every state many times; calls `examine` with each entity in each state.
fn explore(view: View, mut examine: impl FnMut(&Episode<FindGoals>, EntityId)) {
    let game = Game::explore();
    let mut random = Random::new(2);
    let mut visits = vec![0; game.states().len()];
    let mut episode = begin(view);
    for _ in 0..5_000 {
        let state = game.find(*episode.environment().maze()).expect("play can reach it");
        visits[state] += 1;
        entities(&episode).into_iter().for_each(|entity| examine(&episode, entity));
        // Of some random pairs of actions, the one whose next state was visited least.
        let pairs = [(); 8].map(|_| random_pair(&mut random));
        let visited = |[red, blue]: &[Action; 2]| visits[game.transition(state, *red, *blue).next];
        step(&mut episode, pairs.into_iter().min_by_key(visited).expect("there are pairs"));
    }
    assert!(visits.iter().all(|times| *times > 10), "{visits:?}");
}

/// Returns the observation with the same contents as these percepts.
fn observed(percepts: &[Percept], view: View) -> Vec<u8> {
    let seen = percepts.iter().filter_map(|percept| match percept {
        Percept::See { direction, what } => Some((*direction, *what as u8)),
        _ => None,
    });
    let seen: Vec<(Direction, u8)> = seen.collect();
    let place = percepts.iter().find_map(|percept| match percept {
        Percept::At { x, y } => Some((usize::from(*x), usize::from(*y))),
        _ => None,
    });
    assert_eq!(place.is_some(), view == View::Global);
    assert!(seen.iter().map(|(direction, _)| *direction).eq(Direction::ALL));
    let Some((x, y)) = place else {
        return seen.into_iter().map(|(_, what)| what).collect();
    };
    let mut maze = [[3; 10]; 4];
    maze[3 - y][x] = 4;
    let around = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1), (2, 2)];
    for ((down, right), (_, what)) in around.into_iter().zip(seen) {
        maze[3 - y - 1 + down][x - 1 + right] = what;
    }
    maze.concat()
}

#[test]
fn the_scene_of_an_entity_shows_exactly_what_it_perceives() {
    for view in VIEWS {
        let mut shown: BTreeMap<(EntityId, Vec<String>), String> = BTreeMap::new();
        explore(view, |episode, entity| {
            let scene = serde_json::to_string(&scene(episode, Some(entity)));
            let scene = scene.expect("a scene can be written");
            let percepts = texts(&episode.percepts(entity));
            let first = shown.entry((entity, percepts)).or_insert_with(|| scene.clone());
            assert_eq!(*first, scene, "the scene shows more than is perceived");
        });
        let scenes: BTreeSet<&String> = shown.values().collect();
        assert_eq!(scenes.len(), shown.len(), "more is perceived than the scene shows");
    }
}

fn scene(episode: &Episode<FindGoals>, viewer: Option<EntityId>) -> Scene {
    episode.scene(viewer)
}

/// Returns the left edges of the shapes of a walker.
fn lefts(scene: &Scene, body: Body) -> Vec<f64> {
    let of_body = scene.shapes.iter().filter(|shape| shape.stands_for == Some(Parameter::from(body.name())));
    let left = of_body.map(|shape| match shape.outline {
        Outline::Rectangle { x, .. } => x,
        _ => panic!("bodies are rectangles"),
    });
    left.collect()
}

#[test]
fn the_scene_shows_both_walkers_even_in_the_same_cell() {
    let mut episode = begin(View::Local);
    let mut random = Random::new(4);
    let same_cell = |episode: &Episode<FindGoals>| {
        let maze = episode.environment().maze();
        maze.cell(Body::Red) == maze.cell(Body::Blue)
    };
    while !same_cell(&episode) {
        step(&mut episode, random_pair(&mut random));
    }
    let whole = scene(&episode, None);
    assert_eq!((whole.width, whole.height), (10.0, 4.0));
    let [red, blue] = Body::ALL.map(|body| lefts(&whole, body));
    assert_eq!((red.len(), blue.len()), (1, 1));
    assert!(red[0] < blue[0]);

    let [red, _] = entities(&episode);
    let own = scene(&episode, Some(red));
    assert_eq!((own.width, own.height), (3.0, 3.0));
    assert_eq!((lefts(&own, Body::Red).len(), lefts(&own, Body::Blue).len()), (1, 0));
}

#[test]
fn a_saved_walker_inside_a_wall_is_an_error() {
    let json = serde_json::to_value(begin(View::Local).environment()).expect("it can be written");
    for cell in Cell::all() {
        let mut changed = json.clone();
        changed["maze"]["cells"][0] = (cell.y() * 10 + cell.x()).into();
        let loaded: Result<FindGoals, _> = serde_json::from_value(changed);
        assert_eq!(loaded.is_ok(), !cell.is_wall());
    }
}

#[test]
fn a_reset_begins_a_new_episode() {
    let (mut interface, [(agent, red), _]) = running(View::Local);
    let maze =
        |interface: &Interface<FindGoals>| *interface.episode().expect("there is an episode").environment().maze();
    let start = maze(&interface);
    interface.act(agent, red, &Action::Up).expect("it can");
    interface.step().expect("it is running");
    assert_ne!(maze(&interface), start);
    interface.reset(None, Some(7)).expect("it is running");
    assert_eq!(maze(&interface), start);
    assert_eq!(interface.episode().map(Episode::hash), Some(begin(View::Local).hash()));
}

#[test]
fn results_contain_the_return_and_the_best_possible_return() {
    let mut episode = begin(View::Local);
    let lines = |episode: &Episode<FindGoals>| -> Vec<String> {
        let results = episode.outcome().results;
        results.iter().map(|line| format!("{} {}: {}", line.of, line.name, line.value)).collect()
    };
    let at_first = [
        "team steps: 0",
        "team joint reward: 0",
        "red goals: 0",
        "blue goals: 0",
        "team best possible joint reward: 0",
    ];
    assert_eq!(lines(&episode), at_first);
    let way = [Action::Up, Action::Right, Action::Right, Action::Right, Action::Right, Action::Right];
    for action in way {
        step(&mut episode, [action, Action::Wait]);
    }
    let at_last = [
        "team steps: 6",
        "team joint reward: 94",
        "red goals: 1",
        "blue goals: 0",
        "team best possible joint reward: 94",
        "team share of the best possible in percent: 100.0",
    ];
    assert_eq!(lines(&episode), at_last);
    assert_eq!(episode.outcome().ending, None);
}

#[test]
fn the_encoding_is_declared() {
    let actions = ["up", "down", "left", "right", "wait"];
    for (view, shape, high) in [(View::Local, vec![8], 2.0), (View::Global, vec![4, 10], 4.0)] {
        let encoding = encoding(view);
        assert_eq!((encoding.shape, encoding.low, encoding.high), (shape, 0.0, high));
        assert_eq!(encoding.actions, actions);
    }
    assert_eq!(FindGoals::encoding(&Parameters::default(), "robot"), None);
    let episode = begin(View::Local);
    let [red, _] = entities(&episode);
    let decoded = (0..6).map(|number| episode.environment().decode(red, number));
    assert!(decoded.eq(Action::ALL.into_iter().map(Some).chain([None])));
}

#[test]
fn the_ontology_declares_everything() {
    let ontology = FindGoals::ontology();
    assert_eq!((ontology.name.as_str(), ontology.pace), ("find-goals", Pace::Lockstep));
    let read: Ontology = serde_json::from_str(&ontology.to_json()).expect("its own JSON");
    assert_eq!(read, ontology);
    let page = ontology.to_markdown();
    for expected in ["# find-goals", "`up`", "`see(direction: Direction, what: Sight)`", "`view`"] {
        assert!(page.contains(expected), "{expected} is not in\n{page}");
    }
    use Delivery::{Event, OnChangeWithNegation};
    assert_eq!(Percept::DELIVERIES, [OnChangeWithNegation, OnChangeWithNegation, Event]);
    let parameters = BTreeMap::from([("view".to_owned(), Parameter::from("global"))]);
    assert_eq!(Parameters::from_iil(&parameters), Ok(Parameters { view: View::Global }));
    assert_eq!(Parameters::from_iil(&BTreeMap::new()), Ok(Parameters { view: View::Local }));
}
