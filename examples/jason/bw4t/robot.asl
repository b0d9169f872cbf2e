// A robot of Blocks World for Teams. The environment tells:
//   zone(Number, Name, X, Y, Neighbours)   the map
//   sequence(Colors), sequenceIndex(I)     the colours to deliver, and how many have been delivered
//   in(Room), state(State)                 where the robot is, and whether it is traveling
//   color(Block, Color)                    the blocks in the room where it is
// The robots tell each other:
//   going(Room)                            do not explore this room, I do
//   block(Block, Color, Room)              I have seen this block
//   explored(Room)                         I have told all blocks of this room

/* Rules */

// A room has one door, so it has one neighbour. The drop zone looks like a room.
room(Room) :- zone(_, Room, _, _, [_]) & Room \== 'DropZone'.

unexplored(Room) :- room(Room) & not going(Room).

all_explored :- room(_) & not (room(Room) & not explored(Room)).

// The block for a place in the sequence. If a colour is needed several times, the block with the lowest number is
// for the first time, and so on. All robots know the same blocks, so they choose alike.
block_for(Index, Block, Room) :-
    sequence(Colors) & .nth(Index, Colors, Color) &
    .findall(I, .nth(I, Colors, Color) & I < Index, Before) & .length(Before, Rank) &
    .findall(B, block(B, Color, _), Blocks) & .sort(Blocks, Sorted) & .nth(Rank, Sorted, Block) &
    block(Block, _, Room).

/* Plans */

!work.

+!work : share(Robot, _)
  <- .wait(sequence(_));
     !explore;
     .wait(all_explored);
     !deliver(Robot).

// Explore: one room after another that nobody else explores.

+!explore : unexplored(_)
  <- .findall(Room, unexplored(Room), Rooms);
     .random(Rooms, Room);
     +going(Room);
     .broadcast(tell, going(Room));
     !enter(Room);
     for (color(Block, Color)) {
         +block(Block, Color, Room);
         .broadcast(tell, block(Block, Color, Room));
     }
     +explored(Room);
     .broadcast(tell, explored(Room));
     !explore.
+!explore.

// The first robot ends the team when the last block has been delivered.

+sequenceIndex(Length) : share(0, _) & sequence(Colors) & .length(Colors, Length)
  <- .print("All blocks are delivered.");
     .stopMAS.

// Deliver: the robots share the sequence out. Robot 1 of 3 brings the blocks number 1, 4, 7 ...

+!deliver(Index) : sequence(Colors) & .length(Colors, Length) & Index >= Length
  <- .print("I have delivered my share.").
+!deliver(Index) : share(_, Team)
  <- !fetch(Index);
     goTo('FrontDropZone');
     .wait(sequenceIndex(Index) & not state(traveling));
     !enter('DropZone');
     putDown;
     goTo('FrontDropZone');
     !deliver(Index + Team).

+!fetch(Index) : block_for(Index, Block, Room)
  <- !enter(Room);
     goToBlock(Block);
     .wait(not state(traveling));
     pickUp(Block).
-!fetch(Index)[error_msg(Why)]
  <- .print("I try again to fetch block ", Index, ": ", Why);
     .wait(100);
     !fetch(Index).

// Only one robot at a time fits into a room. If the door is closed, try again.

+!enter(Room) : in(Room).
+!enter(Room)
  <- goTo(Room);
     .wait(not state(traveling));
     if (not in(Room)) { .wait(100) };
     !enter(Room).
