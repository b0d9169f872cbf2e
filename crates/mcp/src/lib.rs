//! The gateway for language models. Every environment offers what its entities can do as tools of the [Model Context
//! Protocol](https://modelcontextprotocol.io) (MCP), version 2026-07-28 and earlier ones.
//!
//! The protocol is stateless: each request stands alone, and the list of tools is the same for everybody. A model calls
//! `join` and gets a *seat*, a random name for an agent that controls an entity. It passes the seat to all other tools:
//! one for each action, `look`, `wait_until` and `leave`. No tool manages the environment.

mod agents;
mod environment_tools;
mod gateway;
mod message;
mod plain_call;
mod tools;

pub use gateway::McpGateway;
pub use message::AnswerBody;
