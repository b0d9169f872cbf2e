//! Messages are equal in all their forms, in the specification's examples and in a recording of the original. The
//! recording is not part of this repository. Its tests are skipped if it is missing, unless `GOLDEN_DATA=required` is
//! set.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::select;
use situated::iil::{EcoString, Function, Parameter};
use situated_bw4t::Color;
use situated_bw4t::messages::{Dialect, Message};

/// The types of messages as the original names them, and those that it lacks.
const KINDS: &str = "GOINGTOROOM HASCOLOR HASCOLORFROMROOM WENEED LOOKINGFOR AMGETTINGCOLOR WILLGETCOLOR ROOMCONTAINS \
     ROOMISEMPTY INROOM ABOUTTODROPOFFBLOCK DROPPEDOFFBLOCK AMWAITINGOUTSIDEROOM YES NO IDONOTKNOW OK IDO IDONOT WAIT \
     ONTHEWAY ALMOSTTHERE FARAWAY DELAYED ISANYBODYGOINGTOROOM WHOHASABLOCK WHEREISCOLOR WHATISINROOM \
     HASANYBODYCHECKEDROOM WHOISINROOM AREYOUCLOSE WILLYOUBELONG WHERESHOULDIGO WHATCOLORSHOULDIGET GOTOROOM FINDCOLOR \
     GETCOLORFROMROOM ATBOX COULDNOT PUTDOWN ROOMCONTAINSAMOUNT CHECKED IWANTTOGO YOUFORGOTME \
     AtBlock HasFound HasPickedUp WillBeLong";

/// The fields of the original's class for messages.
#[derive(Clone, Debug, Default)]
struct Filling {
    room: Option<EcoString>,
    color: Option<Color>,
    player: Option<EcoString>,
    number: Option<u32>,
}

impl Filling {
    /// Returns the message of this type; `None` if the type needs a missing field.
    #[rustfmt::skip]
    fn message(self, kind: &str) -> Option<Message> {
        let Filling { room, color, player, number } = self;
        Some(match kind {
            // The specification's own reading of "I am going to room R to get a C block".
            "GOINGTOROOM" if color.is_some() => Message::AmGettingColor { color: color?, room: Some(room?) },
            "GOINGTOROOM" => Message::GoingToRoom { room: room? },
            "HASCOLOR" if room.is_none() => Message::HasColor { color: color? },
            "HASCOLOR" | "HASCOLORFROMROOM" => Message::HasColorFromRoom { color: color?, room: room? },
            "WENEED" => Message::WeNeed { color: color? },
            "LOOKINGFOR" => Message::LookingFor { color: color? },
            "AMGETTINGCOLOR" => Message::AmGettingColor { color: color?, room },
            "WILLGETCOLOR" => Message::WillGetColor { color: color?, room },
            "ROOMCONTAINS" => Message::RoomContains { room: room?, color: color? },
            "ROOMISEMPTY" => Message::RoomIsEmpty { room: room? },
            "INROOM" => Message::InRoom { room: room? },
            "ABOUTTODROPOFFBLOCK" => Message::AboutToDropOffBlock { color },
            "DROPPEDOFFBLOCK" => Message::DroppedOffBlock { color },
            "AMWAITINGOUTSIDEROOM" => Message::AmWaitingOutsideRoom { room: room?, color },
            "YES" => Message::Yes,
            "NO" => Message::No,
            "IDONOTKNOW" => Message::IDoNotKnow,
            "OK" => Message::Ok { room },
            "IDO" => Message::IDo,
            "IDONOT" => Message::IDoNot,
            "WAIT" => Message::Wait,
            "ONTHEWAY" => Message::OnTheWay,
            "ALMOSTTHERE" => Message::AlmostThere,
            "FARAWAY" => Message::FarAway,
            "DELAYED" => Message::Delayed,
            "ISANYBODYGOINGTOROOM" => Message::IsAnybodyGoingToRoom { room: room? },
            "WHOHASABLOCK" => Message::WhoHasABlock { color: color? },
            "WHEREISCOLOR" => Message::WhereIsColor { color: color? },
            "WHATISINROOM" => Message::WhatIsInRoom { room: room? },
            "HASANYBODYCHECKEDROOM" => Message::HasAnybodyCheckedRoom { room: room? },
            "WHOISINROOM" => Message::WhoIsInRoom { room: room? },
            "AREYOUCLOSE" => Message::AreYouClose { player: player? },
            "WILLYOUBELONG" => Message::WillYouBeLong { player: player? },
            "WHERESHOULDIGO" => Message::WhereShouldIGo,
            "WHATCOLORSHOULDIGET" => Message::WhatColorShouldIGet,
            "GOTOROOM" => Message::GoToRoom { player: player?, room: room? },
            "FINDCOLOR" => Message::FindColor { player: player?, color: color? },
            "GETCOLORFROMROOM" => Message::GetColorFromRoom { player: player?, color: color?, room: room? },
            "ATBOX" => Message::AtBox { color: color? },
            "COULDNOT" => Message::CouldNot,
            "PUTDOWN" => Message::PutDown { player: player? },
            "ROOMCONTAINSAMOUNT" => Message::RoomContainsAmount { room: room?, number: number?, color: color? },
            "CHECKED" => Message::Checked { room: room?, player },
            "IWANTTOGO" => Message::IWantToGo { room: room? },
            "YOUFORGOTME" => Message::YouForgotMe { room: room? },
            "AtBlock" => Message::AtBlock { block: number? },
            "HasFound" => Message::HasFound { player: player?, color: color? },
            "HasPickedUp" => Message::HasPickedUp { player: player?, color: color?, room: room? },
            "WillBeLong" => Message::WillBeLong { player: player? },
            _ => panic!("{kind} is no type of message"),
        })
    }

    /// Returns every message with all or some of these fields.
    fn messages(&self) -> BTreeSet<Message> {
        let part = |absent: u8| Filling {
            room: self.room.clone().filter(|_| absent & 1 == 0),
            color: self.color.filter(|_| absent & 2 == 0),
            player: self.player.clone().filter(|_| absent & 4 == 0),
            number: self.number,
        };
        let kinds = KINDS.split_whitespace();
        let messages = kinds.flat_map(|kind| (0..8).filter_map(move |absent| part(absent).message(kind)));
        messages.collect()
    }
}

/// Names, most of them plain words, including some that look like words of the language.
fn name() -> impl Strategy<Value = EcoString> {
    let words = "room player a the an block box I you Red 3 is to by from going contains empty ok null <Room> it's .";
    prop_oneof![
        "[A-Z][A-Za-z0-9_]{0,20}".prop_map(EcoString::from),
        select(words.split(' ').collect::<Vec<_>>()).prop_map(EcoString::from),
        "[a-z'\" ,.?!:;’-]{0,6}".prop_map(EcoString::from),
        any::<String>().prop_map(EcoString::from),
    ]
}

fn color() -> impl Strategy<Value = Color> {
    select(Color::ALL.into_iter().chain([Color::DarkGray]).collect::<Vec<_>>())
}

fn filling() -> impl Strategy<Value = Filling> {
    (name(), color(), name(), any::<u32>()).prop_map(|(room, color, player, number)| Filling {
        room: Some(room),
        color: Some(color),
        player: Some(player),
        number: Some(number),
    })
}

/// Text that resembles sentences.
fn almost_english() -> impl Strategy<Value = String> {
    let pieces = "I you we am are going to get put down a the block room Red 3 is at in has have been checked by player \
                  'x 'y' \" , . ? ! don't n't ’ Bob's <Room> unknown _ OK yes find contains from";
    let piece = prop_oneof![select(pieces.split_whitespace().collect::<Vec<_>>()).prop_map(String::from), ".{0,3}"];
    prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.join(" "))
}

fn term() -> impl Strategy<Value = Parameter> {
    let names = "imp int in at holding pickedUpFrom putDown checked ok yes found Bot_1 RoomC1 Red _ unknown";
    let name = select(names.split(' ').collect::<Vec<_>>());
    let leaf = prop_oneof![
        name.clone().prop_map(Parameter::from),
        any::<i64>().prop_map(Parameter::from),
        any::<f64>().prop_map(Parameter::from),
    ];
    leaf.prop_recursive(3, 12, 3, move |inner| {
        (name.clone(), prop::collection::vec(inner, 0..4)).prop_map(|(name, terms)| Function::new(name, terms).into())
    })
}

proptest! {
    #[test]
    fn reads_the_sentences_that_it_writes(filling in filling()) {
        for message in filling.messages() {
            for dialect in [Dialect::Specification, Dialect::Code] {
                let sentence = message.to_english(dialect);
                prop_assert_eq!(Message::from_english(&sentence), Ok(message.clone()), "{}", sentence);
                let careless = format!("  {}.\n", sentence.replace(' ', "  "));
                if !sentence.contains('\'') {
                    prop_assert_eq!(Message::from_english(&careless), Ok(message.clone()), "{}", careless);
                }
            }
        }
    }

    #[test]
    fn reads_the_terms_that_it_writes(filling in filling(), me in name()) {
        let variable = |name: &EcoString| ["_", "unknown"].contains(&name.as_str());
        prop_assume!(filling.player != Some(me.clone()) && !filling.room.iter().chain(&filling.player).any(variable));
        for message in filling.messages() {
            let term = message.to_term(&me);
            prop_assert_eq!(Message::from_term(&term, &me), Ok(message), "{}", term);
        }
    }

    #[test]
    fn writes_the_sentences_that_it_reads(text in prop_oneof![almost_english(), any::<String>()]) {
        match Message::from_english(&text) {
            Ok(message) => prop_assert_eq!(Message::from_english(&message.to_english(Dialect::Code)), Ok(message)),
            Err(error) => prop_assert!(error.to_string().contains(" is no message")),
        }
    }

    #[test]
    fn writes_the_terms_that_it_reads(term in term()) {
        if let Ok(message) = Message::from_term(&term, "Bot_1") {
            prop_assert_eq!(Message::from_term(&message.to_term("Bot_1"), "Bot_1"), Ok(message));
        }
    }
}

#[test]
fn all_types_are_tested() {
    let filling =
        Filling { room: Some("RoomC1".into()), color: Some(Color::Red), player: Some("Bob".into()), number: Some(3) };
    let name = |message: &Message| format!("{message:?}").split(' ').next().map(str::to_owned);
    let kinds: BTreeSet<_> = filling.messages().iter().map(name).collect();
    assert_eq!(kinds.len(), 44 + 4);
}

/// The specification's examples, unchanged, with the block's colour or number, and the term.
#[rustfmt::skip]
const SPECIFIED: &[(&str, &str)] = &[
    ("I am going to FrontRoomC1", "imp(in(Me,FrontRoomC1))"),
    ("I am looking for a Red block", "imp(found(Me,Red))"),
    ("I am going to room RoomC1 to get a Red block", "imp(pickedUpFrom(Me, Red, RoomC1))"),
    ("I am getting a Red block from room RoomC1", "imp(pickedUpFrom(Me, Red, RoomC1))"),
    ("I will get a Red block", "imp(holding(Me,Red))"),
    ("I am going to put down a block", "imp(putDown(Me))"),
    ("Bob go to RoomC1", "imp(in(Bob, RoomC1))"),
    ("Bob find a Red block", "imp(found(Bob, Red))"),
    ("Bob get the Red block from room RoomC1", "imp(pickedUpFrom(Bob, Red, RoomC1))"),
    ("Bob put down the block you're holding", "imp(putDown(Bob))"),
    ("room RoomC1 contains a Red block", "at(Red, RoomC1)"),
    ("room RoomC1 contains 3 Red blocks", "at(3, Red, RoomC1)"),
    ("room RoomC1 is empty", "empty(RoomC1)"),
    ("I am in room RoomC1", "in(Me, RoomC1)"),
    ("I am at a 47 box", "at(47)"),
    ("I am at a Red box", "at(Red)"),
    ("I have a Red block.", "holding(Me, Red)"),
    ("I have a Red block from room RoomC1.", "pickedUpFrom(Me, Red, RoomC1)"),
    ("I just dropped off a block", "putDown(Me)"),
    ("I just dropped off a Red block", "putDown(Me, Red)"),
    ("I am waiting outside room RoomC1", "waitingOutside(Me, RoomC1)"),
    ("We need a Red block.", "need(Red)"),
    ("room RoomC1 has been checked.", "checked(RoomC1)"),
    ("room RoomC1 has been checked by Bob", "checked(Bob, RoomC1)"),
    ("What is in room RoomC1?", "int(at(_, RoomC1))"),
    ("Where is a Red block?", "int(at(Red, _))"),
    ("Who is in room RoomC1?", "int(in(_, RoomC1))"),
    ("Where should I go?", "int(imp(in(Me, _)))"),
    ("What color should I get?", "int(imp(holding(Me, _)))"),
    ("Is anybody going to room RoomC1?", "int(imp(in(_, RoomC1)))"),
    ("Bob, will you be long?", "int(willBeLong(Bob))"),
    ("Has anybody checked room RoomC1?", "int(checked(_, RoomC1))"),
    ("Bob, are you close?", "int(areClose(Bob))"),
    ("Who has a Red block?", "int(holding(_, Red))"),
    ("yes", "yes"),
    ("no", "no"),
    ("I don't know", "dontknow"),
    ("wait", "wait"),
    ("OK", "ok"),
    ("I don't", "idont"),
    ("I do", "ido"),
    ("I am on the way", "ontheway"),
    ("I am far away", "faraway"),
    ("I am delayed", "delayed"),
    ("I am almost there", "almostthere"),
    ("OK, room RoomC1", "ok(RoomC1)"),
];

fn parse(term: &str) -> Parameter {
    term.parse().expect("a term")
}

fn read(sentence: &str) -> Message {
    Message::from_english(sentence).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn check_14_the_specifications_sentences_and_terms_are_the_same_messages() {
    for (sentence, term) in SPECIFIED {
        let message = read(sentence);
        assert_eq!(Message::from_term(&parse(term), "Me"), Ok(message.clone()), "{sentence}");
        assert_eq!(Message::from_term(&parse(&term.replace('_', "unknown")), "Me"), Ok(message.clone()), "{sentence}");
        let (written, sent) = (message.to_english(Dialect::Specification), message.to_term("Me"));
        let (sentence, term) = match *term {
            "imp(pickedUpFrom(Me, Red, RoomC1))" => ("I am getting a Red block from room RoomC1", *term),
            "at(Red)" => (*sentence, "atBox(Red)"),
            _ => (*sentence, *term),
        };
        assert_eq!((written.as_str(), sent), (sentence.trim_end_matches('.'), parse(term)));
    }
}

/// Deliberate differences: the original's output (with single blanks), and ours.
const DIFFERENCES: &[(&str, &str)] = &[
    // The specification's reading of the sentence, with its sentence and term.
    ("I am going to room RoomC1 to get a Red block", "I am getting a Red block from room RoomC1"),
    ("GOINGTOROOM imp(in(Me,RoomC1))", "imp(pickedUpFrom(Me,Red,RoomC1))"),
    // The original wrote null for missing values.
    ("I am about to drop off a null block", "I am about to drop off a block"),
    ("AMGETTINGCOLOR imp(pickedUpFrom(Me,Red,null))", "imp(pickedUpFrom(Me,Red,_))"),
    // Its terms contained less than its sentences.
    ("ABOUTTODROPOFFBLOCK imp(putDown(Me))", "imp(putDown(Me,Red))"),
    ("AMWAITINGOUTSIDEROOM waitingOutside(Me,RoomC1)", "waitingOutside(Me,RoomC1,Red)"),
    ("WILLGETCOLOR imp(holding(Me,Red))", "imp(holding(Me,Red,RoomC1))"),
    // Here it crashed.
    ("EX:NullPointerException", "I have a Red block from room RoomC1"),
    ("HASCOLORFROMROOM EX:NullPointerException", "pickedUpFrom(Me,Red,RoomC1)"),
    // This was not finished.
    ("IWANTTOGO IWantToGoTo TODO", "wantToGo(Me,RoomC1)"),
    ("YOUFORGOTME YouForgotMe TODO", "forgotten(Me,RoomC1)"),
];

/// Sentences that the original did not or not completely understand, and how they are read here.
const BETTER_READ: &[(&str, &str)] = &[
    // The word "room" is missing.
    ("I am going to RoomC1", "I am going to room RoomC1"),
    ("Bob go to RoomC1", "Bob, go to room RoomC1"),
    ("You forgot me in RoomC1", "You forgot me in RoomC1"),
    // It looked for "I am going to" and "go to" anywhere.
    ("I am going to put down a block", "I am about to drop off a block"),
    ("I want to go to RoomC1", "I want to go to RoomC1"),
    ("I want to go to room RoomC1", "I want to go to RoomC1"),
    // It could not read them.
    ("Bob put down the block you're holding", "Bob, put down the block you are holding"),
    ("Bob, put down the block you are holding", "Bob, put down the block you are holding"),
    ("I couldn't", "I couldn't"),
    ("OK, room RoomC1", "OK, room RoomC1"),
    ("ok", "OK"),
    ("Yes", "yes"),
    // The full stop became a part of the name.
    ("I have a Red block from room RoomC1.", "I have a Red block from room RoomC1"),
    // It remembered Bob from an earlier sentence.
    ("room RoomC1 has been checked.", "room RoomC1 has been checked"),
    ("room RoomC1 has been checked", "room RoomC1 has been checked"),
    // It only knew colours in their exact case.
    ("room RoomC1 contains a red block", "room RoomC1 contains a Red block"),
];

/// The recording; `None` if it is missing.
fn recording() -> Option<String> {
    crate::played::recording("messages_matrix.txt")
}

/// The message that the original writes as `TYPE{room=RoomC1,color=null,player=null,n=-}`.
fn read_recorded(object: &str) -> Option<Message> {
    let (kind, parts) = object.strip_suffix('}')?.split_once('{')?;
    let mut filling = Filling::default();
    for part in parts.split(',') {
        match part.split_once('=')? {
            (_, "null" | "-") => {}
            ("room", room) => filling.room = Some(room.into()),
            ("color", name) => {
                filling.color = Color::ALL.into_iter().chain([Color::DarkGray]).find(|c| c.name() == name)
            }
            ("player", player) => filling.player = Some(player.into()),
            (_, number) => filling.number = number.parse().ok(),
        }
    }
    filling.message(kind)
}

#[test]
fn messages_are_written_and_read_as_the_original_writes_them() {
    let Some(recording) = recording() else { return };
    let mut differences = BTreeSet::new();
    let mut rows = 0;
    for row in recording.lines().take_while(|row| !row.starts_with("==")) {
        rows += 1;
        let [kind, object, sentence, term] = *row.splitn(5, " | ").take(4).collect::<Vec<_>>() else { panic!("{row}") };
        let Some(message) = read_recorded(object.trim_start_matches("in ")) else { continue };
        let sentence = sentence.trim_start_matches("NL ").trim_matches('"');
        if !sentence.starts_with("EX:") {
            assert_eq!(read(sentence), message);
        }
        let sentence = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
        let term = term.trim_start_matches("IIL ").replace("unknown", "_");
        let (ours, our_term) = (message.to_english(Dialect::Code), message.to_term("Me"));
        if sentence != ours {
            differences.insert((sentence, ours));
        }
        if term.parse() != Ok(our_term.clone()) {
            differences.insert((format!("{kind} {term}"), our_term.to_string().replace('\'', "")));
        }
    }
    assert_eq!(rows, 44 * 9);
    assert_eq!(differences, pairs(DIFFERENCES));
}

#[test]
fn sentences_are_read_as_the_original_reads_them() {
    let Some(recording) = recording() else { return };
    let mut differences = BTreeSet::new();
    let mut sentences = 0;
    for row in recording.lines().filter(|row| row.starts_with('"')) {
        sentences += 1;
        let (sentence, rest) = row[1..].split_once("\" -> ").expect("a sentence and how it was read");
        let original = rest.split_once("  IIL").and_then(|(object, _)| read_recorded(object));
        let ours = Message::from_english(sentence).ok();
        if original != ours {
            let ours = ours.map(|message| message.to_english(Dialect::Code)).unwrap_or_default();
            differences.insert((sentence.to_owned(), ours));
        }
    }
    assert!(sentences > 0);
    assert_eq!(differences, pairs(BETTER_READ));
}

fn pairs(pairs: &[(&str, &str)]) -> BTreeSet<(String, String)> {
    pairs.iter().map(|(original, ours)| (original.to_string(), ours.to_string())).collect()
}

#[test]
fn percepts_of_messages_are_sentences_for_people() {
    use situated::environment::Environment;
    use situated::iil::Percept;
    use situated_bw4t::Bw4t;

    let going = Parameter::from(Function::new("in", ["Bot_1".into(), "RoomC1".into()]));
    let content = Parameter::from(Function::new("imp", [going]));
    let percept = |name: &str| Percept::new(name, ["Bot_1".into(), content.clone()]);
    assert_eq!(Bw4t::in_words(&percept("message")).as_deref(), Some("I am going to RoomC1"));
    assert_eq!(Bw4t::in_words(&percept("color")), None);
    assert_eq!(Bw4t::in_words(&Percept::new("message", ["Bot_1".into(), "hello".into()])), None);
}
