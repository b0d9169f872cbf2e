//! A menu under construction: the player, the player's knowledge, and the items.

use situated::environment::EntityId;
use situated::iil::{EcoString, Parameter};
use situated::menu::{Menu, MenuItem, MenuRequest};

use crate::action::{Action, described};
use crate::messages::{Dialect, Message};
use crate::robot::Robot;
use crate::world::{EPartner, World};
use crate::{Color, Names};

/// Maximum number of players, and of rooms, that get an item each. Others can be named with the action `sendMessage`
/// itself.
const MOST_PLAYERS: usize = 8;
const MOST_ROOMS: usize = 30;

/// The receiver of messages to all others, in actions and in the percepts of agents of a human body.
const ALL: &str = "all";
const ALL_OTHERS: &str = "allother";

pub(super) const COMMANDS: &str = "Commands";
pub(super) const AT_HAND: &str = "At hand";
pub(super) const TELL: &str = "Tell";
pub(super) const ASK: &str = "Ask";

/// The choices for a person who plays an entity.
pub(super) struct Offers<'a> {
    pub(super) world: &'a World,
    /// `None` for an e-partner.
    pub(super) robot: Option<&'a Robot>,
    /// `None` for a robot.
    pub(super) partner: Option<&'a EPartner>,
    entity: EntityId,
    me: &'a str,
    names: Names,
    /// Whether the chosen action is passed to the other agents of this body.
    is_asked: bool,
    /// Whether the person points at something. A click then does what leads there.
    points: bool,
    items: Vec<MenuItem<Action>>,
}

impl<'a> Offers<'a> {
    /// Returns `None` if there is no such body.
    pub(super) fn to(world: &'a World, names: Names, entity: EntityId, request: &MenuRequest) -> Option<Self> {
        let (robot, partner) = (world.robot(entity), world.partner(entity));
        let me = robot.map(|robot| robot.name.as_str()).or(partner.map(|partner| partner.name.as_str()))?;
        let is_asked = request.shared && robot.is_some_and(|robot| robot.build.human);
        Some(Self {
            world,
            robot,
            partner,
            entity,
            me,
            names,
            is_asked,
            points: request.at.is_some(),
            items: Vec::new(),
        })
    }

    pub(super) fn finish(self, subject: impl Into<EcoString>) -> Menu<Action> {
        Menu { subject: subject.into(), items: self.items }
    }

    pub(super) fn command(&mut self, label: impl Into<EcoString>, action: Action) {
        self.offer(&[COMMANDS], label.into(), action);
    }

    /// Offers an action with what is within reach.
    pub(super) fn command_at_hand(&mut self, label: impl Into<EcoString>, action: Action) {
        self.offer(&[AT_HAND], label.into(), action);
    }

    /// Offers a message to all others.
    pub(super) fn say(&mut self, sections: &[&str], message: &Message) {
        self.send(sections, if self.is_asked { ALL_OTHERS } else { ALL }, message);
    }

    /// Offers a message: people read sentences, and the agents of their bodies terms.
    pub(super) fn send(&mut self, sections: &[&str], to: &str, message: &Message) {
        let dialect = if self.names == Names::Code { Dialect::Code } else { Dialect::Specification };
        let sentence = message.to_english(dialect);
        let content = if self.is_asked { message.to_term(self.me) } else { Parameter::from(sentence.as_str()) };
        self.offer(sections, sentence.into(), Action::SendMessage { to: to.into(), content });
    }

    /// Offers a message as a button of its own.
    pub(super) fn suggest(&mut self, section: &str, to: &str, message: &Message) {
        self.send(&[section], to, message);
        self.items.iter_mut().rev().take(1).for_each(|item| item.direct = true);
    }

    /// Offers a text that is no message of the language. Robots do not understand it, but people do.
    pub(super) fn say_freely(&mut self, text: &str) {
        let to = if self.is_asked { ALL_OTHERS } else { ALL };
        self.offer(&[TELL], text.into(), Action::SendMessage { to: to.into(), content: text.into() });
    }

    fn offer(&mut self, sections: &[&str], label: EcoString, action: Action) {
        let is_command = sections.first().is_some_and(|title| [COMMANDS, AT_HAND].contains(title));
        let direct = is_command && (!self.points || leads_to_the_point(&action));
        let action = if self.is_asked { Action::Select { action: described(&action) } } else { action };
        let sections = sections.iter().map(|title| EcoString::from(*title)).collect();
        self.items.push(MenuItem { sections, label, direct, action });
    }

    /// Returns the colour as the body sees it; `None` if it is colour-blind.
    pub(super) fn seen(&self, color: Color) -> Option<Color> {
        let is_blind = self.robot.is_some_and(|robot| robot.build.color_blind);
        (!is_blind).then_some(color)
    }

    /// Returns the name of a colour as the body sees it.
    pub(super) fn name_of(&self, color: Color) -> &'static str {
        self.seen(color).map_or("Unknown", Color::name)
    }

    /// Returns the colours that blocks can have.
    pub(super) fn colors(&self) -> Vec<Color> {
        self.world.ground().colors().iter().filter_map(|color| self.seen(*color)).collect()
    }

    /// Returns the colours left to deliver, each once.
    pub(super) fn needed(&self) -> Vec<Color> {
        distinct(self.world.sequence()[self.world.delivered()..].iter().filter_map(|color| self.seen(*color)))
    }

    /// Returns the colours of the blocks that it holds, each once, starting with the top one.
    pub(super) fn held(&self) -> Vec<Color> {
        let load = self.robot.iter().flat_map(|robot| robot.load.iter().rev());
        distinct(load.filter_map(|block| self.seen(self.world.blocks()[*block].color)))
    }

    pub(super) fn holds_blocks(&self) -> bool {
        self.robot.is_some_and(|robot| !robot.load.is_empty())
    }

    /// Returns the rooms that can contain blocks.
    pub(super) fn rooms(&self) -> impl Iterator<Item = EcoString> + use<'a> {
        let ground = self.world.ground();
        ground.rooms().iter().take(MOST_ROOMS).map(|room| ground.zone(*room).name.clone())
    }

    /// Returns the other players that control robots.
    pub(super) fn players(&self) -> impl Iterator<Item = EcoString> + use<'a> {
        let (robots, me) = (self.world.robots().iter(), self.entity);
        let others = robots.filter(move |robot| robot.taken && robot.entity != me);
        others.take(MOST_PLAYERS).map(|robot| robot.name.clone())
    }

    /// Returns the names of all places.
    pub(super) fn places(&self) -> impl Iterator<Item = &'a EcoString> + use<'a> {
        self.world.ground().zones().iter().map(|zone| &zone.name)
    }

    /// Returns the names of all players, its own included.
    pub(super) fn everybody(&self) -> impl Iterator<Item = &'a EcoString> + use<'a> {
        let robots = self.world.robots().iter().map(|robot| (robot.taken, robot.entity, &robot.name));
        let partners = self.world.partners().iter().map(|partner| (partner.taken, partner.entity, &partner.name));
        let me = self.entity;
        robots.chain(partners).filter(move |(taken, entity, _)| *taken || *entity == me).map(|(_, _, name)| name)
    }

    /// Returns the e-partners that it perceives.
    pub(super) fn partners(&self) -> impl Iterator<Item = &'a EPartner> + use<'a> {
        let knows_them = |robot: &&Robot| robot.build.human || self.names == Names::Code;
        let viewer = self.robot.filter(knows_them);
        self.world.partners().iter().filter(move |partner| viewer.is_some_and(|robot| partner.is_seen_by(robot)))
    }
}

/// Whether an action takes a robot to the thing at the point, or uses that thing.
fn leads_to_the_point(action: &Action) -> bool {
    !matches!(action, Action::NavigateObstacles | Action::PutDown | Action::DropEPartner)
}

fn distinct(colors: impl Iterator<Item = Color>) -> Vec<Color> {
    let mut distinct = Vec::new();
    for color in colors {
        if !distinct.contains(&color) {
            distinct.push(color);
        }
    }
    distinct
}
