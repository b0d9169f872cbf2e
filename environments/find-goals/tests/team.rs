//! Tests the built-in agents: as a team, next to an agent that acts at random, and after delays or losses.

use std::collections::BTreeMap;

use situated::agent::{Agent, RandomAgent, Translated};
use situated::environment::{Environment, Outcome};
use situated::iil::{Numeral, Parameter};
use situated::interface::{Command, EnvironmentInterface, Form, Interface, Moment, Perception, Since, Version};
use situated::ontology::typed::TypedPercept;
use situated::random::Random;
use situated_find_goals::maze::Maze;
use situated_find_goals::optimum::{Game, best_return};
use situated_find_goals::team::{Teammate, teammate};
use situated_find_goals::{Body, Direction, FindGoals, Parameters, Percept, View, WALKER};

const VIEWS: [View; 2] = [View::Local, View::Global];

/// Part of the best possible return that a team should win.
const SHARE: f64 = 0.95;

/// The result that a team should reach in 300 steps from any state, of about 6,250.
const AFTER_TROUBLE: i64 = 5_900;

/// The environment behind an interface, with an agent for each walker that has the name of its entity.
struct Match {
    interface: Box<dyn EnvironmentInterface>,
    players: BTreeMap<&'static str, Box<dyn Agent>>,
}

impl Match {
    fn begin(view: View, red: Box<dyn Agent>, blue: Box<dyn Agent>) -> Self {
        let mut interface: Box<dyn EnvironmentInterface> = Box::new(Interface::<FindGoals>::new());
        let view = Parameter::from(if view == View::Local { "local" } else { "global" });
        let parameters = BTreeMap::from([("view".to_owned(), view)]);
        interface.manage(Command::Init { parameters, seed: 1 }).expect("the parameters are valid");
        interface.manage(Command::Start).expect("it is paused");
        for body in Body::ALL {
            interface.register_agent(body.name()).expect("the name is free");
            interface.associate_entity(body.name(), body.name()).expect("the entity is free");
        }
        Self { interface, players: BTreeMap::from([("red", red), ("blue", blue)]) }
    }

    /// Replaces the player of a walker.
    fn replace(&mut self, body: Body, player: Box<dyn Agent>) {
        self.interface.free_entity(body.name()).expect("it has an agent");
        self.interface.associate_entity(body.name(), body.name()).expect("the entity is free");
        self.players.insert(body.name(), player);
    }

    /// Returns the result of this number of steps.
    fn play(&mut self, steps: u32) -> i64 {
        self.play_asking(steps, |_| true)
    }

    /// Returns the result of this number of steps, in which a player decides only if `is_asked` returns true.
    fn play_asking(&mut self, steps: u32, mut is_asked: impl FnMut(&str) -> bool) -> i64 {
        let before = joint_reward(self.interface.outcome());
        for _ in 0..steps {
            for (name, player) in &mut self.players {
                if is_asked(name) {
                    decide(&mut *self.interface, name, player);
                }
            }
            self.interface.step().expect("it is running");
        }
        joint_reward(self.interface.outcome()) - before
    }
}

fn decide(interface: &mut dyn EnvironmentInterface, name: &str, player: &mut Box<dyn Agent>) {
    let received = interface.perceive(name, &[], Form::Update, Since::LastCall);
    if let Some(action) = player.decide(&received.expect("it is running")[0].1) {
        let results = interface.perform_action(name, &action, &[]);
        results.expect("it is running")[0].1.as_ref().expect("one action a step is accepted");
    }
}

fn joint_reward(outcome: Option<Outcome>) -> i64 {
    let results = outcome.expect("it is initialized").results;
    let reward = results.iter().find(|measure| measure.name == "joint reward");
    match reward.map(|measure| &measure.value) {
        Some(Parameter::Numeral(Numeral::Integer(reward))) => *reward,
        other => panic!("no whole number: {other:?}"),
    }
}

fn mate(body: Body) -> Box<dyn Agent> {
    Box::new(Translated::new(Teammate::new(body)))
}

fn random_agent(seed: u64) -> Box<dyn Agent> {
    Box::new(RandomAgent::new(&FindGoals::ontology(), WALKER, Random::new(seed)))
}

/// Returns a match of a built-in agent for this walker with an agent that acts at random.
fn with_random_partner(view: View, body: Body, seed: u64) -> Match {
    match body {
        Body::Red => Match::begin(view, mate(Body::Red), random_agent(seed)),
        Body::Blue => Match::begin(view, random_agent(seed), mate(Body::Blue)),
    }
}

#[test]
fn two_built_in_agents_are_nearly_optimal() {
    let best = best_return(1_000);
    for view in VIEWS {
        let won = [typed_team(view), Match::begin(view, mate(Body::Red), mate(Body::Blue)).play(1_000)];
        println!("a team wins {won:?} of {best} in 1,000 steps ({view:?} view)");
        assert!(won.iter().all(|won| *won as f64 >= SHARE * best as f64));
    }
}

/// Returns the result of a typed team in 1,000 steps.
fn typed_team(view: View) -> i64 {
    let mut interface: Interface<FindGoals> = Interface::new();
    interface.init(Parameters { view }, 1).expect("the parameters are valid");
    interface.start().expect("it is paused");
    let entities: Vec<_> = interface.entities().collect();
    let mut players = Vec::new();
    for entity in entities {
        let name = interface.entity_name(entity);
        let agent = interface.register(&name).expect("the name is free");
        interface.associate(agent, entity).expect("the entity is free");
        players.push((agent, entity, teammate(&name).expect("there is one for each body")));
    }
    for _ in 0..1_000 {
        for (agent, entity, player) in &mut players {
            let received = interface.perceive(*agent, *entity, Form::Update, Since::LastCall);
            let action = player.decide(&received.expect("it is running")).expect("a step has passed");
            interface.act(*agent, *entity, &action).expect("one action a step is accepted");
        }
        interface.step().expect("it is running");
    }
    joint_reward(interface.outcome())
}

#[test]
fn there_is_a_built_in_agent_for_each_entity() {
    assert!(teammate("red").is_some() && teammate("blue").is_some());
    assert!(teammate("green").is_none());
}

#[test]
fn a_built_in_agent_wins_next_to_a_random_agent() {
    for view in VIEWS {
        for body in Body::ALL {
            for seed in 0..4 {
                let won = with_random_partner(view, body, seed).play(1_000);
                println!("{body:?} wins {won} next to a random partner ({view:?} view)");
                // Two agents that act at random get a return of about -1,094.
                assert!(won > 500, "{won}");
            }
        }
    }
}

#[test]
fn the_team_recovers_when_one_agent_comes_later() {
    for view in VIEWS {
        for body in Body::ALL {
            for seed in 0..10 {
                let mut game = with_random_partner(view, body, seed);
                game.play(50);
                game.replace(body.other(), mate(body.other()));
                let won = game.play(300);
                assert!(won > AFTER_TROUBLE, "{won} with {body:?} and seed {seed} ({view:?} view)");
            }
        }
    }
}

#[test]
fn the_team_recovers_when_agents_miss_steps() {
    for view in VIEWS {
        let mut random = Random::new(9);
        let mut game = Match::begin(view, mate(Body::Red), mate(Body::Blue));
        let won = game.play_asking(1_000, |_| random.chance(0.9));
        println!("a team that is asked 9 times out of 10 wins {won} ({view:?} view)");
        assert!(won > 15_000, "{won}");
        let won = game.play(300);
        assert!(won > AFTER_TROUBLE, "{won}");
    }
}

#[test]
fn the_team_recovers_from_every_state() {
    for view in VIEWS {
        for maze in Game::explore().states() {
            let won = play_from(*maze, view, 300);
            assert!(won > AFTER_TROUBLE, "{won} from {maze:?} ({view:?} view)");
        }
    }
}

/// Returns the result of a new team in this number of steps from this state.
fn play_from(mut maze: Maze, view: View, steps: u64) -> i64 {
    let mut players = Body::ALL.map(|body| (body, Teammate::new(body), Vec::new()));
    let mut events = Vec::new();
    let mut total = 0;
    for step in 1..=steps {
        let [red, blue] = players.each_mut().map(|(body, player, before)| {
            let perception = perception(&maze, *body, view, step, before, events.clone());
            player.decide(&perception).expect("a step has passed")
        });
        let joint = maze.step(red, blue).joint;
        total += i64::from(joint);
        events = vec![Percept::Reward { joint }];
    }
    total
}

/// Returns the perception of a walker, given the percepts `before`, which become the present ones.
fn perception(
    maze: &Maze,
    body: Body,
    view: View,
    step: u64,
    before: &mut Vec<Percept>,
    events: Vec<Percept>,
) -> Perception<Percept> {
    let seen = Direction::ALL.into_iter().zip(maze.sees(body));
    let mut now: Vec<Percept> = seen.map(|(direction, what)| Percept::See { direction, what }).collect();
    if view == View::Global {
        now.push(Percept::At { x: maze.cell(body).x(), y: maze.cell(body).y() });
    }
    let but = |these: &[Percept], those: &[Percept]| {
        these.iter().filter(|percept| !those.contains(percept)).cloned().collect()
    };
    let perception = Perception {
        moment: Moment { episode: 1, step, time: 0 },
        since: Version::default(),
        version: Version::default(),
        resync: before.is_empty(),
        add: but(&now, before),
        delete: but(before, &now),
        events,
        lost: 0,
    };
    *before = now;
    perception
}

#[test]
fn an_agent_acts_at_most_once_per_step() {
    let mut player = Teammate::new(Body::Red);
    let mut before = Vec::new();
    let first = perception(&Maze::START, Body::Red, View::Local, 0, &mut before, Vec::new());
    assert!(player.decide(&first).is_some());
    let again = perception(&Maze::START, Body::Red, View::Local, 0, &mut before, Vec::new());
    assert_eq!(player.decide(&again), None);
}

#[test]
fn no_perception_makes_an_agent_panic() {
    let mut random = Random::new(11);
    let mut player = Teammate::new(Body::Blue);
    for step in 0..2_000 {
        let perception = nonsense(&mut random, step);
        assert!(perception.add.iter().all(|percept| Percept::from_iil(&percept.to_iil()).is_ok()));
        player.decide(&perception);
    }
}

/// Returns a perception that no environment would send.
fn nonsense(random: &mut Random, step: u64) -> Perception<Percept> {
    let mut percepts = || -> Vec<Percept> {
        let length = random.below(4);
        (0..length).map(|_| anything(random)).collect()
    };
    let (add, delete, events) = (percepts(), percepts(), percepts());
    Perception {
        moment: Moment { episode: 1, step, time: 0 },
        since: Version::default(),
        version: Version::default(),
        resync: random.chance(0.1),
        add,
        delete,
        events,
        lost: random.below(20).saturating_sub(18),
    }
}

fn anything(random: &mut Random) -> Percept {
    use situated_find_goals::Sight::{Free, Other, Wall};
    match random.below(3) {
        0 => Percept::See { direction: Direction::ALL[random.index(8)], what: [Free, Wall, Other][random.index(3)] },
        1 => Percept::At { x: random.bits() as u8, y: random.bits() as u8 },
        _ => Percept::Reward { joint: random.below(300) as i32 - 100 },
    }
}
