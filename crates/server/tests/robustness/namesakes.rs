//! Agents of one name in several environments.

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::client::{Client, Resident};
use crate::server::{Running, settings, start};

/// Begins environments of these names.
async fn games(server: &Running, names: impl IntoIterator<Item = String>) {
    let mut manager = Client::platform(server).await;
    for name in names {
        let create = json!({ "kind": "find-goals", "environment": name, "pace": "reactive", "start": true });
        manager.get("createEnvironment", create).await;
    }
}

async fn two_games(server: &Running) {
    games(server, ["game-1".to_owned(), "game-2".to_owned()]).await;
}

/// A session with agents of these names in an environment, which listen to their mail.
async fn team(server: &Running, environment: &str, names: &[&str]) -> (Client, Vec<Value>) {
    let mut client = Client::platform(server).await;
    let mut addresses = Vec::new();
    for name in names {
        let registered = client.get("register", json!({ "environment": environment, "agent": name })).await;
        addresses.push(registered["address"].clone());
        listen(&mut client, name).await;
    }
    (client, addresses)
}

/// A session with an agent that only has a mailbox.
async fn correspondent(server: &Running, name: &str) -> Client {
    let mut client = Client::platform(server).await;
    let opened = client.get("openMailbox", json!({ "agent": name })).await;
    assert_eq!(opened["address"], Value::Null);
    listen(&mut client, name).await;
    client
}

async fn listen(client: &mut Client, name: &str) {
    client.get("subscribe", json!({ "to": { "mail": { "agent": name } } })).await;
}

async fn send(client: &mut Client, from: &str, to: &[&str], content: &str) {
    let message = json!({ "performative": "inform", "receivers": to, "content": content });
    client.get("send", json!({ "agent": from, "message": message })).await;
}

/// The next message: its receiver, and its sender and content.
async fn receive(client: &mut Client) -> (String, String, String) {
    let told = client.notification().await;
    let params = &told["params"];
    let [received] = params["messages"].as_array().expect("messages").as_slice() else { panic!("several: {told}") };
    let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("{told}")).to_owned();
    client.get("acknowledgeMail", json!({ "agent": params["agent"], "number": received["number"] })).await;
    (text(&params["agent"]), text(&received["message"]["sender"]), text(&received["message"]["content"]))
}

fn heard(receiver: &str, sender: &str, content: &str) -> (String, String, String) {
    (receiver.into(), sender.into(), content.into())
}

/// Checks that no further message has come.
async fn is_silent(client: &mut Client) {
    client.get("ping", json!({})).await;
    assert!(!client.has_notification());
}

fn kind(error: &Value) -> &str {
    error["data"]["kind"].as_str().expect("a kind")
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_of_one_name_in_two_environments_are_strangers() {
    let server = start(settings()).await;
    let mut resident = Resident::new(&server).await;
    two_games(&server).await;
    let (mut first, address) = team(&server, "game-1", &["bob"]).await;
    assert_eq!(address, [Value::Null]);
    let (mut second, address) = team(&server, "game-2", &["bob"]).await;
    assert_eq!(address, ["bob~game-2"]);
    let mut third = Client::platform(&server).await;
    for environment in ["game-1", "game-2"] {
        let taken = third.call("register", json!({ "environment": environment, "agent": "bob" })).await;
        let error = taken.expect_err("there is one");
        let wanted = format!("another session in environment `{environment}` has an agent `bob`; choose another name");
        assert_eq!((kind(&error), error["message"].as_str()), ("agentTaken", Some(wanted.as_str())));
    }
    let taken = third.call("openMailbox", json!({ "agent": "bob" })).await.expect_err("it has no environment");
    assert_eq!(kind(&taken), "agentTaken");

    // Each acts and perceives in its own environment only.
    for (client, own, other) in [(&mut first, "game-1", "game-2"), (&mut second, "game-2", "game-1")] {
        client.get("associate", json!({ "environment": own, "agent": "bob", "entity": "red" })).await;
        let action = json!({ "name": "wait" });
        let acted = client.get("act", json!({ "environment": own, "agent": "bob", "action": action })).await;
        assert_eq!(acted["results"][0]["entity"], "red");
        for (method, params) in [
            ("act", json!({ "environment": other, "agent": "bob", "action": action })),
            ("perceive", json!({ "environment": other, "agent": "bob" })),
            ("subscribe", json!({ "to": { "percepts": { "environment": other, "agent": "bob" } } })),
        ] {
            let refused = client.call(method, params).await.expect_err("the agent is another one");
            assert_eq!(kind(&refused), "forbidden", "{method}");
        }
    }

    // Nobody gets the mail of the other, or writes in its name.
    let mut carl = correspondent(&server, "carl").await;
    send(&mut carl, "carl", &["bob"], "to the first").await;
    send(&mut carl, "carl", &["bob~game-2"], "to the second").await;
    send(&mut carl, "carl", &["bob~game-1", "bob~game-2"], "to both").await;
    for (client, content) in [(&mut first, "to the first"), (&mut second, "to the second")] {
        assert_eq!(receive(client).await, heard("bob", "carl", content));
        assert_eq!(receive(client).await, heard("bob", "carl", "to both"));
        is_silent(client).await;
    }
    for forged in ["bob~game-1", "bob~"] {
        let message = json!({ "performative": "inform", "sender": forged, "receivers": ["carl"] });
        let refused = second.call("send", json!({ "agent": "bob", "message": message })).await;
        assert_eq!(kind(&refused.expect_err("it is the other")), "forbidden", "{forged}");
        for (method, mut params) in [
            ("send", json!({ "message": { "performative": "inform", "receivers": ["carl"] } })),
            ("acknowledgeMail", json!({ "number": 1 })),
            ("closeMailbox", json!({})),
        ] {
            params["agent"] = forged.into();
            let refused = second.call(method, params).await.expect_err("it is not the name of an agent");
            assert!(matches!(kind(&refused), "notRegistered" | "forbidden"), "{method}: {refused}");
        }
    }
    resident.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_reaches_the_sender_from_every_environment() {
    let server = start(settings()).await;
    two_games(&server).await;
    let (mut first, _) = team(&server, "game-1", &["amy", "bob"]).await;
    let (mut second, addresses) = team(&server, "game-2", &["amy", "bob", "eve"]).await;
    assert_eq!(addresses, [json!("amy~game-2"), json!("bob~game-2"), Value::Null]);
    let mut dan = correspondent(&server, "dan").await;
    let (mut other_dan, _) = team(&server, "game-2", &["dan"]).await;

    // Within an environment, names are enough, also for those who are known elsewhere by another one.
    for client in [&mut first, &mut second] {
        send(client, "amy", &["bob"], "hello").await;
        assert_eq!(receive(client).await, heard("bob", "amy", "hello"));
        send(client, "bob", &["amy"], "hello amy").await;
        assert_eq!(receive(client).await, heard("amy", "bob", "hello amy"));
    }
    is_silent(&mut first).await;
    is_silent(&mut second).await;

    // The first `bob` is another one to agents of the second environment, so they see where it is.
    send(&mut first, "bob", &["amy~game-2", "dan"], "from afar").await;
    assert_eq!(receive(&mut second).await, heard("amy", "bob~game-1", "from afar"));
    send(&mut second, "amy", &["bob~game-1"], "back").await;
    assert_eq!(receive(&mut first).await, heard("bob", "amy~game-2", "back"));
    // There is only one `bob` to an agent of no environment by this name.
    assert_eq!(receive(&mut dan).await, heard("dan", "bob", "from afar"));
    send(&mut dan, "dan", &["bob"], "back").await;
    assert_eq!(receive(&mut first).await, heard("bob", "dan", "back"));
    send(&mut second, "eve", &["dan~"], "from eve").await;
    assert_eq!(receive(&mut dan).await, heard("dan", "eve", "from eve"));

    // Agents that have no environment are known as such where the name means another agent.
    send(&mut dan, "dan", &["amy~game-2"], "from none").await;
    assert_eq!(receive(&mut second).await, heard("amy", "dan~", "from none"));
    send(&mut second, "amy", &["dan~"], "to none").await;
    assert_eq!(receive(&mut dan).await, heard("dan", "amy~game-2", "to none"));
    send(&mut second, "amy", &["dan"], "to the near one").await;
    assert_eq!(receive(&mut other_dan).await, heard("dan", "amy", "to the near one"));
    is_silent(&mut dan).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_lasts_until_its_agent_leaves() {
    let server = start(settings()).await;
    two_games(&server).await;
    let (mut first, _) = team(&server, "game-1", &["bob"]).await;
    let (mut second, _) = team(&server, "game-2", &["bob"]).await;
    let mut carl = correspondent(&server, "carl").await;

    // A session that is resumed continues with its agent and its mail.
    send(&mut carl, "carl", &["bob~game-2"], "unread").await;
    let mut resumed = Client::greet(&server, second.resuming()).await;
    assert_eq!(second.closing().await, "takenOver");
    assert_eq!(receive(&mut resumed).await, heard("bob", "carl", "unread"));
    send(&mut resumed, "bob", &["carl"], "read").await;
    assert_eq!(receive(&mut carl).await, heard("carl", "bob~game-2", "read"));

    // The name alone is free when the first has left, and the second keeps its address.
    first.get("unregister", json!({ "environment": "game-1", "agent": "bob" })).await;
    send(&mut resumed, "bob", &["carl"], "still here").await;
    assert_eq!(receive(&mut carl).await, heard("carl", "bob~game-2", "still here"));
    let (mut third, address) = team(&server, "game-1", &["bob"]).await;
    assert_eq!(address, [Value::Null]);
    send(&mut carl, "carl", &["bob"], "who is it?").await;
    assert_eq!(receive(&mut third).await, heard("bob", "carl", "who is it?"));
    is_silent(&mut resumed).await;

    // An agent in two environments is one agent, with one address, also when it has left the first of them.
    games(&server, ["game-3".to_owned()]).await;
    let again = resumed.get("register", json!({ "environment": "game-3", "agent": "bob" })).await;
    assert_eq!(again["address"], "bob~game-2");
    assert_eq!(resumed.get("openMailbox", json!({ "agent": "bob" })).await["address"], "bob~game-2");
    resumed.get("unregister", json!({ "environment": "game-2", "agent": "bob" })).await;
    let (mut fourth, address) = team(&server, "game-2", &["bob"]).await;
    assert_eq!(address, ["bob~game-2~2"]);
    send(&mut carl, "carl", &["bob~game-2"], "to the one in game-3").await;
    assert_eq!(receive(&mut resumed).await, heard("bob", "carl", "to the one in game-3"));
    send(&mut fourth, "bob", &["carl"], "in game-2 now").await;
    assert_eq!(receive(&mut carl).await, heard("carl", "bob~game-2~2", "in game-2 now"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_directory_names_agents_as_those_who_ask_know_them() {
    let server = start(settings()).await;
    two_games(&server).await;
    let (mut first, _) = team(&server, "game-1", &["amy", "bob"]).await;
    let (mut second, _) = team(&server, "game-2", &["amy", "bob"]).await;
    let mut carl = correspondent(&server, "carl").await;
    let ask = |agent: &str, function: String| {
        let content = format!("((action (agent-identifier :name df) ({function})))");
        let message =
            json!({ "performative": "request", "receivers": ["df"], "language": "fipa-sl0", "content": content });
        json!({ "agent": agent, "message": message })
    };
    let description = |name: &str| {
        format!(
            "(df-agent-description :name (agent-identifier :name {name}) :services (set (service-description :type trade)))"
        )
    };
    for client in [&mut first, &mut second] {
        let registered = client.get("askDirectory", ask("bob", format!("register {}", description("bob")))).await;
        assert_eq!(registered["message"]["performative"], "inform", "{registered}");
    }
    let refused = second.get("askDirectory", ask("bob", format!("deregister {}", description("bob~game-1")))).await;
    assert_eq!(refused["message"]["performative"], "refuse", "{refused}");
    let search = "search (df-agent-description :services (set (service-description :type trade))) (search-constraints :max-results 10)";
    for (client, agent, found) in [
        (&mut first, "amy", ["bob", "bob~game-2"]),
        (&mut second, "amy", ["bob~game-1", "bob"]),
        (&mut carl, "carl", ["bob", "bob~game-2"]),
    ] {
        let answer = client.get("askDirectory", ask(agent, search.into())).await;
        let content = answer["message"]["content"].as_str().expect("a text");
        let (_, results) = content.split_once("(sequence").expect("results");
        let names: Vec<&str> = results
            .split("agent-identifier :name ")
            .skip(1)
            .map(|rest| rest.split(')').next().unwrap_or_default())
            .collect();
        assert_eq!(names, found, "{content}");
        for name in found {
            send(client, agent, &[name], "to the one that was found").await;
        }
    }
    for client in [&mut first, &mut second] {
        for _ in 0..3 {
            assert_eq!(receive(client).await.2, "to the one that was found");
        }
        is_silent(client).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_copies_of_a_team_play_in_twenty_environments() {
    const COPIES: usize = 20;
    const NAMES: [&str; 3] = ["ann", "bob", "cleo"];
    let server = std::sync::Arc::new(start(settings()).await);
    games(&server, (1..=COPIES).map(|number| format!("game-{number}"))).await;
    let mut teams = JoinSet::new();
    for number in 1..=COPIES {
        let server = server.clone();
        teams.spawn(async move {
            let game = format!("game-{number}");
            let (mut client, addresses) = team(&server, &game, &NAMES).await;
            for (agent, entity) in [("ann", "red"), ("bob", "blue")] {
                client.get("associate", json!({ "environment": game, "agent": agent, "entity": entity })).await;
                let turn = json!({ "agent": agent, "action": { "name": "wait" } });
                client.get("step", json!({ "environment": game, "agents": [turn] })).await;
            }
            for round in 0..10 {
                let content = format!("{game}, round {round}");
                send(&mut client, "ann", &["bob"], &content).await;
                assert_eq!(receive(&mut client).await, heard("bob", "ann", &content));
                send(&mut client, "bob", &["cleo"], &content).await;
                assert_eq!(receive(&mut client).await, heard("cleo", "bob", &content));
            }
            is_silent(&mut client).await;
            (client, addresses)
        });
    }
    let teams = teams.join_all().await;
    for (place, name) in NAMES.iter().enumerate() {
        let plain = teams.iter().filter(|(_, addresses)| addresses[place].is_null()).count();
        assert_eq!(plain, 1, "one `{name}` has its name as its address");
    }
}
