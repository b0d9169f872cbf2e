//! The services of an agent platform in the sense of FIPA (SC00023), without I/O: the mailboxes of agents
//! ([`mail`]), the directory of agents and their services ([`directory`]), and messages between platforms
//! ([`transport`]).

pub mod directory;
pub mod mail;
pub mod names;
mod shares;
pub mod transport;
