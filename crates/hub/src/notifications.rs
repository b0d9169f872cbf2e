//! The notifications that the hub sends to sessions. They lend their contents.

use situated::host::HostTask;
use situated::iil::EcoString;
use situated::interface::{Drained, Happening, Moment, Perception};
use situated::scene::{Scene, Shape};
use situated_runtime::ActionSeen;

use crate::answers::EnvironmentStatus;
use crate::error::Error;
use crate::rights::{Right, Rights};

/// A notification for a session.
#[derive(Debug)]
pub enum Notification<'a> {
    /// Environments have come or gone, or their states have changed.
    Environments {
        /// The subscription.
        subscription: u64,
        /// All environments, by name.
        environments: &'a [EnvironmentStatus],
    },
    /// Something has happened to an environment.
    Happenings {
        /// The subscription.
        subscription: u64,
        /// The status of the environment.
        status: &'a EnvironmentStatus,
        /// The happenings, in order, and how many were missed.
        happenings: Drained,
        /// Whether the happenings list the current situation instead of what has changed.
        anew: bool,
    },
    /// An agent perceives something.
    Percepts {
        /// The subscription.
        subscription: u64,
        /// The environment.
        environment: &'a EcoString,
        /// The moment.
        moment: Moment,
        /// The agent.
        agent: &'a EcoString,
        /// The perception of each entity for which there is something new.
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
        /// The shapes that have changed, with their places.
        changed: &'a [(usize, &'a Shape)],
    },
    /// An entity has perceived or done something, or any entity has done something.
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
        /// How many earlier actions were missed.
        missed: u64,
    },
    /// A subscription has ended by itself.
    Ended {
        /// The subscription.
        subscription: u64,
        /// The reason.
        reason: &'a Error,
    },
    /// A request to the host of an environment, which this session is. [`AnswerHostRequest`](crate::AnswerHostRequest) answers it.
    HostRequest {
        /// The environment.
        environment: &'a EcoString,
        /// The number of the request.
        number: u64,
        /// The task of the host.
        task: HostTask,
    },
}

/// Removes what needs rights other than these from happenings: seeds, from which hidden state follows, and announcements,
/// which an environment makes to observers alone.
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
