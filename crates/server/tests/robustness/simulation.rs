//! Seeded random clients make any calls, all at once, and lose and restore their connections. Each knows from its
//! answers which agents and entities it has. Whenever all clients pause, the server must report the same.
//!
//! The seed determines the clients' actions, but not the order in which the server handles them. `SIMULATION_SEED=7
//! cargo test -p situated-server --test robustness` runs one seed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};
use situated::random::Random;
use situated_server::{Access, Right, Settings};
use situated_toys::try_seeds;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::client::Client;
use crate::server::{Running, settings, start, token};

const SEEDS: u64 = 12;
const PLAYERS: u64 = 5;
const ROUNDS: usize = 6;
const DEEDS: usize = 40;

const ENVIRONMENTS: [&str; 2] = ["one", "other"];
const NAMES: [&str; 6] = ["anna", "bert", "cleo", "dora", "emil", "fay"];
const BODIES: [&str; 2] = ["red", "blue"];

#[test]
fn clients_and_server_agree_about_agents_and_entities() {
    let runtime = Runtime::new().expect("the system has threads");
    let mut seen = BTreeSet::new();
    let all = try_seeds(0..SEEDS, |seed| seen.extend(runtime.block_on(simulate(seed))));
    let expected = ["agentTaken", "forbidden", "notRegistrable", "notRegistered", "noEntities", "relation", "done"];
    for kind in expected {
        assert!(!all || seen.contains(kind), "no `{kind}` in {seen:?}");
    }
}

/// Runs a seed. Returns the kinds of results that calls had.
async fn simulate(seed: u64) -> BTreeSet<String> {
    let access = Access::open().with_token(token("act"), Right::Act).with_token(token("manage"), Right::Manage);
    let server = Arc::new(start(Settings { access, ..settings() }).await);
    let hello = json!({ "protocol": 2, "role": "observer", "token": token("manage").as_str() });
    let mut manager = Client::greet(&server, hello).await;
    for environment in ENVIRONMENTS {
        let create = json!({ "kind": "find-goals", "environment": environment, "pace": "reactive", "start": true });
        manager.get("createEnvironment", create).await;
    }
    let mut players = Vec::new();
    for number in 0..PLAYERS {
        players.push(Player::new(server.clone(), seed * PLAYERS + number).await);
    }
    for _ in 0..ROUNDS {
        let mut round = JoinSet::new();
        for mut player in players {
            round.spawn(async move {
                for _ in 0..DEEDS {
                    player.act().await;
                }
                player
            });
        }
        players = round.join_all().await;
        compare(&mut manager, &players).await;
    }
    let sessions = i64::try_from(PLAYERS).expect("they are few") + 1;
    server.comes_back_to(sessions, sessions).await;
    players.into_iter().flat_map(|player| player.seen).collect()
}

/// Checks that the server and the players agree about both environments.
async fn compare(manager: &mut Client, players: &[Player]) {
    for environment in ENVIRONMENTS {
        let listed = manager.get("listEntities", json!({ "environment": environment })).await;
        let known = players.iter().flat_map(|player| &player.agents).filter(|((of, _), _)| *of == environment);
        let known: Vec<(&str, &BTreeSet<&str>)> = known.map(|((_, name), entities)| (*name, entities)).collect();
        let mut agents: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let mut said: Vec<&str> = listed["agents"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        agents.sort_unstable();
        said.sort_unstable();
        assert_eq!(said, agents, "the agents of `{environment}`");
        for entity in listed["entities"].as_array().expect("a list") {
            let name = entity["entity"].as_str().expect("a name");
            let has_it = known.iter().filter(|(_, entities)| entities.contains(name));
            let owners: Vec<&str> = has_it.map(|(owner, _)| *owner).collect();
            assert_eq!(entity["agents"], json!(owners), "`{name}` of `{environment}`");
        }
    }
}

/// A client, and the agents and entities that it knows to be its own.
struct Player {
    server: Arc<Running>,
    client: Client,
    random: Random,
    /// Its agents, by environment and name, and their entities.
    agents: BTreeMap<(&'static str, &'static str), BTreeSet<&'static str>>,
    number: u64,
    seen: BTreeSet<String>,
}

impl Player {
    async fn new(server: Arc<Running>, seed: u64) -> Self {
        let client = Client::greet(&server, hello()).await;
        let (agents, seen) = (BTreeMap::new(), BTreeSet::new());
        Self { server, client, random: Random::new(seed), agents, number: 0, seen }
    }

    async fn act(&mut self) {
        let environment = *self.random.choose(&ENVIRONMENTS).expect("two");
        let name = *self.random.choose(&NAMES).expect("six");
        let entity = *self.random.choose(&BODIES).expect("two");
        match self.random.below(20) {
            0..=3 => self.register(environment, name).await,
            4 => self.unregister(environment, name).await,
            5..=8 => self.associate(environment, name, entity).await,
            9 => self.free(environment, name).await,
            10..=12 => self.do_something(environment, name).await,
            13..=14 => self.perceive(environment, name).await,
            15..=16 => self.call_many().await,
            17 => self.come_back(environment, name).await,
            18 => self.take_over().await,
            _ => self.leave().await,
        }
    }

    /// Makes a call for an agent. Returns `None` if it succeeded, and otherwise the kind of the error.
    async fn call(
        &mut self,
        method: &str,
        environment: &str,
        name: &str,
        mut params: Value,
    ) -> (Option<String>, Value) {
        params["environment"] = environment.into();
        params["agent"] = name.into();
        let (kind, answer) = match self.client.call(method, params).await {
            Ok(result) => (None, result),
            Err(error) => (Some(error["data"]["kind"].as_str().expect("a kind").to_owned()), error),
        };
        self.seen.insert(kind.clone().unwrap_or_else(|| "done".into()));
        (kind, answer)
    }

    async fn register(&mut self, environment: &'static str, name: &'static str) {
        let (kind, answer) = self.call("register", environment, name, json!({})).await;
        match kind.as_deref() {
            None => {
                assert!(self.agents.insert((environment, name), BTreeSet::new()).is_none(), "{name} was here already")
            }
            Some("notRegistrable") => assert!(self.agents.contains_key(&(environment, name)), "{answer}"),
            Some("agentTaken") => assert!(!self.agents.contains_key(&(environment, name)), "{answer}"),
            _ => panic!("{answer}"),
        }
    }

    async fn unregister(&mut self, environment: &'static str, name: &'static str) {
        let (kind, answer) = self.call("unregister", environment, name, json!({})).await;
        match self.agents.remove(&(environment, name)) {
            Some(_) => assert_eq!(kind, None, "{answer}"),
            None => assert_foreign(kind.as_deref(), &answer),
        }
    }

    async fn associate(&mut self, environment: &'static str, name: &'static str, entity: &'static str) {
        let (kind, answer) = self.call("associate", environment, name, json!({ "entity": entity })).await;
        match self.agents.get_mut(&(environment, name)) {
            Some(entities) => match kind.as_deref() {
                None => drop(entities.insert(entity)),
                Some("relation") => assert!(!entities.contains(entity), "{answer}"),
                _ => panic!("{answer}"),
            },
            None => assert_foreign(kind.as_deref(), &answer),
        }
    }

    async fn free(&mut self, environment: &'static str, name: &'static str) {
        let (kind, answer) = self.call("free", environment, name, json!({})).await;
        match self.agents.get_mut(&(environment, name)) {
            Some(entities) if entities.is_empty() => {}
            Some(entities) => {
                assert_eq!(kind, None, "{answer}");
                entities.clear();
            }
            None => assert_foreign(kind.as_deref(), &answer),
        }
    }

    async fn do_something(&mut self, environment: &'static str, name: &'static str) {
        self.number += 1;
        let action = self.random.choose(&["up", "down", "left", "right", "wait"]).expect("five");
        let params = json!({ "action": { "name": action }, "number": self.number });
        let (kind, answer) = self.call("act", environment, name, params.clone()).await;
        self.compare_entities(environment, name, kind, &answer, "results");
        if answer.get("results").is_some() && self.random.chance(0.3) {
            let (_, again) = self.call("act", environment, name, params).await;
            assert_eq!(again["results"], answer["results"], "the same answer again");
        }
    }

    async fn perceive(&mut self, environment: &'static str, name: &'static str) {
        let (kind, answer) = self.call("perceive", environment, name, json!({})).await;
        self.compare_entities(environment, name, kind, &answer, "perceptions");
    }

    /// Responses about entities concern only those of the agent.
    fn compare_entities(&self, environment: &str, name: &str, kind: Option<String>, answer: &Value, what: &str) {
        let own = self.agents.iter().find(|((of, own), _)| *of == environment && *own == name);
        match own.map(|(_, entities)| entities) {
            Some(entities) if entities.is_empty() => assert_eq!(kind.as_deref(), Some("noEntities"), "{answer}"),
            Some(entities) => {
                let about = answer[what].as_array().unwrap_or_else(|| panic!("{answer}"));
                let about: BTreeSet<&str> = about.iter().filter_map(|one| one["entity"].as_str()).collect();
                assert_eq!(about, *entities, "{answer}");
            }
            None => assert_foreign(kind.as_deref(), answer),
        }
    }

    /// Checks that each of many calls is answered once.
    async fn call_many(&mut self) {
        let mut begun = BTreeSet::new();
        for number in 0..20 {
            let (method, params) = match number % 3 {
                0 => ("ping", json!({})),
                1 => ("status", json!({ "environment": ENVIRONMENTS[0] })),
                _ => ("describe", json!({ "environment": "nowhere" })),
            };
            begun.insert(self.client.begin(method, params).await);
        }
        while !begun.is_empty() {
            let frame = self.client.frame().await.expect("it is connected");
            let id = frame["id"].as_i64().expect("an answer");
            assert!(begun.remove(&id), "{frame}");
        }
    }

    /// Loses its connection while it registers an agent, so that it does not know whether the agent is registered.
    async fn come_back(&mut self, environment: &'static str, name: &'static str) {
        self.client.begin("register", json!({ "environment": environment, "agent": name })).await;
        self.resume().await;
        let knows = self.agents.contains_key(&(environment, name));
        let (kind, answer) = self.call("register", environment, name, json!({})).await;
        match kind.as_deref() {
            None | Some("notRegistrable") => drop(self.agents.entry((environment, name)).or_default()),
            Some("agentTaken") => assert!(!knows, "{answer}"),
            _ => panic!("{answer}"),
        }
    }

    /// Resumes its session on another connection. Returns the old one.
    async fn resume(&mut self) -> Client {
        let mut hello = hello();
        hello["resume"] = self.client.greeting["resume"].clone();
        let next = Client::greet(&self.server, hello).await;
        assert_eq!(next.greeting["resumed"], true);
        std::mem::replace(&mut self.client, next)
    }

    async fn take_over(&mut self) {
        let mut old = self.resume().await;
        assert_eq!(old.closing().await, "takenOver");
    }

    async fn leave(&mut self) {
        self.client.get("bye", json!({})).await;
        assert_eq!(self.client.closing().await, "sessionEnded");
        self.agents.clear();
        // A new session also starts with new action numbers.
        self.number = 0;
        self.client = Client::greet(&self.server, hello()).await;
    }
}

fn hello() -> Value {
    json!({ "protocol": 2, "role": "platform", "token": token("act").as_str() })
}

/// Checks that the call was rejected because the agent does not exist or belongs to another session.
fn assert_foreign(kind: Option<&str>, answer: &Value) {
    assert!(matches!(kind, Some("forbidden" | "notRegistered")), "{answer}");
}
