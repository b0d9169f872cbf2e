//! The menus of people who control a robot or an e-partner: check 24, as far as it concerns the environment.

use crate::played::{Played, defaults};
use situated::iil::{Parameter, Percept};
use situated::menu::{Menu, MenuRequest};
use situated::ontology::typed::TypedAction;
use situated::scene::{Outline, Shape};
use situated_bw4t::action::Action;
use situated_bw4t::map::{Standard, ZoneKind};
use situated_bw4t::messages::Message;
use situated_bw4t::robot::State;
use situated_bw4t::world::Collisions;
use situated_bw4t::{Color, Names, Parameters};

/// A person controls Ann, and another agent Bot_1.
fn beginning(parameters: Parameters) -> Played {
    let mut played = Played::begin(parameters, 1);
    played.joined("human", "Ann");
    played.taken("Bot_1");
    played
}

/// Returns the position of an object as a body sees it: the middle of its first shape.
fn place_of(played: &Played, viewer: &str, thing: impl Into<Parameter>) -> (f64, f64) {
    let thing = thing.into();
    let scene = played.0.scene(Some(played.entity(viewer)));
    let stands_for = |shape: &&Shape| shape.stands_for.as_ref() == Some(&thing);
    let shape = scene.shapes.iter().find(stands_for).unwrap_or_else(|| panic!("{viewer} sees no {thing}"));
    match &shape.outline {
        Outline::Rectangle { x, y, width, height } => (x + width / 2.0, y + height / 2.0),
        Outline::Circle { x, y, .. } => (*x, *y),
        Outline::Line(_) => panic!("{thing} is a line"),
    }
}

fn menu_at(played: &Played, name: &str, at: Option<(f64, f64)>) -> Menu<Action> {
    played.0.menu(played.entity(name), &at.into())
}

fn menu_of(played: &Played, name: &str, thing: impl Into<Parameter>) -> Menu<Action> {
    menu_at(played, name, Some(place_of(played, name, thing)))
}

/// Returns the labels in a submenu.
fn labels(menu: &Menu<Action>, sections: &[&str]) -> Vec<String> {
    let stands_there = menu.items.iter().filter(|item| item.sections == sections);
    stands_there.map(|item| item.label.to_string()).collect()
}

fn actions(menu: &Menu<Action>, sections: &[&str]) -> Vec<String> {
    let stands_there = menu.items.iter().filter(|item| item.sections == sections);
    stands_there.map(|item| item.action.to_iil().to_string()).collect()
}

/// Chooses the item with this label, in any submenu.
fn choose(played: &mut Played, name: &str, menu: &Menu<Action>, label: &str) {
    let item = menu.items.iter().find(|item| item.label == label);
    let action = item.unwrap_or_else(|| panic!("{label} is not offered")).action.clone();
    played.act(name, &action).unwrap_or_else(|failure| panic!("{label}: {failure}"));
}

/// Goes where a menu item leads.
fn go(played: &mut Played, name: &str, thing: impl Into<Parameter>, label: &str) {
    let menu = menu_of(played, name, thing);
    choose(played, name, &menu, label);
    played.arrive(name);
}

/// Ann is in RoomC1, and holds block 47.
fn with_block() -> Played {
    with_block_of("RoomC1", 47)
}

/// Ann is in a room, and holds a block of that room.
fn with_block_of(room: &str, block: i64) -> Played {
    let mut played = beginning(defaults());
    go(&mut played, "Ann", room, &format!("Go to {room}"));
    go(&mut played, "Ann", block, "Go to the block");
    let menu = menu_of(&played, "Ann", block);
    choose(&mut played, "Ann", &menu, "Pick up the block");
    played
}

#[test]
fn check_24_a_free_room() {
    let mut played = beginning(defaults());
    let menu = menu_of(&played, "Ann", "RoomC1");
    assert_eq!(menu.subject, "RoomC1");
    assert_eq!(actions(&menu, &["Commands"]), ["goTo('RoomC1')"]);
    let received = labels(&menu, &["Tell"]);
    let expected = [
        "I am in room RoomC1",
        "I am going to RoomC1",
        "room RoomC1 is empty",
        "room RoomC1 has been checked",
        "I just dropped off a block",
    ];
    assert_eq!(received, expected);
    assert!(labels(&menu, &["Tell", "RoomC1 contains"]).contains(&"room RoomC1 contains a Red block".into()));
    let counted = labels(&menu, &["Tell", "RoomC1 contains, by number", "Red"]);
    assert_eq!(counted.len(), 6);
    assert_eq!(counted[2], "room RoomC1 contains 2 Red blocks");
    let checked = labels(&menu, &["Tell", "RoomC1 has been checked by"]);
    assert_eq!(checked, ["room RoomC1 has been checked by Bot_1"]);
    let asked = [
        "Is anybody going to room RoomC1?",
        "What is in room RoomC1?",
        "Has anybody checked room RoomC1?",
        "Who is in room RoomC1?",
    ];
    assert_eq!(labels(&menu, &["Ask"]), asked);
    assert_eq!(actions(&menu, &["Ask"])[1], "sendMessage(all,'What is in room RoomC1?')");
    choose(&mut played, "Ann", &menu, "Go to RoomC1");
    played.arrive("Ann");
    assert_eq!(played.zone(played.robot("Ann").zones[0]), "RoomC1");
    assert_eq!(menu_of(&played, "Ann", "RoomC1").subject, "RoomC1, occupied");
}

#[test]
fn check_24_a_block_within_reach_and_one_that_is_not() {
    let mut played = beginning(defaults());
    go(&mut played, "Ann", "RoomC1", "Go to RoomC1");
    let far = menu_of(&played, "Ann", 47);
    assert_eq!(far.subject, "Block 47, Green");
    assert_eq!(actions(&far, &["Commands"]), ["goToBlock(47)"]);
    let received = ["room RoomC1 contains a Green block", "I am getting a Green block from room RoomC1"];
    assert_eq!(labels(&far, &["Tell"]), received);
    choose(&mut played, "Ann", &far, "Go to the block");
    played.arrive("Ann");
    let near = menu_of(&played, "Ann", 47);
    assert_eq!(actions(&near, &["Commands"]), ["pickUp(47)"]);
    assert_eq!(labels(&near, &["Tell"])[2], "I am at a Green box");
    let in_room = place_of(&played, "Ann", 47);
    choose(&mut played, "Ann", &near, "Pick up the block");
    // With a full gripper she can pick up nothing else, and from elsewhere she sees no blocks.
    go(&mut played, "Ann", 44, "Go to the block");
    assert_eq!(actions(&menu_of(&played, "Ann", 44), &["Commands"]), [""; 0]);
    assert_eq!(menu_at(&played, "Bot_1", Some(in_room)).subject, "RoomC1, occupied");
}

#[test]
fn check_24_a_point_in_a_hall() {
    let mut played = beginning(defaults());
    let menu = menu_of(&played, "Ann", "LeftHallB");
    assert_eq!(menu.subject, "LeftHallB");
    let center = played.world().ground().zone(played.world().ground().find("LeftHallB").expect("a hall")).bounds.center;
    assert_eq!(actions(&menu, &["Commands"]), [format!("goTo({:?},{:?})", center.x, center.y)]);
    let waiting = labels(&menu, &["Tell", "I am waiting outside"]);
    assert!(waiting.contains(&"I am waiting outside room RoomC1".into()), "{waiting:?}");
    assert!(waiting.contains(&"I am waiting outside room DropZone".into()), "{waiting:?}");
    assert!(labels(&menu, &["Tell"]).is_empty() && labels(&menu, &["Ask"]).is_empty());
    choose(&mut played, "Ann", &menu, "Go to here");
    played.arrive("Ann");
    assert!(played.robot("Ann").position.distance(center) < 0.01);
    // Between the zones and beyond the map there is nothing.
    for nowhere in [(-1e300, 1e300), (f64::NAN, 0.0), (f64::INFINITY, 5.0)] {
        assert_eq!(menu_at(&played, "Ann", Some(nowhere)), Menu::default());
    }
}

#[test]
fn check_24_charging_zones_and_blockades() {
    let mut map = Standard::Rainbow.map();
    for (hall, kind) in [("LeftHallB", ZoneKind::ChargingZone), ("RightHallB", ZoneKind::Blockade)] {
        map.zones.iter_mut().find(|zone| zone.name == hall).expect("a hall").kind = kind;
    }
    let played = beginning(Parameters { map: Some(map.to_xml().into()), ..defaults() });
    let charging = menu_of(&played, "Ann", "LeftHallB");
    assert_eq!(labels(&charging, &["Commands"]), ["Go recharge"]);
    let blocked = menu_of(&played, "Ann", "RightHallB");
    assert!(labels(&blocked, &["Commands"]).is_empty());
    for menu in [charging, blocked] {
        assert!(!labels(&menu, &["Tell", "I am waiting outside"]).is_empty());
    }
}

#[test]
fn check_24_the_goal_colour() {
    let played = with_block();
    let menu = menu_of(&played, "Ann", "Blue");
    assert_eq!(menu.subject, "Goal 1, Blue");
    assert_eq!(actions(&menu, &["Commands"]), ["putDown"]);
    let received = [
        "I am looking for a Blue block",
        "I will get a Blue block",
        "We need a Blue block",
        "I have a Blue block",
        "I just dropped off a Blue block",
    ];
    assert_eq!(labels(&menu, &["Tell"]), received);
    // This crashed the original.
    let from = labels(&menu, &["Tell", "I have a Blue block from"]);
    assert!(from.contains(&"I have a Blue block from room RoomC1".into()), "{from:?}");
    let asked = ["Where is a Blue block?", "Who has a Blue block?", "Where should I go?", "What color should I get?"];
    assert_eq!(labels(&menu, &["Ask"]), asked);
}

#[test]
fn check_24_the_chat() {
    let mut played = beginning(defaults());
    let menu = menu_at(&played, "Ann", None);
    let answers = labels(&menu, &["Answer"]);
    assert_eq!(answers[..4], ["yes", "no", "I don't know", "OK"]);
    assert_eq!(answers.len(), 11);
    let to_bot = actions(&menu, &["Choose message", "Bot_1"]);
    assert_eq!(to_bot[0], "sendMessage('Bot_1','Bot_1, are you close?')");
    assert!(labels(&menu, &["Choose message", "Bot_1", "Go to"]).contains(&"Bot_1 go to RoomC1".into()));
    assert!(labels(&menu, &["Choose message", "Bot_1", "Find"]).contains(&"Bot_1 find a Red block".into()));
    let to_all = actions(&menu, &["Choose message", "Somebody", "Get"]);
    assert!(to_all.contains(&"sendMessage(all,'Somebody get the Red block from room RoomA1')".into()), "{to_all:?}");
    choose(&mut played, "Ann", &menu, "OK");
    let received: Vec<String> = played.0.events().iter().map(|(_, percept)| crate::played::text(percept)).collect();
    assert_eq!(received, ["message('Ann','OK')"]);
    // Every offered sentence can be parsed.
    let sentences = menu.items.iter().filter(|item| matches!(item.action, Action::SendMessage { .. }));
    for sentence in sentences {
        Message::from_english(&sentence.label).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn check_24_the_agents_of_a_human_body_are_asked() {
    let mut played = beginning(defaults());
    let ann = played.entity("Ann");
    let at = Some(place_of(&played, "Ann", "RoomC1"));
    let menu = played.0.menu(ann, &MenuRequest { shared: true, ..at.into() });
    assert_eq!(actions(&menu, &["Commands"]), ["select(goTo('RoomC1'))"]);
    assert_eq!(actions(&menu, &["Tell"])[1], "select(sendMessage(allother,imp(in('Ann','RoomC1'))))");
    choose(&mut played, "Ann", &menu, "Go to RoomC1");
    choose(&mut played, "Ann", &menu, "I am going to RoomC1");
    let received: Vec<String> = played.0.events().iter().map(|(_, percept)| crate::played::text(percept)).collect();
    assert_eq!(received, ["goTo('RoomC1')", "sendMessage(allother,imp(in('Ann','RoomC1')))"]);
    assert_eq!(played.robot("Ann").state, State::Arrived, "it is up to the agents");
    // Every offered action can be selected.
    for at in [at, None, Some(place_of(&played, "Ann", "Blue")), Some(place_of(&played, "Ann", "LeftHallB"))] {
        for item in played.0.menu(ann, &MenuRequest { shared: true, ..at.into() }).items {
            played.act("Ann", &item.action).unwrap_or_else(|failure| panic!("{}: {failure}", item.label));
        }
    }
    // Only human bodies pass actions to their agents; other robots act.
    let bot = played.entity("Bot_1");
    let menu = played.0.menu(bot, &MenuRequest { shared: true, ..at.into() });
    assert_eq!(actions(&menu, &["Commands"]), ["goTo('RoomC1')"]);
}

#[test]
fn check_24_a_colour_blind_player_sees_no_colours() {
    let team = "[[bots]]\nname = 'Ann'\ntype = 'human'\ncolor-blind = true\n[[bots]]\nname = 'Bot'\n";
    let mut played = Played::begin(Parameters { team: Some(team.into()), ..defaults() }, 1);
    for name in ["Ann_1", "Bot_1"] {
        played.taken(name);
    }
    let sees_no_colours = |played: &Played, at: Option<(f64, f64)>| {
        let menu = menu_at(played, "Ann_1", at);
        assert!(!menu.items.is_empty());
        for color in Color::ALL {
            let shown = format!("{menu:?}");
            assert!(!shown.contains(color.name()), "{color:?} is in {shown}");
        }
        menu
    };
    go(&mut played, "Ann_1", "RoomC1", "Go to RoomC1");
    let goal = place_of(&played, "Ann_1", "Dark_gray");
    assert_eq!(sees_no_colours(&played, Some(goal)).subject, "Goal 1, Unknown");
    let block = place_of(&played, "Ann_1", 47);
    assert_eq!(sees_no_colours(&played, Some(block)).subject, "Block 47, Unknown");
    go(&mut played, "Ann_1", 47, "Go to the block");
    let near = sees_no_colours(&played, Some(place_of(&played, "Ann_1", 47)));
    assert_eq!(labels(&near, &["Tell"]), ["I am at a 47 box"]);
    choose(&mut played, "Ann_1", &near, "Pick up the block");
    let room = sees_no_colours(&played, Some(place_of(&played, "Ann_1", "RoomA1")));
    assert!(labels(&room, &["Tell"]).contains(&"I am going to put down a block".into()));
    sees_no_colours(&played, Some(place_of(&played, "Ann_1", "LeftHallB")));
    sees_no_colours(&played, None);
    let scene = format!("{:?}", played.0.scene(Some(played.entity("Ann_1"))));
    for color in Color::ALL {
        assert!(!scene.contains(color.name()), "{color:?} is in the scene");
    }
}

#[test]
fn check_24_blocks_in_hand_can_be_put_down_and_reported() {
    let mut played = with_block();
    for place in ["RoomA1", "LeftHallB"] {
        let menu = menu_of(&played, "Ann", place);
        assert!(labels(&menu, &["Commands"]).contains(&"Put down the block".into()), "{place}");
        assert!(labels(&menu, &["Tell"]).contains(&"I have a Green block".into()), "{place}");
        let from = labels(&menu, &["Tell", "I have a Green block from"]);
        assert!(from.contains(&"I have a Green block from room RoomC1".into()), "{place}");
    }
    let room = menu_of(&played, "Ann", "RoomC1");
    assert!(labels(&room, &["Tell"]).contains(&"I am going to put down a Green block".into()));
    let chat = menu_at(&played, "Ann", None);
    choose(&mut played, "Ann", &chat, "Put down the block");
    assert!(played.robot("Ann").load.is_empty());
    assert!(labels(&menu_at(&played, "Ann", None), &["Commands"]).is_empty());
}

#[test]
fn check_24_e_partners_are_picked_up_led_to_and_dropped() {
    for names in [Names::Specification, Names::Code] {
        let mut played = beginning(Parameters { names, ..defaults() });
        played.joined("epartner", "Pal");
        let menu = menu_of(&played, "Ann", "Pal");
        assert_eq!((menu.subject.as_str(), labels(&menu, &["Commands"])), ("Pal", vec!["Pick up Pal".to_owned()]));
        choose(&mut played, "Ann", &menu, "Pick up Pal");
        let held = menu_at(&played, "Ann", None);
        let routes = actions(&held, &["Tell", "Pal: I am going to"]);
        assert!(routes.contains(&"sendMessage('Pal','I want to go to RoomC1')".into()), "{routes:?}");
        assert_eq!(labels(&menu_of(&played, "Ann", "Pal"), &["Commands"]), ["Drop Pal"]);
        choose(&mut played, "Ann", &held, "Drop Pal");
        // It is out of reach now, and the menu leads to it.
        go(&mut played, "Ann", "Pal", "Go to Pal");
        let menu = menu_of(&played, "Ann", "Pal");
        choose(&mut played, "Ann", &menu, "Pick up Pal");
        // Requests go to players, not to e-partners.
        assert!(labels(&menu_at(&played, "Ann", None), &["Choose message", "Pal"]).is_empty());
    }
}

#[test]
fn check_24_of_two_e_partners_within_reach_the_nearer_one_is_picked_up() {
    let mut played = beginning(defaults());
    let begin = played.robot("Ann").position;
    for name in ["Pal", "Buddy"] {
        played.joined("epartner", name);
        // A dropped e-partner lies slightly further away. The second one begins where the first one did.
        if name == "Pal" {
            played.act("Ann", &Action::PickUpEpartner).expect("it is near");
            played.act("Ann", &Action::DropEPartner).expect("she carries it");
        }
    }
    for (beside, near, far) in [(0.35, "Buddy", "Pal"), (0.65, "Pal", "Buddy")] {
        played.act("Ann", &Action::GoTo { x: begin.x + beside, y: begin.y + beside }).expect("a place");
        played.arrive("Ann");
        assert_eq!(labels(&menu_of(&played, "Ann", near), &["Commands"]), [format!("Pick up {near}")]);
        assert_eq!(labels(&menu_of(&played, "Ann", far), &["Commands"]), [format!("Go to {far}")]);
    }
}

#[test]
fn check_24_e_partners_talk() {
    let mut played = beginning(defaults());
    played.joined("epartner", "Pal");
    let menu = menu_at(&played, "Pal", None);
    assert_eq!(labels(&menu, &["Tell"]), ["You forgot me in FrontDropZone"]);
    assert!(labels(&menu, &["Commands"]).is_empty());
    let room = menu_of(&played, "Pal", "RoomC1");
    assert_eq!(labels(&room, &["Tell"]), ["You forgot me in RoomC1"]);
    assert_eq!(labels(&room, &["Ask"]).len(), 4);
    choose(&mut played, "Pal", &room, "Who is in room RoomC1?");
}

#[test]
fn check_24_e_partners_without_gps_know_only_their_room() {
    let team = "[[bots]]\nname = 'Ann'\ntype = 'human'\n[[epartners]]\nname = 'Pal'\nforget-me-not = true\n";
    let mut played = Played::begin(Parameters { team: Some(team.into()), ..defaults() }, 1);
    assert_eq!(labels(&menu_at(&played, "Pal_1", None), &["Tell"]), [""; 0]);
    played.act("Ann_1", &Action::PickUpEpartner).expect("it is near");
    go(&mut played, "Ann_1", "RoomC1", "Go to RoomC1");
    played.act("Ann_1", &Action::DropEPartner).expect("she carries it");
    assert_eq!(labels(&menu_at(&played, "Pal_1", None), &["Tell"]), ["You forgot me in RoomC1"]);
}

#[test]
fn check_24_a_robot_that_bumped_can_go_around() {
    let collisions = Collisions::Stop;
    let mut played = beginning(Parameters { collisions: Some(collisions), ..defaults() });
    let way = |played: &Played| {
        let ahead = menu_of(played, "Ann", "LeftHallB");
        labels(&ahead, &["Commands"]).contains(&"Go around the obstacle".into())
    };
    assert!(!way(&played));
    let bot = played.robot("Bot_1").position;
    played.act("Ann", &Action::GoTo { x: bot.x, y: bot.y }).expect("a place");
    played.arrive("Ann");
    assert!(way(&played), "{:?}", played.robot("Ann"));
}

#[test]
fn a_click_goes_to_a_room_and_never_puts_a_block_down() {
    let played = with_block();
    let direct = |menu: &Menu<Action>| -> Vec<String> {
        menu.items.iter().filter(|item| item.direct).map(|item| item.label.to_string()).collect()
    };
    assert_eq!(direct(&menu_of(&played, "Ann", "RoomA1")), ["Go to RoomA1"]);
    assert!(direct(&menu_of(&played, "Ann", "Blue")).is_empty());
    assert_eq!(direct(&menu_at(&played, "Ann", None)), ["Put down the block"]);
}

#[test]
fn a_menu_without_a_point_says_how_the_entity_stands() {
    let mut played = beginning(defaults());
    assert_eq!(menu_at(&played, "Ann", None).subject, "You are in the hall. You carry nothing.");
    let menu = menu_of(&played, "Ann", "RoomC1");
    choose(&mut played, "Ann", &menu, "Go to RoomC1");
    assert_eq!(menu_at(&played, "Ann", None).subject, "You are on the way to RoomC1. You carry nothing.");
    assert_eq!(menu_at(&with_block(), "Ann", None).subject, "You are in RoomC1. You carry a Green block.");
    let orange = menu_at(&with_block_of("RoomA1", 50), "Ann", None);
    assert_eq!(orange.subject, "You are in RoomA1. You carry an Orange block.");
}

#[test]
fn messages_are_shown_as_sentences_with_replies() {
    let played = beginning(defaults());
    let ask = |content: Parameter| {
        let percept = Percept::new("message", ["Bot_1".into(), content]);
        let request = MenuRequest { about: Some(percept), ..MenuRequest::default() };
        played.0.menu(played.entity("Ann"), &request)
    };
    let term = Message::GoingToRoom { room: "RoomC1".into() }.to_term("Bot_1");
    let told = ask(term);
    assert_eq!(told.subject, "I am going to RoomC1");
    assert_eq!(actions(&told, &["Answer"])[0], "sendMessage('Bot_1','OK')");
    let asked = ask("What is in room RoomC1?".into());
    assert_eq!(labels(&asked, &["Answer"]), ["yes", "no", "I don't know"]);
    assert_eq!(ask("hello there".into()).subject, "hello there");
    let other = Percept::new("location", [1.into(), 2.into()]);
    let request = MenuRequest { about: Some(other), ..MenuRequest::default() };
    assert_eq!(played.0.menu(played.entity("Ann"), &request), Menu::default());
}

#[test]
fn a_typed_text_becomes_the_message_that_it_means() {
    let played = beginning(defaults());
    let typed = |text: &str| {
        let request = MenuRequest { text: text.into(), ..MenuRequest::default() };
        played.0.menu(played.entity("Ann"), &request)
    };
    let understood = typed("i am going to RoomC1!");
    assert_eq!(understood.subject, "");
    assert_eq!(actions(&understood, &["Tell"]), ["sendMessage(all,'I am going to RoomC1')"]);
    let free = typed("see you at the drop zone");
    assert!(free.subject.starts_with("Only people will understand this."), "{}", free.subject);
    assert_eq!(actions(&free, &["Tell"]), ["sendMessage(all,'see you at the drop zone')"]);
    let names = typed("BOT_1, go to room roomc1!");
    assert_eq!(names.subject, "");
    assert_eq!(actions(&names, &["Tell"]), ["sendMessage(all,'Bot_1 go to RoomC1')"]);
    for (text, problem, sentence) in [
        ("what is in Roomc9?", "There is no place Roomc9. Did you mean RoomC3?", "What is in room Roomc9?"),
        ("who is in Kitchen?", "There is no place Kitchen.", "Who is in room Kitchen?"),
        ("Bot_7, are you close?", "There is no player Bot_7. Did you mean Bot_1?", "Bot_7, are you close?"),
        ("Somebody, are you close?", "", "Somebody, are you close?"),
        ("ann, are you close?", "", "Ann, are you close?"),
    ] {
        let menu = typed(text);
        assert_eq!(menu.subject, problem);
        assert_eq!(actions(&menu, &["Tell"]), [format!("sendMessage(all,'{sentence}')")]);
    }
}
