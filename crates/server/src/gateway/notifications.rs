//! Notifications of the hub as messages of the wire protocol.

use std::io;

use serde::Serialize;
use situated::interface::{Drained, Moment};
use situated::scene::Shape;
use situated_hub::Notification;
use situated_runtime::wall_clock;
use situated_wire::methods::{CallToHost, EntityResult};
use situated_wire::notifications::{
    ActionSeen, Activity, Conversations, Ended, EnvironmentsListed, Happenings, Mail, MessageReceived, MessageSeen,
    Notify, Percepts, Remarks, SceneUpdate,
};
use situated_wire::rpc::{Id, write_call, write_notification};
use situated_wire::{AclMessage, EntityPerception};

/// A [`SceneUpdate`] that borrows its shapes.
#[derive(Serialize)]
struct BorrowedSceneUpdate<'a> {
    subscription: u64,
    environment: &'a str,
    moment: Moment,
    width: f64,
    height: f64,
    count: usize,
    shapes: &'a [(usize, &'a Shape)],
}

impl Notify for BorrowedSceneUpdate<'_> {
    const NAME: &'static str = SceneUpdate::NAME;
}

/// Writes a notification.
pub(super) fn write(out: &mut Vec<u8>, notification: Notification<'_>) -> io::Result<()> {
    match notification {
        Notification::Environments { subscription, environments } => {
            let environments = environments.to_vec();
            notify(out, &EnvironmentsListed { subscription, environments, time: wall_clock() })
        }
        Notification::Happenings { subscription, status: known, happenings, resync } => {
            let Drained { happenings, missed: lost } = happenings;
            notify(out, &Happenings { subscription, status: known.clone(), happenings, resync, lost })
        }
        Notification::Percepts { subscription, environment, moment, agent, perceptions: perceived } => {
            let (environment, agent) = (environment.clone().into(), agent.clone().into());
            notify(
                out,
                &Percepts { subscription, environment, moment, agent, perceptions: EntityPerception::all(perceived) },
            )
        }
        Notification::Scene { subscription, environment, moment, scene, changed: shapes } => {
            let (width, height, count) = (scene.width, scene.height, scene.shapes.len());
            notify(out, &BorrowedSceneUpdate { subscription, environment, moment, width, height, count, shapes })
        }
        Notification::Activity { subscription, environment, moment, perception, actions, missed: lost } => {
            let seen = actions.iter().map(|action| ActionSeen {
                moment: action.moment,
                agent: action.agent.clone().into(),
                action: action.action.clone(),
                result: EntityResult::new(action.entity.clone(), action.result.clone()),
            });
            let perception = perception.map(|(entity, one)| EntityPerception::new(entity.clone(), one));
            let (environment, actions) = (environment.clone().into(), seen.collect());
            notify(out, &Activity { subscription, environment, moment, perception, actions, lost })
        }
        Notification::Mail { subscription, agent, letters } => {
            let messages = letters.iter().map(|letter| MessageReceived {
                number: letter.number,
                message: AclMessage::from(&*letter.message),
                time: letter.time,
            });
            let (agent, messages) = (agent.clone().into(), messages.collect());
            notify(out, &Mail { subscription, agent, messages, time: wall_clock() })
        }
        Notification::Conversations { subscription, messages, lost } => {
            let messages = messages.iter().map(|seen| MessageSeen {
                number: seen.number,
                message: AclMessage::from(&*seen.message),
                violations: seen.violations.clone(),
                time: seen.time,
            });
            notify(out, &Conversations { subscription, messages: messages.collect(), lost, time: wall_clock() })
        }
        Notification::Remarks { subscription, remarks, lost } => {
            let remarks = remarks.iter().copied().cloned().collect();
            notify(out, &Remarks { subscription, remarks, lost, time: wall_clock() })
        }
        Notification::Ended { subscription, reason } => {
            notify(out, &Ended { subscription, reason: reason.into(), time: wall_clock() })
        }
        Notification::HostRequest { environment, number, task } => {
            let id = Id::Text(format!("{environment}/{number}"));
            let (method, params) = CallToHost { environment: environment.clone().into(), call: task }.to_rpc();
            write_call(out, Some(&id), &method, &params)
        }
    }
}

fn notify<N: Notify>(out: &mut Vec<u8>, notification: &N) -> io::Result<()> {
    write_notification(out, N::NAME, notification)
}
