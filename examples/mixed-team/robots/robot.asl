// A robot of Blocks World for Teams in a team with players of any kind. It brings one colour of the sequence, and says
// what it does in the language of the environment, as the others do:
//   imp(pickedUpFrom(Robot, Color, unknown))   Robot is getting a block of this colour; so the others get other ones
//   imp(in(Robot, Room))                       Robot is going to look into this room
//   at(Color, Room), at(N, Color, Room)        there are blocks of this colour in this room
//   checked(Room), empty(Room)                 somebody has looked into this room
//   pickedUpFrom(Robot, Color, Room)           Robot has taken a block of this colour
//   putDown(Robot, Color)                      Robot has put it down

/* Rules */

// A room has one door, so it has one neighbour. The drop zone looks like a room.
room(Room) :- zone(_, Room, _, _, [_]) & Room \== 'DropZone'.

unknown(Room) :- room(Room) & not checked(Room) & not visited_by(_, Room).

/* What others say */

+message(_, at(Color, Room))                      <- +there_is(Color, Room).
+message(_, at(_, Color, Room))                   <- +there_is(Color, Room).
+message(_, checked(Room))                        <- +checked(Room).
+message(_, empty(Room))                          <- +checked(Room).
+message(Other, imp(in(Other, Room)))             <- -+visited_by(Other, Room).
+message(Other, pickedUpFrom(Other, Color, Room)) <- -there_is(Color, Room).

/* Plans */

!work.

+!work : index(Index)
  <- .wait(sequence(_) & ownName(_) & zone(_, _, _, _, _));
     ?sequence(Colors);
     .nth(Index, Colors, Color);
     !!announce(Color);
     !bring(Index, Color);
     +done.

// The others forget who is silent for long.
+!announce(_) : done.
+!announce(Color) : ownName(Me)
  <- sendMessage(all, imp(pickedUpFrom(Me, Color, unknown)));
     .wait(3000);
     !announce(Color).

+!bring(Index, Color) : ownName(Me)
  <- !find(Color);
     ?there_is(Color, Room);
     !enter(Room);
     !tell(Room);
     ?color(Block, Color);
     goToBlock(Block);
     .wait(not state(traveling));
     pickUp(Block);
     sendMessage(all, pickedUpFrom(Me, Color, Room));
     goTo('FrontDropZone');
     .wait(sequenceIndex(Index) & not state(traveling));
     !enter('DropZone');
     putDown;
     sendMessage(all, putDown(Me, Color));
     .print("I have delivered ", Color, ".");
     goTo('FrontDropZone').
// Somebody else has taken the block, or the way was blocked.
-!bring(Index, Color)
  <- .abolish(there_is(Color, _));
     .wait(100);
     !bring(Index, Color).

// Look into rooms until a block of the colour is known.
+!find(Color) : there_is(Color, _).
+!find(Color) : unknown(_) & ownName(Me)
  <- .findall(Room, unknown(Room), Rooms);
     .random(Rooms, Room);
     sendMessage(all, imp(in(Me, Room)));
     !enter(Room);
     !tell(Room);
     !find(Color).
+!find(Color)
  <- .wait(200);
     .abolish(visited_by(_, _));
     !find(Color).

// Tell the others what is in the room where it is.
+!tell(Room) : checked(Room) & not (color(_, Color) & not there_is(Color, Room)).
+!tell(Room)
  <- for (color(_, Color)) {
         +there_is(Color, Room);
         sendMessage(all, at(Color, Room));
     }
     +checked(Room);
     sendMessage(all, checked(Room)).

// Only one robot at a time fits into a room. If the door is closed, try again.
+!enter(Room) : in(Room).
+!enter(Room)
  <- goTo(Room);
     .wait(not state(traveling));
     if (not in(Room)) { .wait(100) };
     !enter(Room).
