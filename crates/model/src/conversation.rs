//! The memory of a model: the last turns of its conversation.

use std::collections::VecDeque;

use serde_json::{Value, json};

use crate::endpoint::ToolCall;

/// A conversation between a model and its agent.
pub(crate) struct Conversation {
    system: Value,
    /// Each turn is an answer of the model with the results of its calls. The first one only describes the beginning.
    turns: VecDeque<Vec<Value>>,
    /// Maximum number of turns to remember.
    memory: usize,
    /// The messages since the last answer.
    new: Vec<Value>,
}

impl Conversation {
    /// Begins a conversation in which the model remembers this number of turns, at least one.
    pub(crate) fn new(system: &str, memory: usize) -> Self {
        let system = json!({ "role": "system", "content": system });
        Self { turns: VecDeque::from([Vec::new()]), memory: memory.max(1), new: vec![system.clone()], system }
    }

    /// Tells the model something that is not the result of a call.
    pub(crate) fn tell(&mut self, text: &str) {
        self.push(json!({ "role": "user", "content": text }));
    }

    /// Adds an answer of the model, with which a turn begins.
    pub(crate) fn answer(&mut self, message: Value) {
        if self.turns.len() == self.memory {
            self.turns.pop_front();
        }
        self.turns.push_back(vec![message]);
    }

    /// Adds the result of a call, which the agent reports itself.
    pub(crate) fn result(&mut self, call: &ToolCall, text: &str) {
        self.add(json!({ "role": "tool", "tool_call_id": call.id, "content": text }));
    }

    /// Returns the messages that the model remembers.
    pub(crate) fn messages(&self) -> Vec<Value> {
        [&self.system].into_iter().chain(self.turns.iter().flatten()).cloned().collect()
    }

    /// Returns the messages since the last call, without the answers of the model and the results of its calls.
    pub(crate) fn take_new(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.new)
    }

    fn push(&mut self, message: Value) {
        self.new.push(message.clone());
        self.add(message);
    }

    fn add(&mut self, message: Value) {
        if let Some(turn) = self.turns.back_mut() {
            turn.push(message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_turns_are_forgotten_as_a_whole() {
        let mut conversation = Conversation::new("You play.", 2);
        conversation.tell("You see a.");
        for number in 0..4 {
            conversation.answer(json!({ "role": "assistant", "content": number }));
            conversation.result(&ToolCall::default(), "Done.");
        }
        let roles: Vec<Value> = conversation.messages().into_iter().map(|message| message["role"].clone()).collect();
        assert_eq!(roles, ["system", "assistant", "tool", "assistant", "tool"]);
        assert_eq!(conversation.messages()[1]["content"], 2);
        assert_eq!(conversation.take_new().len(), 2);
        assert!(conversation.take_new().is_empty());
    }
}
