// A walker of Find the Goals: two walkers in a corridor that is too narrow to pass each other. Beliefs from the project:
//   me(Walker)                the walker: red or blue
//   steps(N)                  how many steps to make
// The environment tells:
//   see(Direction, What)      what is in each of the eight cells around the walker: free, wall or other
//   reward(Points)            an event in each step: what both have won together

/* Rules */

// The direction to the goal, the cell through which the other one has passed the alcove, and the ways onwards and back.
way(red, east, northWest, right, left).
way(blue, west, northEast, left, right).

in_alcove :- see(west, wall) & see(east, wall).
passed    :- me(Walker) & way(Walker, _, Behind, _, _) & see(Behind, other).
met       :- me(Walker) & way(Walker, Ahead, _, _, _) & see(Ahead, other).

// choice(Waited, Action, Waits): the next action, and how many steps the walker has waited in the alcove then.
choice(0, up, 0)              :- in_alcove & me(red).
choice(_, up, 0)              :- in_alcove & passed.
choice(Waited, wait, Waits)   :- in_alcove & Waits = (Waited + 1) mod 16.
choice(_, down, 1)            :- met & see(south, free).
choice(_, left, 1)            :- met & me(red).
choice(_, Onwards, 1)         :- me(Walker) & way(Walker, _, _, Onwards, _).

/* Plans */

won(0).

!play.

+!play : steps(N)
  <- .wait(see(_, _));
     !walk(N, 0).

+!walk(0, _) : me(Walker) & steps(N)
  <- .wait(200);     // for the last reward
     ?won(Points);
     .print(Walker, " has seen both win ", Points, " points in ", N, " steps.");
     .stopMAS.
+!walk(N, Waited) : choice(Waited, Action, Waits)
  <- Action;
     !walk(N - 1, Waits).

@reward[atomic]
+reward(Points) : won(Sum)
  <- -+won(Sum + Points).
