//! The rights of clients.

use serde_json::json;
use situated_wire::Code;

use crate::server::stage::Stage;
use crate::server::stop::{Checked, Stop, ensure, ensure_equal};

group! {
    "rights-observer" "Type Right" "An observer cannot act." observer;
    "rights-manage" "Type Right" "A client without the right to manage cannot manage." manage;
    "rights-see" "Type Right" "An agent sees only through its own entities." see;
    "rights-hidden" "Type Right" "An agent sees nothing from which hidden state can be derived." hidden;
    "rights-menu" "menu" "A client gets menus only for entities of its own agents." menu;
    "rights-look" "Type Topic" "An agent that frees an entity no longer sees its scene." look;
    "rights-later" "Type Right" "A client cannot subscribe in advance to the percepts of an agent that another session will register." later;
}

async fn observer(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let (guest, name) = (stage.watch().await?, stage.name());
    if guest.may("act") {
        return Err(Stop::skipped("the observer may act as well"));
    }
    let client = guest.client;
    let agent = || environment.of(json!({ "agent": name }));
    for method in ["register", "pass", "perceive"] {
        client.refused(method, agent(), Code::Forbidden).await?;
    }
    let mut acting = agent();
    acting["action"] = json!({ "name": "wait" });
    client.refused("act", acting, Code::Forbidden).await?;
    client.refused("step", environment.of(json!({ "agents": [{ "agent": name }] })), Code::Forbidden).await?;
    let to = json!({ "to": { "percepts": { "environment": environment.name, "agent": name } } });
    client.refused("subscribe", to, Code::Forbidden).await?;
    let listed = client.get("listEntities", environment.of(json!({}))).await?;
    let there = listed["agents"].as_array().is_some_and(|agents| agents.contains(&name.into()));
    ensure(!there, "no agent", listed)
}

async fn menu(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let ask = || environment.of(json!({ "agent": actor.agent, "entity": actor.entity }));
    for at in [json!(null), json!([1.5, 2.0]), json!([-1e300, 1e300])] {
        let mut pointing = ask();
        pointing["at"] = at;
        let offered = client.get("menu", pointing).await?;
        for item in offered["menu"]["items"].as_array().ok_or_else(|| Stop::failed("a list of `items`", &offered))? {
            ensure(item["action"]["name"].is_string(), "an action", item)?;
        }
    }
    let mut elsewhere = ask();
    elsewhere["entity"] = "there is no such entity".into();
    client.refused("menu", elsewhere, Code::WrongEntity).await?;
    stage.platform().await?.refused("menu", ask(), Code::Forbidden).await.map(drop)
}

async fn manage(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let client = stage.stranger().await?;
    let before = environment.status(&client).await?;
    for (method, params) in [
        ("createEnvironment", json!({ "kind": before["kind"] })),
        ("removeEnvironment", environment.of(json!({}))),
        ("manage", environment.of(json!({ "command": "pause" }))),
        ("advance", environment.of(json!({ "steps": 1 }))),
        ("setSpeed", environment.of(json!({ "speed": 1.0 }))),
    ] {
        client.refused(method, params, Code::Forbidden).await?;
    }
    ensure_equal("the state", &before["state"], &environment.status(&client).await?["state"])
}

async fn see(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let (client, name) = (stage.stranger().await?, stage.name());
    let actor = environment.enter(&client, &name).await?;
    client.get("scene", environment.of(json!({ "viewer": actor.entity }))).await?;
    client.subscribe(json!({ "scene": { "environment": environment.name, "viewer": actor.entity } })).await?;
    let other =
        environment.entities(&client).await?.into_iter().find(|entity| entity["entity"] != actor.entity.as_str());
    let mut hidden = vec![json!({ "scene": { "environment": environment.name } })];
    hidden.push(json!({ "activity": { "environment": environment.name } }));
    hidden.push(json!({ "activity": { "environment": environment.name, "entity": actor.entity } }));
    if let Some(other) = other {
        client.refused("scene", environment.of(json!({ "viewer": other["entity"] })), Code::Forbidden).await?;
        hidden.push(json!({ "scene": { "environment": environment.name, "viewer": other["entity"] } }));
    }
    client.refused("scene", environment.of(json!({})), Code::Forbidden).await?;
    for to in hidden {
        client.refused("subscribe", json!({ "to": to }), Code::Forbidden).await?;
    }
    Ok(())
}

async fn hidden(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let client = stage.stranger().await?;
    let described = client.get("describe", environment.of(json!({}))).await?;
    ensure_equal("the parameters", &json!(null), &described["parameters"])?;
    let received = client.subscribe(json!({ "happenings": { "environment": environment.name } })).await?;
    let received = client.notification(received).await?;
    let seeds =
        received["happenings"].as_array().into_iter().flatten().filter(|one| one["episode"]["seed"].is_number());
    ensure(seeds.count() == 0, "no seed", &received)?;
    client.get("query", environment.of(json!({ "property": "name" }))).await?;
    client.refused("query", environment.of(json!({ "property": "log" })), Code::Forbidden).await?;
    for listed in environment.entities(&client).await? {
        let of = |property: &str| environment.of(json!({ "entity": listed["entity"], "property": property }));
        client.get("query", of("type")).await?;
        client.refused("query", of("position"), Code::Forbidden).await?;
    }
    Ok(())
}

async fn look(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let (client, other) = (stage.stranger().await?, stage.platform().await?);
    let (name, next) = (stage.name(), stage.name());
    let actor = environment.enter(&client, &name).await?;
    let to = json!({ "scene": { "environment": environment.name, "viewer": actor.entity } });
    let subscription = client.subscribe(to).await?;
    if client.notification(subscription).await?["count"] == 0 {
        return Err(Stop::skipped("it has no scene"));
    }
    client.get("free", environment.of(json!({ "agent": name }))).await?;
    environment.register(&other, &next).await?;
    other.get("associate", environment.of(json!({ "agent": next, "entity": actor.entity }))).await?;
    let heir = crate::server::environment::Actor { agent: next, ..actor };
    let received = client.notification(subscription).await?;
    ensure_equal("no scene any more", &0.into(), &received["count"])?;
    environment.act_times(&other, &heir, 12).await?;
    let late = client.told_already(subscription).await?;
    ensure(late.is_empty(), "no further scenes", json!(late))
}

async fn later(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let (client, owner, name) = (stage.platform().await?, stage.platform().await?, stage.name());
    let to = json!({ "percepts": { "environment": environment.name, "agent": name } });
    let subscribed = client.call("subscribe", json!({ "to": to })).await?;
    let actor = environment.enter(&owner, &name).await?;
    environment.act_times(&owner, &actor, 3).await?;
    let Ok(subscribed) = subscribed else { return client.settle().await };
    let received = client.told_already(subscribed["subscription"].as_u64().unwrap_or_default()).await?;
    ensure(received.is_empty(), "no percepts of an agent of another session", json!(received))
}
