//! The channels of a recording.

/// A channel of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channel {
    Episode,
    Inputs,
    Percepts,
    Checkpoints,
    Outcome,
    Crash,
}

impl Channel {
    /// All of them, in order of their numbers.
    pub(crate) const ALL: [Channel; 6] =
        [Channel::Episode, Channel::Inputs, Channel::Percepts, Channel::Checkpoints, Channel::Outcome, Channel::Crash];

    /// Its topic in the file.
    pub(crate) fn topic(self) -> &'static str {
        match self {
            Channel::Episode => "/episode",
            Channel::Inputs => "/inputs",
            Channel::Percepts => "/percepts",
            Channel::Checkpoints => "/checkpoints",
            Channel::Outcome => "/outcome",
            Channel::Crash => "/crash",
        }
    }

    /// The channel with this topic.
    pub(crate) fn with_topic(topic: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|channel| channel.topic() == topic)
    }

    /// The name of its schema.
    pub(crate) fn schema_name(self) -> &'static str {
        match self {
            Channel::Episode => "situated.EpisodeBegun",
            Channel::Inputs => "situated.InputGiven",
            Channel::Percepts => "situated.PerceptsTold",
            Channel::Checkpoints => "situated.Checkpoint",
            Channel::Outcome => "situated.EpisodeOutcome",
            Channel::Crash => "situated.Crash",
        }
    }

    /// The JSON Schema of its entries, which files carry for other programs.
    pub(crate) fn schema(self) -> &'static str {
        match self {
            Channel::Episode => include_str!("../schemas/EpisodeBegun.json"),
            Channel::Inputs => include_str!("../schemas/InputGiven.json"),
            Channel::Percepts => include_str!("../schemas/PerceptsTold.json"),
            Channel::Checkpoints => include_str!("../schemas/Checkpoint.json"),
            Channel::Outcome => include_str!("../schemas/EpisodeOutcome.json"),
            Channel::Crash => include_str!("../schemas/Crash.json"),
        }
    }
}
