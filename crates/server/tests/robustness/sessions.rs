//! Sessions that lose their connections.

use std::time::Duration;

use serde_json::json;
use situated_server::Settings;
use tokio::time::sleep;

use crate::client::{Client, Resident};
use crate::server::{settings, start};

#[tokio::test(flavor = "multi_thread")]
async fn keeps_a_session_across_connections_and_ends_it_after_the_last() {
    let server = start(Settings { grace: Duration::from_millis(700), ..settings() }).await;
    let mut resident = Resident::new(&server).await;
    let mut client = Client::platform(&server).await;
    client.get("register", json!({ "environment": "home", "agent": "guest" })).await;
    client.get("associate", json!({ "environment": "home", "agent": "guest", "entity": "blue" })).await;
    for _ in 0..30 {
        let hello = client.resuming();
        client = Client::greet(&server, hello).await;
        assert_eq!(client.greeting["resumed"], true);
        // Longer than the grace period in total, but never at once.
        sleep(Duration::from_millis(40)).await;
    }
    let listed = client.get("listEntities", json!({ "environment": "home" })).await;
    assert_eq!(listed["entities"][1]["agents"], json!(["guest"]));
    let hello = client.resuming();
    drop(client);
    server.comes_back_to(1, 1).await;
    let ended = Client::connect(&server).await.call("hello", hello).await.expect_err("it has ended");
    assert_eq!(ended["data"]["kind"], "sessionEnded");
    resident.check().await;
    let mut heir = Client::platform(&server).await;
    heir.get("register", json!({ "environment": "home", "agent": "guest" })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sends_the_greeting_before_notifications_of_a_running_environment() {
    let server = start(settings()).await;
    let mut client = Client::platform(&server).await;
    let pace = json!({ "realTime": { "stepsPerSecond": 1000.0 } });
    let create = json!({ "kind": "find-goals", "environment": "maze", "pace": pace, "start": true });
    client.get("createEnvironment", create).await;
    client.get("setSpeed", json!({ "environment": "maze", "speed": null })).await;
    client.get("register", json!({ "environment": "maze", "agent": "ada" })).await;
    client.get("associate", json!({ "environment": "maze", "agent": "ada", "entity": "red" })).await;
    client.get("subscribe", json!({ "to": { "percepts": { "environment": "maze", "agent": "ada" } } })).await;
    for _ in 0..100 {
        let mut next = Client::connect(&server).await;
        next.begin("hello", client.resuming()).await;
        let first = next.frame().await.expect("a greeting");
        assert_eq!(first["id"], 1, "{first}");
        next.greeting = first["result"].clone();
        client = next;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unregisters_an_agent_whose_session_ends_during_registration() {
    let server = start(settings()).await;
    let mut resident = Resident::new(&server).await;
    for round in 0..50 {
        let mut client = Client::platform(&server).await;
        let agent = json!({ "environment": "home", "agent": format!("guest{round}") });
        let register = json!({ "jsonrpc": "2.0", "id": 8, "method": "register", "params": agent });
        let bye = json!({ "jsonrpc": "2.0", "id": 9, "method": "bye" });
        client.send(&format!("{bye}\n{register}\n")).await;
        assert_eq!(client.closing().await, "sessionEnded");
    }
    let listed = resident.client.get("listEntities", json!({ "environment": "home" })).await;
    assert_eq!(listed["agents"], json!(["resident"]));
    server.comes_back_to(1, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_bye_in_a_batch_before_closing_the_connection() {
    let server = start(settings()).await;
    let mut client = Client::platform(&server).await;
    let call = |id: u64, method: &str| json!({ "jsonrpc": "2.0", "id": id, "method": method });
    client.send(&format!("{}\n", json!([call(1, "bye"), call(2, "ping")]))).await;
    let answers = client.frame().await.expect("the answers");
    assert_eq!((&answers[0]["id"], &answers[1]["id"]), (&json!(1), &json!(2)), "{answers}");
    assert_eq!(client.closing().await, "sessionEnded");
    server.comes_back_to(0, 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_calls_of_a_lost_connection_do_not_count_against_others() {
    let server = start(settings()).await;
    let mut client = Client::platform(&server).await;
    client.get("createEnvironment", json!({ "kind": "find-goals", "environment": "still", "start": false })).await;
    let wait = json!({ "environment": "still", "after": { "episode": 1, "step": 0, "time": 0 } });
    let places = 16_384 / 1024;
    for _ in 0..=places {
        let mut guest = Client::platform(&server).await;
        for _ in 0..1024 {
            guest.begin("wait", wait.clone()).await;
        }
        // When this call is refused, the calls before it have been handled.
        guest.begin("ping", json!({})).await;
        let refused = guest.frame().await.expect("an answer");
        assert_eq!(refused["error"]["data"]["kind"], "limit", "{refused}");
        drop(guest);
        server.comes_back_to(1, 1).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_a_name_of_a_resumable_session_with_a_hint() {
    let server = start(settings()).await;
    let resident = Resident::new(&server).await;
    let mut other = Client::platform(&server).await;
    let resident_again = json!({ "environment": "home", "agent": "resident" });
    let taken = other.call("register", resident_again.clone()).await.expect_err("it is taken");
    assert!(!taken["message"].to_string().contains("resume"), "{taken}");
    drop(resident);
    loop {
        let error = other.call("register", resident_again.clone()).await.expect_err("the grace is long");
        assert_eq!(error["data"]["kind"], "agentTaken");
        let message = error["message"].to_string();
        if message.contains("resume that session, which has lost its connection") && message.contains("`resume` token")
        {
            return;
        }
        // The server notices the lost connection a little later.
        sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_a_second_agent_of_the_agent_role_and_suggests_a_platform() {
    let server = start(settings()).await;
    let _resident = Resident::new(&server).await;
    let mut agent = Client::greet(&server, json!({ "protocol": 2, "role": "agent" })).await;
    agent.get("register", json!({ "environment": "home", "agent": "ada" })).await;
    let error = agent.call("register", json!({ "environment": "home", "agent": "bob" })).await.expect_err("one");
    assert_eq!(error["data"]["kind"], "limit");
    assert!(error["message"].to_string().contains("in the role of a platform"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnects_a_silent_client_that_promised_a_heartbeat() {
    let server = start(Settings { grace: Duration::from_millis(100), ..settings() }).await;
    let mut resident = Resident::new(&server).await;
    let hello = json!({ "protocol": 2, "role": "platform", "heartbeatMs": 300 });
    let mut silent = Client::greet(&server, hello.clone()).await;
    assert_eq!(silent.greeting["heartbeatMs"], 300);
    silent.get("register", json!({ "environment": "home", "agent": "silent" })).await;
    silent.get("associate", json!({ "environment": "home", "agent": "silent", "entity": "blue" })).await;
    let mut alive = Client::greet(&server, hello).await;
    for _ in 0..12 {
        sleep(Duration::from_millis(80)).await;
        alive.get("ping", json!({})).await;
    }
    assert_eq!(silent.frame().await, None);
    alive.get("register", json!({ "environment": "home", "agent": "alive" })).await;
    // The entity of the silent client is free again.
    alive.get("associate", json!({ "environment": "home", "agent": "alive", "entity": "blue" })).await;
    resident.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_can_require_a_heartbeat() {
    let server = start(Settings { heartbeat: Some(Duration::from_millis(200)), ..settings() }).await;
    let mut client = Client::platform(&server).await;
    assert_eq!(client.greeting["heartbeatMs"], 200);
    assert_eq!(client.frame().await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_names_the_client_that_a_step_waits_for() {
    let server = start(settings()).await;
    let mut thinking =
        Client::greet(&server, json!({ "protocol": 2, "role": "platform", "heartbeatMs": 60_000 })).await;
    let create = json!({ "kind": "find-goals", "environment": "home", "pace": "lockstep", "start": true });
    thinking.get("createEnvironment", create).await;
    for (agent, entity) in [("slow", "red"), ("quick", "blue")] {
        thinking.get("register", json!({ "environment": "home", "agent": agent })).await;
        thinking.get("associate", json!({ "environment": "home", "agent": agent, "entity": entity })).await;
    }
    thinking.begin("act", json!({ "environment": "home", "agent": "quick", "action": { "name": "wait" } })).await;
    let mut observer = Client::greet(&server, json!({ "protocol": 2, "role": "observer" })).await;
    sleep(Duration::from_millis(1_500)).await;
    let status = observer.get("status", json!({ "environment": "home" })).await["status"].clone();
    assert_eq!((&status["awaited"], &status["moment"]["step"]), (&json!(["red"]), &json!(0)), "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_subscription_goes_on() {
    let server = start(settings()).await;
    let mut client = Client::platform(&server).await;
    client.get("createEnvironment", json!({ "kind": "find-goals", "environment": "maze", "start": true })).await;
    client.get("register", json!({ "environment": "maze", "agent": "ada" })).await;
    client.get("associate", json!({ "environment": "maze", "agent": "ada", "entity": "red" })).await;
    let percepts = json!({ "percepts": { "environment": "maze", "agent": "ada", "since": "lastCall" } });
    client.get("subscribe", json!({ "to": percepts })).await;
    client.notification().await;
    client = Client::greet(&server, client.resuming()).await;
    assert_eq!(client.notification().await["method"], "percepts");
    for direction in ["left", "right", "left"] {
        let act = json!({ "environment": "maze", "agent": "ada", "action": { "name": direction } });
        client.get("act", act).await;
        assert_eq!(client.notification().await["method"], "percepts", "after {direction}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_does_not_wait_for_an_agent_whose_action_is_refused() {
    let server = start(settings()).await;
    // Without a limit, a step waits for agents of clients with a heartbeat.
    let hello = json!({ "protocol": 2, "role": "platform", "heartbeatMs": 60_000 });
    let mut client = Client::greet(&server, hello).await;
    let create = json!({ "kind": "find-goals", "environment": "home", "pace": "lockstep", "start": true });
    client.get("createEnvironment", create).await;
    for (agent, entity) in [("ada", "red"), ("bob", "blue")] {
        client.get("register", json!({ "environment": "home", "agent": agent })).await;
        client.get("associate", json!({ "environment": "home", "agent": agent, "entity": entity })).await;
    }
    let turns = |of_ada: &str| json!([{ "agent": "ada", "action": { "name": of_ada } }, { "agent": "bob", "action": { "name": "wait" } }]);
    for (step, of_ada) in [(1, "dance"), (2, "wait")] {
        let stepped = client.get("step", json!({ "environment": "home", "agents": turns(of_ada) })).await;
        assert_eq!(stepped["moment"]["step"], step);
        let kinds = [0, 1].map(|turn| stepped["agents"][turn]["error"]["data"]["kind"].clone());
        let of_ada = if step == 1 { json!("notSupportedByEnvironment") } else { json!(null) };
        assert_eq!(kinds, [of_ada, json!(null)], "{stepped}");
    }
    // If nobody acts, nothing happens, and the client can choose again.
    let turns = json!([{ "agent": "ada", "action": { "name": "dance" } }]);
    let stepped = client.get("step", json!({ "environment": "home", "agents": turns })).await;
    assert_eq!(stepped["moment"]["step"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_is_registered_during_a_step_perceives_for_its_own_session() {
    let server = start(settings()).await;
    let mut first = Client::platform(&server).await;
    let create = json!({ "kind": "yard", "environment": "home", "pace": "lockstep", "start": true });
    first.get("createEnvironment", create).await;
    first.get("register", json!({ "environment": "home", "agent": "bob" })).await;
    first.get("associate", json!({ "environment": "home", "agent": "bob", "entity": "dog0" })).await;
    let mut second = Client::platform(&server).await;
    second.get("register", json!({ "environment": "home", "agent": "eve" })).await;
    second.get("associate", json!({ "environment": "home", "agent": "eve", "entity": "dog1" })).await;
    let turns = json!([{ "agent": "ada" }, { "agent": "bob" }]);
    let step = first.begin("step", json!({ "environment": "home", "agents": turns })).await;
    // The step waits for the other session, which now gets an agent of that name.
    let mut observer = Client::greet(&server, json!({ "protocol": 2, "role": "observer" })).await;
    while observer.get("status", json!({ "environment": "home" })).await["status"]["awaited"].is_null() {
        sleep(Duration::from_millis(50)).await;
    }
    second.get("register", json!({ "environment": "home", "agent": "ada" })).await;
    second.get("associate", json!({ "environment": "home", "agent": "ada", "entity": "cat0" })).await;
    let turns = json!([{ "agent": "ada" }, { "agent": "eve" }]);
    let own = second.get("step", json!({ "environment": "home", "agents": turns })).await;
    assert_eq!(own["agents"][0]["perceptions"][0]["entity"], "cat0", "{own}");
    let stepped = first.answer(step).await.expect("the step is over");
    assert!(stepped["agents"][0]["perceptions"].is_null(), "{stepped}");
    assert_eq!(stepped["agents"][1]["perceptions"][0]["entity"], "dog0", "{stepped}");
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_wait_for_a_resumed_session_as_its_new_client_promises() {
    let server = start(settings()).await;
    let create = json!({ "kind": "find-goals", "environment": "home", "pace": "lockstep", "start": true });
    let hello = json!({ "protocol": 2, "role": "platform", "heartbeatMs": 60_000 });
    let mut client = Client::greet(&server, hello).await;
    client.get("createEnvironment", create).await;
    for (agent, entity) in [("slow", "red"), ("quick", "blue")] {
        client.get("register", json!({ "environment": "home", "agent": agent })).await;
        client.get("associate", json!({ "environment": "home", "agent": agent, "entity": entity })).await;
    }
    // It no longer promises anything, so the step waits for `slow` for 10 s only.
    client = Client::greet(&server, client.resuming()).await;
    client.get("act", json!({ "environment": "home", "agent": "quick", "action": { "name": "wait" } })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_and_subscriptions_count_for_their_session() {
    const MEMORY: usize = 4 << 20;
    let server = start(Settings { memory: Some(MEMORY), ..settings() }).await;
    let mut resident = Resident::new(&server).await;
    let before = server.metric("situated_kept_bytes").await;
    let mut greedy = Client::platform(&server).await;
    let mut agents = 0;
    let refused = loop {
        match greedy.call("openMailbox", json!({ "agent": format!("agent{agents}") })).await {
            Ok(_) => agents += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(refused["data"]["kind"], "limit");
    let message = refused["message"].as_str().expect("a message");
    assert!(message.starts_with(&format!("the server cannot keep agent `agent{agents}`")), "{message}");
    assert!((400..=512).contains(&agents), "{agents} agents have an eighth of the memory");
    let topic = json!({ "to": { "happenings": { "environment": "home" } } });
    assert_eq!(greedy.call("subscribe", topic.clone()).await.expect_err("there is no room")["data"]["kind"], "limit");
    greedy.get("closeMailbox", json!({ "agent": "agent0" })).await;
    greedy.get("subscribe", topic).await;
    Client::platform(&server).await.get("openMailbox", json!({ "agent": "another" })).await;
    resident.check().await;
    greedy.get("bye", json!({})).await;
    server.comes_back_to(1, 1).await;
    assert_eq!(server.metric("situated_kept_bytes").await, before);
}
