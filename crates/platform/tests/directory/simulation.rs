//! Random agents that register, modify and remove services, search, subscribe and leave, in a process that crashes. A
//! search finds exactly what was registered and whose lease runs. An agent that has subscribed knows the same without a
//! search.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use ecow::EcoString;
use situated::random::Random;
use situated_acl::Message;
use situated_platform::directory::{
    Agent, Answer, Description, Directory, DirectoryChange, LifeCycle, Service, asking,
};
use situated_platform::names::{AMS, DF};

const NAMES: [&str; 5] = ["ada", "bob", "cleo", "dan", "eve"];
const TYPES: [&str; 3] = ["trade", "gift", "two words"];
const GOODS: [&str; 3] = ["plums", "peaches", "12"];

fn one_of(random: &mut Random, texts: &[&'static str]) -> &'static str {
    texts[random.index(texts.len())]
}

/// A template and what its agent was told about it.
struct Watched {
    template: Description,
    /// The descriptions that match, by agent.
    known: BTreeMap<String, Description>,
}

/// The changes that were written.
#[derive(Default)]
struct Disk {
    services: BTreeMap<EcoString, (String, Option<u64>)>,
    subscriptions: BTreeMap<u64, (EcoString, Message<'static>)>,
}

struct Simulation {
    random: Random,
    now: u64,
    directory: Directory,
    disk: Disk,
    registered: BTreeSet<&'static str>,
    /// The descriptions and the ends of their leases.
    services: BTreeMap<&'static str, (Description, Option<u64>)>,
    /// By agent and conversation.
    watched: BTreeMap<(&'static str, String), Watched>,
    counted: BTreeMap<&'static str, u32>,
}

/// Whether a description has everything that a template has: a second definition, which knows only what occurs here.
fn is_match(template: &Description, description: &Description) -> bool {
    let has = |wanted: &Service| {
        description.services.iter().any(|service| {
            let named = |wanted: &Option<String>, found: &Option<String>| wanted.is_none() || wanted == found;
            let has_property = |(name, value)| service.properties.get(name) == Some(value);
            named(&wanted.name, &service.name)
                && named(&wanted.kind, &service.kind)
                && wanted.properties.iter().all(has_property)
        })
    };
    let is_named = template.agent.is_none() || template.agent == description.agent;
    is_named
        && template.services.iter().all(has)
        && template.languages.iter().all(|one| description.languages.contains(one))
}

impl Simulation {
    fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            now: 1,
            directory: Directory::new(),
            disk: Disk::default(),
            registered: BTreeSet::new(),
            services: BTreeMap::new(),
            watched: BTreeMap::new(),
            counted: BTreeMap::new(),
        }
    }

    fn count(&mut self, what: &'static str) {
        *self.counted.entry(what).or_default() += 1;
    }

    /// Asks as an agent. Notifications reach their agents, and changes are written.
    fn ask(&mut self, agent: &'static str, to: &'static str, question: Message<'static>) -> Message<'static> {
        let agents: Vec<Agent> =
            self.registered.iter().map(|name| Agent { name: (*name).into(), state: LifeCycle::Active }).collect();
        let heard = self.directory.hear(to, &question.from(agent).reply_with("r1"), agent, &agents, self.now);
        let Answer::Given(answer) = heard.answer else { panic!("{:?}", heard.answer) };
        assert_eq!((answer.sender_name(), answer.receivers[0].name.as_ref()), (Some(to), agent));
        assert_eq!(answer.in_reply_to, Some("r1".into()));
        self.services.retain(|_, (_, until)| until.is_none_or(|until| until > self.now));
        self.tell(heard.told);
        self.write();
        *answer
    }

    fn write(&mut self) {
        for change in self.directory.take_changes() {
            match change {
                DirectoryChange::Registered(agent, description, until) => {
                    self.disk.services.insert(agent, (description, until));
                }
                DirectoryChange::Removed(agent) => assert!(self.disk.services.remove(&agent).is_some(), "{agent}"),
                DirectoryChange::Subscribed(number, agent, message, until) => {
                    assert_eq!(until, None, "no agent is of another platform");
                    assert!(self.disk.subscriptions.insert(number, (agent, *message)).is_none());
                }
                DirectoryChange::Unsubscribed(number) => assert!(self.disk.subscriptions.remove(&number).is_some()),
            }
        }
    }

    fn tell(&mut self, messages: Vec<Message<'static>>) {
        for message in messages {
            let agent = NAMES.into_iter().find(|name| *name == message.receivers[0].name).expect("it is known");
            let conversation = message.conversation_id.as_ref().and_then(|id| id.as_text()).expect("it has one");
            // The subscription ends with its agent.
            let Some(watched) = self.watched.get_mut(&(agent, conversation.to_owned())) else {
                panic!("{agent} has not subscribed in {conversation}")
            };
            for description in asking::changes(&message).expect("it is about changes") {
                let name = description.agent.clone().expect("it has a name");
                let is_gone = description == Description { agent: Some(name.clone()), ..Description::default() };
                // A description without services matches only templates without services.
                if is_gone && !is_match(&watched.template, &description) {
                    assert!(watched.known.remove(&name).is_some(), "{name} was not known to {agent}");
                } else {
                    watched.known.insert(name, description);
                }
            }
        }
    }

    fn description(&mut self) -> Description {
        let mut services = Vec::new();
        for _ in 0..=self.random.index(2) {
            let service = Service::new(one_of(&mut self.random, &GOODS), one_of(&mut self.random, &TYPES));
            services.push(service.property("price", self.random.index(3) as i64));
        }
        let languages =
            (0..self.random.index(3)).map(|_| one_of(&mut self.random, &["kif", "fipa-sl"]).to_owned()).collect();
        let lease = (self.random.index(3) == 0).then(|| Duration::from_millis(1 + self.random.index(400) as u64));
        Description { services, languages, lease, ..Description::default() }
    }

    fn template(&mut self) -> Description {
        let mut service = Service::default();
        if self.random.index(2) == 0 {
            service.name = Some(one_of(&mut self.random, &GOODS).into());
        }
        if self.random.index(2) == 0 {
            service.kind = Some(one_of(&mut self.random, &TYPES).into());
        }
        if self.random.index(3) == 0 {
            service = service.property("price", self.random.index(3) as i64);
        }
        let agent = (self.random.index(5) == 0).then(|| one_of(&mut self.random, &NAMES).into());
        let languages = if self.random.index(4) == 0 { vec!["kif".into()] } else { Vec::new() };
        Description { agent, languages, ..service.into() }
    }

    fn step(&mut self) {
        self.now += self.random.index(30) as u64;
        let name = one_of(&mut self.random, &NAMES);
        if self.registered.insert(name) {
            return;
        }
        match self.random.index(20) {
            0..=5 => self.register(name),
            6 | 7 => self.deregister(name),
            8..=12 => self.search(name),
            13 | 14 => self.subscribe(name),
            15 => self.cancel(name),
            16 => self.leave(name),
            17 => self.search_agents(name),
            18 => self.crash(),
            _ => {
                self.services.retain(|_, (_, until)| until.is_none_or(|until| until > self.now));
                let told = self.directory.expire(self.now);
                self.tell(told);
                self.write();
                assert!(self.directory.next_expiry().is_none_or(|due| due > self.now));
            }
        }
        self.check();
    }

    /// After each step, what agents know by their subscriptions is what a search would find, but for leases that have
    /// ended since.
    fn check(&self) {
        for ((agent, conversation), watched) in &self.watched {
            let matching = self.services.iter().filter(|(_, (one, _))| is_match(&watched.template, one));
            let wanted: BTreeMap<String, Description> =
                matching.map(|(name, (one, _))| ((*name).to_owned(), one.clone())).collect();
            assert_eq!(watched.known, wanted, "{agent} in {conversation}");
        }
    }

    fn register(&mut self, name: &'static str) {
        let description = Description { agent: Some(name.into()), ..self.description() };
        let is_new = self.random.index(2) == 0;
        let question = if is_new { asking::register(&description) } else { asking::modify(&description) };
        self.services.retain(|_, (_, until)| until.is_none_or(|until| until > self.now));
        let is_possible = self.services.contains_key(name) != is_new;
        if is_possible {
            let until = description.lease.map(|lease| self.now + lease.as_millis() as u64);
            self.services.insert(name, (description, until));
        }
        let answer = asking::done(&self.ask(name, DF, question));
        match answer {
            Ok(()) => assert!(is_possible),
            Err(declined) => {
                assert!(!is_possible, "{declined}");
                assert_eq!(declined.reason, if is_new { "already-registered" } else { "not-registered" });
            }
        }
        self.count(if is_possible { "registered" } else { "declined" });
    }

    fn deregister(&mut self, name: &'static str) {
        self.services.retain(|_, (_, until)| until.is_none_or(|until| until > self.now));
        let was_registered = self.services.remove(name).is_some();
        let answer = asking::done(&self.ask(name, DF, asking::deregister(name)));
        assert_eq!(answer.is_ok(), was_registered, "{answer:?}");
        // Nobody removes the services of others.
        let other = one_of(&mut self.random, &NAMES);
        if other != name {
            let declined = asking::done(&self.ask(name, DF, asking::deregister(other))).expect_err("it may not");
            assert_eq!(declined.reason, "unauthorised");
        }
        self.count("removed");
    }

    fn search(&mut self, name: &'static str) {
        let template = self.template();
        let found = asking::found(&self.ask(name, DF, asking::search(&template, 0))).expect("it may search");
        let matching = self.services.values().filter(|(one, _)| is_match(&template, one));
        let wanted: Vec<Description> = matching.map(|(one, _)| one.clone()).collect();
        assert_eq!(found, wanted, "{template:?}");
        self.count(if found.is_empty() { "found nothing" } else { "found" });
    }

    fn subscribe(&mut self, name: &'static str) {
        let conversation = format!("c{}", self.random.index(3));
        let template = self.template();
        let watched = Watched { template: template.clone(), known: BTreeMap::new() };
        // The leases that have ended are reported to the subscription that this one replaces.
        let told = self.directory.expire(self.now);
        self.services.retain(|_, (_, until)| until.is_none_or(|until| until > self.now));
        self.tell(told);
        self.watched.insert((name, conversation.clone()), watched);
        asking::done(&self.ask(name, DF, asking::subscribe(&conversation, &template))).expect("it may subscribe");
        self.count("subscribed");
    }

    fn cancel(&mut self, name: &'static str) {
        let conversation = format!("c{}", self.random.index(3));
        let told = self.directory.expire(self.now);
        self.services.retain(|_, (_, until)| until.is_none_or(|until| until > self.now));
        self.tell(told);
        let had = self.watched.remove(&(name, conversation.clone())).is_some();
        assert_eq!(asking::done(&self.ask(name, DF, asking::cancel(&conversation))).is_ok(), had);
        self.count("cancelled");
    }

    fn search_agents(&mut self, name: &'static str) {
        let found = asking::found_agents(&self.ask(name, AMS, asking::search_agents())).expect("it may search");
        assert_eq!(found, self.registered.iter().copied().collect::<Vec<_>>());
    }

    fn leave(&mut self, name: &'static str) {
        self.registered.remove(name);
        self.services.remove(name);
        self.watched.retain(|(agent, _), _| *agent != name);
        let told = self.directory.remove(name);
        self.tell(told);
        self.write();
        assert!(!self.directory.agents().contains(name));
        self.count("left");
    }

    /// The process ends, and another one continues with what is written.
    fn crash(&mut self) {
        self.directory = Directory::new();
        for (agent, (description, until)) in &self.disk.services {
            self.directory.restore(agent.clone(), description, *until);
        }
        for (number, (agent, message)) in &self.disk.subscriptions {
            self.directory.restore_subscription(*number, agent.clone(), message.clone(), None);
        }
        assert!(self.directory.take_changes().is_empty());
        self.count("crashed");
    }
}

#[test]
fn searches_find_what_is_registered_and_whose_lease_runs() {
    let seeds = match std::env::var("SEED") {
        Ok(seed) => seed.parse().map(|seed| seed..seed + 1).expect("SEED is a number"),
        Err(_) => 0..100,
    };
    let mut counted = BTreeMap::<&str, u32>::new();
    for seed in seeds {
        println!("SEED={seed}");
        let mut simulation = Simulation::new(seed);
        (0..300).for_each(|_| simulation.step());
        for (what, count) in simulation.counted {
            *counted.entry(what).or_default() += count;
        }
    }
    println!("{counted:?}");
    for what in
        ["registered", "declined", "removed", "found", "found nothing", "subscribed", "cancelled", "left", "crashed"]
    {
        assert!(counted.get(what) > Some(&100), "{what}: {counted:?}");
    }
}
