// Rules of thumb for Rex Romanorum: buy land as long as it pays, harvest otherwise, and vote for nobody but ourselves.

#include <algorithm>
#include <numeric>

#include "arena/games/rex_romanorum/v1/state.pb.h"
#include "plans.hpp"

namespace {

using State = arena::games::rex_romanorum::v1::RexRomanorumState;

constexpr int kRegionPrice = 5, kCardsDrawn = 3, kVotesToWin = 4, kRounds = 60;
constexpr int kHarvestsCounted = 10;  // a region yields 2 gold at most so often

// A position with the eyes of the seat that decides.
class Position {
 public:
  Position(const State& state, int seat) : state_(state), seat_(seat) {}

  double value(const Notation& action) const {
    const std::string& verb = action.verb;
    if (verb == "ACT_ACQUIRE") return acquire();
    if (verb == "ACT_HARVEST") return production();
    if (verb == "ACT_BISHOP") return is_sure_of(diocese_of(action.first)) ? 12 : -5;
    if (verb == "ACT_KING") return titles() >= kVotesToWin ? 1000 : -10;
    if (verb == "ACT_MUSTER") return 1;  // the way to pass
    if (verb == "ACT_ATTACK") return -1;
    if (verb == "KEEP") return regions_in(action.number());
    if (verb == "PLACE") return -1;  // figures are bought by nobody who attacks nobody
    if (verb == "STAND") return 1;
    if (verb == "VOTE") return action.number() == seat_ ? 1 : -1;
    if (verb == "OFFER") return -action.number();
    return 0;  // what ends a list (PLACE_DONE, BUILD_DONE, MOVE_DONE), ACT_BUILD, ABSTAIN, and what comes later
  }

 private:
  bool is_ours(int region) const { return state_.owners()[region] == seat_ + 1; }

  int titles() const { return static_cast<int>(std::count(state_.titles().begin(), state_.titles().end(), seat_ + 1)); }

  // Return what a harvest pays.
  int production() const {
    int gold = 2 * titles();
    for (std::size_t region = 0; region < state_.owners().size(); ++region) {
      if (is_ours(region)) gold += state_.churches()[region] ? 3 : 2;
    }
    return std::min(gold, 100);
  }

  // Return what the regions bring that three cards may be, until the end; few of them are worth less than a harvest.
  double acquire() const {
    const int cards = static_cast<int>(state_.pile().size() + state_.discards().size());
    const int bought = std::min({kCardsDrawn, cards, state_.gold(seat_) / kRegionPrice});
    const int harvests = std::min(kHarvestsCounted, kRounds + 1 - state_.round());
    return 2.0 * bought * harvests * (bought < kCardsDrawn ? 0.6 : 1);
  }

  static int diocese_of(const std::string& name) { return name == "mainz" ? 0 : name == "koeln" ? 1 : 2; }

  // Whether we own more churches of a diocese than all others, and are not its archbishop yet.
  bool is_sure_of(int diocese) const {
    int ours = 0, theirs = 0;
    for (std::size_t region = 0; region < state_.churches().size(); ++region) {
      if (state_.churches()[region] != diocese + 1 || !state_.owners()[region]) continue;
      ++(is_ours(region) ? ours : theirs);
    }
    return ours > theirs && state_.titles(diocese) != seat_ + 1;
  }

  // KEEP:5 keeps the first and the third of the cards drawn.
  static int regions_in(int subset) { return (subset & 1) + (subset >> 1 & 1) + (subset >> 2 & 1); }

  const State& state_;
  int seat_;
};

}  // namespace

int choose_in_rex_romanorum(const arena::Decision& decision) {
  const State state = decision.observation<State>();
  const Position position(state, decision.match().seat());
  return best_action(decision, [&](const Notation& action) { return position.value(action); });
}
