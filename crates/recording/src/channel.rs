//! The channels of a recording.

/// A channel of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channel {
    Episode,
    Inputs,
    Percepts,
    Remarks,
    Messages,
    Checkpoints,
    Outcome,
    Crash,
    Scenes,
}

/// The topic of each channel in the file, the name of its schema, and the JSON Schema of its entries, which files carry
/// for other programs.
const DECLARED: [(&str, &str, &str); Channel::ALL.len()] = [
    ("/episode", "situated.EpisodeBegun", include_str!("../schemas/EpisodeBegun.json")),
    ("/inputs", "situated.InputGiven", include_str!("../schemas/InputGiven.json")),
    ("/percepts", "situated.PerceptsTold", include_str!("../schemas/PerceptsTold.json")),
    ("/remarks", "situated.RemarkMade", include_str!("../schemas/RemarkMade.json")),
    ("/messages", "situated.MessageSent", include_str!("../schemas/MessageSent.json")),
    ("/checkpoints", "situated.Checkpoint", include_str!("../schemas/Checkpoint.json")),
    ("/outcome", "situated.EpisodeOutcome", include_str!("../schemas/EpisodeOutcome.json")),
    ("/crash", "situated.Crash", include_str!("../schemas/Crash.json")),
    ("/scenes", "situated.SceneChanged", include_str!("../schemas/SceneChanged.json")),
];

impl Channel {
    /// All channels, in order of their numbers.
    pub(crate) const ALL: [Channel; 9] = [
        Channel::Episode,
        Channel::Inputs,
        Channel::Percepts,
        Channel::Remarks,
        Channel::Messages,
        Channel::Checkpoints,
        Channel::Outcome,
        Channel::Crash,
        Channel::Scenes,
    ];

    /// The topic, the name of the schema, and the schema.
    pub(crate) fn declared(self) -> (&'static str, &'static str, &'static str) {
        DECLARED[self as usize]
    }

    /// The topic in the file.
    pub(crate) fn topic(self) -> &'static str {
        self.declared().0
    }

    /// The channel with this topic.
    pub(crate) fn with_topic(topic: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|channel| channel.topic() == topic)
    }
}
