//! Operations that allocate memory, and operations that do not.

use allocation_counter::measure;
use situated::iil::Action;
use situated::interface::{EnvironmentInterface, Form, Interface, Since};

use situated_toys::yard::{Do, Settings, Yard};

#[test]
fn perceiving_unchanged_percepts_allocates_nothing() {
    let mut interface = Interface::<Yard>::new();
    interface.init(Settings::default(), 1).expect("a yard");
    interface.start().expect("paused");
    let agent = interface.register("anna").expect("new");
    let dog = interface.find_entity("dog0").expect("exists");
    interface.associate(agent, dog).expect("free");
    for thing in 0..100 {
        interface.act(agent, dog, &Do::Toggle { thing }).expect("possible");
    }
    let perceive = |interface: &mut Interface<Yard>| {
        let received = interface.perceive(agent, dog, Form::Update, Since::LastCall);
        received.expect("running").add.len()
    };
    assert_eq!(perceive(&mut interface), 101);

    let nothing_happened = measure(|| assert_eq!(perceive(&mut interface), 0));
    assert_eq!(nothing_happened.count_total, 0);

    // The environment is listed again, and is unchanged.
    interface.act(agent, dog, &Do::Look).expect("possible");
    let nothing_changed = measure(|| assert_eq!(perceive(&mut interface), 0));
    assert_eq!(nothing_changed.count_total, 0);

    interface.act(agent, dog, &Do::Toggle { thing: 200 }).expect("possible");
    let changed = measure(|| assert_eq!(perceive(&mut interface), 1));
    assert!(changed.count_total > 0, "the counter counts");
}

#[test]
fn terms_need_no_allocation_each() {
    let mut interface = Interface::<Yard>::new();
    interface.init(Settings::default(), 1).expect("a yard");
    interface.start().expect("paused");
    let interface = interface.by_name();
    interface.register_agent("anna").expect("new");
    interface.associate_entity("anna", "dog0").expect("free");
    let round = |interface: &mut dyn EnvironmentInterface| {
        let acting = measure(|| {
            for thing in 0..50 {
                let toggle = Action::new("toggle", [thing.into()]);
                interface.perform_action("anna", &toggle, &[]).expect("possible");
            }
        });
        let perceiving = measure(|| {
            let received = interface.perceive("anna", &[], Form::Update, Since::LastCall).expect("running");
            assert!(received[0].1.add.len() + received[0].1.delete.len() >= 50);
        });
        (acting.count_total, perceiving.count_total)
    };
    // The lists grow to their size.
    for _ in 0..4 {
        round(interface);
    }

    let (acting, perceiving) = round(interface);
    assert!(acting < 60, "there are {acting} allocations for 50 actions, each with a list of results");
    assert!(perceiving < 50, "there are {perceiving} allocations for 50 percepts");
}
