//! Perceiving.

use serde_json::{Value, json};
use situated_wire::Code;

use crate::server::beliefs::{Beliefs, ensure_events_are_counted, list};
use crate::server::client::Client;
use crate::server::stage::Stage;
use crate::server::stop::{Checked, Stop, ensure, ensure_equal};
use crate::server::world::{Body, World, told_about};

/// How often something is done in the world.
const DEEDS: usize = 12;

/// How often it is tried to see a world twice at the same moment that moves by itself.
const GLANCES: usize = 50;

group! {
    "perceiving-first" "Perceiving" "Who has not been told anything yet is told everything." first;
    "perceiving-updates" "Perceiving" "Updates, one after another, come to what a snapshot says that holds." updates;
    "perceiving-events" "Perceiving" "Events come once each, and are counted by the versions." events;
    "perceiving-acknowledged" "Perceiving" "What is not acknowledged is told again, and what is, is not." acknowledged;
    "perceiving-never-told" "Codes of errors" "A version that was never told cannot be acknowledged." never_told;
    "perceiving-shared" "Perceiving" "Two agents with one body do not take anything from each other." shared;
    "perceiving-reset" "Perceiving" "With a new episode, everything that was believed is void." reset;
}

async fn enter(stage: &mut Stage<'_>) -> Checked<(World, Client, Body)> {
    let world = stage.world().await?;
    let (client, name) = (stage.platform().await?, stage.name());
    let body = world.enter(&client, &name).await?;
    Ok((world, client, body))
}

/// An update and a snapshot of the same moment.
async fn glance(world: &World, client: &Client, body: &Body, beliefs: &mut Beliefs) -> Checked<Value> {
    for _ in 0..GLANCES {
        let ask = |form: &str| world.of(json!({ "agent": body.agent, "entities": [body.entity], "form": form }));
        let update = client.begin("perceive", ask("update")).await?;
        let snapshot = client.begin("perceive", ask("snapshot")).await?;
        let mut both = Vec::new();
        for id in [update, snapshot] {
            both.push(client.answer(id).await?.map_err(|error| Stop::failed("it perceives", error))?);
        }
        let told = told_about(&both[0]["perceptions"], body)?;
        beliefs.update(&told)?;
        if both[0]["moment"]["step"] == both[1]["moment"]["step"] {
            return told_about(&both[1]["perceptions"], body);
        }
        // Time has moved in between: what the snapshot has told counts, as in all forms.
        let mut told = told_about(&both[1]["perceptions"], body)?;
        told["resync"] = true.into();
        beliefs.update(&told)?;
    }
    Err(Stop::skipped("the world moves too quickly"))
}

async fn first(stage: &mut Stage<'_>) -> Checked {
    let (world, client, body) = enter(stage).await?;
    let told = world.perceive(&client, &body, "update", "lastCall").await?;
    ensure_equal("everything anew", &true.into(), &told["resync"])?;
    ensure(told.get("delete").is_none(), "nothing to delete", &told)
}

async fn updates(stage: &mut Stage<'_>) -> Checked {
    let (world, client, body) = enter(stage).await?;
    let mut beliefs = Beliefs::default();
    let actions = world.actions(&body)?;
    for action in actions.iter().cycle().take(DEEDS.min(actions.len() * DEEDS)) {
        client.get("act", world.of(json!({ "agent": body.agent, "action": action }))).await?;
        let snapshot = glance(&world, &client, &body, &mut beliefs).await?;
        beliefs.ensure_snapshot(&snapshot)?;
        ensure_equal("the snapshot's `since`", beliefs.version(), &snapshot["since"])?;
        // A snapshot is told, too: the next update begins with it.
        let mut told = snapshot;
        told["resync"] = true.into();
        beliefs.update(&told)?;
    }
    Ok(())
}

async fn events(stage: &mut Stage<'_>) -> Checked {
    let (world, client, body) = enter(stage).await?;
    let mut beliefs = Beliefs::default();
    beliefs.update(&world.perceive(&client, &body, "update", "lastCall").await?)?;
    for form in ["update", "snapshot", "update", "telling", "update"] {
        world.go_on(&client, &body, 2).await?;
        let told = world.perceive(&client, &body, form, "lastCall").await?;
        ensure_events_are_counted(&told)?;
        beliefs.update(&told)?;
    }
    Ok(())
}

async fn acknowledged(stage: &mut Stage<'_>) -> Checked {
    let (world, client, body) = enter(stage).await?;
    let first = world.perceive(&client, &body, "update", "acknowledged").await?;
    let again = world.perceive(&client, &body, "update", "acknowledged").await?;
    for told in [&first, &again] {
        ensure_equal("what nobody has acknowledged is told anew", &true.into(), &told["resync"])?;
    }
    ensure_equal("since the same version", &first["since"], &again["since"])?;
    let versions = json!([{ "entity": body.entity, "version": again["version"] }]);
    let knows = world.of(json!({ "agent": body.agent, "versions": versions }));
    client.notify("acknowledge", knows.clone()).await?;
    world.go_on(&client, &body, 1).await?;
    let then = world.perceive(&client, &body, "update", "acknowledged").await?;
    ensure_equal("since what was acknowledged", &again["version"], &then["since"])?;
    let once_more = world.perceive(&client, &body, "update", "acknowledged").await?;
    ensure_equal("since what was acknowledged", &again["version"], &once_more["since"])?;
    // It may be said twice.
    client.get("acknowledge", knows).await.map(drop)
}

async fn never_told(stage: &mut Stage<'_>) -> Checked {
    let (world, client, body) = enter(stage).await?;
    let told = world.perceive(&client, &body, "update", "acknowledged").await?;
    let version = json!([told["version"][0].as_u64().unwrap_or_default() + 1_000_000, 0]);
    let versions = json!([{ "entity": body.entity, "version": version }]);
    let knows = world.of(json!({ "agent": body.agent, "versions": versions }));
    client.refused("acknowledge", knows, Code::UnknownVersion).await?;
    let again = world.perceive(&client, &body, "update", "acknowledged").await?;
    ensure_equal("since the same version", &told["since"], &again["since"])
}

async fn shared(stage: &mut Stage<'_>) -> Checked {
    let (world, one, body) = enter(stage).await?;
    if world.ontology["relation"]["oneAgentPerEntity"] == true {
        return Err(Stop::skipped("its bodies have one agent each"));
    }
    let (other, name) = (stage.platform().await?, stage.name());
    world.register(&other, &name).await?;
    other.get("associate", world.of(json!({ "agent": name, "entity": body.entity }))).await?;
    let twin = Body { agent: name, ..body.clone() };
    let mut beliefs = [Beliefs::default(), Beliefs::default()];
    let mut each = [(&one, &body), (&other, &twin)];
    for round in 0..DEEDS {
        for ((client, body), beliefs) in each.iter().zip(&mut beliefs) {
            beliefs.update(&world.perceive(client, body, "update", "lastCall").await?)?;
        }
        if round == 0 {
            // Both have heard of what came before.
            beliefs.iter_mut().for_each(|beliefs| beliefs.events.clear());
        }
        act_together(&world, &each).await?;
        each.reverse();
        beliefs.reverse();
    }
    for ((client, body), beliefs) in each.iter().zip(&mut beliefs) {
        beliefs.update(&world.perceive(client, body, "update", "lastCall").await?)?;
    }
    if world.pace["realTime"].is_null() {
        ensure_equal("the same events for both", &json!(beliefs[0].events), &json!(beliefs[1].events))?;
        ensure_equal("the same version for both", beliefs[0].version(), beliefs[1].version())?;
    }
    Ok(())
}

/// One of those who share a body acts.
async fn act_together(world: &World, each: &[(&Client, &Body); 2]) -> Checked {
    let (client, body) = each[0];
    client.get("act", world.acting(body)?).await.map(drop)
}

async fn reset(stage: &mut Stage<'_>) -> Checked {
    let world = stage.own_world(json!({ "start": true })).await?;
    let (client, name) = (stage.platform().await?, stage.name());
    let body = world.enter(&client, &name).await?;
    world.perceive(&client, &body, "update", "lastCall").await?;
    world.go_on(&client, &body, 3).await?;
    let keeper = stage.manager().await?;
    keeper.get("manage", world.of(json!({ "command": { "reset": {} } }))).await?;
    if list(&world.entity(&client, &body.entity).await?["agents"]).is_empty() {
        return Err(Stop::skipped("its bodies are others in each episode"));
    }
    let mut beliefs = Beliefs::default();
    let told = world.perceive(&client, &body, "update", "lastCall").await?;
    ensure_equal("everything anew", &true.into(), &told["resync"])?;
    beliefs.update(&told)?;
    let snapshot = glance(&world, &client, &body, &mut beliefs).await?;
    beliefs.ensure_snapshot(&snapshot)
}
