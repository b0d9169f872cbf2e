//! Announcements about the task.

use crate::played::{Played, defaults, go_to};
use situated::environment::Ending;
use situated::interface::{Command, Happening, Interface, Observer};
use situated_bw4t::action::Action;
use situated_bw4t::map::Standard;
use situated_bw4t::{Bw4t, Color, Parameters};

/// Rainbow with a sequence of one blue block; there are three.
fn one_blue() -> Played {
    let mut map = Standard::Rainbow.map();
    map.sequence = vec![Color::Blue];
    Played::begin(Parameters { map: Some(map.to_xml().into()), robots: 2, ..defaults() }, 1)
}

/// Picks up a block of this colour.
fn take(played: &mut Played, color: Color) {
    let world = played.world();
    let blocks = world.blocks().iter().enumerate();
    let mut lying = blocks.filter(|(_, block)| block.color == color && block.position().is_some());
    let (index, block) = lying.next().expect("there is one");
    let zone = (0..world.ground().zones().len()).find(|zone| world.lying_in(*zone).contains(&index));
    let (block, place) = (block.id, played.zone(zone.expect("it lies somewhere")).into());
    played.travel("Bot_1", &Action::GoToPlace { place });
    played.travel("Bot_1", &Action::GoToBlock { block });
    played.act("Bot_1", &Action::PickUp { block }).expect("it is there");
}

/// Puts down a block of this colour in a place.
fn bring(played: &mut Played, color: Color, place: &str) {
    take(played, color);
    played.travel("Bot_1", &go_to(place));
    played.act("Bot_1", &Action::PutDown).expect("it holds one");
}

/// The announcements since the last step.
fn announcements(played: &Played) -> Vec<(String, String)> {
    played
        .0
        .announcements()
        .iter()
        .map(|announcement| (announcement.name.to_string(), announcement.text.to_string()))
        .collect()
}

#[test]
fn announces_the_loss_of_the_last_block_once() {
    let mut played = one_blue();
    for _ in 0..2 {
        bring(&mut played, Color::Blue, "FrontDropZone");
        assert_eq!(announcements(&played), []);
    }
    bring(&mut played, Color::Blue, "FrontDropZone");
    let text = "the sequence can no longer be completed: it needs more Blue blocks than are left";
    assert_eq!(announcements(&played), [("unsolvable".to_owned(), text.to_owned())]);
    bring(&mut played, Color::Red, "FrontDropZone");
    assert_eq!(announcements(&played), []);
    assert_eq!(played.0.ending(), None);
}

#[test]
fn counts_a_block_lost_when_its_robot_is_freed() {
    let mut played = one_blue();
    for _ in 0..2 {
        bring(&mut played, Color::Blue, "FrontDropZone");
    }
    take(&mut played, Color::Blue);
    played.travel("Bot_1", &go_to("FrontDropZone"));
    played.step();
    played.freed("Bot_1");
    assert_eq!(announcements(&played).iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["unsolvable"]);
}

#[test]
fn announces_the_complete_sequence_and_continues() {
    let mut played = one_blue();
    bring(&mut played, Color::Blue, "DropZone");
    let tick = played.tick();
    let text = format!("the sequence is complete after {tick} steps; the environment continues");
    assert_eq!(announcements(&played), [("completed".to_owned(), text)]);
    assert_eq!(played.0.ending(), Some(Ending::Terminated));
    bring(&mut played, Color::Blue, "DropZone");
    assert_eq!(announcements(&played), []);
    assert!(played.tick() > tick);
}

#[test]
fn announces_a_map_that_was_never_solvable() {
    let mut map = Standard::Rainbow.map();
    map.sequence = vec![Color::Blue; 4];
    let mut interface = Interface::<Bw4t>::new();
    let mut observer = Observer::new();
    interface.drain(&mut observer);
    let parameters = [("map".to_owned(), map.to_xml().as_str().into())].into();
    interface.manage(Command::Init { parameters, seed: 1 }).expect("it is a world all the same");
    let happenings = interface.drain(&mut observer).happenings;
    let unsolvable =
        |one: &Happening| matches!(one, Happening::Announcement(announcement) if announcement.name == "unsolvable");
    assert_eq!(happenings.into_iter().filter(unsolvable).count(), 1);
}
