//! The percepts of robots and e-partners.

use situated::Percept;
use situated::iil::{EcoString, Parameter};

use crate::Color;
use crate::robot::State;

/// A percept of a robot or an e-partner (specification, "Percepts"), under its name in the specification. With the
/// parameter `names=code`, percepts have the names of the original's program.
#[derive(Clone, Debug, Percept)]
pub enum Percept {
    /// A place on the map.
    #[percept(once, say = "There is a place {place}.")]
    Place {
        /// Its name.
        place: EcoString,
    },
    /// A zone on the map.
    #[percept(once, entities("bot", "human"))]
    Zone {
        /// Its number.
        id: u32,
        /// Its name.
        name: EcoString,
        /// Its centre, in units from the left.
        x: f64,
        /// Its centre, in units from the top.
        y: f64,
        /// The names of the neighbouring zones.
        neighbours: Vec<EcoString>,
    },
    /// The player is in this room.
    #[percept(on_change_with_negation, say = "You are in {room}.")]
    In {
        /// The name of the room.
        room: EcoString,
    },
    /// The player is at or near this place.
    #[percept(on_change, say = "You are at or near {place}.")]
    At {
        /// The name of the place.
        place: EcoString,
    },
    /// The player is within reach of this block.
    #[percept(on_change_with_negation, say = "You can reach block {block}.", entities("bot", "human"))]
    AtBlock {
        /// The number of the block.
        block: u32,
    },
    /// A player is in this room, so no other can enter.
    #[percept(on_change_with_negation, say = "Somebody is in {room}.", entities("bot", "human"))]
    Occupied {
        /// The name of the room.
        room: EcoString,
    },
    /// A block in the same room has this colour.
    #[percept(always, say = "Block {block} is {color}.", entities("bot", "human"))]
    Color {
        /// The number of the block.
        block: u32,
        /// The colour, as the robot sees it.
        color: Color,
    },
    /// The player holds this block.
    #[percept(on_change_with_negation, say = "You hold block {block}.", entities("bot", "human"))]
    Holding {
        /// The number of the block.
        block: u32,
    },
    /// The player holds these blocks.
    #[percept(
        on_change,
        say = "You hold these blocks, the top one first: {blocks}.",
        name = "holdingblocks",
        entities("bot", "human")
    )]
    HoldingBlocks {
        /// Their numbers, the top one first.
        #[parameter(name = "blocks")]
        blocks: Vec<u32>,
    },
    /// The block that the player has just put down is lost. It is a result of `putDown`, and sent to nobody else.
    #[percept(
        event,
        say = "Block {block} is lost: only the colour that is needed now counts, and only in the drop zone.",
        entities("bot", "human")
    )]
    Lost {
        /// The number of the block.
        block: u32,
    },
    /// The number of blocks that the player can hold.
    #[percept(on_change, say = "Blocks that you can hold at once: {count}.", entities("bot", "human"))]
    GripperCapacity {
        /// The number.
        count: u32,
    },
    /// Another player.
    #[percept(on_change_with_negation, say = "Another player is {player}.")]
    Player {
        /// The name.
        player: EcoString,
    },
    /// The player's own name.
    #[percept(once, say = "Your name is {player}.")]
    OwnName {
        /// The name.
        player: EcoString,
    },
    /// The colours to deliver, in this order.
    #[percept(once, say = "Deliver these colours, in this order: {colors}.")]
    Sequence {
        /// The colours.
        colors: Vec<Color>,
    },
    /// The number of delivered colours of the sequence.
    #[percept(on_change, say = "Colours delivered so far: {index}.")]
    SequenceIndex {
        /// The number, which is also the index of the colour that is needed now, from 0.
        index: u32,
    },
    /// The state of the robot's movement.
    #[percept(on_change, say = "Your movement: {state}.", entities("bot", "human"))]
    State {
        /// Its state.
        state: State,
    },
    /// A message.
    #[percept(event, say = "{from} tells you: {content}")]
    Message {
        /// The sender.
        from: EcoString,
        /// The content.
        content: Parameter,
    },
    /// The position of an object: rooms and blockades, and objects in the same zone.
    #[percept(on_change, entities("bot", "human"))]
    Position {
        /// The number of the object.
        id: u32,
        /// Its centre, in units from the left.
        x: f64,
        /// Its centre, in units from the top.
        y: f64,
    },
    /// The robot's own number.
    #[percept(once, entities("bot", "human"))]
    Robot {
        /// The number.
        id: u32,
    },
    /// The player's own position.
    #[percept(on_change)]
    Location {
        /// Its centre, in units from the left.
        x: f64,
        /// Its centre, in units from the top.
        y: f64,
    },
    /// The size of the robot.
    #[percept(on_change, entities("bot", "human"))]
    RobotSize {
        /// Its number.
        id: u32,
        /// The width in units.
        width: f64,
        /// The height in units.
        height: f64,
    },
    /// The charge of the battery.
    #[percept(on_change, entities("bot", "human"))]
    Battery {
        /// In percent.
        #[parameter(range = 0.0..=100.0)]
        charge: f64,
    },
    /// The speed of the robot.
    #[percept(on_change, entities("bot", "human"))]
    Speed {
        /// A part of the greatest speed.
        #[parameter(range = 0.0..=1.0)]
        speed: f64,
    },
    /// Whether the robot is colour-blind: all blocks look dark gray to it.
    #[percept(once, name = "colorblind", entities("bot", "human"))]
    ColorBlind {
        /// Whether it is.
        #[parameter(name = "colorblind")]
        color_blind: bool,
    },
    /// Whether the last search for a way around obstacles failed.
    #[percept(on_change, entities("bot", "human"))]
    OldTargetUnreachable {
        /// The number of the robot.
        id: u32,
        /// 1 if it failed, else 0.
        #[parameter(range = 0..=1)]
        unreachable: u8,
    },
    /// An obstacle that the robot bumped into.
    #[percept(on_change_with_negation, entities("bot", "human"))]
    Bumped {
        /// The name of the robot or blockade.
        object: EcoString,
    },
    /// An e-partner in the same zone, or carried by the player.
    #[percept(always, name = "getEPartners", entities("human"))]
    GetEPartners {
        /// Its number.
        id: u32,
        /// Its name.
        name: EcoString,
        /// The number of the robot that carries it, or -1.
        holder: i64,
        /// Its functions.
        functions: Vec<Function>,
    },
    /// The original's name for `getEPartners`.
    #[percept(always, name = "epartner", entities("bot", "human"))]
    EPartner {
        /// Its number.
        id: u32,
        /// Its name.
        name: EcoString,
        /// The number of the robot that carries it, or -1.
        holder: i64,
        /// Its functions.
        functions: Vec<Function>,
    },
    /// The user asks to go to a place.
    #[percept(event, name = "goTo", entities("human"))]
    GoToPlace {
        /// The name of the place.
        place: EcoString,
    },
    /// The user asks to go to a point.
    #[percept(event, entities("human"))]
    GoTo {
        /// Units from the left.
        x: f64,
        /// Units from the top.
        y: f64,
    },
    /// The user asks to go to a block.
    #[percept(event, entities("human"))]
    GoToBlock {
        /// The number of the block.
        block: u32,
    },
    /// The user asks to pick up a block.
    #[percept(event, entities("human"))]
    PickUp {
        /// The number of the block.
        block: u32,
    },
    /// The user asks to put down a block.
    #[percept(event, entities("human"))]
    PutDown,
    /// The user asks to send a message.
    #[percept(event, entities("human"))]
    SendMessage {
        /// The name of the player, or `all`.
        to: EcoString,
        /// The message.
        content: Parameter,
    },
    /// The user asks to go around the obstacles.
    #[percept(event, entities("human"))]
    NavigateObstacles,
    /// The user asks to pick up an e-partner.
    #[percept(event, name = "pickUpEpartner", entities("human"))]
    PickUpEpartner,
    /// The original's name for `pickUpEpartner`.
    #[percept(event, entities("human"))]
    PickUpEPartner,
    /// The user asks to drop the e-partner.
    #[percept(event, entities("human"))]
    DropEPartner,
    /// The original's name for `dropEPartner`.
    #[percept(event, entities("human"))]
    PutDownEPartner,
    /// A function of the e-partner.
    #[percept(once, entities("epartner"))]
    GetFunctionalities {
        /// The function.
        function: Function,
    },
    /// The original's name for `getFunctionalities`.
    #[percept(once, entities("epartner"))]
    Functionality {
        /// The function.
        function: Function,
    },
    /// The robot that carries the e-partner; for a Forget-me-not.
    #[percept(on_change_with_negation, entities("epartner"))]
    HeldBy {
        /// The number of the robot.
        id: u32,
    },
    /// The e-partner is carried; for a Forget-me-not.
    #[percept(on_change_with_negation, entities("epartner"))]
    IsTaken {
        /// The number of the e-partner itself.
        id: u32,
    },
    /// Whether nobody carries the e-partner; for a Forget-me-not.
    #[percept(on_change, entities("epartner"))]
    LeftBehind {
        /// 1 if nobody carries it, else 0.
        #[parameter(range = 0..=1)]
        left: u8,
    },
    /// The zone in or near which the e-partner is; for a GPS.
    #[percept(on_change, entities("epartner"))]
    GetAt {
        /// The name of the zone.
        place: EcoString,
    },
    /// The position of the e-partner.
    #[percept(on_change, entities("epartner"))]
    GetLocation {
        /// Its centre, in units from the left.
        x: f64,
        /// Its centre, in units from the top.
        y: f64,
    },
    /// A room on the map; for a GPS.
    #[percept(once, entities("epartner"))]
    GetRooms {
        /// The name of the room.
        room: EcoString,
    },
    /// The room in which the e-partner is.
    #[percept(on_change_with_negation, entities("epartner"))]
    GetRoom {
        /// The name of the room.
        room: EcoString,
    },
}

/// A function of an e-partner (specification, "E-Partners").
#[derive(Clone, Copy, Debug, PartialEq, Eq, situated::ParameterType)]
#[parameter(name = "EPartnerFunction")]
pub enum Function {
    /// Shows the way.
    #[parameter(name = "GPS")]
    Gps,
    /// Notices being left behind.
    #[parameter(name = "Forget-me-not")]
    ForgetMeNot,
}
