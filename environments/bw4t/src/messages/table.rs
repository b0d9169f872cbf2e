//! All messages, each with its terms and sentences.
//!
//! Some of the original's sentences and terms are ambiguous. They are read so that every written message is read as
//! the same message:
//!
//! * "I am going to room R to get a C block" fits two messages. It is read as [`Message::AmGettingColor`], as in the
//!   specification, so [`Message::GoingToRoom`] has no colour (nor had the original's term for it). The other
//!   sentence is written, which the original reads in the same way.
//! * "I am going to put down a block" is [`Message::AboutToDropOffBlock`]. The original compared only "I am going
//!   to", and read it as a journey to a place without a name. Here, sentences are compared completely.
//! * "I have a C block from room R" is [`Message::HasColorFromRoom`], and [`Message::HasColor`] has no room. In the
//!   original, both could contain a room, but the former had neither sentence nor term.
//! * "I am at a 47 box" and "I am at a Red box" differ in their parameter, like `at(47)` and `at('Red')`. The
//!   specification has the block's number in the term and its colour in the message. Here there are two messages, and
//!   the one with the colour has the term `atBox` of the code.
//! * The meaning of a term can depend on its sender: `imp(in(Bot_1,R))` and `imp(putDown(Bot_1))` are announcements
//!   if `Bot_1` sends them, and otherwise requests to it. `pickedUpFrom(Bot_1,C,R)` is a report about oneself or
//!   about another player.

use situated::iil::EcoString;

use super::grammar::{Field, Filling, Row, messages};
use crate::Color;

messages! {
    /// I am going to a room, or to another place.
    GoingToRoom { room: EcoString }
        terms "imp(in(Me,Room))"
        specification "I am going to <Room>"
        code "I am going to room <Room>";

    /// I am looking for a block of this colour.
    LookingFor { color: Color }
        terms "imp(found(Me,Color))"
        specification "I am looking for a <Color> block";

    /// I am about to pick up a block of this colour, in this room if one is named.
    AmGettingColor { color: Color, room: Option<EcoString> }
        terms "imp(pickedUpFrom(Me,Color,Room))" | "imp(pickedUpFrom(Me,Color,_))"
        specification "I am getting a <Color> block from room <Room>" | "I am getting a <Color> block"
        also "I am going to room <Room> to get a <Color> block";

    /// I will bring a block of this colour, from this room if one is named.
    WillGetColor { color: Color, room: Option<EcoString> }
        terms "imp(holding(Me,Color,Room))" | "imp(holding(Me,Color))"
        specification "I will get a <Color> block from room <Room>" | "I will get a <Color> block";

    /// I am about to put down the block that I hold.
    AboutToDropOffBlock { color: Option<Color> }
        terms "imp(putDown(Me,Color))" | "imp(putDown(Me))"
        specification "I am going to put down a <Color> block" | "I am going to put down a block"
        code "I am about to drop off a <Color> block" | "I am about to drop off a block"
        also "I am about to drop off a null block";

    /// You, go to this room.
    GoToRoom { player: EcoString, room: EcoString }
        terms "imp(in(Player,Room))"
        specification "<Player> go to <Room>"
        code "<Player>, go to room <Room>";

    /// You, find a block of this colour.
    FindColor { player: EcoString, color: Color }
        terms "imp(found(Player,Color))"
        specification "<Player> find a <Color> block"
        code "<Player>, find a <Color> block";

    /// You, get the block of this colour from this room.
    GetColorFromRoom { player: EcoString, color: Color, room: EcoString }
        terms "imp(pickedUpFrom(Player,Color,Room))"
        specification "<Player> get the <Color> block from room <Room>"
        code "<Player>, get the <Color> from room <Room>";

    /// You, put down the block that you hold.
    PutDown { player: EcoString }
        terms "imp(putDown(Player))"
        specification "<Player> put down the block you're holding"
        code "<Player>, put down the block you are holding";

    /// There is a block of this colour in this room.
    RoomContains { room: EcoString, color: Color }
        terms "at(Color,Room)"
        specification "room <Room> contains a <Color> block";

    /// There is this number of blocks of this colour in this room.
    RoomContainsAmount { room: EcoString, number: u32, color: Color }
        terms "at(Number,Color,Room)"
        specification "room <Room> contains <Number> <Color> blocks";

    /// There are no blocks in this room.
    RoomIsEmpty { room: EcoString }
        terms "empty(Room)"
        specification "room <Room> is empty";

    /// I am in this room.
    InRoom { room: EcoString }
        terms "in(Me,Room)"
        specification "I am in room <Room>";

    /// I am at a block of this colour.
    AtBox { color: Color }
        terms "atBox(Color)" | "at(Color)"
        specification "I am at a <Color> box"
        code "I am at a <Color> block";

    /// I am at this block.
    AtBlock { block: u32 }
        terms "at(Block)"
        specification "I am at a <Block> box"
        code "I am at a <Block> block";

    /// I hold a block of this colour.
    HasColor { color: Color }
        terms "holding(Me,Color)"
        specification "I have a <Color> block";

    /// I hold a block of this colour, which I have picked up in this room.
    HasColorFromRoom { color: Color, room: EcoString }
        terms "pickedUpFrom(Me,Color,Room)"
        specification "I have a <Color> block from room <Room>";

    /// I have just put down a block.
    DroppedOffBlock { color: Option<Color> }
        terms "putDown(Me,Color)" | "putDown(Me)"
        specification "I just dropped off a <Color> block" | "I just dropped off a block";

    /// I am waiting to enter this room, with a block of this colour if one is named.
    AmWaitingOutsideRoom { room: EcoString, color: Option<Color> }
        terms "waitingOutside(Me,Room,Color)" | "waitingOutside(Me,Room)"
        specification "I am waiting outside room <Room> with a <Color> block" | "I am waiting outside room <Room>";

    /// The team needs a block of this colour.
    WeNeed { color: Color }
        terms "need(Color)"
        specification "We need a <Color> block";

    /// Somebody, this player if one is named, has looked at what is in this room.
    Checked { room: EcoString, player: Option<EcoString> }
        terms "checked(Player,Room)" | "checked(Room)"
        specification "room <Room> has been checked by <Player>" | "room <Room> has been checked"
        also "room <Room> has been checked by player <Player>";

    /// What are the colours of the blocks in this room?
    WhatIsInRoom { room: EcoString }
        terms "int(at(_,Room))"
        specification "What is in room <Room>?";

    /// In which room is a block of this colour?
    WhereIsColor { color: Color }
        terms "int(at(Color,_))"
        specification "Where is a <Color> block?";

    /// Who is in this room?
    WhoIsInRoom { room: EcoString }
        terms "int(in(_,Room))"
        specification "Who is in room <Room>?";

    /// To which place should I go?
    WhereShouldIGo
        terms "int(imp(in(Me,_)))"
        specification "Where should I go?";

    /// A block of which colour should I get?
    WhatColorShouldIGet
        terms "int(imp(holding(Me,_)))"
        specification "What color should I get?";

    /// Is any player going to this room?
    IsAnybodyGoingToRoom { room: EcoString }
        terms "int(imp(in(_,Room)))"
        specification "Is anybody going to room <Room>?";

    /// You, will it be long before you are done?
    WillYouBeLong { player: EcoString }
        terms "int(willBeLong(Player))"
        specification "<Player>, will you be long?";

    /// Has any player looked at what is in this room?
    HasAnybodyCheckedRoom { room: EcoString }
        terms "int(checked(_,Room))"
        specification "Has anybody checked room <Room>?";

    /// You, are you close to where you are going?
    AreYouClose { player: EcoString }
        terms "int(areClose(Player))"
        specification "<Player>, are you close?";

    /// Who holds a block of this colour?
    WhoHasABlock { color: Color }
        terms "int(holding(_,Color))"
        specification "Who has a <Color> block?";

    /// Yes.
    Yes
        terms "yes"
        specification "yes";

    /// No.
    No
        terms "no"
        specification "no";

    /// I do not know the answer.
    IDoNotKnow
        terms "dontknow"
        specification "I don't know";

    /// Wait.
    Wait
        terms "wait"
        specification "wait";

    /// I agree, as far as this room is concerned if one is named.
    Ok { room: Option<EcoString> }
        terms "ok(Room)" | "ok"
        specification "OK, room <Room>" | "OK";

    /// I do not.
    IDoNot
        terms "idont"
        specification "I don't";

    /// I do.
    IDo
        terms "ido"
        specification "I do";

    /// I am on my way.
    OnTheWay
        terms "ontheway"
        specification "I am on the way";

    /// I am far away.
    FarAway
        terms "faraway"
        specification "I am far away";

    /// I will be later than you think.
    Delayed
        terms "delayed"
        specification "I am delayed";

    /// I will be there soon.
    AlmostThere
        terms "almostthere"
        specification "I am almost there";

    /// I have tried, and could not.
    CouldNot
        terms "couldnot"
        specification "I couldn't";

    /// Show me the way to this place: what a person says to an e-partner. The original has no term for it.
    IWantToGo { room: EcoString }
        terms "wantToGo(Me,Room)"
        specification "I want to go to <Room>"
        also "I want to go to room <Room>";

    /// You have left me behind in this place: what an e-partner says to a person. The original has no term for it.
    YouForgotMe { room: EcoString }
        terms "forgotten(Me,Room)"
        specification "You forgot me in <Room>"
        also "You forgot me in room <Room>";

    /// Another player has found a block of this colour. This and what follows is said only by GOAL's human player.
    HasFound { player: EcoString, color: Color }
        terms "found(Player,Color)"
        specification "<Player> has found a <Color> block";

    /// Another player has picked up a block of this colour in this room.
    HasPickedUp { player: EcoString, color: Color, room: EcoString }
        terms "pickedUpFrom(Player,Color,Room)"
        specification "<Player> has picked up a <Color> block from room <Room>";

    /// It will be long before another player is done.
    WillBeLong { player: EcoString }
        terms "willBeLong(Player)"
        specification "<Player> will be long";
}
