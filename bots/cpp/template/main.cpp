// @NAME@, a bot in C++ that plays any game by drawing from the legal actions: change `decide`.
//
//   arena bot test .       plays it here against the samples
//   make -f kit/Makefile   only shows what the compiler says
//
// kit/arena_kit.hpp says what a decision tells, kit/proto what every message holds, `arena game rules @GAME@`
// the rules of the game and the notation of its actions, docs/write-a-bot-in-cpp.md of the arena everything else.

#include "arena_kit.hpp"

// The position of the game is a message of its own:
// #include "arena/games/@GAME@/v1/state.pb.h"

class MyBot : public arena::Bot {
 public:
  // Forget the last match here: one process plays many, one after another.
  void match_started(const arena::Match& match) override { (void)match; }

  // Choose one of the legal actions; there are at least two.
  arena::Answer decide(const arena::Decision& decision) override {
    // decision.name(action)      the notation of an action, such as KING_TO:LIE
    // decision.seconds_left()    until the limit, if there is one; use two thirds of it
    // decision.match()           seat(), seats(), options(), clock(), and the randomness that the arena has seeded
    // decision.events()          what was played since this bot last decided
    // decision.observation<...>() the position: the message in the file that is included above
    const auto& legal = decision.legal_actions();
    const int action = legal[decision.match().draw(legal.size())];
    return {action, "one of " + std::to_string(legal.size())};  // the text is a note for the replay; it may be left out
  }

  std::string name() const override { return "@NAME@"; }
};

int main() {
  MyBot bot;
  return arena::run(bot);
}
