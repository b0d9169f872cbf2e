//! Perceiving.

use serde_json::{Value, json};
use situated_wire::Code;

use crate::server::beliefs::{Beliefs, ensure_events_are_counted, list};
use crate::server::client::Client;
use crate::server::environment::{Actor, Environment, perception_of};
use crate::server::stage::Stage;
use crate::server::stop::{Checked, Stop, ensure, ensure_equal};

/// Number of actions in the environment.
const DEEDS: usize = 12;

/// Number of attempts to perceive twice at the same moment in an environment that advances by itself.
const GLANCES: usize = 50;

group! {
    "perceiving-first" "Perceiving" "The first update of an agent contains everything." first;
    "perceiving-updates" "Perceiving" "Successive updates add up to a snapshot." updates;
    "perceiving-events" "Perceiving" "Each event arrives once, and the versions count events." events;
    "perceiving-acknowledged" "Perceiving" "Updates that are not acknowledged are sent again; acknowledged ones are not." acknowledged;
    "perceiving-never-sent" "Codes of errors" "A version that was never sent cannot be acknowledged." never_sent;
    "perceiving-known" "Perceiving" "A perception is relative to the version in `known`; if it was never sent, to nothing." known;
    "perceiving-shared" "Perceiving" "Two agents with one entity do not take updates from each other." shared;
    "perceiving-reset" "Perceiving" "A new episode invalidates all beliefs." reset;
}

/// Returns an update and a snapshot of the same moment.
async fn glance(environment: &Environment, client: &Client, actor: &Actor, beliefs: &mut Beliefs) -> Checked<Value> {
    for _ in 0..GLANCES {
        let ask =
            |form: &str| environment.of(json!({ "agent": actor.agent, "entities": [actor.entity], "form": form }));
        let update = client.begin("perceive", ask("update")).await?;
        let snapshot = client.begin("perceive", ask("snapshot")).await?;
        let mut both = Vec::new();
        for id in [update, snapshot] {
            both.push(client.answer(id).await?.map_err(|error| Stop::failed("it perceives", error))?);
        }
        let told = perception_of(&both[0]["perceptions"], actor)?;
        beliefs.update(&told)?;
        if both[0]["moment"]["step"] == both[1]["moment"]["step"] {
            return perception_of(&both[1]["perceptions"], actor);
        }
        // Time has advanced in between. The snapshot counts, since all forms share one cursor.
        let mut told = perception_of(&both[1]["perceptions"], actor)?;
        told["resync"] = true.into();
        beliefs.update(&told)?;
    }
    Err(Stop::skipped("the environment advances too quickly"))
}

async fn first(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let told = environment.perceive(&client, &actor, "update", "lastCall").await?;
    ensure_equal("a complete update", &true.into(), &told["resync"])?;
    ensure(told.get("delete").is_none(), "nothing to delete", &told)
}

async fn updates(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let mut beliefs = Beliefs::default();
    let actions = environment.actions(&actor)?;
    for action in actions.iter().cycle().take(DEEDS.min(actions.len() * DEEDS)) {
        client.get("act", environment.of(json!({ "agent": actor.agent, "action": action }))).await?;
        let snapshot = glance(&environment, &client, &actor, &mut beliefs).await?;
        beliefs.ensure_snapshot(&snapshot)?;
        ensure_equal("the snapshot's `since`", beliefs.version(), &snapshot["since"])?;
        // A snapshot is a perception too, so the next update is relative to it.
        let mut told = snapshot;
        told["resync"] = true.into();
        beliefs.update(&told)?;
    }
    Ok(())
}

async fn events(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let mut beliefs = Beliefs::default();
    beliefs.update(&environment.perceive(&client, &actor, "update", "lastCall").await?)?;
    for form in ["update", "snapshot", "update", "telling", "update"] {
        environment.act_times(&client, &actor, 2).await?;
        let told = environment.perceive(&client, &actor, form, "lastCall").await?;
        ensure_events_are_counted(&told)?;
        beliefs.update(&told)?;
    }
    Ok(())
}

async fn acknowledged(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let first = environment.perceive(&client, &actor, "update", "acknowledged").await?;
    let again = environment.perceive(&client, &actor, "update", "acknowledged").await?;
    for told in [&first, &again] {
        ensure_equal("a complete update, since nothing was acknowledged", &true.into(), &told["resync"])?;
    }
    ensure_equal("since the same version", &first["since"], &again["since"])?;
    let versions = json!([{ "entity": actor.entity, "version": again["version"] }]);
    let knows = environment.of(json!({ "agent": actor.agent, "versions": versions }));
    client.notify("acknowledge", knows.clone()).await?;
    environment.act_times(&client, &actor, 1).await?;
    let then = environment.perceive(&client, &actor, "update", "acknowledged").await?;
    ensure_equal("since the acknowledged version", &again["version"], &then["since"])?;
    let once_more = environment.perceive(&client, &actor, "update", "acknowledged").await?;
    ensure_equal("since the acknowledged version", &again["version"], &once_more["since"])?;
    // A version can be acknowledged twice.
    client.get("acknowledge", knows).await.map(drop)
}

async fn never_sent(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let told = environment.perceive(&client, &actor, "update", "acknowledged").await?;
    let version = json!([told["version"][0].as_u64().unwrap_or_default() + 1_000_000, 0]);
    let versions = json!([{ "entity": actor.entity, "version": version }]);
    let knows = environment.of(json!({ "agent": actor.agent, "versions": versions }));
    client.refused("acknowledge", knows, Code::UnknownVersion).await?;
    let again = environment.perceive(&client, &actor, "update", "acknowledged").await?;
    ensure_equal("since the same version", &told["since"], &again["since"])
}

async fn known(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let first = environment.perceive(&client, &actor, "update", "lastCall").await?;
    environment.act_times(&client, &actor, 1).await?;
    // Of these, the agent gets none.
    environment.perceive(&client, &actor, "update", "lastCall").await?;
    environment.perceive(&client, &actor, "update", "lastCall").await?;
    let turn_of = |versions: Value| json!({ "agent": actor.agent, "entities": [actor.entity], "known": versions });
    let one = |version: &Value| json!([{ "entity": actor.entity, "version": version }]);
    let perceived = client.get("perceive", environment.of(turn_of(one(&first["version"])))).await?;
    let told = perception_of(&perceived["perceptions"], &actor)?;
    ensure_equal("since the known version", &first["version"], &told["since"])?;
    ensure_events_are_counted(&told)?;
    let stepped = client.get("step", environment.of(json!({ "agents": [turn_of(one(&told["version"]))] }))).await?;
    let then = perception_of(&stepped["agents"][0]["perceptions"], &actor)?;
    ensure_equal("since the known version", &told["version"], &then["since"])?;
    let never = json!([then["version"][0].as_u64().unwrap_or_default() + 1_000_000, then["version"][1]]);
    let mut versions = one(&never);
    let elsewhere = json!({ "entity": "an entity that does not exist", "version": never });
    versions.as_array_mut().into_iter().for_each(|versions| versions.push(elsewhere.clone()));
    let perceived = client.get("perceive", environment.of(turn_of(versions))).await?;
    let all = perception_of(&perceived["perceptions"], &actor)?;
    ensure_equal("everything", &true.into(), &all["resync"])?;
    ensure_equal("no event that the agent knows", &then["version"][1], &all["since"][1])
}

async fn shared(stage: &mut Stage<'_>) -> Checked {
    let (environment, one, actor) = stage.enter().await?;
    if environment.ontology.relation.one_agent_per_entity {
        return Err(Stop::skipped("its entities have one agent each"));
    }
    let (other, name) = (stage.platform().await?, stage.name());
    environment.register(&other, &name).await?;
    other.get("associate", environment.of(json!({ "agent": name, "entity": actor.entity }))).await?;
    let twin = Actor { agent: name, ..actor.clone() };
    let mut beliefs = [Beliefs::default(), Beliefs::default()];
    let mut each = [(&one, &actor), (&other, &twin)];
    for round in 0..DEEDS {
        for ((client, actor), beliefs) in each.iter().zip(&mut beliefs) {
            beliefs.update(&environment.perceive(client, actor, "update", "lastCall").await?)?;
        }
        if round == 0 {
            // Both have received all earlier events.
            beliefs.iter_mut().for_each(|beliefs| beliefs.events.clear());
        }
        act_together(&environment, &each).await?;
        each.reverse();
        beliefs.reverse();
    }
    for ((client, actor), beliefs) in each.iter().zip(&mut beliefs) {
        beliefs.update(&environment.perceive(client, actor, "update", "lastCall").await?)?;
    }
    if !environment.moves_by_itself() {
        ensure_equal("the same events for both", &json!(beliefs[0].events), &json!(beliefs[1].events))?;
        ensure_equal("the same version for both", beliefs[0].version(), beliefs[1].version())?;
    }
    Ok(())
}

/// Lets one of the agents that share an entity act.
async fn act_together(environment: &Environment, each: &[(&Client, &Actor); 2]) -> Checked {
    let (client, actor) = each[0];
    client.get("act", environment.acting(actor)?).await.map(drop)
}

async fn reset(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter_own(json!({ "start": true })).await?;
    environment.perceive(&client, &actor, "update", "lastCall").await?;
    environment.act_times(&client, &actor, 3).await?;
    let keeper = stage.manager().await?;
    keeper.get("manage", environment.of(json!({ "command": { "reset": {} } }))).await?;
    if list(&environment.entity(&client, &actor.entity).await?["agents"]).is_empty() {
        return Err(Stop::skipped("each episode has other entities"));
    }
    let mut beliefs = Beliefs::default();
    let told = environment.perceive(&client, &actor, "update", "lastCall").await?;
    ensure_equal("a complete update", &true.into(), &told["resync"])?;
    beliefs.update(&told)?;
    let snapshot = glance(&environment, &client, &actor, &mut beliefs).await?;
    beliefs.ensure_snapshot(&snapshot)
}
