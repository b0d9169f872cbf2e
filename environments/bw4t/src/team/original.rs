//! What scenario files of the original say of its programs, most of which has no meaning here. It is kept, so that a file
//! can be written as it was read.

use serde::{Deserialize, Serialize};

use crate::map::Standard;

/// What a scenario file says of the original's programs.
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
    /// Whether agents are GOAL's, and not of the class that the client loads.
    pub use_goal: bool,
    /// The path of the map on the machine where the file was made. Here it counts where the parameter `map` is not given,
    /// if it is that of a map that [ships with the world](Original::standard_map).
    pub map_file: String,
    /// Whether the server shows where robots go; only old files say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visualize_paths: Option<bool>,
    /// Whether robots collide; only old files say it, and the original does not heed it. Here it counts where the
    /// parameter `collisions` is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enable_collisions: Option<bool>,
}

/// The program that the original starts for each body of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AgentFile {
    /// The name of its file.
    pub file: String,
    /// What the project of agents calls it.
    pub reference: String,
}

impl Original {
    /// The map that ships with the world and is called like the file of the map, whatever its folder and with or
    /// without `.map`.
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
