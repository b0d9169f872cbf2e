//! Tests of Blocks World for Teams, in one program, so that shared code is compiled once.

mod agents;
mod announcements;
mod answering;
mod checks;
mod crowd;
mod damaged;
mod encoding;
mod examining;
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
mod scene;
mod simulation;
mod team_worlds;
mod teams;
