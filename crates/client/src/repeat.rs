//! What can be asked again if the connection was lost before it was answered, so that it makes no difference whether it was
//! done the first time.

use std::any::Any;

use situated::interface::Since;
use situated_wire::Method;
use situated_wire::methods::{
    Acknowledge, Act, Describe, DescribeKind, GetMenu, GetOutcome, GetScene, ListEntities, ListEnvironments, Perceive,
    Ping, Query, Status, Step, Subscribe, Turn, Wait,
};

/// How often something is asked if the connection is lost over it again and again.
pub const ASKED_AT_MOST: u32 = 10;

/// What changes nothing, however often it is asked. A subscription that is made twice is taken back when it first tells
/// something that nobody listens to.
const HARMLESS: [&str; 13] = [
    Acknowledge::NAME,
    GetMenu::NAME,
    GetOutcome::NAME,
    Describe::NAME,
    DescribeKind::NAME,
    ListEntities::NAME,
    ListEnvironments::NAME,
    GetScene::NAME,
    Ping::NAME,
    Query::NAME,
    Status::NAME,
    Subscribe::NAME,
    Wait::NAME,
];

/// Whether a call of this method can be asked again, with these parameters.
pub(crate) fn is_repeatable(method: &str, params: &dyn Any) -> bool {
    if let Some(act) = params.downcast_ref::<Act>() {
        act.number.is_some()
    } else if let Some(perceive) = params.downcast_ref::<Perceive>() {
        perceive.since == Since::Acknowledged
    } else if let Some(step) = params.downcast_ref::<Step>() {
        // Who passes, passes in the next step if asked again.
        let once = |turn: &Turn| turn.action.is_some() && turn.number.is_some();
        step.agents.iter().all(once) && (!step.perceive || step.since == Since::Acknowledged)
    } else {
        HARMLESS.contains(&method)
    }
}

#[cfg(test)]
mod tests {
    use situated::iil::Action;
    use situated::interface::Form;
    use situated_wire::methods::{Associate, Pass};

    use super::*;

    fn is_repeatable<M: Method>(call: &M) -> bool {
        super::is_repeatable(M::NAME, call)
    }

    #[test]
    fn what_has_a_number_or_changes_nothing_is_asked_again() {
        let (environment, agent) = (|| "world".into(), || "ada".into());
        let act = |number| Act { environment: environment(), agent: agent(), action: wait(), entities: vec![], number };
        let perceive = |since| {
            let form = Form::Update;
            Perceive { environment: environment(), agent: agent(), entities: vec![], form, since }
        };
        assert!(is_repeatable(&act(Some(1))) && !is_repeatable(&act(None)));
        assert!(is_repeatable(&perceive(Since::Acknowledged)) && !is_repeatable(&perceive(Since::LastCall)));
        assert!(is_repeatable(&Status { environment: environment() }));
        assert!(!is_repeatable(&Pass { environment: environment(), agent: agent(), entities: vec![] }));
        assert!(!is_repeatable(&Associate { environment: environment(), agent: agent(), entity: "red".into() }));
    }

    #[test]
    fn a_step_is_asked_again_if_everything_in_it_can_be() {
        let step = |action, number, since| Step {
            environment: "world".into(),
            agents: vec![Turn { agent: "ada".into(), action, entities: vec![], number }],
            form: Form::Update,
            since,
            perceive: true,
        };
        assert!(is_repeatable(&step(Some(wait()), Some(1), Since::Acknowledged)));
        assert!(!is_repeatable(&step(Some(wait()), Some(1), Since::LastCall)));
        assert!(!is_repeatable(&step(Some(wait()), None, Since::Acknowledged)));
        assert!(!is_repeatable(&step(None, None, Since::Acknowledged)));
    }

    fn wait() -> Action {
        Action::new("wait", [])
    }
}
