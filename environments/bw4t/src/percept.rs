//! What robots and e-partners can perceive, and when.

use situated::Percept;
use situated::iil::{EcoString, Parameter};

use crate::Color;
use crate::robot::State;

/// What a robot or an e-partner can perceive (specification, "Percepts"), under the names of the specification; those of the
/// original's program are told instead with the parameter `names=code`.
#[derive(Clone, Debug, Percept)]
pub enum Percept {
    /// There is such a place.
    #[percept(once)]
    Place {
        /// Its name.
        place: EcoString,
    },
    /// There is such a zone.
    #[percept(once, entities("bot", "human"))]
    Zone {
        /// Its number.
        id: u32,
        /// Its name.
        name: EcoString,
        /// Its centre, in units from the left.
        x: f64,
        /// Its centre, in units from above.
        y: f64,
        /// The names of the zones to which one can go from it.
        neighbours: Vec<EcoString>,
    },
    /// The player is in this room.
    #[percept(on_change_with_negation)]
    In {
        /// The name of the room.
        room: EcoString,
    },
    /// The player is at or near this place.
    #[percept(on_change)]
    At {
        /// The name of the place.
        place: EcoString,
    },
    /// The player is within reach of this block.
    #[percept(on_change_with_negation, entities("bot", "human"))]
    AtBlock {
        /// The number of the block.
        block: u32,
    },
    /// There is somebody in this room, so that it cannot be entered.
    #[percept(on_change_with_negation, entities("bot", "human"))]
    Occupied {
        /// The name of the room.
        room: EcoString,
    },
    /// A block in the same room has this colour.
    #[percept(always, entities("bot", "human"))]
    Color {
        /// The number of the block.
        block: u32,
        /// The colour, as the robot sees it.
        color: Color,
    },
    /// The player holds this block.
    #[percept(on_change_with_negation, entities("bot", "human"))]
    Holding {
        /// The number of the block.
        block: u32,
    },
    /// The player holds these blocks.
    #[percept(on_change, name = "holdingblocks", entities("bot", "human"))]
    HoldingBlocks {
        /// Their numbers, the top one first.
        #[parameter(name = "blocks")]
        blocks: Vec<u32>,
    },
    /// The player can hold so many blocks.
    #[percept(on_change, entities("bot", "human"))]
    GripperCapacity {
        /// How many.
        count: u32,
    },
    /// There is another player of this name.
    #[percept(on_change_with_negation)]
    Player {
        /// The name.
        player: EcoString,
    },
    /// This is the player's own name.
    #[percept(once)]
    OwnName {
        /// The name.
        player: EcoString,
    },
    /// These colours are to be delivered, in this order.
    #[percept(once)]
    Sequence {
        /// The colours.
        colors: Vec<Color>,
    },
    /// So many colours of the sequence have been delivered.
    #[percept(on_change)]
    SequenceIndex {
        /// How many: the place of the colour that is needed now, counted from 0.
        index: u32,
    },
    /// Whether the robot is going somewhere.
    #[percept(on_change, entities("bot", "human"))]
    State {
        /// Its state.
        state: State,
    },
    /// A message has come.
    #[percept(event)]
    Message {
        /// The player who has sent it.
        from: EcoString,
        /// What it says.
        content: Parameter,
    },
    /// An object is there: rooms and blockades, and what there is in the same zone.
    #[percept(on_change, entities("bot", "human"))]
    Position {
        /// The number of the object.
        id: u32,
        /// Its centre, in units from the left.
        x: f64,
        /// Its centre, in units from above.
        y: f64,
    },
    /// The robot has this number.
    #[percept(once, entities("bot", "human"))]
    Robot {
        /// The number.
        id: u32,
    },
    /// The player is here.
    #[percept(on_change)]
    Location {
        /// Its centre, in units from the left.
        x: f64,
        /// Its centre, in units from above.
        y: f64,
    },
    /// The robot takes up so much.
    #[percept(on_change, entities("bot", "human"))]
    RobotSize {
        /// Its number.
        id: u32,
        /// From left to right, in units.
        width: f64,
        /// From top to bottom, in units.
        height: f64,
    },
    /// The battery is so full.
    #[percept(on_change, entities("bot", "human"))]
    Battery {
        /// In percent.
        charge: f64,
    },
    /// The robot is so fast.
    #[percept(on_change, entities("bot", "human"))]
    Speed {
        /// As a share of the greatest speed: 0 to 1.
        speed: f64,
    },
    /// Whether all blocks look dark gray.
    #[percept(once, name = "colorblind", entities("bot", "human"))]
    ColorBlind {
        /// Whether they do.
        #[parameter(name = "colorblind")]
        color_blind: bool,
    },
    /// Whether no way around the obstacles was found when it was looked for last.
    #[percept(on_change, entities("bot", "human"))]
    OldTargetUnreachable {
        /// The number of the robot.
        id: u32,
        /// 1 if none was found, else 0.
        unreachable: u8,
    },
    /// This is in the way.
    #[percept(on_change_with_negation, entities("bot", "human"))]
    Bumped {
        /// The name of the robot or blockade.
        object: EcoString,
    },
    /// There is an e-partner in the same zone, or in the player's hands.
    #[percept(always, name = "getEPartners", entities("human"))]
    GetEPartners {
        /// Its number.
        id: u32,
        /// Its name.
        name: EcoString,
        /// The number of the robot that carries it, or -1.
        holder: i64,
        /// What it can do.
        functions: Vec<Function>,
    },
    /// As `getEPartners`, under the name that the original's program has for it.
    #[percept(always, name = "epartner", entities("bot", "human"))]
    EPartner {
        /// Its number.
        id: u32,
        /// Its name.
        name: EcoString,
        /// The number of the robot that carries it, or -1.
        holder: i64,
        /// What it can do.
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
        /// Units from above.
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
    /// The user asks to go around what is in the way.
    #[percept(event, entities("human"))]
    NavigateObstacles,
    /// The user asks to pick up an e-partner.
    #[percept(event, name = "pickUpEpartner", entities("human"))]
    PickUpEpartner,
    /// As `pickUpEpartner`, under the name that the original's program has for it.
    #[percept(event, entities("human"))]
    PickUpEPartner,
    /// The user asks to drop the e-partner.
    #[percept(event, entities("human"))]
    DropEPartner,
    /// As `dropEPartner`, under the name that the original's program has for it.
    #[percept(event, entities("human"))]
    PutDownEPartner,
    /// The e-partner can do this.
    #[percept(once, entities("epartner"))]
    GetFunctionalities {
        /// What it can do.
        function: Function,
    },
    /// As `getFunctionalities`, under the name that the original's program has for it.
    #[percept(once, entities("epartner"))]
    Functionality {
        /// What it can do.
        function: Function,
    },
    /// The e-partner is carried by this robot; told to a Forget-me-not.
    #[percept(on_change_with_negation, entities("epartner"))]
    HeldBy {
        /// The number of the robot.
        id: u32,
    },
    /// The e-partner is carried; told to a Forget-me-not.
    #[percept(on_change_with_negation, entities("epartner"))]
    IsTaken {
        /// The number of the e-partner itself.
        id: u32,
    },
    /// Whether the e-partner is carried by nobody; told to a Forget-me-not.
    #[percept(on_change, entities("epartner"))]
    LeftBehind {
        /// 1 if nobody carries it, else 0.
        left: u8,
    },
    /// The e-partner is in or near this zone; told to a GPS.
    #[percept(on_change, entities("epartner"))]
    GetAt {
        /// The name of the zone.
        place: EcoString,
    },
    /// The e-partner is here.
    #[percept(on_change, entities("epartner"))]
    GetLocation {
        /// Its centre, in units from the left.
        x: f64,
        /// Its centre, in units from above.
        y: f64,
    },
    /// There is such a room; told to a GPS.
    #[percept(once, entities("epartner"))]
    GetRooms {
        /// The name of the room.
        room: EcoString,
    },
    /// The e-partner is in this room.
    #[percept(on_change_with_negation, entities("epartner"))]
    GetRoom {
        /// The name of the room.
        room: EcoString,
    },
}

/// What an e-partner can do (specification, "E-Partners").
#[derive(Clone, Copy, Debug, PartialEq, Eq, situated::ParameterType)]
#[parameter(name = "EPartnerFunction")]
pub enum Function {
    /// It helps to find the way.
    #[parameter(name = "GPS")]
    Gps,
    /// It notices being left behind.
    #[parameter(name = "Forget-me-not")]
    ForgetMeNot,
}
