//! E-partners and their holders, and the requests of users of human bodies.

use crate::played::{Played, defaults, go_to, text, word};
use situated::iil::{Function, Parameter};
use situated_bw4t::action::Action;
use situated_bw4t::{Names, Parameters};

/// A human with an e-partner that has all functions, and a robot.
fn beginning(names: Names) -> Played {
    let mut played = Played::begin(Parameters { names, ..defaults() }, 1);
    for (of, name) in [("human", "Ann"), ("epartner", "Pal")] {
        played.joined(of, name);
    }
    played
}

fn perceives(played: &Played, name: &str, percept: &str) -> bool {
    played.percepts(name).iter().any(|received| received == percept)
}

fn id_of(played: &Played, name: &str) -> u32 {
    let partner = played.world().partners().iter().find(|partner| partner.name == name);
    partner.map_or_else(|| played.robot(name).id, |partner| partner.id)
}

#[test]
fn check_23_an_e_partner_is_carried_and_left_behind() {
    let mut played = beginning(Names::Specification);
    let (ann, pal) = (id_of(&played, "Ann"), id_of(&played, "Pal"));
    for percept in [
        "ownName('Pal')",
        "player('Ann')",
        "getFunctionalities('GPS')",
        "getFunctionalities('Forget-me-not')",
        "leftBehind(1)",
        "getAt('FrontDropZone')",
        "getRooms('RoomA1')",
        "getRooms('DropZone')",
        "getLocation(21.0,63.0)",
        "sequenceIndex(0)",
    ] {
        assert!(perceives(&played, "Pal", percept), "{percept}");
    }
    assert!(!played.percepts("Pal").iter().any(|percept| percept.starts_with("heldBy")));
    assert!(perceives(&played, "Ann", &format!("getEPartners({pal},'Pal',-1,['GPS','Forget-me-not'])")));

    let refused = played.act("Bot_1", &Action::PickUpEPartner).expect_err("it is not a human");
    assert!(refused.reason.contains("only humans can carry"), "{refused}");
    played.act("Ann", &Action::DropEPartner).expect_err("there is none to drop");
    played.act("Ann", &Action::PickUpEpartner).expect("it is near");
    played.act("Ann", &Action::PickUpEPartner).expect_err("it carries one");
    for percept in [format!("heldBy({ann})"), format!("isTaken({pal})"), "leftBehind(0)".to_owned()] {
        assert!(perceives(&played, "Pal", &percept), "{percept}");
    }
    played.act("Ann", &go_to("RoomC1")).expect("a place");
    played.run(400);
    assert!(perceives(&played, "Pal", "getAt('RoomC1')") && perceives(&played, "Pal", "getRoom('RoomC1')"));
    assert!(perceives(&played, "Pal", "getLocation(16.0,56.0)"));
    assert!(perceives(&played, "Ann", &format!("getEPartners({pal},'Pal',{ann},['GPS','Forget-me-not'])")));

    played.act("Ann", &Action::PutDownEPartner).expect("it carries one");
    assert!(perceives(&played, "Pal", "leftBehind(1)") && !perceives(&played, "Pal", &format!("heldBy({ann})")));
    let far = played.act("Ann", &Action::PickUpEPartner).expect_err("it lies 1.41 away");
    assert!(far.reason.contains("within 1"), "{far}");
    played.act("Ann", &go_to("FrontRoomC1")).expect("a place");
    played.run(200);
    assert!(perceives(&played, "Pal", "getAt('RoomC1')"));
    assert!(!played.percepts("Ann").iter().any(|percept| percept.starts_with("getEPartners")));
}

#[test]
fn percepts_under_the_names_of_the_program_are_equivalent() {
    let played = beginning(Names::Code);
    let pal = id_of(&played, "Pal");
    for percept in ["functionality('GPS')", "at('FrontDropZone')", "location(21.0,63.0)", "place('RoomA1')"] {
        assert!(perceives(&played, "Pal", percept), "{percept}");
    }
    for robot in ["Ann", "Bot_1"] {
        assert!(perceives(&played, robot, &format!("epartner({pal},'Pal',-1,['GPS','Forget-me-not'])")), "{robot}");
    }
    assert!(!played.percepts("Pal").iter().any(|percept| percept.starts_with("get")));
}

#[test]
fn messages_reach_e_partners_too() {
    let mut played = beginning(Names::Specification);
    played
        .act("Pal", &Action::SendMessage { to: "Ann".into(), content: word("You forgot me in RoomC1") })
        .expect("she is there");
    let (_, percept) = played.0.events().last().expect("it was sent").clone();
    assert_eq!(text(&percept), "message('Pal','You forgot me in RoomC1')");
    played.act("Pal", &go_to("RoomC1")).expect_err("it has no legs");
}

#[test]
fn each_request_of_a_user_is_perceived_once() {
    let function = |name: &str, parameters: Vec<Parameter>| Parameter::from(Function::new(name, parameters));
    for (names, action, received) in [
        (Names::Specification, function("goTo", vec![word("RoomC1")]), "goTo('RoomC1')"),
        (Names::Specification, function("goTo", vec![2.5.into(), 3.5.into()]), "goTo(2.5,3.5)"),
        (Names::Specification, function("goToBlock", vec![47.into()]), "goToBlock(47)"),
        (Names::Specification, function("pickUp", vec![47.into()]), "pickUp(47)"),
        (Names::Specification, word("putDown"), "putDown"),
        (Names::Specification, function("sendMessage", vec![word("all"), word("yes")]), "sendMessage(all,yes)"),
        (Names::Specification, word("navigateObstacles"), "navigateObstacles"),
        (Names::Specification, word("pickUpEPartner"), "pickUpEpartner"),
        (Names::Code, word("pickUpEpartner"), "pickUpEPartner"),
        (Names::Code, word("dropEPartner"), "putDownEPartner"),
    ] {
        let mut played = beginning(names);
        let select = Action::Select { action };
        for _ in 0..2 {
            played.act("Ann", &select).expect("it can be asked for");
        }
        let all: Vec<String> = played.0.events().iter().map(|(_, percept)| text(percept)).collect();
        assert_eq!(all, [received, received]);
    }
    let mut played = beginning(Names::Specification);
    for nothing in [word("fly"), 3.into(), function("select", vec![word("putDown")])] {
        played.act("Ann", &Action::Select { action: nothing }).expect_err("there is no such action");
    }
}
