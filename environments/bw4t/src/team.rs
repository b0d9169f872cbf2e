//! Teams: the robots and e-partners at the beginning of an episode.
//!
//! A [`Team`] is read from a scenario file of the original ([`Team::from_xml`]) or from the same in TOML
//! ([`Team::from_toml`]); [`Team::read`] detects the format. [`Team::check`] checks whether a team is valid.

pub mod check;
mod examine;
mod toml;
mod xml;

use serde::{Deserialize, Serialize};

use crate::map::Standard;
use crate::robot::{Battery, Build};
use crate::world::Functions;
use crate::xml::FileError;

/// The type of robots.
pub const BOT: &str = "bot";
/// The type of robots that humans control.
pub const HUMAN: &str = "human";
/// The type of e-partners.
pub const EPARTNER: &str = "epartner";

/// Battery use of a robot of size 1 because of its size, in each step in which it moves, in units of capacity.
pub const USE_FOR_SIZE: f64 = 0.0002;

/// Battery use of a robot for each percent of speed, in each step in which it moves, in units of capacity.
pub const USE_FOR_SPEED: f64 = 0.0004;

/// The robots and e-partners at the beginning of an episode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Team {
    /// The robots, in the order of their creation.
    pub bots: Vec<Bots>,
    /// The e-partners, which are created after all robots.
    #[serde(rename = "epartners")]
    pub partners: Vec<Partners>,
    /// Settings that only the original uses.
    #[serde(skip_serializing_if = "is_usual")]
    pub original: Original,
}

/// A number of identical robots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Bots {
    /// The name, to which a number is appended: `Bot_1`.
    pub name: String,
    /// Their number.
    pub amount: u32,
    /// Whether humans control them.
    #[serde(rename = "type", skip_serializing_if = "is_usual")]
    pub of: BotType,
    /// The edge of each robot's square, in units: 1 to 5. If disabled, 2.
    #[serde(skip_serializing_if = "is_usual_size")]
    pub size: Setting<f64>,
    /// The share of the greatest speed, in percent: 0 to 100. If disabled, 50.
    #[serde(skip_serializing_if = "is_usual_speed")]
    pub speed: Setting<f64>,
    /// Number of blocks that each can hold. If disabled, 0.
    #[serde(skip_serializing_if = "is_usual_grippers")]
    pub grippers: Setting<u32>,
    /// The battery.
    #[serde(skip_serializing_if = "is_usual")]
    pub battery: BatterySetting,
    /// Whether all blocks look dark gray to them.
    #[serde(skip_serializing_if = "is_usual")]
    pub color_blind: bool,
    /// The program that the original starts for each robot.
    #[serde(skip_serializing_if = "is_usual")]
    pub agent: AgentFile,
}

/// A number of identical e-partners.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Partners {
    /// The name, to which a number is appended: `E-Partner_1`.
    pub name: String,
    /// Their number.
    pub amount: u32,
    /// Whether each knows its position, and the rooms.
    pub gps: bool,
    /// Whether each notices being left behind.
    pub forget_me_not: bool,
    /// The program that the original starts for each e-partner.
    #[serde(skip_serializing_if = "is_usual")]
    pub agent: AgentFile,
}

/// The controller of a robot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BotType {
    /// A program: its entity is of the type `bot`.
    #[default]
    Bot,
    /// A human: its entity is of the type `human`, and can carry an e-partner.
    Human,
}

/// A value that a file gives, and whether it has an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "toml::Written<T>", into = "toml::Written<T>")]
#[serde(bound(serialize = "T: Clone + Serialize", deserialize = "T: Deserialize<'de>"))]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// Whether it has an effect.
    pub enabled: bool,
}

/// The battery of a robot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default = "BatterySetting::enabled", deny_unknown_fields)]
pub struct BatterySetting {
    /// The full capacity, in arbitrary units: more than 0.
    pub capacity: f64,
    /// Whether it runs down.
    pub enabled: bool,
    /// Use in a step in which the robot moves, in units of capacity. The default depends on [size](USE_FOR_SIZE) and
    /// [speed](USE_FOR_SPEED). The original's format does not support it.
    #[serde(rename = "use", skip_serializing_if = "Option::is_none")]
    pub use_per_step: Option<f64>,
}

impl Team {
    /// Creates a team with this number of default robots.
    pub fn of_bots(amount: u32) -> Self {
        Self { bots: vec![Bots { amount, ..Bots::default() }], ..Self::default() }
    }

    /// Reads a scenario file: in the original's format if it begins with `<`, and otherwise in TOML.
    ///
    /// # Errors
    /// Returns an error as [`Team::from_xml`] and [`Team::from_toml`] do.
    pub fn read(text: &str) -> Result<Self, FileError> {
        if text.trim_start_matches(['\u{FEFF}', ' ', '\t', '\r', '\n']).starts_with('<') {
            Self::from_xml(text)
        } else {
            Self::from_toml(text)
        }
    }
}

impl Bots {
    const SIZE: Setting<f64> = Setting { value: 2.0, enabled: false };
    const SPEED: Setting<f64> = Setting { value: 50.0, enabled: false };
    const GRIPPERS: Setting<u32> = Setting { value: 1, enabled: true };

    /// Returns the properties of each robot.
    pub fn build(&self) -> Build {
        Build {
            human: self.of == BotType::Human,
            size: self.size.effect().unwrap_or(Self::SIZE.value),
            speed: self.speed.effect().unwrap_or(Self::SPEED.value) / 100.0,
            grippers: self.grippers.effect().map_or(0, |count| count as usize),
            battery: self
                .battery
                .enabled
                .then(|| Battery { capacity: self.battery.capacity, use_per_tick: self.battery_use() }),
            color_blind: self.color_blind,
        }
    }

    /// Returns the type of their entities.
    pub fn entity_type(&self) -> &'static str {
        match self.of {
            BotType::Bot => BOT,
            BotType::Human => HUMAN,
        }
    }

    /// Returns the battery use of each robot in a step in which it moves, in units of capacity. It depends on size
    /// and speed as the file gives them, even if they are disabled.
    pub fn battery_use(&self) -> f64 {
        let usual = || USE_FOR_SIZE * self.size.value + USE_FOR_SPEED * self.speed.value;
        self.battery.use_per_step.unwrap_or_else(usual)
    }
}

impl Partners {
    /// Returns the functions of each e-partner.
    pub fn functions(&self) -> Functions {
        let Self { gps, forget_me_not, .. } = *self;
        Functions { gps, forget_me_not }
    }
}

impl<T: Copy> Setting<T> {
    /// Returns the value, if it has an effect.
    pub fn effect(&self) -> Option<T> {
        self.enabled.then_some(self.value)
    }
}

impl BatterySetting {
    /// The default battery for files that enable it.
    fn enabled() -> Self {
        Self { enabled: true, ..Self::default() }
    }
}

impl Default for Bots {
    fn default() -> Self {
        Self {
            name: "Bot".to_owned(),
            amount: 1,
            of: BotType::Bot,
            size: Self::SIZE,
            speed: Self::SPEED,
            grippers: Self::GRIPPERS,
            battery: BatterySetting::default(),
            color_blind: false,
            agent: AgentFile::default(),
        }
    }
}

impl Default for Partners {
    fn default() -> Self {
        Self { name: "E-Partner".to_owned(), amount: 1, gps: false, forget_me_not: false, agent: AgentFile::default() }
    }
}

impl Default for BatterySetting {
    fn default() -> Self {
        Self { capacity: 10.0, enabled: false, use_per_step: None }
    }
}

fn is_usual<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn is_usual_size(size: &Setting<f64>) -> bool {
    *size == Bots::SIZE
}

fn is_usual_speed(speed: &Setting<f64>) -> bool {
    *speed == Bots::SPEED
}

fn is_usual_grippers(grippers: &Setting<u32>) -> bool {
    *grippers == Bots::GRIPPERS
}

/// The settings of a scenario file for the original's programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Original {
    /// The host of the client.
    pub client_ip: String,
    /// The port of the client.
    pub client_port: u16,
    /// The host of the server.
    pub server_ip: String,
    /// The port of the server.
    pub server_port: u16,
    /// Whether the client opens a window for each robot.
    pub launch_gui: bool,
    /// Whether agents are GOAL agents, instead of objects of the class that the client loads.
    pub use_goal: bool,
    /// The path of the map on the machine where the file was made. It is the default of the parameter `map` if it
    /// names a [map of the original](Original::standard_map).
    pub map_file: String,
    /// Whether the server shows the ways of robots; only in old files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visualize_paths: Option<bool>,
    /// Whether robots collide; only in old files, and the original ignores it. It is the default of the parameter
    /// `collisions`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enable_collisions: Option<bool>,
}

/// The program that the original starts for each robot or e-partner of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AgentFile {
    /// The name of its file.
    pub file: String,
    /// Its name in the project of agents.
    pub reference: String,
}

impl Original {
    /// Returns the map of the original with the same file name, in any folder, with or without `.map`.
    pub fn standard_map(&self) -> Option<Standard> {
        let name = self.map_file.rsplit(['/', '\\']).next()?;
        Standard::find(name.strip_suffix(".map").unwrap_or(name))
    }
}

impl Default for Original {
    fn default() -> Self {
        Self {
            client_ip: "localhost".to_owned(),
            client_port: 2000,
            server_ip: "localhost".to_owned(),
            server_port: 8000,
            launch_gui: false,
            use_goal: true,
            map_file: String::new(),
            visualize_paths: None,
            enable_collisions: None,
        }
    }
}

impl Default for AgentFile {
    fn default() -> Self {
        Self { file: "*.goal".to_owned(), reference: String::new() }
    }
}
