//! Seeded random agents use all operations of an interface, while entities are created and deleted. After every
//! operation, the interface is compared with a very simple model: sets and maps of names, and complete lists of
//! percepts.
//!
//! `SIMULATION_SEED=7 cargo test -p situated --test interface` runs one seed.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use situated::environment::EntityId;
use situated::interface::{
    AgentId, EVENTS_REMEMBERED, ErrorKind, Form, Happening, Interface, Observer, Perception, Since, State, Version,
};
use situated::ontology::Delivery;
use situated::ontology::typed::TypedPercept;
use situated::random::Random;
use situated_toys::try_seeds;
use situated_toys::yard::{Do, Perceive, Settings, Yard};

const SEEDS: u64 = 40;
const OPERATIONS: usize = 5_000;

#[test]
fn the_interface_agrees_with_a_simple_model() {
    let mut seen = BTreeSet::new();
    try_seeds(0..SEEDS, |seed| {
        let mut simulation = Simulation::new(seed);
        for _ in 0..OPERATIONS {
            simulation.operate();
        }
        seen.extend(simulation.seen);
    });
    let everything = [
        "update",
        "telling",
        "snapshot",
        "added",
        "deleted",
        "denied",
        "events",
        "requested",
        "reset",
        "known",
        "never told",
    ];
    assert!(seen.is_superset(&everything.into()), "the simulation has only seen {seen:?}");
}

/// The percepts that hold for an entity.
type Truth = HashSet<Perceive>;

struct Simulation {
    random: Random,
    interface: Interface<Yard>,
    agents: BTreeMap<AgentId, String>,
    links: BTreeMap<(AgentId, EntityId), Link>,
    /// The percepts with the delivery `once` of each entity, which hold from then on.
    facts: BTreeMap<EntityId, Truth>,
    watch: Watch,
    serial: u64,
    seen: BTreeSet<&'static str>,
}

/// The model of an agent and an entity.
#[derive(Default)]
struct Link {
    /// The percepts that the agent acknowledged; `None` if it has never perceived through the entity.
    acknowledged: Option<Truth>,
    /// The perceptions since then: the version, the percepts, and the number of events.
    told: Vec<(Version, Truth, usize)>,
    /// The serial numbers of the events since association, and how many of them are acknowledged.
    events: Vec<u64>,
    events_acknowledged: usize,
    /// Whether the agent has said what it knows since its last perception.
    is_known: bool,
    /// The number of events of earlier episodes, and the number of them that the agent received there.
    former_events: usize,
    former_told: usize,
}

/// An observer that reconstructs entities, agents and the relation from happenings.
#[derive(Default)]
struct Watch {
    observer: Observer,
    state: Option<State>,
    agents: BTreeSet<String>,
    /// Entities with their agents.
    entities: BTreeMap<String, BTreeSet<String>>,
}

impl Simulation {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut interface = Interface::new();
        let settings = Settings { sections: random.chance(0.5), ..Settings::default() };
        interface.init(settings, seed).expect("a yard");
        interface.start().expect("paused");
        Self {
            random,
            interface,
            agents: BTreeMap::new(),
            links: BTreeMap::new(),
            facts: BTreeMap::new(),
            watch: Watch::default(),
            serial: 0,
            seen: BTreeSet::new(),
        }
    }

    fn operate(&mut self) {
        match self.random.below(100) {
            0..4 => self.register(),
            4..6 => self.unregister(),
            6..14 => self.associate(),
            14..17 => self.free(),
            17..19 => self.request(),
            19..60 => self.act(),
            60..66 => self.step(),
            66..93 => self.perceive(),
            93..95 => self.acknowledge(),
            95..97 => self.know(),
            97 => self.manage(),
            _ => self.watch(),
        }
        self.check_relation();
    }

    fn register(&mut self) {
        let name = format!("agent{}", self.random.below(12));
        let taken = self.agents.values().any(|known| *known == name);
        match self.interface.register(&name) {
            Ok(id) => {
                assert!(!taken);
                self.agents.insert(id, name);
            }
            Err(error) => {
                assert!(taken);
                assert_eq!(error.kind(), ErrorKind::NotRegistrable);
            }
        }
    }

    fn unregister(&mut self) {
        let Some(agent) = self.some_agent() else { return };
        self.interface.unregister(agent).expect("registered");
        self.agents.remove(&agent);
        self.forget_links(|(of, _)| of == agent);
        let gone = self.interface.unregister(agent).expect_err("no longer registered");
        assert_eq!(gone.kind(), ErrorKind::NotRegistered);
    }

    fn associate(&mut self) {
        let (Some(agent), Some(entity)) = (self.some_agent(), self.some_entity()) else { return };
        self.interface.associate(agent, entity).expect("both exist");
        self.links.entry((agent, entity)).or_default();
    }

    fn free(&mut self) {
        let (Some(agent), Some(entity)) = (self.some_agent(), self.some_entity()) else { return };
        match self.random.below(3) {
            0 => {
                let linked = self.links.contains_key(&(agent, entity));
                assert_eq!(self.interface.free_pair(agent, entity).is_ok(), linked);
                self.forget_links(|link| link == (agent, entity));
            }
            1 => {
                let held = self.links.keys().any(|(_, of)| *of == entity);
                assert_eq!(self.interface.free_entity(entity).is_ok(), held);
                self.forget_links(|(_, of)| of == entity);
            }
            _ => {
                self.interface.free_agent(agent).expect("registered");
                self.forget_links(|(of, _)| of == agent);
            }
        }
    }

    fn request(&mut self) {
        let Some(agent) = self.some_agent() else { return };
        let of = *self.random.choose(&["dog", "cat", "bird"]).expect("three");
        match self.interface.request(agent, of, None) {
            Ok(entity) => {
                assert_eq!(self.interface.entity_type(entity), Ok(of));
                self.links.insert((agent, entity), Link::default());
                self.seen.insert("requested");
            }
            Err(error) if of == "bird" => {
                assert_eq!(error.kind(), ErrorKind::NotSupportedByEnvironment);
            }
            Err(error) => assert_eq!(error.kind(), ErrorKind::Failure),
        }
    }

    fn act(&mut self) {
        let (Some(agent), Some(entity)) = (self.some_agent(), self.linked_entity()) else { return };
        self.serial += 1;
        let action = match self.random.below(41) {
            0..12 => Do::Toggle { thing: self.random.below(6) as u8 },
            12..20 => Do::Count { number: self.random.below(9) as u8 },
            20..23 => Do::Learn { fact: self.random.below(200) as u8 },
            23..33 => Do::Bark { serial: self.serial },
            33 => Do::Bear,
            34 => Do::Vanish,
            40 => Do::DevourYoungest,
            35 => Do::Look,
            36 => Do::Fail,
            37 => Do::Fly,
            38 => Do::Fetch,
            _ => Do::End,
        };
        let result = self.interface.act(agent, entity, &action);
        let expected = self.expected_error(agent, entity, &action);
        assert_eq!(result.as_ref().err().map(|error| error.kind()), expected, "{action:?}");
        if result.is_err() {
            return;
        }
        match action {
            Do::Bark { serial } => {
                self.links.values_mut().for_each(|link| link.events.push(serial));
            }
            Do::Vanish | Do::DevourYoungest => self.forget_links(|_| false),
            _ => {}
        }
    }

    fn expected_error(&self, agent: AgentId, entity: EntityId, action: &Do) -> Option<ErrorKind> {
        if self.interface.state() != State::Running {
            return Some(ErrorKind::WrongState);
        }
        if !self.links.contains_key(&(agent, entity)) {
            let has_some = self.links.keys().any(|(of, _)| *of == agent);
            return Some(if has_some { ErrorKind::WrongEntity } else { ErrorKind::NoEntities });
        }
        match action {
            Do::Fail => Some(ErrorKind::Failure),
            Do::Fly => Some(ErrorKind::NotSupportedByEntity),
            Do::Fetch if self.interface.entity_type(entity) == Ok("cat") => Some(ErrorKind::NotSupportedByType),
            Do::Vanish | Do::DevourYoungest if self.interface.entity_type(entity) == Ok("dog") => {
                Some(ErrorKind::NotSupportedByType)
            }
            _ => None,
        }
    }

    fn step(&mut self) {
        let running = self.interface.state() == State::Running;
        assert_eq!(self.interface.step().is_ok(), running);
    }

    fn perceive(&mut self) {
        let Some((agent, entity)) = self.some_link() else { return };
        let form = *self.random.choose(&[Form::Update, Form::Telling, Form::Snapshot]).expect("three");
        let since = *self.random.choose(&[Since::LastCall, Since::Acknowledged]).expect("two");
        let perception = self.interface.perceive(agent, entity, form, since).expect("linked");
        let truth = self.truth(entity);
        let Some(link) = self.links.get_mut(&(agent, entity)) else { return };
        if since == Since::LastCall && !link.is_known {
            link.events_acknowledged = link.events_acknowledged.max(link.former_told);
            link.acknowledge(link.told.len());
        }
        self.seen.extend(link.check(&perception, form, &truth));
        link.told.push((perception.version, truth, link.events.len()));
        link.is_known = false;
    }

    fn acknowledge(&mut self) {
        let Some((agent, entity)) = self.some_link() else { return };
        let Some(link) = self.links.get_mut(&(agent, entity)) else { return };
        let index = self.random.index(link.told.len());
        let Some((version, ..)) = link.told.get(index) else { return };
        let version = *version;
        self.interface.acknowledge(agent, entity, version).expect("it was sent");
        link.acknowledge(index + 1);
        let never = Version { changes: version.changes + 1_000_000, ..version };
        let error = self.interface.acknowledge(agent, entity, never).expect_err("never sent");
        assert_eq!(error.kind(), ErrorKind::UnknownVersion);
    }

    /// An agent says which version it knows, perhaps one that it never got.
    fn know(&mut self) {
        let Some((agent, entity)) = self.some_link() else { return };
        let Some(link) = self.links.get_mut(&(agent, entity)) else { return };
        let index = self.random.index(link.told.len());
        let Some((version, ..)) = link.told.get(index) else { return };
        let (mut version, was_told) = (*version, self.random.chance(0.8));
        link.acknowledge(index + 1);
        if !was_told {
            version.changes += 1_000_000;
            link.acknowledged = None;
        }
        self.interface.know(agent, entity, version).expect("linked");
        link.is_known = true;
        self.seen.insert(if was_told { "known" } else { "never told" });
    }

    fn manage(&mut self) {
        match self.random.below(4) {
            0 => drop(self.interface.pause()),
            3 if self.random.chance(0.3) => self.reset(),
            _ => drop(self.interface.start()),
        }
    }

    fn reset(&mut self) {
        let before: BTreeMap<EntityId, String> = self.names();
        let types: BTreeMap<String, String> = self.types();
        let settings = Settings { dogs: 1 + self.random.below(3) as u8, ..Settings::default() };
        self.interface.reset(Some(settings), None).expect("paused or running");
        assert_eq!(self.interface.state(), State::Paused);
        let after: BTreeMap<String, EntityId> = self.names().into_iter().map(|(id, name)| (name, id)).collect();
        let types_after = self.types();
        let mut links = BTreeMap::new();
        for (agent, entity) in self.links.keys() {
            let name = &before[entity];
            if types.get(name) == types_after.get(name) {
                let link = self.links.get(&(*agent, *entity)).expect("it is one of them");
                links.insert((*agent, after[name]), link.in_next_episode());
            }
        }
        self.links = links;
        self.facts.clear();
        self.seen.insert("reset");
    }

    fn watch(&mut self) {
        self.watch.look(&self.interface);
        assert_eq!(self.watch.state, Some(self.interface.state()));
        let agents: BTreeSet<String> = self.agents.values().cloned().collect();
        assert_eq!(self.watch.agents, agents);
        let mut entities: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (id, name) in self.names() {
            let agents = self.interface.agents_of(id).expect("exists");
            entities.insert(name, agents.map(|agent| self.agents[&agent].clone()).collect());
        }
        assert_eq!(self.watch.entities, entities);
    }

    /// Checks that the relation equals the model's from both sides, and that entities without agents are free.
    fn check_relation(&self) {
        let agents: Vec<AgentId> = self.interface.agents().map(|(id, _)| id).collect();
        assert_eq!(agents, self.agents.keys().copied().collect::<Vec<_>>());
        let mut links = BTreeSet::new();
        for agent in agents {
            let entities = self.interface.entities_of(agent).expect("registered");
            links.extend(entities.map(|entity| (agent, entity)));
        }
        assert_eq!(links, self.links.keys().copied().collect());
        let mut seen_from_entities = BTreeSet::new();
        let mut free = Vec::new();
        for entity in self.interface.entities() {
            let agents: Vec<AgentId> = self.interface.agents_of(entity).expect("exists").collect();
            if agents.is_empty() {
                free.push(entity);
            }
            seen_from_entities.extend(agents.into_iter().map(|agent| (agent, entity)));
        }
        assert_eq!(seen_from_entities, links);
        assert_eq!(self.interface.free_entities().collect::<Vec<_>>(), free);
    }

    /// Returns the percepts that hold for an entity: those that the environment lists, and those with the delivery
    /// `once`.
    fn truth(&mut self, entity: EntityId) -> Truth {
        let listed = self.interface.episode().expect("there is one").percepts(entity);
        let facts = self.facts.entry(entity).or_default();
        facts.extend(listed.iter().filter(|one| one.delivery() == Delivery::Once).cloned());
        listed.into_iter().chain(facts.iter().cloned()).collect()
    }

    fn names(&self) -> BTreeMap<EntityId, String> {
        let context = self.interface.episode().expect("there is one").context();
        context.entities().map(|(id, entity)| (id, entity.name.to_string())).collect()
    }

    fn types(&self) -> BTreeMap<String, String> {
        let context = self.interface.episode().expect("there is one").context();
        context.entities().map(|(_, of)| (of.name.to_string(), of.entity_type.to_string())).collect()
    }

    /// Removes links that have ended, or whose entity was deleted.
    fn forget_links(&mut self, ended: impl Fn((AgentId, EntityId)) -> bool) {
        let exists: BTreeSet<EntityId> = self.interface.entities().collect();
        self.links.retain(|link, _| !ended(*link) && exists.contains(&link.1));
        self.facts.retain(|entity, _| self.links.keys().any(|(_, held)| held == entity));
    }

    fn some_agent(&mut self) -> Option<AgentId> {
        let agents: Vec<AgentId> = self.agents.keys().copied().collect();
        self.random.choose(&agents).copied()
    }

    fn some_entity(&mut self) -> Option<EntityId> {
        let entities: Vec<EntityId> = self.interface.entities().collect();
        self.random.choose(&entities).copied()
    }

    fn some_link(&mut self) -> Option<(AgentId, EntityId)> {
        let links: Vec<(AgentId, EntityId)> = self.links.keys().copied().collect();
        self.random.choose(&links).copied()
    }

    /// An entity that mostly has an agent.
    fn linked_entity(&mut self) -> Option<EntityId> {
        match self.some_link() {
            Some((_, entity)) if self.random.chance(0.9) => Some(entity),
            _ => self.some_entity(),
        }
    }
}

impl Link {
    /// The agent has received the first `count` of the sent events.
    fn acknowledge(&mut self, count: usize) {
        if let Some((_, truth, events)) = self.told.drain(..count).next_back() {
            self.acknowledged = Some(truth);
            self.events_acknowledged = events;
        }
    }

    /// The same in the next episode, where events of this one are lost.
    fn in_next_episode(&self) -> Self {
        Self {
            events: self.events.clone(),
            events_acknowledged: self.events_acknowledged,
            is_known: self.is_known,
            former_events: self.events.len(),
            former_told: self.told.last().map_or(self.former_told, |(_, _, events)| *events),
            ..Self::default()
        }
    }

    /// Checks a perception against the previous beliefs and the truth. Returns its kind.
    fn check(&self, perception: &Perception<Perceive>, form: Form, truth: &Truth) -> Vec<&'static str> {
        let (add, delete) = match (form, &self.acknowledged) {
            (Form::Snapshot, _) | (_, None) => (truth.clone(), Truth::new()),
            (Form::Update, Some(known)) => (minus(truth, known), minus(known, truth)),
            (Form::Telling, Some(known)) => telling(known, truth),
        };
        assert_eq!(perception.resync, form == Form::Snapshot || self.acknowledged.is_none());
        assert_eq!(unique(&perception.add), add);
        assert_eq!(unique(&perception.delete), delete);

        let unheard = &self.events[self.events_acknowledged..];
        let former = self.former_events.saturating_sub(self.events_acknowledged);
        let lost = unheard.len().saturating_sub(EVENTS_REMEMBERED).max(former);
        assert_eq!(perception.lost, lost as u64);
        let events: Vec<Perceive> = unheard[lost..].iter().map(|serial| Perceive::Heard { serial: *serial }).collect();
        assert_eq!(perception.events, events);

        let mut seen = vec![match form {
            Form::Snapshot => "snapshot",
            Form::Update => "update",
            Form::Telling => "telling",
        }];
        let deleted = if form == Form::Telling { "denied" } else { "deleted" };
        seen.extend((!add.is_empty()).then_some("added"));
        seen.extend((!delete.is_empty()).then_some(deleted));
        seen.extend((events.len() > 1).then_some("events"));
        seen
    }
}

/// Returns the telling form, by the specification of Blocks World for Teams, for an agent that knows `known` when
/// `truth` holds.
fn telling(known: &Truth, truth: &Truth) -> (Truth, Truth) {
    let (new, gone) = (minus(truth, known), minus(known, truth));
    let changed = |one: &Perceive| new.iter().chain(&gone).any(|other| other.variant() == one.variant());
    let say = truth.iter().filter(|one| match one.delivery() {
        Delivery::Always => true,
        Delivery::OnChange => changed(one),
        _ => new.contains(one),
    });
    let deny = gone.iter().filter(|one| one.delivery() == Delivery::OnChangeWithNegation);
    (say.cloned().collect(), deny.cloned().collect())
}

fn minus(one: &Truth, other: &Truth) -> Truth {
    one.difference(other).cloned().collect()
}

/// Returns the percepts as a set; checks that none occurs twice.
fn unique(percepts: &[Perceive]) -> Truth {
    let set: Truth = percepts.iter().cloned().collect();
    assert_eq!(set.len(), percepts.len(), "listed twice: {percepts:?}");
    set
}

impl Watch {
    /// Reads the happenings, and reconstructs entities, agents and the relation.
    fn look(&mut self, interface: &Interface<Yard>) {
        let drained = interface.drain(&mut self.observer);
        if drained.missed > 0 {
            *self = Watch { observer: self.observer, ..Watch::default() };
        }
        for happening in drained.happenings {
            match happening {
                Happening::State(state) => self.state = Some(state),
                Happening::New { entity, .. } => {
                    assert_eq!(self.entities.insert(entity.to_string(), BTreeSet::new()), None);
                }
                Happening::Taken { entity, agent } => assert!(self.agents_of(&entity).insert(agent.into())),
                Happening::Released { entity, agent } => {
                    assert!(self.agents_of(&entity).remove(agent.as_str()));
                }
                Happening::Freed { entity, agents } => {
                    assert!(!agents.is_empty());
                    assert!(self.agents_of(&entity).is_empty());
                }
                Happening::Deleted { entity, agents } => {
                    let agents: BTreeSet<String> = agents.into_iter().map(String::from).collect();
                    assert_eq!(self.entities.remove(entity.as_str()), Some(agents));
                }
                Happening::Registered { agent } => assert!(self.agents.insert(agent.to_string())),
                Happening::Unregistered { agent } => assert!(self.agents.remove(agent.as_str())),
                Happening::Episode { .. }
                | Happening::Ontology { .. }
                | Happening::Announcement(_)
                | Happening::Outcome(_) => {}
            }
        }
    }

    fn agents_of(&mut self, entity: &str) -> &mut BTreeSet<String> {
        self.entities.get_mut(entity).expect("it has been announced")
    }
}
