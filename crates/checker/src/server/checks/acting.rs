//! Acting.

use serde_json::{Value, json};
use situated_wire::Code;

use crate::server::beliefs::list;
use crate::server::client::Client;
use crate::server::environment::Environment;
use crate::server::stage::Stage;
use crate::server::stop::{Checked, Stop, ensure, ensure_equal};

/// Number of answers to numbered actions that a server remembers.
const REMEMBERED: u64 = 64;

group! {
    "acting-results" "act" "An action has a result for each entity through which it is executed." results;
    "acting-wrong" "Acting" "An unknown action, or one with wrong parameters, is rejected, and no time passes." wrong;
    "acting-nobody" "Codes of errors" "A client cannot act as an agent that is not registered or has no entity." nobody;
    "acting-foreign" "Type Right" "A client cannot act as an agent of another session." foreign;
    "acting-numbered" "Acting" "A numbered action runs once; a repetition gets the same answer." numbered;
    "acting-spent" "Acting" "A number whose answer the server has forgotten is rejected, and the action does not run." spent;
    "acting-nesting" "Limits" "Parameters that are nested too deeply are rejected." nesting;
}

/// The step of an environment in which no other agent acts.
async fn step(environment: &Environment, client: &Client) -> Checked<Value> {
    Ok(environment.status(client).await?["moment"]["step"].clone())
}

async fn results(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let through = [json!([]), json!([actor.entity])];
    for entities in through {
        let mut acting = environment.acting(&actor)?;
        acting["entities"] = entities;
        let acted = client.get("act", acting).await?;
        let entities: Vec<Value> = list(&acted["results"]).iter().map(|result| result["entity"].clone()).collect();
        ensure_equal("a result for each entity", &json!([actor.entity]), &json!(entities))?;
    }
    let mut acting = environment.acting(&actor)?;
    acting["entities"] = json!(["there is no such entity"]);
    client.refused("act", acting, Code::WrongEntity).await.map(drop)
}

async fn wrong(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let before = step(&environment, &client).await?;
    let act = |action: Value| environment.of(json!({ "agent": actor.agent, "action": action }));
    let unknown = act(json!({ "name": "thereIsNoSuchAction" }));
    client.refused("act", unknown, Code::NotSupportedByEnvironment).await?;
    let mut action = environment.action(&actor)?;
    let mut args = list(&action["args"]);
    args.extend([json!(["too", "many"]), json!(7)]);
    action["args"] = args.into();
    client.refused("act", act(action), Code::NotSupportedByEnvironment).await?;
    client.refused("act", act(json!("not an action")), Code::InvalidParameters).await?;
    if !environment.moves_by_itself() {
        ensure_equal("the step", &before, &step(&environment, &client).await?)?;
    }
    Ok(())
}

async fn nobody(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let (client, name, action) = (stage.platform().await?, stage.name(), json!({ "name": "wait" }));
    let acting = || environment.of(json!({ "agent": name, "action": action }));
    client.refused("act", acting(), Code::NotRegistered).await?;
    client.refused("perceive", environment.of(json!({ "agent": name })), Code::NotRegistered).await?;
    let actor = match environment.enter(&client, &name).await {
        Err(Stop::Skipped(_)) => None,
        entered => Some(entered?),
    };
    if let Some(actor) = actor {
        client.get("free", environment.of(json!({ "agent": name }))).await?;
        client.refused("act", environment.acting(&actor)?, Code::NoEntities).await?;
    }
    client.refused("perceive", environment.of(json!({ "agent": name })), Code::NoEntities).await.map(drop)
}

async fn foreign(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let other = stage.platform().await?;
    let agent = || environment.of(json!({ "agent": actor.agent }));
    other.refused("act", environment.acting(&actor)?, Code::Forbidden).await?;
    other.refused("pass", agent(), Code::Forbidden).await?;
    other.refused("perceive", agent(), Code::Forbidden).await?;
    let mut acknowledging = agent();
    acknowledging["versions"] = json!([]);
    other.refused("acknowledge", acknowledging, Code::Forbidden).await?;
    let stepped = other.get("step", environment.of(json!({ "agents": [{ "agent": actor.agent }] }))).await?;
    ensure_equal("a turn that is forbidden", &"forbidden".into(), &stepped["agents"][0]["error"]["data"]["kind"])?;
    ensure(stepped["agents"][0].get("perceptions").is_none(), "no perceptions for other sessions", &stepped)?;
    client.get("act", environment.acting(&actor)?).await.map(drop)
}

async fn numbered(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let mut acting = environment.acting(&actor)?;
    acting["number"] = 7.into();
    let first = client.get("act", acting.clone()).await?;
    let before = step(&environment, &client).await?;
    let again = client.get("act", acting).await?;
    ensure_equal("the same results again", &first["results"], &again["results"])?;
    if !environment.moves_by_itself() {
        ensure_equal("the step after the second time", &before, &step(&environment, &client).await?)?;
    }
    Ok(())
}

async fn spent(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let acting = |number: u64| {
        let mut acting = environment.acting(&actor)?;
        acting["number"] = number.into();
        Ok::<Value, Stop>(acting)
    };
    for number in 2..REMEMBERED + 4 {
        client.get("act", acting(number)?).await?;
    }
    let before = step(&environment, &client).await?;
    client.refused("act", acting(2)?, Code::NumberUsed).await?;
    client.refused("act", acting(1)?, Code::NumberUsed).await?;
    if !environment.moves_by_itself() {
        ensure_equal("the step", &before, &step(&environment, &client).await?)?;
    }
    client.get("act", acting(REMEMBERED + 3)?).await.map(drop)
}

async fn nesting(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    for depth in [49, 120, 200, 50_000] {
        let nested = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let target = format!(r#""environment":"{}","agent":"{}""#, environment.name, actor.agent);
        let action = format!(r#""action":{{"name":"go","args":[{nested}]}}"#);
        let frame = format!(r#"{{"jsonrpc":"2.0","id":"deep","method":"act","params":{{{target},{action}}}}}"#);
        client.send_text(&frame).await?;
        let frame = client.frame().await?;
        let refused = frame["error"]["code"] == Code::InvalidParameters as i32 && frame["id"] == "deep";
        ensure(refused, format!("parameters with {depth} levels are rejected"), &frame)?;
    }
    client.settle().await
}
