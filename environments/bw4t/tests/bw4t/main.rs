//! Blocks World for Teams. In one program, so that what all tests need is compiled once.

mod agents;
mod announcements;
mod answering;
mod checks;
mod crowd;
mod damaged;
mod encoding;
mod fillings;
mod golden;
mod journeys;
mod maps;
mod meeting;
mod menus;
mod messages;
mod partners;
mod percepts;
mod played;
mod recorded;
mod scene;
mod simulation;
mod team_worlds;
mod teams;
