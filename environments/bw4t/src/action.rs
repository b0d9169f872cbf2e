//! What robots and e-partners can do.

use situated::iil::{EcoString, Function, Parameter};
use situated::ontology::typed::TypedAction;
use situated::{Action, iil};

/// An action of a robot or an e-partner (specification, "Basic Actions"). Moving takes time: the result says that it
/// is accepted, and the percept `state` reports the progress.
#[derive(Clone, Debug, PartialEq, Action)]
pub enum Action {
    /// Goes to a point: straight in the same zone, otherwise over the centres of the zones on the shortest way.
    #[action(entities("bot", "human"))]
    GoTo {
        /// Units from the left.
        x: f64,
        /// Units from the top.
        y: f64,
    },
    /// Goes to the centre of a place, over the centres of the zones on the shortest way.
    #[action(name = "goTo", entities("bot", "human"))]
    GoToPlace {
        /// The name of the place.
        place: EcoString,
    },
    /// Goes to a visible block.
    #[action(entities("bot", "human"))]
    GoToBlock {
        /// The number of the block.
        block: u32,
    },
    /// Picks up a visible block within reach.
    #[action(entities("bot", "human"))]
    PickUp {
        /// The number of the block.
        block: u32,
    },
    /// Puts down the block that it picked up last. In a room, the block lies there; in the drop zone, it is
    /// delivered if its colour is needed now; otherwise it is lost, as the percept `lost` then reports.
    #[action(entities("bot", "human"))]
    PutDown,
    /// Sends a message to a player, or to all others. It fails for a player without an agent. Players that come later
    /// do not get messages to all.
    SendMessage {
        /// The name of the player, or `all`.
        to: EcoString,
        /// The message: a term or a sentence of the language, or anything else.
        content: Parameter,
    },
    /// Looks for another way to its last destination, around the obstacles.
    #[action(entities("bot", "human"))]
    NavigateObstacles,
    /// Picks up the nearest e-partner.
    #[action(name = "pickUpEpartner", entities("human"))]
    PickUpEpartner,
    /// The original's name for `pickUpEpartner`.
    #[action(entities("human"))]
    PickUpEPartner,
    /// Drops the e-partner that it carries.
    #[action(entities("human"))]
    DropEPartner,
    /// The original's name for `dropEPartner`.
    #[action(entities("human"))]
    PutDownEPartner,
    /// The person who plays this entity asks for an action. Its agents receive a percept, and decide what to do.
    #[action(entities("human"))]
    Select {
        /// The action, as a function: `goTo('RoomC1')`.
        action: Parameter,
    },
}

/// Returns the action as a parameter, which [`described_by`] reads: an identifier if it has no parameters.
pub fn described(action: &Action) -> Parameter {
    let iil::Action { name, parameters } = action.to_iil();
    if parameters.is_empty() { Parameter::Identifier(name) } else { Function { name, parameters }.into() }
}

/// Returns the action that a parameter describes: `goTo('RoomC1')`, or an identifier if it has no parameters.
pub fn described_by(parameter: &Parameter) -> Option<iil::Action> {
    match parameter {
        Parameter::Function(function) => Some(iil::Action::new(function.name.clone(), function.parameters.clone())),
        Parameter::Identifier(name) => Some(iil::Action::new(name.clone(), [])),
        _ => None,
    }
}
