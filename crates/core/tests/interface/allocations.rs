//! What allocates, and what does not.

use allocation_counter::measure;
use situated::interface::{Form, Interface, Since};

use situated_toys::yard::{Do, Settings, Yard};

#[test]
fn perceiving_what_has_not_changed_allocates_nothing() {
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
        let told = interface.perceive(agent, dog, Form::Update, Since::LastCall);
        told.expect("running").add.len()
    };
    assert_eq!(perceive(&mut interface), 101);

    let nothing_happened = measure(|| assert_eq!(perceive(&mut interface), 0));
    assert_eq!(nothing_happened.count_total, 0);

    // The environment is listed anew, and is as it was.
    interface.act(agent, dog, &Do::Look).expect("possible");
    let nothing_changed = measure(|| assert_eq!(perceive(&mut interface), 0));
    assert_eq!(nothing_changed.count_total, 0);

    interface.act(agent, dog, &Do::Toggle { thing: 200 }).expect("possible");
    let changed = measure(|| assert_eq!(perceive(&mut interface), 1));
    assert!(changed.count_total > 0, "the counter counts");
}
