//! The notifications that the hub sends to sessions. They borrow their contents.

use std::sync::Arc;

use situated::host::HostTask;
use situated::iil::EcoString;
use situated::interface::{Drained, Happening, Moment, Perception};
use situated::scene::{Scene, Shape};
use situated_acl::Message;
use situated_platform::mail::Letter;
use situated_runtime::ActionSeen;
use situated_wire::methods::EnvironmentStatus;
use situated_wire::notifications::RemarkSeen;
use situated_wire::{Right, Rights};

use crate::error::Error;

/// A notification for a session.
#[derive(Debug)]
pub enum Notification<'a> {
    /// Environments were added or removed, or their states changed.
    Environments {
        /// The subscription.
        subscription: u64,
        /// All environments, by name.
        environments: &'a [EnvironmentStatus],
    },
    /// Happenings of an environment.
    Happenings {
        /// The subscription.
        subscription: u64,
        /// The status of the environment.
        status: &'a EnvironmentStatus,
        /// The happenings, in order, and the number of missed ones.
        happenings: Drained,
        /// Whether the happenings list the current state instead of changes.
        resync: bool,
    },
    /// New percepts of an agent.
    Percepts {
        /// The subscription.
        subscription: u64,
        /// The environment.
        environment: &'a EcoString,
        /// The moment.
        moment: Moment,
        /// The agent.
        agent: &'a EcoString,
        /// The perception of each entity that has new percepts.
        perceptions: Vec<(EcoString, Perception)>,
    },
    /// A scene has changed.
    Scene {
        /// The subscription.
        subscription: u64,
        /// The environment.
        environment: &'a EcoString,
        /// The moment.
        moment: Moment,
        /// The whole scene.
        scene: &'a Scene,
        /// The shapes that have changed, with their indices.
        changed: &'a [(usize, &'a Shape)],
    },
    /// The percepts and actions of an entity, or the actions of all entities.
    Activity {
        /// The subscription.
        subscription: u64,
        /// The environment.
        environment: &'a EcoString,
        /// The moment.
        moment: Moment,
        /// The perception of the entity.
        perception: Option<(&'a EcoString, Perception)>,
        /// The actions, in order.
        actions: &'a [&'a ActionSeen],
        /// The number of earlier actions that were missed.
        missed: u64,
    },
    /// Messages for an agent, until it [acknowledges](situated_wire::methods::AcknowledgeMail) them.
    Mail {
        /// The subscription.
        subscription: u64,
        /// The agent.
        agent: &'a EcoString,
        /// The messages, in the order of their numbers.
        letters: &'a [&'a Letter],
    },
    /// Messages of agents, for observers.
    Conversations {
        /// The subscription.
        subscription: u64,
        /// The messages, in the order of their numbers.
        messages: &'a [&'a MessageSeen],
        /// The number of earlier messages that were missed.
        lost: u64,
    },
    /// Remarks of agents, for observers.
    Remarks {
        /// The subscription.
        subscription: u64,
        /// The remarks, in the order of their numbers.
        remarks: &'a [&'a RemarkSeen],
        /// The number of earlier remarks that were missed.
        lost: u64,
    },
    /// The hub ended a subscription.
    Ended {
        /// The subscription.
        subscription: u64,
        /// The reason.
        reason: &'a Error,
    },
    /// A request to the session as the host of an environment. [`AnswerHostRequest`](crate::AnswerHostRequest)
    /// answers it.
    HostRequest {
        /// The environment.
        environment: &'a EcoString,
        /// The number of the request.
        number: u64,
        /// The task of the host.
        task: HostTask,
    },
}

/// A message that an agent has sent, as observers see it.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageSeen {
    /// Its number among those that observers see. Later messages have higher numbers, also after a restart.
    pub number: u64,
    /// The time at which it was accepted, in milliseconds since 1970.
    pub time: u64,
    /// The message.
    pub message: Arc<Message<'static>>,
    /// The rules of its protocol that it breaks, in words.
    pub violations: Vec<String>,
    /// Its approximate size.
    pub(crate) bytes: usize,
}

/// Removes the happenings that need further rights: seeds, from which hidden state could be derived, and
/// announcements, which are for observers only.
pub(crate) fn withhold(happenings: &mut Vec<Happening>, rights: Rights) {
    if rights.contains(Right::Observe) {
        return;
    }
    happenings.retain_mut(|happening| match happening {
        Happening::Announcement(_) => false,
        Happening::Episode { seed, .. } => {
            *seed = None;
            true
        }
        Happening::State(_)
        | Happening::New { .. }
        | Happening::Taken { .. }
        | Happening::Released { .. }
        | Happening::Freed { .. }
        | Happening::Deleted { .. }
        | Happening::Ontology { .. }
        | Happening::Registered { .. }
        | Happening::Unregistered { .. }
        | Happening::Outcome(_) => true,
    });
}

#[cfg(test)]
mod tests {
    use situated::environment::Announcement;

    use super::*;

    #[test]
    fn shows_seeds_and_announcements_to_observers_only() {
        let announcement = Announcement { name: "complete".into(), text: "The sequence is complete.".into() };
        let told = [
            Happening::Episode { number: 2, seed: Some(7) },
            Happening::Announcement(announcement),
            Happening::Registered { agent: "ada".into() },
        ];
        let shown_with = |right| {
            let mut shown = told.to_vec();
            withhold(&mut shown, Rights::NONE.with(right));
            shown
        };
        let hidden = vec![Happening::Episode { number: 2, seed: None }, told[2].clone()];
        assert_eq!(shown_with(Right::Act), hidden);
        assert_eq!(shown_with(Right::Host), hidden);
        assert_eq!(shown_with(Right::Observe), told);
        assert_eq!(shown_with(Right::Manage), told);
    }
}
