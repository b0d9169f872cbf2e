//! The notifications that the hub sends to sessions. They lend their contents.

use situated::host::HostTask;
use situated::iil::EcoString;
use situated::interface::{Drained, Moment, Perception};
use situated::scene::{Scene, Shape};
use situated_runtime::ActionSeen;

use crate::answers::EnvironmentStatus;
use crate::error::Error;

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
