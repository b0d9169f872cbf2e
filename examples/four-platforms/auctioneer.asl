// The auctioneer of a market over four platforms. It sells its lot by an English auction when the clerk asks for that. Who does
// not bid in a round is out, except who leads; a round ends when all have bid, or after four seconds.

money(0).
lot(peaches, 10).
step(5).
sent(0).
received(0).

!start.
+!start <- !say(clerk, tell, ready, none).

// The clerk wants the auction of the lot to begin at a price.
+!kqml_received(clerk, achieve, auction(Start, Bidders), Id) : lot(Product, Boxes)
  <- !hear;
     !answer(clerk, agree, auction(Start), Id);
     +asked_by(Id);
     for (.member(B, Bidders)) { +active(B); +invited(B) };
     !announce(tell, auction(Product, Boxes));
     !round(Start).

// All hear the price before the first bid counts.
@round[atomic]
+!round(Price)
  <- -+price(Price);
     .abolish(bid(_, _));
     for (active(B)) { !say(B, cfp, price(Price), none) };
     .at("now +4 s", {+!close_round(Price)}).

@bid[atomic]
+!kqml_received(Who, propose, price(Price), Id) : price(Price)
  <- !hear;
     +bid(Who, Id);
     if (not (active(B) & not bid(B, _) & not leads(B, _))) { !close_round(Price) }.
+!kqml_received(Who, propose, price(Price), Id)
  <- !hear;
     !answer(Who, reject_proposal, price(Price), Id).

// A round that has ended already is left alone.
@close[atomic]
+!close_round(Price) : price(Price) & bid(Winner, Accepted)
  <- -price(Price);
     for (leads(Before, Earlier)) { !answer(Before, reject_proposal, price(Price), Earlier) };
     !answer(Winner, accept_proposal, price(Price), Accepted);
     for (bid(Who, Id) & Who \== Winner) { !answer(Who, reject_proposal, price(Price), Id) };
     for (active(Who) & not bid(Who, _) & not leads(Who, _)) { -active(Who) };
     -+leads(Winner, Accepted);
     -+offered(Price);
     if (active(Other) & Other \== Winner) {
         ?step(Step);
         !!round(Price + Step)
     } else {
         !!end
     }.
@nobody[atomic]
+!close_round(Price) : price(Price)
  <- -price(Price);
     !!end.
+!close_round(_).

+!end : leads(Winner, _) & offered(Price) & lot(Product, Boxes)
  <- !announce(tell, sold_to(Winner, Price));
     !say(Winner, achieve, pay(Price, Product, Boxes), none).
+!end
  <- !announce(tell, unsold);
     !over(unsold).

+!kqml_received(Winner, tell, paid(Price, Product, Boxes), _) : money(Money)
  <- !hear;
     -+money(Money + Price);
     -+lot(Product, 0);
     !over(sold(Winner, Price)).

+!over(Result) : asked_by(Id)
  <- !answer(clerk, tell, Result, Id).

+!kqml_received(clerk, achieve, close, Id) : money(Money) & lot(_, Boxes) & sent(Sent) & received(Received)
  <- .send(clerk, tell, books(Money, 0, Boxes, Sent + 1, Received + 1), Id);
     .stopMAS.

// All bidders hear the same, also those that are out.
+!announce(Act, Content)
  <- for (invited(B)) { !say(B, Act, Content, none) }.

@say[atomic]
+!say(Who, Act, Content, none) : sent(Sent) & asked_by(_)
  <- -+sent(Sent + 1);
     .send(Who, Act, Content[protocol("fipa-auction-english"), conversation("auction")]).
@say_outside[atomic]
+!say(Who, Act, Content, none) : sent(Sent)
  <- -+sent(Sent + 1);
     .send(Who, Act, Content).

@answer[atomic]
+!answer(Who, Act, Content, Id) : sent(Sent)
  <- -+sent(Sent + 1);
     .send(Who, Act, Content, Id).

@hear[atomic]
+!hear : received(Received)
  <- -+received(Received + 1).
