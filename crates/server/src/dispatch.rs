//! Calls find their way: to an environment, or to the server itself.

use std::sync::Arc;

use situated_runtime::wall_clock;
use situated_wire::methods::{Right, ServerTime, Subscribed, Topic};
use situated_wire::{Call, Code, Error, Name};

use crate::caller::Caller;
use crate::hub::Hub;
use crate::instance::Job;

/// Does what is called, or hands it to the environment that it concerns.
pub(crate) fn dispatch(hub: &Arc<Hub>, caller: Caller, call: Call) {
    if let Err(error) = check(&caller, &call) {
        return caller.refuse(&error);
    }
    match call {
        Call::Hello(_) => caller.refuse(&Error::new(Code::InvalidRequest, "you have said hello already")),
        Call::Ping(_) => caller.answer(&ServerTime { time: wall_clock() }),
        Call::Bye(_) => {
            let session = caller.session().clone();
            caller.answer(&ServerTime { time: wall_clock() });
            hub.end_session(&session);
            session.outbox().close(Error::new(Code::SessionEnded, "you have said goodbye"));
        }
        Call::ListEnvironments(_) => caller.answer(&hub.list()),
        Call::DescribeKind(call) => caller.reply(hub.describe_kind(&call)),
        Call::CreateEnvironment(call) => caller.reply(hub.create(call)),
        Call::RemoveEnvironment(call) => {
            caller.reply(hub.remove(&call.environment).map(|()| ServerTime { time: wall_clock() }))
        }
        Call::Host(call) => hub.host(caller, call),
        Call::Subscribe(call) => subscribe(hub, caller, call.to),
        Call::Unsubscribe(call) => {
            let done = unsubscribe(hub, &caller, call.subscription);
            caller.reply(done);
        }
        call => pass_on(hub, caller, call),
    }
}

/// What concerns one environment is done there.
fn pass_on(hub: &Arc<Hub>, caller: Caller, call: Call) {
    let Some(environment) = environment_of(&call) else {
        return caller.refuse(&Error::new(Code::Internal, "this call is for nobody"));
    };
    match hub.find(environment) {
        Ok(instance) => instance.submit(Job::Call(caller, call)),
        Err(error) => caller.refuse(&error),
    }
}

fn subscribe(hub: &Arc<Hub>, caller: Caller, topic: Topic) {
    let environment = match &topic {
        Topic::Environments {} => None,
        Topic::Happenings { environment }
        | Topic::Percepts { environment, .. }
        | Topic::Scene { environment, .. }
        | Topic::Activity { environment, .. } => Some(environment),
    };
    let instance = match environment.map(|name| hub.find(name)).transpose() {
        Ok(instance) => instance,
        Err(error) => return caller.refuse(&error),
    };
    let session = caller.session().clone();
    let about = instance.as_ref().map(|instance| instance.identity().name.clone());
    let number = session.belongings().subscribe(about, session.limits.subscriptions);
    match (number, instance) {
        (Err(error), _) => caller.refuse(&error),
        (Ok(number), Some(instance)) => instance.submit(Job::Subscribe(caller, number, topic)),
        (Ok(subscription), None) => {
            caller.answer(&Subscribed { subscription, time: wall_clock() });
            hub.listing.watch(&session, subscription);
        }
    }
}

fn unsubscribe(hub: &Hub, caller: &Caller, subscription: u64) -> Result<ServerTime, Error> {
    let session = caller.session();
    let removed = session.belongings().subscriptions.remove(&subscription);
    match removed {
        None => return Err(Error::new(Code::NoSuchSubscription, format!("you have no subscription {subscription}"))),
        Some(None) => hub.listing.ignore(session, subscription),
        // With the environment, its subscriptions have ended.
        Some(Some(environment)) => {
            if let Ok(instance) = hub.find(&environment) {
                instance.submit(Job::Unsubscribe { session: session.number, subscription });
            }
        }
    }
    Ok(ServerTime { time: wall_clock() })
}

/// Whether somebody may call this at all.
fn check(caller: &Caller, call: &Call) -> Result<(), Error> {
    let session = caller.session();
    match call {
        Call::CreateEnvironment(_)
        | Call::RemoveEnvironment(_)
        | Call::Manage(_)
        | Call::Advance(_)
        | Call::SetSpeed(_) => session.check(Right::Manage),
        Call::Unregister(_) | Call::Free(_) if session.may(Right::Manage) => Ok(()),
        Call::Register(_)
        | Call::Unregister(_)
        | Call::Associate(_)
        | Call::Free(_)
        | Call::RequestEntity(_)
        | Call::Act(_)
        | Call::Pass(_)
        | Call::Step(_)
        | Call::Perceive(_)
        | Call::Acknowledge(_)
        | Call::GetMenu(_) => session.check(Right::Act),
        Call::Host(_) | Call::UpdateHosted(_) => session.check(Right::Host),
        _ => Ok(()),
    }
}

/// The environment that a call concerns.
fn environment_of(call: &Call) -> Option<&Name> {
    Some(match call {
        Call::Describe(call) => &call.environment,
        Call::Status(call) => &call.environment,
        Call::GetOutcome(call) => &call.environment,
        Call::Manage(call) => &call.environment,
        Call::Advance(call) => &call.environment,
        Call::SetSpeed(call) => &call.environment,
        Call::Register(call) => &call.environment,
        Call::Unregister(call) => &call.environment,
        Call::ListEntities(call) => &call.environment,
        Call::Associate(call) => &call.environment,
        Call::Free(call) => &call.environment,
        Call::RequestEntity(call) => &call.environment,
        Call::Act(call) => &call.environment,
        Call::Pass(call) => &call.environment,
        Call::Step(call) => &call.environment,
        Call::Perceive(call) => &call.environment,
        Call::Acknowledge(call) => &call.environment,
        Call::GetMenu(call) => &call.environment,
        Call::Wait(call) => &call.environment,
        Call::Query(call) => &call.environment,
        Call::GetScene(call) => &call.environment,
        Call::UpdateHosted(call) => &call.environment,
        _ => return None,
    })
}
