//! Scenario files of the original: XML with the root `bw4TClientConfig`.
//!
//! Unknown elements are skipped, such as those of older files. If an element that should be unique occurs several
//! times, the last one counts. Missing elements have the defaults of the original.

use super::check::{FileFormat, TeamPart};
use super::{AgentFile, BatterySetting, BotType, Bots, Original, Partners, Setting, Team};
use crate::xml::{self, Element, FileError, Kind, Writer, label};

const KIND: Kind = Kind { name: "team", root: "bw4TClientConfig" };

/// The element around the kinds of robots, and the element of each kind.
const BOTS: (&str, &str) = ("bots", "bot");

/// The element around the kinds of e-partners, and the element of each kind.
const PARTNERS: (&str, &str) = ("epartners", "epartner");

/// The controllers of robots, as files name them.
const CONTROLLERS: [(&str, BotType); 2] = [("AGENT", BotType::Bot), ("HUMAN", BotType::Human)];

impl Team {
    /// Reads a scenario file of the original, and [checks](Team::check) it.
    ///
    /// # Errors
    /// Returns an error if the text is not XML, has another root, contains a value of the wrong type, or if the team
    /// is invalid. Errors name a line and an element: `line 12, <bot> Big: <botSize> ...`.
    pub fn from_xml(text: &str) -> Result<Self, FileError> {
        xml::read(text, KIND, |root| {
            let team = Self {
                bots: kinds(root, BOTS)
                    .map(|bot| read_bots(bot).map_err(|flaw| at(bot, "botName", flaw)))
                    .collect::<Result<_, _>>()?,
                partners: kinds(root, PARTNERS)
                    .map(|partner| read_partners(partner).map_err(|flaw| at(partner, "epartnerName", flaw)))
                    .collect::<Result<_, _>>()?,
                original: read_original(root)?,
            };
            team.find_flaw().map_err(|flaw| {
                let place = match flaw.place {
                    TeamPart::Team => Some(root),
                    TeamPart::Bots(index) => kinds(root, BOTS).nth(index),
                    TeamPart::Partners(index) => kinds(root, PARTNERS).nth(index),
                };
                let line = place.map(|place| place.child(flaw.field.element).unwrap_or(place).line());
                flaw.error(&team, FileFormat::Xml, line)
            })?;
            Ok(team)
        })
    }

    /// Returns the team as a scenario file of the original. [`Team::from_xml`] reads it as an equal team, if this one
    /// is [sound](Team::check), except that the format does not support a custom battery use.
    pub fn to_xml(&self) -> String {
        Writer::write(KIND.root, |writer| {
            write_original(writer, &self.original);
            writer.element(BOTS.0, |writer| self.bots.iter().for_each(|bots| write_bots(writer, bots)));
            writer.element(PARTNERS.0, |writer| {
                self.partners.iter().for_each(|partners| write_partners(writer, partners))
            });
        })
    }
}

fn kinds<'a>(root: Element<'a>, (all, each): (&str, &'static str)) -> impl Iterator<Item = Element<'a>> {
    root.child(all).into_iter().flat_map(move |all| all.children(each))
}

/// Adds the name of the kind to a flaw.
fn at(kind: Element<'_>, name: &str, flaw: FileError) -> FileError {
    let name = kind.child(name).map_or(String::new(), Element::text);
    FileError { part: label(kind.name(), &name), ..flaw }
}

fn read_bots(bot: Element<'_>) -> Result<Bots, FileError> {
    let usual = Bots::default();
    let controller = bot.child("botController").map(|child| child.one_of(&CONTROLLERS)).transpose()?;
    Ok(Bots {
        name: text(bot, "botName", usual.name),
        amount: count(bot, "botAmount", usual.amount)?,
        of: controller.unwrap_or(usual.of),
        size: Setting {
            value: number(bot, "botSize", usual.size.value)?,
            enabled: truth_value(bot, "sizeOverloadHandicap", usual.size.enabled)?,
        },
        speed: Setting {
            value: number(bot, "botSpeed", usual.speed.value)?,
            enabled: truth_value(bot, "moveSpeedHandicap", usual.speed.enabled)?,
        },
        grippers: Setting {
            value: count(bot, "grippers", usual.grippers.value)?,
            enabled: !truth_value(bot, "gripperHandicap", !usual.grippers.enabled)?,
        },
        battery: BatterySetting {
            capacity: number(bot, "botBatteryCapacity", usual.battery.capacity)?,
            enabled: truth_value(bot, "batteryEnabled", usual.battery.enabled)?,
            use_per_step: None,
        },
        color_blind: truth_value(bot, "colorBlindHandicap", usual.color_blind)?,
        agent: read_agent(bot),
    })
}

fn read_partners(partner: Element<'_>) -> Result<Partners, FileError> {
    let usual = Partners::default();
    Ok(Partners {
        name: text(partner, "epartnerName", usual.name),
        amount: count(partner, "epartnerAmount", usual.amount)?,
        gps: truth_value(partner, "gps", usual.gps)?,
        forget_me_not: truth_value(partner, "forgetMeNot", usual.forget_me_not)?,
        agent: read_agent(partner),
    })
}

fn read_agent(kind: Element<'_>) -> AgentFile {
    let usual = AgentFile::default();
    AgentFile { file: text(kind, "fileName", usual.file), reference: text(kind, "referenceName", usual.reference) }
}

fn read_original(root: Element<'_>) -> Result<Original, FileError> {
    let usual = Original::default();
    let port = |name, usual| root.child(name).map_or(Ok(usual), |child| child.value("a port from 0 to 65535"));
    let said = |name| root.child(name).map(Element::truth_value).transpose();
    Ok(Original {
        client_ip: text(root, "clientIp", usual.client_ip),
        client_port: port("clientPort", usual.client_port)?,
        server_ip: text(root, "serverIp", usual.server_ip),
        server_port: port("serverPort", usual.server_port)?,
        launch_gui: truth_value(root, "launchGui", usual.launch_gui)?,
        use_goal: truth_value(root, "useGoal", usual.use_goal)?,
        map_file: text(root, "mapFile", usual.map_file),
        visualize_paths: said("visualizePaths")?,
        enable_collisions: said("enableCollisions")?,
    })
}

fn text(element: Element<'_>, name: &str, usual: String) -> String {
    element.child(name).map_or(usual, Element::text)
}

fn number(element: Element<'_>, name: &str, usual: f64) -> Result<f64, FileError> {
    element.child(name).map_or(Ok(usual), |child| child.value("a number"))
}

fn count(element: Element<'_>, name: &str, usual: u32) -> Result<u32, FileError> {
    element.child(name).map_or(Ok(usual), |child| child.value("a whole number from 0"))
}

fn truth_value(element: Element<'_>, name: &str, usual: bool) -> Result<bool, FileError> {
    element.child(name).map_or(Ok(usual), Element::truth_value)
}

fn write_original(writer: &mut Writer, original: &Original) {
    writer.value("clientIp", &original.client_ip);
    writer.value("clientPort", original.client_port);
    writer.value("serverIp", &original.server_ip);
    writer.value("serverPort", original.server_port);
    writer.value("launchGui", original.launch_gui);
    writer.value("useGoal", original.use_goal);
    writer.value("mapFile", &original.map_file);
    for (name, said) in [("visualizePaths", original.visualize_paths), ("enableCollisions", original.enable_collisions)]
    {
        if let Some(value) = said {
            writer.value(name, value);
        }
    }
}

fn write_bots(writer: &mut Writer, bots: &Bots) {
    let controller = CONTROLLERS.iter().find(|(_, of)| *of == bots.of).map_or("", |(name, _)| name);
    writer.element(BOTS.1, |writer| {
        writer.value("botName", &bots.name);
        writer.value("botController", controller);
        writer.value("botAmount", bots.amount);
        writer.value("botSize", bots.size.value);
        writer.value("botSpeed", bots.speed.value);
        writer.value("botBatteryCapacity", bots.battery.capacity);
        writer.value("batteryEnabled", bots.battery.enabled);
        writer.value("grippers", bots.grippers.value);
        writer.value("colorBlindHandicap", bots.color_blind);
        writer.value("gripperHandicap", !bots.grippers.enabled);
        writer.value("moveSpeedHandicap", bots.speed.enabled);
        writer.value("sizeOverloadHandicap", bots.size.enabled);
        write_agent(writer, &bots.agent);
    });
}

fn write_partners(writer: &mut Writer, partners: &Partners) {
    writer.element(PARTNERS.1, |writer| {
        writer.value("epartnerName", &partners.name);
        writer.value("epartnerAmount", partners.amount);
        writer.value("gps", partners.gps);
        writer.value("forgetMeNot", partners.forget_me_not);
        write_agent(writer, &partners.agent);
    });
}

fn write_agent(writer: &mut Writer, agent: &AgentFile) {
    writer.value("fileName", &agent.file);
    writer.value("referenceName", &agent.reference);
}
