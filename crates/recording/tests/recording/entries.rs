//! Entries are read as they were written, and as the schemas in the file describe them.

use std::collections::BTreeMap;

use mcap::MessageStream;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::Value;
use situated::iil::{Action, EcoString, Function, MAX_DEPTH, Parameter};
use situated::interface::Command;
use situated_recording::Entry;
use situated_runtime::{Effect, Input, Recorder as _};

use crate::run::{Run, eventful, every, read};

fn name() -> impl Strategy<Value = EcoString> {
    any::<String>().prop_map(EcoString::from)
}

fn parameter() -> impl Strategy<Value = Parameter> {
    let leaf = prop_oneof![
        any::<String>().prop_map(|text| Parameter::Identifier(text.into())),
        any::<i64>().prop_map(Parameter::from),
        any::<u64>().prop_map(|bits| Parameter::from(f64::from_bits(bits))),
        any::<bool>().prop_map(Parameter::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let parameters = vec(inner, 0..4);
        prop_oneof![
            parameters.clone().prop_map(Parameter::from),
            (any::<String>(), parameters).prop_map(|(name, items)| Function::new(name, items).into()),
        ]
    })
}

fn parameters() -> impl Strategy<Value = BTreeMap<String, Parameter>> {
    btree_map(any::<String>(), parameter(), 0..4)
}

fn command() -> impl Strategy<Value = Command> {
    prop_oneof![
        (parameters(), any::<u64>()).prop_map(|(parameters, seed)| Command::Init { parameters, seed }),
        Just(Command::Start),
        Just(Command::Pause),
        (option::of(btree_map(any::<String>(), option::of(parameter()), 0..4)), option::of(any::<u64>()))
            .prop_map(|(parameters, seed)| Command::Reset { parameters, seed }),
        Just(Command::Kill),
    ]
}

fn input() -> impl Strategy<Value = Input> {
    prop_oneof![
        command().prop_map(Input::Manage),
        name().prop_map(|agent| Input::Register { agent }),
        name().prop_map(|agent| Input::Unregister { agent }),
        (name(), name()).prop_map(|(agent, entity)| Input::Associate { agent, entity }),
        (name(), name()).prop_map(|(agent, entity)| Input::FreePair { agent, entity }),
        name().prop_map(|entity| Input::FreeEntity { entity }),
        name().prop_map(|agent| Input::FreeAgent { agent }),
        (name(), name(), option::of(name())).prop_map(|(agent, entity_type, name)| Input::RequestEntity {
            agent,
            entity_type,
            name
        }),
        (name(), any::<String>(), vec(parameter(), 0..4), vec(name(), 0..3)).prop_map(
            |(agent, name, parameters, entities)| Input::Act {
                agent,
                action: Action::new(name, parameters).into(),
                entities
            }
        ),
        name().prop_map(|entity| Input::ActByDefault { entity }),
        Just(Input::Step),
    ]
}

/// Writes an input and reads it again.
fn written_and_read(input: &Input, effect: &Effect) -> Entry {
    let mut run = Run::find_goals(every(100));
    run.recorder.after_input(input, &Ok(effect.clone()), &*run.environment, run.now);
    let mut recorded = read(run.finish());
    assert_eq!(recorded.len(), 1);
    recorded.remove(0).entry
}

proptest! {
    #[test]
    fn reads_the_inputs_that_it_writes(input in input(), entity in name()) {
        let Entry::Input(given) = written_and_read(&input, &Effect::Entity(entity.clone())) else { panic!() };
        prop_assert_eq!(given.input, input);
        prop_assert_eq!(given.entity, Some(entity));
        prop_assert_eq!(given.results, None);
    }
}

#[test]
fn an_input_can_be_as_deep_as_any() {
    let nest = |inner: Parameter, _| Parameter::from(vec![Function::new("f", [inner]).into()]);
    let deep = (0..MAX_DEPTH / 2).fold(Parameter::from(1), nest);
    let input = Input::Act { agent: "ada".into(), action: Action::new("say", [deep]).into(), entities: Vec::new() };
    let Entry::Input(given) = written_and_read(&input, &Effect::Done) else { panic!() };
    assert_eq!(given.input, input);
}

#[test]
fn an_input_that_changed_nothing_is_not_written() {
    let mut run = Run::find_goals(every(100));
    let input = Input::ActByDefault { entity: "red".into() };
    run.recorder.after_input(&input, &Ok(Effect::Nothing), &*run.environment, run.now);
    assert!(read(run.finish()).is_empty());
}

#[test]
fn messages_match_their_schemas() {
    let bytes = eventful(every(50));
    let mut seen = BTreeMap::new();
    for message in MessageStream::new(&bytes).expect("a complete file") {
        let message = message.expect("undamaged");
        assert_eq!(message.channel.message_encoding, "json");
        let schema = message.channel.schema.as_ref().expect("every channel has one");
        assert_eq!(schema.encoding, "jsonschema");
        let schema: Value = serde_json::from_slice(&schema.data).expect("JSON");
        assert_eq!(schema["type"], "object");
        let Value::Object(fields) = serde_json::from_slice(&message.data).expect("JSON") else { panic!("an object") };
        let required: Vec<&str> =
            schema["required"].as_array().expect("a list").iter().flat_map(Value::as_str).collect();
        assert!(required.iter().all(|field| fields.contains_key(*field)), "{fields:?}");
        assert!(fields.keys().all(|field| schema["properties"].get(field).is_some()), "{fields:?}");
        *seen.entry(message.channel.topic.clone()).or_insert(0) += 1;
    }
    let topics: Vec<&str> = seen.keys().map(String::as_str).collect();
    assert_eq!(topics, ["/checkpoints", "/episode", "/inputs", "/outcome", "/percepts"]);
    assert_eq!((seen["/episode"], seen["/outcome"]), (2, 2));
}
