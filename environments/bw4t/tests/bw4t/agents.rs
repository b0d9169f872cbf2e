//! The built-in agents at work: alone, in teams, and with a person.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use situated::agent::{Agent, BuiltInAgents as _};
use situated::iil::{EcoString, Parameter};
use situated::interface::{AgentId, EntityId, Form, Interface, Perception, Since};
use situated_bw4t::action::Action;
use situated_bw4t::agents::{Companion, Contents, Explorer, Teammate};
use situated_bw4t::messages::Message;
use situated_bw4t::percept::Percept;
use situated_bw4t::team::{BOT, EPARTNER, HUMAN};
use situated_bw4t::world::{Collisions, World};
use situated_bw4t::{Bw4t, Color, Map, Names, Parameters};

use crate::played::{defaults, go_to};

/// Number of ticks of the original's scripts on Rainbow (reference, "Task baselines").
const NAIVE_EXPLORER: u64 = 5_309;
const BEST_SCRIPT: u64 = 3_983;

/// Number of ticks after which a team counts as frozen.
const FROZEN: u64 = 12_000;

type Player = Box<dyn Agent<Action, Percept>>;

/// An environment with a program for each of some entities.
struct Game {
    interface: Interface<Bw4t>,
    players: BTreeMap<EcoString, (AgentId, EntityId, Player)>,
    /// The messages with their senders.
    said: Vec<(EcoString, Parameter)>,
}

impl Game {
    fn begin(parameters: &Parameters, seed: u64) -> Self {
        let mut interface: Interface<Bw4t> = Interface::new();
        interface.init(parameters.clone(), seed).expect("a sound world");
        interface.start().expect("it is paused");
        Self { interface, players: BTreeMap::new(), said: Vec::new() }
    }

    /// Gives all entities the same program.
    fn with_all(parameters: &Parameters, seed: u64, player: impl Fn() -> Player) -> Self {
        let mut game = Self::begin(parameters, seed);
        let free: Vec<EntityId> = game.interface.free_entities().collect();
        for entity in free {
            let name = game.interface.entity_name(entity);
            let agent = game.interface.register(&name).expect("the name is free");
            game.interface.associate(agent, entity).expect("the entity is free");
            game.players.insert(name, (agent, entity, player()));
        }
        game
    }

    /// Adds an agent that requests an entity.
    fn add(&mut self, name: &str, entity_type: &str, player: Player) {
        let agent = self.interface.register(name).expect("the name is free");
        let entity = self.interface.request(agent, entity_type, Some(name)).expect("there is a place");
        self.players.insert(name.into(), (agent, entity, player));
    }

    fn remove(&mut self, name: &str) {
        let (agent, ..) = self.players.remove(name).expect("it is there");
        self.interface.unregister(agent).expect("it is registered");
    }

    fn world(&self) -> &World {
        self.interface.episode().expect("it was begun").environment().world()
    }

    fn tick(&mut self) {
        for (name, (agent, entity, player)) in &mut self.players {
            let received = self.interface.perceive(*agent, *entity, Form::Update, Since::LastCall);
            let Some(action) = player.decide(&received.expect("it is running")) else { continue };
            if let Action::SendMessage { content, .. } = &action {
                self.said.push((name.clone(), content.clone()));
            }
            // The program must notice rejected actions itself.
            _ = self.interface.act(*agent, *entity, &action);
        }
        self.interface.step().expect("it is running");
    }

    fn run(&mut self, ticks: u64) {
        (0..ticks).for_each(|_| self.tick());
    }

    /// Returns the number of ticks until everything is delivered.
    fn finish(&mut self) -> Option<u64> {
        while self.world().completed().is_none() && self.world().tick_count() < FROZEN {
            self.tick();
        }
        self.world().completed()
    }

    /// Returns the messages of a player, as sentences.
    fn sentences(&self, name: &str) -> Vec<String> {
        let said = self.said.iter().filter(|(from, _)| from == name);
        said.map(
            |(_, content)| {
                if let Parameter::Identifier(text) = content { text.to_string() } else { content.to_string() }
            },
        )
        .collect()
    }
}

/// A person, who acts as the test demands.
struct Person(Arc<Mutex<Vec<Action>>>);

impl Agent<Action, Percept> for Person {
    fn decide(&mut self, _: &Perception<Percept>) -> Option<Action> {
        let mut wishes = self.0.lock().expect("it is not poisoned");
        (!wishes.is_empty()).then(|| wishes.remove(0))
    }
}

fn explorer() -> Player {
    Box::new(Explorer::new())
}

fn teammate() -> Player {
    Box::new(Teammate::new())
}

fn on(map: &str, robots: u32) -> Parameters {
    Parameters { map: Some(map.into()), robots, ..defaults() }
}

/// The parameters for a team in a scenario file.
fn with_team(map: &str, team: &str) -> Parameters {
    Parameters { team: Some(team.into()), ..on(map, 1) }
}

/// The contents of the rooms.
fn contents(game: &Game) -> Vec<Contents> {
    let world = game.world();
    let zones = world.ground().zones().iter().enumerate();
    let lying = |zone| world.lying_in(zone).iter().map(|block| &world.blocks()[*block]);
    let blocks = |zone| lying(zone).map(|block| (block.color, block.position().expect("it lies"))).collect();
    zones.map(|(zone, site)| Contents { room: site.name.clone(), blocks: blocks(zone) }).collect()
}

/// Returns the number of ticks of one robot, with or without knowledge of the contents of rooms.
fn alone(parameters: &Parameters, seed: u64, perceives: bool) -> u64 {
    let received = if perceives { contents(&Game::begin(parameters, seed)) } else { Vec::new() };
    let mut game = Game::with_all(parameters, seed, || Box::new(Explorer::informed(received.clone())));
    game.finish().unwrap_or_else(|| panic!("an explorer froze on {:?} with seed {seed}", parameters.map))
}

/// Returns the number of ticks of a team.
fn together(parameters: &Parameters, seed: u64) -> u64 {
    let mut game = Game::with_all(parameters, seed, teammate);
    let Parameters { map, robots, collisions, wait_at_doors, .. } = parameters;
    game.finish().unwrap_or_else(|| {
        panic!("{robots} froze on {map:?} with seed {seed}, {collisions:?}, waiting at doors: {wait_at_doors}")
    })
}

#[test]
fn an_explorer_is_faster_than_the_script_of_the_original() {
    let ticks = alone(&on("Rainbow", 1), 1, false);
    println!("an explorer needs {ticks} ticks on Rainbow");
    assert!(ticks < NAIVE_EXPLORER, "{ticks}");
}

#[test]
fn an_informed_explorer_is_faster_than_any_script() {
    let ticks = alone(&on("Rainbow", 1), 1, true);
    println!("an informed robot needs {ticks} ticks on Rainbow");
    assert!(ticks < BEST_SCRIPT, "{ticks}");
}

#[test]
fn explorers_deliver_everything_on_all_maps() {
    for map in ["Banana", "Dutch Flag", "Random", "SuperRandom"] {
        for seed in 1..4 {
            let ticks = alone(&on(map, 1), seed, false);
            assert!(ticks < 6_000, "{ticks} ticks on {map} with seed {seed}");
        }
    }
}

#[test]
fn more_grippers_save_ways() {
    let [one, three] = [1, 3].map(|grippers| {
        let team = format!("[[bots]]\namount = 1\ngrippers = {grippers}\n");
        [false, true].map(|perceives| alone(&with_team("Rainbow", &team), 1, perceives))
    });
    println!("with one gripper {one:?} ticks, with three {three:?}");
    assert!(three[0] < one[0] && three[1] * 3 < one[1] * 2, "{one:?} {three:?}");
}

#[test]
fn teams_are_faster_than_one() {
    let one = alone(&on("Rainbow", 1), 1, false);
    let [two, three] = [2, 3].map(|robots| together(&on("Rainbow", robots), 1));
    println!("one needs {one} ticks on Rainbow, two need {two}, three {three}");
    assert!(two * 10 < one * 6, "two need {two}, one {one}");
    assert!(three * 2 < one, "three need {three}, one {one}");
}

#[test]
fn teams_deliver_everything_on_all_maps() {
    for (map, robots) in [
        ("Banana", 2),
        ("Banana", 3),
        ("Dutch Flag", 3),
        ("Random", 2),
        ("Random", 3),
        ("SuperRandom", 5),
        ("SuperRandom", 10),
    ] {
        for seed in 1..3 {
            let ticks = together(&on(map, robots), seed);
            assert!(ticks < 3_500, "{robots} need {ticks} ticks on {map} with seed {seed}");
        }
    }
}

#[test]
fn teams_get_past_each_other() {
    for wait_at_doors in [false, true] {
        for (map, robots, seed) in
            [("Rainbow", 2, 1), ("Rainbow", 3, 1), ("Random", 3, 2), ("SuperRandom", 5, 3), ("SuperRandom", 10, 4)]
        {
            let parameters = Parameters { collisions: Some(Collisions::Avoid), wait_at_doors, ..on(map, robots) };
            let ticks = together(&parameters, seed);
            assert!(ticks < 4_000, "{robots} need {ticks} ticks on {map} with seed {seed}");
        }
    }
}

#[test]
fn teams_do_not_freeze_in_situations_in_which_the_original_did() {
    for (map, robots, seed) in [("Rainbow", 3, 1), ("SuperRandom", 10, 1)] {
        together(&Parameters { collisions: Some(Collisions::Stop), ..on(map, robots) }, seed);
    }
}

#[test]
fn a_team_continues_when_a_robot_leaves() {
    for (leaver, at) in [("Bot_1", 250), ("Bot_1", 700), ("Bot_2", 500), ("Bot_3", 1_000), ("Bot_3", 1_300)] {
        let mut game = Game::with_all(&on("Rainbow", 3), 1, teammate);
        game.run(at);
        game.remove(leaver);
        let finished = game.finish();
        assert!(finished.is_some(), "the others froze when {leaver} left in tick {at}");
    }
}

#[test]
fn a_team_includes_robots_that_join_later() {
    let mut game = Game::with_all(&on("Rainbow", 1), 1, teammate);
    game.run(700);
    game.add("Late", BOT, teammate());
    let ticks = game.finish().expect("they finish");
    let late = game.world().robots().iter().find(|robot| robot.name == "Late").expect("it is there");
    assert!(ticks < 3_800 && late.deeds.good_drops > 0, "{ticks} ticks, {:?}", late.deeds);
}

#[test]
fn a_team_copes_with_handicaps() {
    let other = "[[bots]]\nname = 'Good'\namount = 2\n";
    for handicap in ["speed = 10", "speed = 0", "size = 4", "grippers = 0", "color-blind = true", "grippers = 3"] {
        let team = format!("[[bots]]\nname = 'Bad'\namount = 1\n{handicap}\n{other}");
        let ticks = together(&with_team("Rainbow", &team), 1);
        println!("two and one with {handicap} need {ticks} ticks");
        assert!(ticks < 6_000, "{ticks} ticks with {handicap}");
    }
}

#[test]
fn a_robot_keeps_searching_for_a_missing_colour() {
    let mut map = Map::generated(1, 2, 2, 0);
    map.sequence = vec![Color::Red, Color::Blue];
    let rooms = map.zones.iter_mut().filter(|zone| zone.holds_blocks());
    rooms.for_each(|room| room.blocks = vec![Color::Red]);
    for (robots, player) in [(1, explorer as fn() -> Player), (2, teammate)] {
        let mut game = Game::with_all(&on(&map.to_xml(), robots), 1, player);
        game.run(3_000);
        let entered = |game: &Game| game.world().robots().iter().map(|robot| robot.deeds.rooms_entered).sum::<u64>();
        let before = entered(&game);
        game.run(3_000);
        assert_eq!(game.world().delivered(), 1);
        assert!(entered(&game) > before + 4, "{robots} stopped to look");
    }
}

#[test]
fn games_are_reproducible() {
    let play = || {
        let mut game = Game::with_all(&on("SuperRandom", 4), 7, teammate);
        game.run(800);
        (game.world().clone(), game.said)
    };
    assert!(play() == play());
}

#[test]
fn all_messages_of_teammates_are_in_the_language() {
    let mut game = Game::with_all(&on("Random", 3), 5, teammate);
    game.run(1_000);
    assert!(game.said.len() > 10);
    for (from, content) in &game.said {
        assert!(Message::from_term(content, from).is_ok(), "{from} said {content}");
    }
}

#[test]
fn built_in_agents_control_every_type_of_entity() {
    for agent in Bw4t::built_in_agents() {
        for entity_type in [BOT, HUMAN, EPARTNER] {
            assert!((agent.make)("any", entity_type).is_some(), "{} for {entity_type}", agent.name);
        }
        assert!((agent.make)("any", "block").is_none());
    }
}

/// An environment with a person, `Ann`, who carries an e-partner, `Pal`, and executes the actions in the list.
fn with_person(names: Names) -> (Game, Arc<Mutex<Vec<Action>>>) {
    let wishes = Arc::new(Mutex::new(vec![Action::PickUpEPartner]));
    let mut game = Game::begin(&Parameters { names, ..on("Rainbow", 0) }, 1);
    game.add("Ann", HUMAN, Box::new(Person(wishes.clone())));
    game.add("Pal", EPARTNER, Box::new(Companion::new()));
    game.run(5);
    (game, wishes)
}

fn say(text: &str) -> Action {
    Action::SendMessage { to: "Pal".into(), content: Parameter::Identifier(text.into()) }
}

#[test]
fn a_gps_shows_the_way() {
    for names in [Names::Specification, Names::Code] {
        let (mut game, wishes) = with_person(names);
        wishes.lock().expect("it is not poisoned").extend([say("I want to go to RoomC1"), go_to("LeftHallD")]);
        game.run(150);
        let hint = |place: &str| format!("Ann go to {place}");
        assert_eq!(game.sentences("Pal"), [hint("LeftHallD")], "{names:?}");
        // On the way it says nothing, and off the way it says where to go.
        wishes.lock().expect("it is not poisoned").push(go_to("LeftHallB"));
        game.run(250);
        assert_eq!(game.sentences("Pal"), [hint("LeftHallD"), hint("LeftHallC")], "{names:?}");
        wishes.lock().expect("it is not poisoned").push(go_to("RoomC1"));
        game.run(400);
        assert_eq!(game.sentences("Pal").len(), 2, "{names:?}");
    }
}

#[test]
fn a_forget_me_not_reminds_the_person_who_leaves_it_behind() {
    for names in [Names::Specification, Names::Code] {
        let (mut game, wishes) = with_person(names);
        wishes.lock().expect("it is not poisoned").push(go_to("RoomC1"));
        game.run(300);
        assert!(game.sentences("Pal").is_empty(), "{names:?}");
        wishes.lock().expect("it is not poisoned").extend([Action::DropEPartner, go_to("FrontRoomC1")]);
        game.run(300);
        assert_eq!(game.sentences("Pal"), ["You forgot me in RoomC1"], "{names:?}");
    }
}
