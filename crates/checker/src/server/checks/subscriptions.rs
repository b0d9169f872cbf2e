//! Subscriptions.

use serde_json::{Value, json};
use situated_wire::Code;

use crate::server::beliefs::{Beliefs, ensure_events_are_counted, list};
use crate::server::client::{Client, check_error};
use crate::server::environment::{Actor, perception_of};
use crate::server::stage::Stage;
use crate::server::stop::{Checked, Stop, ensure, ensure_equal};

/// Number of actions in the environment.
const DEEDS: usize = 12;

group! {
    "subscriptions-environments" "Subscriptions" "Subscribers of environments are notified when one is created, changed or removed." environments;
    "subscriptions-anew" "Subscriptions" "The first notification of happenings follows the answer, and contains the current state." anew;
    "subscriptions-happenings" "Subscriptions" "Happenings arrive in order and without gaps." happenings;
    "subscriptions-speed" "Type Topic" "Changes of the speed are notified, also while paused." speed;
    "subscriptions-percepts" "Subscriptions" "Percept notifications add up to a snapshot." percepts;
    "subscriptions-acknowledged" "Type Topic" "The next update arrives after the last one is acknowledged, and not before." acknowledged;
    "subscriptions-freed" "Subscriptions" "An agent that frees an entity and takes it again gets a complete update." freed;
    "subscriptions-scene" "Subscriptions" "Scene updates add up to the scene." scene;
    "subscriptions-activity" "Notification activity" "Subscribers of an entity's activity get its actions in order, with the agents." activity;
    "subscriptions-end" "unsubscribe" "After the end of a subscription there are no more notifications." end;
    "subscriptions-ended" "Notification ended" "When the topic of a subscription no longer exists, subscribers are notified of its end." ended;
    "subscriptions-wrong" "subscribe" "A client cannot subscribe to a topic that does not exist." wrong;
}

async fn environments(stage: &mut Stage<'_>) -> Checked {
    let client = stage.platform().await?;
    let subscription = client.subscribe(json!({ "environments": {} })).await?;
    client.notification(subscription).await?;
    let environment = stage.own_environment(json!({})).await?;
    let keeper = stage.manager().await?;
    told_when(&client, subscription, "it is there", |status| status.is_some(), &environment.name).await?;
    keeper.get("manage", environment.of(json!({ "command": "start" }))).await?;
    let runs = |status: Option<&Value>| status.is_some_and(|status| status["state"] == "running");
    told_when(&client, subscription, "it runs", runs, &environment.name).await?;
    keeper.get("removeEnvironment", environment.of(json!({}))).await?;
    told_when(&client, subscription, "it is gone", |status| status.is_none(), &environment.name).await
}

/// Waits for a notification that reports this about an environment.
async fn told_when(
    client: &Client,
    subscription: u64,
    what: &str,
    is_so: impl Fn(Option<&Value>) -> bool,
    name: &str,
) -> Checked {
    loop {
        let received = client.notification(subscription).await.map_err(|_| Stop::failed(what, "no notification"))?;
        let environments = list(&received["environments"]);
        if is_so(environments.iter().find(|status| status["environment"] == name)) {
            return Ok(());
        }
    }
}

async fn anew(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let subscription = client.subscribe(json!({ "happenings": { "environment": environment.name } })).await?;
    let received = client.notification(subscription).await?;
    ensure(received["resync"] == true && received["lost"] == 0, "the current state", &received)?;
    let happenings = list(&received["happenings"]);
    let entities: Vec<Value> = happenings.iter().filter_map(|one| one.get("new")?.get("entity").cloned()).collect();
    let listed: Vec<Value> = environment.entities(&client).await?.iter().map(|one| one["entity"].clone()).collect();
    ensure_equal("the entities", &json!(listed), &json!(entities))?;
    let taken = json!({ "taken": { "entity": actor.entity, "agent": actor.agent } });
    ensure(happenings.contains(&taken), format!("{taken}"), &received)?;
    ensure(
        happenings.contains(&json!({ "registered": { "agent": actor.agent } })),
        "the agent is registered",
        &received,
    )
}

async fn happenings(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let (client, watcher, name) = (stage.platform().await?, stage.platform().await?, stage.name());
    let subscription = watcher.subscribe(json!({ "happenings": { "environment": environment.name } })).await?;
    watcher.notification(subscription).await?;
    let actor = environment.enter(&client, &name).await?;
    client.get("free", environment.of(json!({ "agent": name }))).await?;
    client.get("unregister", environment.of(json!({ "agent": name }))).await?;
    let mut expected = vec![
        json!({ "registered": { "agent": name } }),
        json!({ "taken": { "entity": actor.entity, "agent": name } }),
        json!({ "released": { "entity": actor.entity, "agent": name } }),
        json!({ "freed": { "entity": actor.entity, "agents": [name] } }),
        json!({ "unregistered": { "agent": name } }),
    ];
    let about = format!("\"{name}\"");
    while !expected.is_empty() {
        let received = watcher.notification(subscription).await?;
        ensure_equal("only changes", &false.into(), &received["resync"])?;
        for happening in list(&received["happenings"]) {
            if !expected.is_empty() && happening.to_string().contains(&about) {
                ensure_equal("the next happening", &expected.remove(0), &happening)?;
            }
        }
    }
    Ok(())
}

async fn speed(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.own_environment(json!({})).await?;
    let (client, keeper) = (stage.platform().await?, stage.manager().await?);
    let subscription = client.subscribe(json!({ "happenings": { "environment": environment.name } })).await?;
    client.notification(subscription).await?;
    keeper.get("setSpeed", environment.of(json!({ "speed": 12.5 }))).await?;
    let received = client.notification(subscription).await?;
    ensure_equal("the speed", &json!(12.5), &received["status"]["speed"])
}

/// Takes the notifications about an entity that have arrived.
async fn take(client: &Client, subscription: u64, actor: &Actor, beliefs: &mut Beliefs) -> Checked {
    for received in client.told_already(subscription).await? {
        for received in list(&received["perceptions"]) {
            ensure_equal("the entity", &actor.entity.as_str().into(), &received["entity"])?;
            ensure_events_are_counted(&received)?;
            beliefs.update(&received)?;
        }
    }
    Ok(())
}

async fn percepts(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let to = json!({ "percepts": { "environment": environment.name, "agent": actor.agent } });
    let subscription = client.subscribe(to).await?;
    let mut beliefs = Beliefs::default();
    let first = perception_of(&client.notification(subscription).await?["perceptions"], &actor)?;
    ensure_equal("a complete update", &true.into(), &first["resync"])?;
    beliefs.update(&first)?;
    for _ in 0..DEEDS {
        environment.act_times(&client, &actor, 1).await?;
        take(&client, subscription, &actor, &mut beliefs).await?;
    }
    if beliefs.version() == &first["version"] {
        // It may arrive a little later, if there is anything new.
        if let Ok(received) = client.notification(subscription).await {
            beliefs.update(&perception_of(&received["perceptions"], &actor)?)?;
        }
    }
    let pushed = beliefs.version().clone();
    let rest = environment.perceive(&client, &actor, "update", "lastCall").await?;
    take(&client, subscription, &actor, &mut beliefs).await?;
    beliefs.update(&rest)?;
    ensure(pushed != first["version"] || *beliefs.version() == pushed, "a notification for every change", &rest)?;
    if environment.moves_by_itself() {
        return Ok(());
    }
    beliefs.ensure_snapshot(&environment.perceive(&client, &actor, "snapshot", "lastCall").await?)
}

async fn acknowledged(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let to = json!({ "percepts": { "environment": environment.name, "agent": actor.agent, "since": "acknowledged" } });
    let subscription = client.subscribe(to).await?;
    let mut known = perception_of(&client.notification(subscription).await?["perceptions"], &actor)?["version"].clone();
    for _ in 0..3 {
        environment.act_times(&client, &actor, DEEDS).await?;
        let early = client.told_already(subscription).await?;
        ensure(early.is_empty(), "nothing before the last update is acknowledged", json!(early))?;
        let now = environment.perceive(&client, &actor, "update", "acknowledged").await?["version"].clone();
        if now == known {
            return Err(Stop::skipped("its percepts have not changed"));
        }
        let versions = json!([{ "entity": actor.entity, "version": known }]);
        client.notify("acknowledge", environment.of(json!({ "agent": actor.agent, "versions": versions }))).await?;
        let received = client
            .notification(subscription)
            .await
            .map_err(|_| Stop::failed("the next update as soon as the last one is acknowledged", "nothing"))?;
        let received = perception_of(&received["perceptions"], &actor)?;
        ensure_equal("since the acknowledged version", &known, &received["since"])?;
        known = received["version"].clone();
    }
    Ok(())
}

async fn freed(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let pair = || environment.of(json!({ "agent": actor.agent, "entity": actor.entity }));
    for since in ["lastCall", "acknowledged"] {
        let to = json!({ "percepts": { "environment": environment.name, "agent": actor.agent, "since": since } });
        let subscription = client.subscribe(to).await?;
        client.notification(subscription).await?;
        client.get("free", pair()).await?;
        if environment.entity(&client, &actor.entity).await.is_err() {
            return Err(Stop::skipped("it deletes entities that are free"));
        }
        client.get("associate", pair()).await?;
        let received = client.notification(subscription).await.map_err(|_| {
            Stop::failed(format!("with `{since}`, a complete update of the entity that was taken again"), "nothing")
        })?;
        ensure_equal("a complete update", &true.into(), &perception_of(&received["perceptions"], &actor)?["resync"])?;
        client.get("unsubscribe", json!({ "subscription": subscription })).await?;
        client.get("free", pair()).await?;
        client.get("associate", pair()).await?;
    }
    Ok(())
}

async fn scene(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let watcher = stage.observer().await?;
    let subscription = watcher.subscribe(json!({ "scene": { "environment": environment.name } })).await?;
    let expected = watcher.get("scene", environment.of(json!({}))).await?;
    if list(&expected["scene"]["shapes"]).is_empty() {
        return Err(Stop::skipped("it has no scene"));
    }
    let mut shapes: Vec<Value> = Vec::new();
    show(&mut shapes, &watcher.notification(subscription).await?)?;
    environment.act_times(&client, &actor, DEEDS).await?;
    for _ in 0..DEEDS {
        let seen = watcher.get("scene", environment.of(json!({}))).await?["scene"]["shapes"].clone();
        for received in watcher.told_already(subscription).await? {
            show(&mut shapes, &received)?;
        }
        if json!(shapes) == seen {
            return Ok(());
        }
        // The server delays scenes that would follow each other too quickly.
        show(&mut shapes, &watcher.notification(subscription).await?)?;
    }
    let seen = watcher.get("scene", environment.of(json!({}))).await?["scene"]["shapes"].clone();
    ensure(environment.moves_by_itself() || json!(shapes) == seen, seen.to_string(), json!(shapes))
}

/// Applies a notification to the shapes.
fn show(shapes: &mut Vec<Value>, received: &Value) -> Checked {
    let count = usize::try_from(received["count"].as_u64().unwrap_or_default()).unwrap_or(usize::MAX);
    shapes.truncate(count);
    for change in list(&received["shapes"]) {
        let place = change[0].as_u64().and_then(|place| usize::try_from(place).ok()).unwrap_or(usize::MAX);
        ensure(place <= shapes.len(), "each shape at an existing index", received)?;
        if place == shapes.len() {
            shapes.push(change[1].clone());
        } else {
            shapes[place] = change[1].clone();
        }
    }
    ensure(shapes.len() == count, format!("{count} shapes"), received)
}

async fn activity(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let watcher = stage.observer().await?;
    let to = json!({ "activity": { "environment": environment.name, "entity": actor.entity } });
    let subscription = watcher.subscribe(to).await?;
    let first = watcher.notification(subscription).await?;
    ensure_equal("all current percepts", &true.into(), &first["perception"]["resync"])?;
    let actions = environment.actions(&actor)?;
    let mut expected: Vec<Value> = Vec::new();
    for action in actions.iter().cycle().take(DEEDS) {
        client.get("act", environment.of(json!({ "agent": actor.agent, "action": action }))).await?;
        let mut action = action.clone();
        if list(&action["args"]).is_empty() {
            action = json!({ "name": action["name"] });
        }
        expected.push(action);
    }
    let mut seen: Vec<Value> = Vec::new();
    while seen.len() < expected.len() {
        let received = watcher.notification(subscription).await?;
        ensure_equal("nothing is missed", &0.into(), &received["lost"])?;
        for action in list(&received["actions"]) {
            ensure_equal("the agent", &actor.agent.as_str().into(), &action["agent"])?;
            ensure_equal("the entity", &actor.entity.as_str().into(), &action["result"]["entity"])?;
            seen.push(action["action"].clone());
        }
    }
    let normal = |action: &Value| json!([action["name"], list(&action["args"])]);
    let [expected, seen] = [expected, seen].map(|actions| actions.iter().map(normal).collect::<Vec<_>>());
    ensure_equal("the actions, in order", &json!(expected), &json!(seen))
}

async fn end(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let to = json!({ "percepts": { "environment": environment.name, "agent": actor.agent } });
    let subscription = client.subscribe(to).await?;
    client.notification(subscription).await?;
    let ending = json!({ "subscription": subscription });
    client.get("unsubscribe", ending.clone()).await?;
    client.told_already(subscription).await?;
    environment.act_times(&client, &actor, DEEDS).await?;
    let late = client.told_already(subscription).await?;
    ensure(late.is_empty(), "nothing after the end", json!(late))?;
    client.refused("unsubscribe", ending, Code::NoSuchSubscription).await.map(drop)
}

async fn ended(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let to = json!({ "percepts": { "environment": environment.name, "agent": actor.agent } });
    let percepts = client.subscribe(to).await?;
    client.get("unregister", environment.of(json!({ "agent": actor.agent }))).await?;
    nothing_more(&client, percepts).await?;
    let brief = stage.own_environment(json!({})).await?;
    let happenings = client.subscribe(json!({ "happenings": { "environment": brief.name } })).await?;
    let keeper = stage.manager().await?;
    keeper.get("removeEnvironment", brief.of(json!({}))).await?;
    nothing_more(&client, happenings).await
}

/// Checks that the server ends a subscription, after its last notifications.
async fn nothing_more(client: &Client, subscription: u64) -> Checked {
    loop {
        let received = client.notification(subscription).await.map_err(|_| Stop::failed("`ended`", "nothing"))?;
        if received.get("reason").is_some() {
            check_error(&received["reason"])?;
            let ending = json!({ "subscription": subscription });
            return client.refused("unsubscribe", ending, Code::NoSuchSubscription).await.map(drop);
        }
    }
}

async fn wrong(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, _) = stage.enter().await?;
    let unknown = json!({ "to": { "happenings": { "environment": "there is no such environment" } } });
    client.refused("subscribe", unknown, Code::NoSuchEnvironment).await?;
    let nobody = stage.name();
    let to = json!({ "to": { "percepts": { "environment": environment.name, "agent": nobody } } });
    client.refused("subscribe", to, Code::NotRegistered).await?;
    let watcher = stage.observer().await?;
    for topic in ["scene", "activity"] {
        let who = if topic == "scene" { "viewer" } else { "entity" };
        let to = json!({ "to": { topic: { "environment": environment.name, who: "there is no such entity" } } });
        watcher.refused("subscribe", to, Code::WrongEntity).await?;
    }
    Ok(())
}
