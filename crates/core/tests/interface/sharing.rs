//! Shared sections: listed once for all entities, and sent to each as if they were its own.

use std::cell::Cell;

use serde::{Deserialize, Serialize};
use situated::environment::{Context, EntityId, Environment, Failure, Listing, Percepts};
use situated::interface::{AgentId, Command, Form, Interface, Perception, Since};
use situated::ontology::typed::TypedPercept;
use situated::ontology::{Delivery, Ontology};
use situated::random::Random;
use situated::{Action, InitParameters, Percept};

thread_local! {
    /// The number of listings of the shared section.
    static LISTED: Cell<usize> = const { Cell::new(0) };
}

#[derive(Clone, Debug, Action)]
enum Do {
    /// Adds or removes a word that all entities perceive except the one that acts.
    Toggle { word: u64 },
    /// Adds or removes a fact, which has the delivery `once`.
    Teach { fact: u64 },
    /// No longer perceives the words and facts, or perceives them again.
    Turn,
    /// Goes to a room, whose colour it perceives.
    Walk { room: u64 },
    /// Gives a room another colour.
    Paint { room: u64, color: u64 },
    /// No longer perceives its room together with others, or does again.
    Part,
}

#[derive(Clone, Debug, Percept)]
enum Perceive {
    #[percept(on_change_with_negation)]
    Word { word: u64 },
    #[percept(once)]
    Fact { fact: u64 },
    #[percept(on_change)]
    Painted { color: u64 },
}

#[derive(Clone, Debug, InitParameters)]
struct Settings {
    #[parameter(default = 3)]
    listeners: u64,
}

/// Listeners to the same words.
#[derive(Serialize, Deserialize)]
struct Hall {
    words: Vec<u64>,
    facts: Vec<u64>,
    revision: u64,
    /// Entities that have turned away.
    away: Vec<EntityId>,
    /// Entities that perceive their rooms alone.
    apart: Vec<EntityId>,
    /// The room of each listener, in order.
    rooms: Vec<u64>,
    /// The colours of the rooms, if they are painted.
    colors: [Option<u64>; 2],
}

impl Environment for Hall {
    type Parameters = Settings;
    type Action = Do;
    type Percept = Perceive;

    fn ontology() -> Ontology {
        let builder = Self::ontology_builder("hall", "1", "Listeners to the same words.");
        builder.entity_type("listener", "A listener.").build()
    }

    fn init(parameters: &Settings, context: &mut Context<Perceive>) -> Result<Self, Failure> {
        for number in 0..parameters.listeners {
            context.add_entity(format!("listener{number}"), "listener")?;
        }
        Ok(Self {
            words: Vec::new(),
            facts: Vec::new(),
            revision: 0,
            away: Vec::new(),
            apart: Vec::new(),
            rooms: vec![0; parameters.listeners as usize],
            colors: [None; 2],
        })
    }

    fn act(&mut self, entity: EntityId, action: &Do, _: &mut Context<Perceive>) -> Result<(), Failure> {
        match action {
            Do::Toggle { word } => toggle(&mut self.words, *word),
            Do::Teach { fact } => toggle(&mut self.facts, *fact),
            Do::Turn => toggle(&mut self.away, entity),
            Do::Part => toggle(&mut self.apart, entity),
            Do::Walk { room } => self.rooms[entity.index()] = *room,
            Do::Paint { room, color } => self.colors[*room as usize] = Some(*color),
        }
        self.revision += 1;
        Ok(())
    }

    fn percepts(&self, entity: EntityId, _: &Context<Perceive>, percepts: &mut Percepts<'_, Perceive>) {
        if self.away.contains(&entity) {
            return;
        }
        let own = Perceive::Word { word: entity.index() as u64 };
        percepts.shared(0, self.revision, Some(own), |list| {
            LISTED.set(LISTED.get() + 1);
            self.words.iter().for_each(|word| list.add(Perceive::Word { word: *word }));
            self.facts.iter().for_each(|fact| list.add(Perceive::Fact { fact: *fact }));
        });
        let room = self.rooms[entity.index()];
        let list = |list: &mut Listing<'_, Perceive>| {
            self.colors[room as usize].into_iter().for_each(|color| list.add(Perceive::Painted { color }));
        };
        if self.apart.contains(&entity) {
            percepts.section(1 + room as u32, self.revision, list);
        } else {
            percepts.shared(1 + room as u32, self.revision, None, list);
        }
    }
}

fn toggle<T: PartialEq>(all: &mut Vec<T>, one: T) {
    match all.iter().position(|other| *other == one) {
        Some(place) => drop(all.remove(place)),
        None => all.push(one),
    }
}

/// A hall with a listener for each of some agents.
struct Played {
    interface: Interface<Hall>,
    listeners: Vec<(AgentId, EntityId)>,
}

impl Played {
    fn begin(listeners: u64) -> Self {
        LISTED.set(0);
        let mut interface = Interface::<Hall>::new();
        interface.init(Settings { listeners }, 1).expect("a hall");
        interface.start().expect("paused");
        let entities: Vec<EntityId> = interface.entities().collect();
        let mut played = Self { interface, listeners: Vec::new() };
        for entity in entities {
            let agent = played.interface.register(&format!("agent{}", entity.index())).expect("a new name");
            played.interface.associate(agent, entity).expect("free");
            played.listeners.push((agent, entity));
        }
        played
    }

    fn act(&mut self, listener: usize, action: Do) {
        let (agent, entity) = self.listeners[listener];
        self.interface.act(agent, entity, &action).expect("possible");
    }

    fn toggle(&mut self, word: u64) {
        self.act(0, Do::Toggle { word });
    }

    fn perceive(&mut self, listener: usize, form: Form) -> Perception<Perceive> {
        let (agent, entity) = self.listeners[listener];
        self.interface.perceive(agent, entity, form, Since::LastCall).expect("running")
    }

    /// The words that begin and cease to hold for a listener that gets an update.
    fn words(&mut self, listener: usize) -> (Vec<u64>, Vec<u64>) {
        let received = self.perceive(listener, Form::Update);
        assert!(!received.resync, "{received:?}");
        (words(&received.add), words(&received.delete))
    }
}

/// The colours that begin and cease to hold for an entity that gets an update.
fn colors(received: &Perception<Perceive>) -> (Vec<u64>, Vec<u64>) {
    assert!(!received.resync, "{received:?}");
    [&received.add, &received.delete]
        .map(|percepts| {
            let color =
                |percept: &Perceive| if let Perceive::Painted { color } = percept { Some(*color) } else { None };
            percepts.iter().filter_map(color).collect()
        })
        .into()
}

fn words(percepts: &[Perceive]) -> Vec<u64> {
    let word = |percept: &Perceive| if let Perceive::Word { word } = percept { Some(*word) } else { None };
    percepts.iter().filter_map(word).collect()
}

#[test]
fn lists_a_section_once_for_all_entities() {
    let mut hall = Played::begin(100);
    for round in 0..10 {
        hall.toggle(1_000 + round);
        for listener in 0..100 {
            hall.perceive(listener, Form::Update);
        }
    }
    assert_eq!(LISTED.get(), 10);
}

#[test]
fn sends_each_entity_its_changes() {
    let mut hall = Played::begin(3);
    hall.toggle(7);
    for listener in 0..3 {
        let received = hall.perceive(listener, Form::Update);
        assert!(received.resync && words(&received.add) == [7]);
    }
    hall.toggle(8);
    assert_eq!(hall.words(0), (vec![8], vec![]));
    hall.toggle(7);
    hall.toggle(9);
    // One listener has perceived the first change, one has not, and something was added and removed in between.
    assert_eq!(hall.words(0), (vec![9], vec![7]));
    assert_eq!(hall.words(1), (vec![8, 9], vec![7]));
    hall.toggle(10);
    hall.perceive(0, Form::Update);
    hall.toggle(10);
    hall.perceive(0, Form::Update);
    assert_eq!(hall.words(1), (vec![], vec![]));
    assert_eq!(hall.words(2), (vec![8, 9], vec![7]));
}

#[test]
fn hides_what_an_entity_does_not_perceive() {
    let mut hall = Played::begin(3);
    (0..3).for_each(|listener| drop(hall.perceive(listener, Form::Update)));
    (0..3).for_each(|word| hall.toggle(word));
    assert_eq!(hall.words(1), (vec![0, 2], vec![]));
    assert_eq!(words(&hall.perceive(2, Form::Snapshot).add), [0, 1]);
    hall.toggle(1);
    assert_eq!(hall.words(1), (vec![], vec![]));
    assert_eq!(hall.words(2), (vec![], vec![1]));
}

#[test]
fn denies_and_repeats_in_the_form_of_the_specification() {
    let mut hall = Played::begin(2);
    hall.toggle(7);
    hall.perceive(1, Form::Telling);
    hall.toggle(7);
    hall.toggle(8);
    let received = hall.perceive(1, Form::Telling);
    assert_eq!((words(&received.add), words(&received.delete)), (vec![8], vec![7]));
}

#[test]
fn percepts_sent_once_continue_to_hold() {
    let mut hall = Played::begin(2);
    hall.perceive(0, Form::Update);
    hall.act(0, Do::Teach { fact: 5 });
    assert_eq!(hall.perceive(0, Form::Update).add, [Perceive::Fact { fact: 5 }]);
    for _ in 0..2 {
        hall.act(0, Do::Teach { fact: 5 });
        let received = hall.perceive(0, Form::Update);
        assert_eq!((received.add, received.delete), (vec![], vec![]));
        assert_eq!(hall.perceive(1, Form::Snapshot).add, [Perceive::Fact { fact: 5 }]);
    }
}

#[test]
fn sends_everything_if_changes_are_forgotten() {
    let mut hall = Played::begin(2);
    (0..2).for_each(|listener| drop(hall.perceive(listener, Form::Update)));
    for _ in 0..1_000 {
        hall.toggle(100);
        hall.words(0);
    }
    hall.toggle(101);
    let received = hall.perceive(1, Form::Update);
    assert!(received.resync && words(&received.add) == [101]);
    hall.toggle(102);
    assert_eq!(hall.words(1), (vec![102], vec![]));
}

#[test]
fn sends_changes_when_an_entity_with_a_hidden_percept_turns_away_and_back() {
    let mut hall = Played::begin(2);
    (0..2).for_each(|word| hall.toggle(word));
    hall.perceive(1, Form::Update);
    hall.act(1, Do::Turn);
    hall.toggle(2);
    assert_eq!(hall.words(1), (vec![], vec![0]));
    hall.act(1, Do::Turn);
    assert_eq!(hall.words(1), (vec![0, 2], vec![]));
    // It turns away and back between two perceptions, while something changes.
    hall.act(1, Do::Turn);
    hall.toggle(0);
    hall.act(1, Do::Turn);
    assert_eq!(hall.words(1), (vec![], vec![0]));
}

#[test]
fn sends_percepts_with_the_delivery_once_only_once_to_an_entity_that_turns_back() {
    let mut hall = Played::begin(2);
    (0..2).for_each(|listener| drop(hall.perceive(listener, Form::Update)));
    let fact = |fact| Perceive::Fact { fact };
    hall.act(0, Do::Teach { fact: 5 });
    assert_eq!(hall.perceive(1, Form::Update).add, [fact(5)]);
    hall.act(1, Do::Turn);
    let received = hall.perceive(1, Form::Update);
    assert!(received.add.is_empty() && received.delete.is_empty(), "{received:?}");
    hall.act(0, Do::Teach { fact: 6 });
    hall.perceive(0, Form::Update);
    assert_eq!(hall.perceive(1, Form::Snapshot).add, [fact(5)]);
    hall.act(1, Do::Turn);
    assert_eq!(hall.perceive(1, Form::Update).add, [fact(6)]);
    assert_eq!(hall.perceive(1, Form::Snapshot).add, [fact(6), fact(5)]);
}

/// Applies updates of random changes, and compares the result with what the environment lists.
#[test]
fn updates_lead_to_the_percepts_that_hold() {
    let mut random = Random::new(1);
    let mut hall = Played::begin(3);
    let mut beliefs = vec![Vec::new(); 3];
    for round in 0..5_000 {
        let action = match random.below(6) {
            0 | 1 => Do::Toggle { word: random.below(6) },
            2 => Do::Teach { fact: random.below(30) },
            3 => Do::Paint { room: random.below(2), color: random.below(4) },
            4 => Do::Walk { room: random.below(2) },
            _ if random.chance(0.5) => Do::Turn,
            _ => Do::Part,
        };
        hall.act(random.index(3), action);
        if random.chance(0.5) {
            continue;
        }
        let listener = random.index(3);
        let received = hall.perceive(listener, Form::Update);
        let known = &mut beliefs[listener];
        let is_new = |percept: &Perceive| received.resync || !known.contains(percept);
        assert!(received.add.iter().all(is_new), "round {round}: {received:?}");
        assert!(received.delete.iter().all(|percept| known.contains(percept)), "round {round}: {received:?}");
        received.apply(known);
        let mut listed = hall.interface.episode().expect("there is one").percepts(hall.listeners[listener].1);
        assert!(listed.iter().all(|percept| known.contains(percept)), "round {round}: {listed:?}");
        let still_holds = |percept: &Perceive| percept.delivery() == Delivery::Once;
        let mut others = known.clone();
        listed.retain(|one| !still_holds(one));
        others.retain(|one| !still_holds(one));
        assert_eq!(others.len(), listed.len(), "round {round}: {others:?} instead of {listed:?}");
    }
}

#[test]
fn starts_over_with_an_episode() {
    let mut hall = Played::begin(1);
    hall.toggle(7);
    hall.perceive(0, Form::Update);
    hall.interface.manage(Command::Reset { parameters: None, seed: Some(2) }).expect("it can begin again");
    hall.interface.manage(Command::Start).expect("paused");
    let received = hall.perceive(0, Form::Update);
    assert!(received.resync && received.add.is_empty(), "{received:?}");
    hall.toggle(8);
    assert_eq!(hall.words(0), (vec![8], vec![]));
}

#[test]
fn sends_changes_when_an_entity_enters_and_leaves() {
    let mut hall = Played::begin(2);
    (0..2).for_each(|listener| drop(hall.perceive(listener, Form::Update)));
    hall.act(1, Do::Walk { room: 1 });
    hall.act(0, Do::Paint { room: 0, color: 5 });
    hall.act(0, Do::Paint { room: 1, color: 6 });
    assert_eq!(colors(&hall.perceive(0, Form::Update)), (vec![5], vec![]));
    assert_eq!(colors(&hall.perceive(1, Form::Update)), (vec![6], vec![]));
    // The room that it leaves has changed since it last perceived.
    hall.act(0, Do::Paint { room: 1, color: 7 });
    hall.act(0, Do::Walk { room: 1 });
    assert_eq!(colors(&hall.perceive(0, Form::Update)), (vec![7], vec![5]));
    hall.act(1, Do::Walk { room: 0 });
    assert_eq!(colors(&hall.perceive(1, Form::Update)), (vec![5], vec![6]));
    hall.act(1, Do::Walk { room: 1 });
    hall.act(1, Do::Paint { room: 1, color: 5 });
    assert_eq!(colors(&hall.perceive(1, Form::Update)), (vec![], vec![]));
}

#[test]
fn sends_changes_when_an_entity_no_longer_shares_a_section() {
    let mut hall = Played::begin(2);
    hall.act(0, Do::Paint { room: 0, color: 5 });
    (0..2).for_each(|listener| drop(hall.perceive(listener, Form::Update)));
    for color in [6, 8] {
        hall.act(1, Do::Part);
        assert_eq!(colors(&hall.perceive(1, Form::Update)), (vec![], vec![]));
        hall.act(1, Do::Part);
        hall.act(0, Do::Paint { room: 0, color });
        assert_eq!(colors(&hall.perceive(1, Form::Update)), (vec![color], vec![color - 1]));
        hall.act(1, Do::Part);
        hall.act(0, Do::Paint { room: 0, color: color + 1 });
        assert_eq!(colors(&hall.perceive(1, Form::Update)), (vec![color + 1], vec![color]));
        let held = hall.perceive(1, Form::Snapshot).add;
        assert_eq!(held, [Perceive::Painted { color: color + 1 }]);
        hall.act(1, Do::Part);
        assert_eq!(colors(&hall.perceive(1, Form::Update)), (vec![], vec![]));
    }
}
