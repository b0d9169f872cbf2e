//! Descriptions of an environment: its JSON Schemas, and its rules.

use serde_json::{Map, Value, json};
use situated::encoding::{ElementType, Encoding};
use situated::ontology::Ontology;
use situated_tools::{ActionTool, of_all};

/// Returns the JSON Schemas of actions, observations and states for a learner with one entity.
pub(crate) fn schema(ontology: &Ontology, encoding: Option<&Encoding>) -> Value {
    let observation = observation(ontology, encoding);
    let mut first = observation.clone();
    first["properties"]["instructions"] = json!({ "type": "string", "description": "The rules of the environment." });
    let action = action(ontology, encoding);
    json!({ "action": action, "observation": observation, "reset_observation": first, "state": state() })
}

/// Returns the name, the version and the rules of an environment.
pub(crate) fn metadata(environment: &str, ontology: &Ontology) -> Value {
    json!({
        "name": environment,
        "description": ontology.summary(),
        "readme_content": ontology.to_markdown(),
        "version": ontology.version,
        "author": null,
        "documentation_url": null,
    })
}

fn action(ontology: &Ontology, encoding: Option<&Encoding>) -> Value {
    let tools = of_all(ontology);
    let described: Vec<String> = tools.iter().map(|tool| format!("{}: {}", tool.name, tool.description)).collect();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let mut forms = vec![
        json!({ "type": "string", "enum": names, "description": described.join("\n") }),
        json!({ "type": "string", "pattern": r"^[^(]+\(.*\)$",
                "description": "An action with its parameters as text, such as name(first, second)." }),
        json!({ "type": "null", "description": "Passes." }),
    ];
    if let Some(encoding) = encoding {
        let numbered: Vec<String> =
            encoding.actions.iter().enumerate().map(|(number, action)| format!("{number}: {action}")).collect();
        forms.push(json!({ "type": "integer", "minimum": 0, "maximum": encoding.actions.len().saturating_sub(1),
                           "description": format!("The number of an action. {}", numbered.join(", ")) }));
    }
    let mut schema = json!({
        "title": format!("Action in {}", ontology.name),
        "type": "object",
        "properties": {
            "action": { "anyOf": forms },
            "arguments": { "type": "object", "description": "The arguments of an action that is given by its name." },
            "metadata": { "type": "object" },
        },
        "required": ["action"],
        "additionalProperties": false,
    });
    let (mut rules, mut definitions) = (Vec::new(), Map::new());
    for ActionTool { name, mut arguments, .. } in tools.into_iter().filter(takes_arguments) {
        // References start at the root of the schema.
        if let Some(Value::Object(used)) = arguments.remove("$defs") {
            definitions.extend(used);
        }
        // Several declarations of an action may share no parameter.
        let required = if arguments["required"] == json!([]) { json!([]) } else { json!(["arguments"]) };
        let (action, arguments) = (json!({ "action": { "const": name } }), json!({ "arguments": arguments }));
        let then = json!({ "properties": arguments, "required": required });
        rules.push(json!({ "if": { "properties": action }, "then": then }));
    }
    if !rules.is_empty() {
        schema["allOf"] = rules.into();
    }
    if !definitions.is_empty() {
        schema["$defs"] = definitions.into();
    }
    schema
}

fn takes_arguments(tool: &ActionTool) -> bool {
    tool.arguments.get("properties").is_some_and(|properties| *properties != json!({}))
}

fn observation(ontology: &Ontology, encoding: Option<&Encoding>) -> Value {
    let percepts: Vec<String> = ontology
        .entity_types
        .iter()
        .flat_map(|declared| &declared.percepts)
        .map(|percept| format!("{}: {}", percept.signature, percept.signature.documentation))
        .collect();
    let texts =
        |description: String| json!({ "type": "array", "items": { "type": "string" }, "description": description });
    let mut properties = json!({
        "step": { "type": "integer", "minimum": 0, "description": "The number of steps in this episode so far." },
        "percepts": texts(format!("What the entity perceives now.\n{}", percepts.join("\n"))),
        "new": texts("What the entity perceives since this step, instead of `percepts`, after a reset with `\"percepts\": \"changes\"`.".into()),
        "gone": texts("What it perceives no more since this step.".into()),
        "events": texts("What happened in this step.".into()),
        "failed": { "type": "string", "description": "The reason why the action failed. Time has passed anyway." },
        "metadata": { "type": "object", "description": "The `ending` and the `results` of an episode that is over." },
    });
    if let Some(Encoding { shape, element, low, high, actions }) = encoding {
        let of = if *element == ElementType::U8 { "integer" } else { "number" };
        let size: usize = shape.iter().product();
        properties["numbers"] = json!({
            "type": "array",
            "items": { "type": of, "minimum": low, "maximum": high },
            "minItems": size,
            "maxItems": size,
            "description": format!("The observation as numbers, of shape {shape:?}, outermost dimension first."),
        });
        properties["mask"] = json!({
            "type": "array", "items": { "type": "boolean" }, "minItems": actions.len(), "maxItems": actions.len(),
            "description": "Whether each numbered action is possible now.",
        });
    }
    json!({ "title": format!("Observation in {}", ontology.name), "type": "object", "properties": properties,
            "required": ["step"] })
}

fn state() -> Value {
    json!({
        "title": "State",
        "type": "object",
        "properties": {
            "episode_id": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
            "step_count": { "type": "integer", "minimum": 0 },
            "world": {
                "type": "object",
                "properties": {
                    "environment": { "type": "string", "description": "The name of the world on this server." },
                    "seed": { "type": "integer", "minimum": 0 },
                    "entities": { "type": "array", "items": { "type": "string" } },
                    "done": { "type": "boolean" },
                    "results": { "type": "array" },
                },
            },
        },
        "required": ["episode_id", "step_count"],
    })
}
