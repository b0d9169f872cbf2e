//! Searches in random federations of directories, whose messages arrive late, in any order, or never. Each search is
//! answered once, and finds no agents but those that match, within its depth; if nothing is lost, it finds all of them.

use std::collections::{BTreeMap, BTreeSet};

use situated::random::Random;
use situated_acl::{Expression, Message, Performative};
use situated_platform::directory::{Answer, Description, Directory, Heard, Service, asking};
use situated_platform::names::DF;

const PLATFORMS: usize = 6;

/// The time within which a search is answered if it states none, in milliseconds.
const PATIENCE: u64 = 10_000;

fn platform(at: usize) -> String {
    format!("p{at}")
}

/// The position of the platform at the end of a name.
fn position(name: &str) -> usize {
    name.rsplit_once("@p").and_then(|(_, at)| at.parse().ok()).expect("it is the name of an agent of a platform")
}

struct Network {
    random: Random,
    now: u64,
    directories: Vec<Directory>,
    /// The platforms to which each one is connected.
    peers: Vec<BTreeSet<usize>>,
    /// The platforms whose agents trade.
    traders: BTreeSet<usize>,
    /// Messages between directories, by their times of arrival.
    flying: BTreeMap<(u64, u64), Message<'static>>,
    sent: u64,
    /// One of so many messages is lost; 0 if none is.
    loses: usize,
    /// The searches of agents, by their platforms and numbers.
    searches: BTreeSet<(usize, u64)>,
    answers: Vec<Message<'static>>,
}

impl Network {
    fn new(seed: u64, loses: usize) -> Self {
        let mut random = Random::new(seed);
        let mut peers = vec![BTreeSet::new(); PLATFORMS];
        for _ in 0..PLATFORMS + random.index(4) {
            let (one, other) = (random.index(PLATFORMS), random.index(PLATFORMS));
            if one != other {
                peers[one].insert(other);
                peers[other].insert(one);
            }
        }
        let traders = (0..PLATFORMS).filter(|_| random.index(3) > 0).collect::<BTreeSet<_>>();
        let mut directories: Vec<Directory> = Vec::new();
        for (at, peers) in peers.iter().enumerate() {
            let mut directory = Directory::new();
            directory.federate(platform(at).into(), peers.iter().map(|&peer| (platform(peer).into(), true)));
            let kind = if traders.contains(&at) { "trade" } else { "gift" };
            let name = format!("ada@{}", platform(at));
            let service = Description { agent: Some(name), ..Service::new("plums", kind).into() };
            directory.hear(DF, &asking::register(&service).from("ada"), "ada", &[], 0);
            directories.push(directory);
        }
        let (flying, searches, answers) = (BTreeMap::new(), BTreeSet::new(), Vec::new());
        Self { random, now: 0, directories, peers, traders, flying, sent: 0, loses, searches, answers }
    }

    /// Sends a message of the directory of a platform. Across platforms, names of agents have those of their platforms.
    fn send(&mut self, from: usize, mut message: Message<'static>) {
        message.sender = Some(format!("{DF}@{}", platform(from)).into());
        let content = message.content.as_ref().and_then(|content| content.as_text()).unwrap_or_default();
        message.content = Some(content.replace(":name ada)", &format!(":name ada@{})", platform(from))).into());
        self.sent += 1;
        if self.loses > 0 && self.random.index(self.loses) == 0 {
            return;
        }
        let arrival = self.now + self.random.index(50) as u64;
        self.flying.insert((arrival, self.sent), message);
    }

    fn say(&mut self, at: usize, heard: Heard) {
        if let Answer::Given(answer) = heard.answer {
            self.send(at, *answer);
        }
        heard.told.into_iter().for_each(|message| self.send(at, message));
        self.note_found(at);
    }

    /// Passes the answers on of searches that have ended.
    fn note_found(&mut self, at: usize) {
        for (number, answer) in self.directories[at].take_found() {
            match self.searches.remove(&(at, number)) {
                true => self.answers.push(answer),
                // It was a search of another directory.
                false => self.send(at, answer),
            }
        }
    }

    /// Lets all messages arrive, until nothing happens any more.
    fn run(&mut self) {
        loop {
            let arrival = self.flying.first_key_value().map(|((time, _), _)| *time);
            let due = self.directories.iter().filter_map(Directory::next_expiry).min();
            let Some(next) = arrival.into_iter().chain(due).min() else { return };
            self.now = self.now.max(next);
            if arrival.is_some_and(|time| time <= self.now) {
                let (_, message) = self.flying.pop_first().expect("it has one");
                let to = position(&message.receivers[0].name);
                let heard =
                    self.directories[to].hear(DF, &message, message.sender_name().unwrap_or_default(), &[], self.now);
                self.say(to, heard);
            } else {
                for at in 0..PLATFORMS {
                    self.directories[at].expire(self.now);
                    self.note_found(at);
                }
            }
        }
    }

    /// The platforms within a distance.
    fn within(&self, from: usize, distance: u32) -> BTreeSet<usize> {
        let mut reached = BTreeSet::from([from]);
        for _ in 0..distance {
            reached = reached.iter().flat_map(|at| &self.peers[*at]).chain(&reached).copied().collect();
        }
        reached
    }
}

#[test]
fn searches_find_what_is_within_their_depth() {
    let mut counted = BTreeMap::<&str, u32>::new();
    for seed in 0..400 {
        println!("seed {seed}");
        let loses = if seed % 2 == 0 { 0 } else { 4 };
        let mut network = Network::new(seed, loses);
        let from = network.random.index(PLATFORMS);
        let depth = network.random.index(5) as u32;
        let question = asking::search(&Service::of_type("trade").into(), depth).from("bob").reply_with("r1");
        let heard = network.directories[from].hear(DF, &question, "ada", &[], 0);
        match heard.answer {
            Answer::Given(answer) => network.answers.push(*answer),
            Answer::Later(number) => assert!(network.searches.insert((from, number))),
            Answer::None => panic!("a search is answered"),
        }
        heard.told.into_iter().for_each(|message| network.send(from, message));
        network.run();

        let [answer] = &network.answers[..] else { panic!("{:?}", network.answers) };
        assert_eq!((answer.performative, &answer.in_reply_to), (Performative::Inform, &Some("r1".into())));
        assert_eq!((answer.sender_name(), &*answer.receivers[0].name), (Some(DF), "bob"));
        let found = asking::found(answer).expect("it is a list");
        let place = |name: &str| if name == "ada" { from } else { position(name) };
        let named: Vec<usize> = found.iter().map(|one| place(one.agent.as_deref().expect("it has a name"))).collect();
        let wanted: BTreeSet<usize> = network.within(from, depth).intersection(&network.traders).copied().collect();
        let once: BTreeSet<usize> = named.iter().copied().collect();
        assert_eq!(once.len(), named.len(), "each agent once");
        if loses == 0 {
            assert_eq!(once, wanted, "from {from}, depth {depth}: {:?}", network.peers);
            assert!(network.now < PATIENCE, "nobody waits for an answer that does not come");
        } else {
            assert!(once.is_subset(&wanted), "from {from}, depth {depth}: {:?}", network.peers);
            assert!(network.now <= PATIENCE);
        }
        // A directory asks its peers once for each depth at most.
        let connections: usize = network.peers.iter().map(BTreeSet::len).sum();
        assert!(network.sent <= 2 * (u64::from(depth) + 1) * connections as u64, "{} messages", network.sent);
        *counted.entry(if once.len() == wanted.len() { "all found" } else { "some lost" }).or_default() += 1;
        *counted.entry("messages").or_default() += network.sent as u32;
    }
    println!("{counted:?}");
    assert!(counted["all found"] > 200 && counted["some lost"] > 20, "{counted:?}");
}

#[test]
fn a_directory_that_does_not_answer_is_left_alone_for_a_while() {
    let mut directory = Directory::new();
    directory.federate("here".into(), [("market".into(), true), ("farm".into(), true)]);
    let question = asking::search(&Service::of_type("trade").into(), 1).from("bob");
    let ask = |directory: &mut Directory, now: u64| {
        let heard = directory.hear(DF, &question, "ada", &[], now);
        heard.told.iter().map(|one| one.receivers[0].name.to_string()).collect::<Vec<_>>()
    };
    for _ in 0..3 {
        assert_eq!(ask(&mut directory, 0), ["df@market", "df@farm"]);
    }
    directory.expire(PATIENCE);
    assert_eq!(directory.take_found().len(), 3, "the searches are answered without them");
    assert!(ask(&mut directory, PATIENCE + 1).is_empty());
    // Any late answer shows that it is there again.
    let late = Message::inform().from("df@farm").to(DF).conversation_id(Expression::from("an old one")).content("x");
    assert_eq!(directory.hear(DF, &late, "df@farm", &[], PATIENCE + 2), Heard::default());
    assert_eq!(ask(&mut directory, PATIENCE + 3), ["df@farm"]);
    // The search of the farm has begun a silence, too, when the first one ends.
    assert_eq!(ask(&mut directory, PATIENCE + 60_000), ["df@market"]);
}

#[test]
fn others_cannot_speak_of_the_agents_of_this_platform() {
    let mut directory = Directory::new();
    directory.federate("here".into(), [("market".into(), true)]);
    let question = asking::search(&Service::of_type("trade").into(), 1).from("bob");
    let heard = directory.hear(DF, &question, "ada", &[], 0);
    let described = |name: &str| format!("(df-agent-description :name (agent-identifier :name {name}))");
    let found = ["ada@here", "ada", "eve@market", "eve@market"].map(described).join(" ");
    let answer = heard.told[0].reply(Performative::Inform).from("df@market");
    directory.hear(DF, &answer.content(format!("((result (action x y) (sequence {found})))")), "ada", &[], 1);
    let [(_, answer)] = &directory.take_found()[..] else { panic!("it is answered") };
    let found = asking::found(answer).expect("it is a list");
    assert_eq!(found.iter().map(|one| one.agent.as_deref()).collect::<Vec<_>>(), [Some("eve@market")]);
}
