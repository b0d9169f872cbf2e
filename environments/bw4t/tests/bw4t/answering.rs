//! Built-in agents answer questions of people and other agents, and fulfil requests that name them.

use situated::agent::Agent;
use situated::iil::Parameter;
use situated::interface::{AgentId, EntityId, Form, Interface, Since};
use situated_bw4t::action::Action;
use situated_bw4t::agents::{Companion, Explorer, Teammate};
use situated_bw4t::messages::Message;
use situated_bw4t::percept::Percept;
use situated_bw4t::team::{BOT, EPARTNER, HUMAN};
use situated_bw4t::world::{TICKS_PER_SECOND, World};
use situated_bw4t::{Bw4t, Parameters};

use crate::played::defaults;

type Player = Box<dyn Agent<Action, Percept>>;

/// A person, `Ann`, who talks to a built-in agent, `Bob`.
struct Talk {
    interface: Interface<Bw4t>,
    ann: (AgentId, EntityId),
    bob: (AgentId, EntityId, Player),
}

impl Talk {
    fn begin(entity_type: &str, bob: Player) -> Self {
        let parameters = Parameters { robots: 0, ..defaults() };
        let mut interface: Interface<Bw4t> = Interface::new();
        interface.init(parameters, 1).expect("a sound world");
        interface.start().expect("it is paused");
        let mut come = |name, entity_type| {
            let agent = interface.register(name).expect("the name is free");
            (agent, interface.request(agent, entity_type, Some(name)).expect("there is a place"))
        };
        let (ann, (agent, entity)) = (come("Ann", HUMAN), come("Bob", entity_type));
        let mut talk = Self { interface, ann, bob: (agent, entity, bob) };
        talk.run(1);
        talk
    }

    fn world(&self) -> &World {
        self.interface.episode().expect("it was begun").environment().world()
    }

    /// Runs for this number of ticks, and returns the messages that Ann receives.
    fn run(&mut self, ticks: u64) -> Vec<Parameter> {
        let mut told = Vec::new();
        for _ in 0..ticks {
            let (agent, entity, player) = &mut self.bob;
            let perception = self.interface.perceive(*agent, *entity, Form::Update, Since::LastCall);
            if let Some(action) = player.decide(&perception.expect("it is running")) {
                _ = self.interface.act(*agent, *entity, &action);
            }
            self.interface.step().expect("it is running");
            let (agent, entity) = self.ann;
            let perception = self.interface.perceive(agent, entity, Form::Update, Since::LastCall);
            for event in perception.expect("it is running").events {
                if let Percept::Message { content, .. } = event {
                    told.push(content);
                }
            }
        }
        told
    }

    fn say(&mut self, content: Parameter) {
        let (agent, entity) = self.ann;
        let action = Action::SendMessage { to: "Bob".into(), content };
        self.interface.act(agent, entity, &action).expect("Bob is there");
    }

    /// Asks a question in a sentence, and returns the sentences received within a second.
    fn ask(&mut self, question: &str) -> Vec<String> {
        self.say(Parameter::Identifier(question.into()));
        let told = self.run(TICKS_PER_SECOND as u64).into_iter();
        let sentences = told.filter_map(|content| match content {
            Parameter::Identifier(text) => Some(text.to_string()),
            _ => None,
        });
        sentences.collect()
    }

    /// Runs until a condition is true, for at most some minutes.
    fn run_until(&mut self, holds: impl Fn(&World) -> bool) {
        for _ in 0..10_000 {
            if holds(self.world()) {
                return;
            }
            self.run(1);
        }
        panic!("it never holds: {:?}", self.world().robots());
    }
}

fn is_in(world: &World, robot: usize, room: &str) -> bool {
    world.robots()[robot].zones.iter().any(|zone| world.ground().zone(*zone).name == room)
}

/// Both programs for robots.
fn robots() -> [Talk; 2] {
    [Talk::begin(BOT, Box::new(Explorer::new())), Talk::begin(BOT, Box::new(Teammate::new()))]
}

#[test]
fn answers_every_question_of_the_language_within_a_second() {
    let questions = [
        "What is in room RoomC1?",
        "Where is a Red block?",
        "Who is in room RoomC1?",
        "Where should I go?",
        "What color should I get?",
        "Is anybody going to room RoomC1?",
        "Bob, will you be long?",
        "Has anybody checked room RoomC1?",
        "Bob, are you close?",
        "Who has a Red block?",
        "We need a Red block",
        "Bob go to RoomC1",
        "Bob find a Red block",
        "Bob get the Red block from room RoomC1",
        "Bob put down the block you're holding",
        "I need help",
    ];
    for mut talk in robots() {
        for _ in 0..3 {
            for question in questions {
                let answers = talk.ask(question);
                assert!(!answers.is_empty(), "{question}");
                for answer in answers {
                    assert!(Message::from_english(&answer).is_ok(), "{question} {answer}");
                }
            }
            talk.run(500);
        }
    }
}

#[test]
fn answers_truly() {
    for mut talk in robots() {
        assert_eq!(talk.ask("Has anybody checked room RoomC1?"), ["no"]);
        assert_eq!(talk.ask("What is in room RoomC1?"), ["I don't know"]);
        assert_eq!(talk.ask("Who has a Red block?"), ["I don't"]);
        assert_eq!(talk.ask("Bob go to RoomC1"), ["OK, room RoomC1"]);
        assert_eq!(talk.ask("Is anybody going to room RoomC1?")[0], "I am going to RoomC1");
        talk.run_until(|world| is_in(world, 1, "RoomC1"));
        let contents = talk.ask("What is in room RoomC1?");
        let told = ["Yellow", "White", "Green", "Pink"].map(|color| format!("room RoomC1 contains a {color} block"));
        assert!(told.iter().all(|sentence| contents.contains(sentence)), "{contents:?}");
        assert!(contents.contains(&"room RoomC1 contains 2 Red blocks".to_owned()), "{contents:?}");
        assert_eq!(talk.ask("Has anybody checked room RoomC1?"), ["room RoomC1 has been checked"]);
    }
}

#[test]
fn goes_to_requested_places() {
    for mut talk in robots() {
        talk.run(100);
        assert_eq!(talk.ask("Bob, go to room RoomA3"), ["OK, room RoomA3"]);
        assert_eq!(talk.ask("Bob, are you close?"), ["I am far away"]);
        talk.run_until(|world| is_in(world, 1, "RoomA3"));
        let told = talk.run(TICKS_PER_SECOND as u64);
        assert!(told.contains(&Parameter::Identifier("I am in room RoomA3".into())), "{told:?}");
        // After that it continues its own work.
        talk.run_until(|world| world.delivered() > 0);
    }
}

#[test]
fn fetches_and_puts_down_requested_blocks() {
    for mut talk in robots() {
        let answers = talk.ask("Bob get the White block from room RoomC1");
        assert_eq!(answers, ["OK, room RoomC1"]);
        let holds_white = |world: &World| {
            let held = world.robots()[1].load.iter().map(|block| world.blocks()[*block].color);
            held.into_iter().any(|color| color == situated_bw4t::Color::White)
        };
        talk.run_until(holds_white);
        let answers = talk.ask("Who has a White block?");
        assert!(answers == ["I have a White block"] || !holds_white(talk.world()), "{answers:?}");
        // It is not needed, so the robot puts it down in a room, where it is not lost.
        talk.run_until(|world| !holds_white(world));
        assert_eq!(talk.ask("Bob put down the block you're holding"), ["I couldn't"]);
    }
}

#[test]
fn reports_impossible_requests() {
    for mut talk in robots() {
        assert_eq!(talk.ask("Bob go to RoomX9"), ["I don't know"]);
        assert_eq!(talk.ask("What is in room RoomX9?"), ["I don't know"]);
        // RoomA3 is empty, which the robot discovers there.
        assert_eq!(talk.ask("Bob get the Red block from room RoomA3"), ["OK, room RoomA3"]);
        let mut told = Vec::new();
        while !told.contains(&Parameter::Identifier("I couldn't".into())) && talk.world().tick_count() < 3_000 {
            told.extend(talk.run(1));
        }
        assert!(is_in(talk.world(), 1, "RoomA3"), "{told:?}");
    }
}

#[test]
fn answers_sentences_about_rooms_and_players_that_do_not_exist() {
    let sentences = [
        "What is in room RoomX9?",
        "Who is in room RoomX9?",
        "Is anybody going to room RoomX9?",
        "Has anybody checked room RoomX9?",
        "Bob go to RoomX9",
        "Bob get the Red block from room RoomX9",
        "Bot_7, are you close?",
        "Bot_7, will you be long?",
        "Bot_7 go to RoomC1",
        "Bot_7 find a Red block",
        "Bot_7 get the Red block from room RoomC1",
        "Bot_7 put down the block you're holding",
    ];
    for mut talk in robots() {
        for sentence in sentences {
            assert_eq!(talk.ask(sentence), ["I don't know"], "{sentence}");
        }
    }
}

#[test]
fn answers_sentences_with_names_in_another_case_by_the_names_as_they_are_written() {
    for mut talk in robots() {
        assert_eq!(talk.ask("bob, go to room roomc1"), ["OK, room RoomC1"]);
        assert_eq!(talk.ask("is anybody going to ROOMC1?")[0], "I am going to RoomC1");
    }
}

#[test]
fn answers_agents_in_terms_and_ignores_questions_to_others() {
    for mut talk in robots() {
        let term = |text: &str| text.parse::<Parameter>().expect("a term");
        talk.say(term("int(checked(_,'RoomC1'))"));
        assert!(talk.run(50).contains(&term("no")));
        talk.say(term("imp(in('Bob','RoomC1'))"));
        assert!(talk.run(50).contains(&term("ok('RoomC1')")));
        for name in ["Ann", "Somebody"] {
            assert_eq!(talk.ask(&format!("{name}, are you close?")), [""; 0]);
            assert_eq!(talk.ask(&format!("{name} go to RoomC1")), [""; 0]);
        }
        assert_eq!(talk.ask("OK"), [""; 0]);
    }
}

#[test]
fn works_although_it_receives_questions_all_the_time() {
    for mut talk in robots() {
        for _ in 0..6_000 {
            talk.say(Parameter::Identifier("What is in room RoomC1?".into()));
            talk.run(1);
            if talk.world().delivered() > 0 {
                break;
            }
        }
        assert!(talk.world().delivered() > 0);
    }
}

#[test]
fn an_e_partner_declines_requests() {
    let mut talk = Talk::begin(EPARTNER, Box::new(Companion::new()));
    assert_eq!(talk.ask("Bob, are you close?"), ["I don't"]);
    assert_eq!(talk.ask("Bob go to RoomC1"), ["I don't"]);
}
