// Rules of thumb for The Foreign King: spread over the map, build where we lead, and bring the King to our factories.

#include <algorithm>
#include <array>

#include "arena/games/foreign_king/v1/state.pb.h"
#include "plans.hpp"

namespace {

using State = arena::games::foreign_king::v1::ForeignKingState;

constexpr int kProvinces = 9, kPortrait = 9;
const std::array<std::string, kProvinces> kNames = {"ANT", "BRA", "WFL", "EFL", "HAI", "LIE", "LIM", "LUX", "NAM"};
// How many borders lie between two provinces; from the portrait the King goes anywhere.
constexpr int kSteps[kProvinces + 1][kProvinces] = {
    {0, 1, 2, 1, 2, 2, 1, 3, 2}, {1, 0, 2, 1, 1, 1, 1, 2, 1}, {2, 2, 0, 1, 1, 3, 3, 3, 2}, {1, 1, 1, 0, 1, 2, 2, 3, 2},
    {2, 1, 1, 1, 0, 2, 2, 2, 1}, {2, 1, 3, 2, 2, 0, 1, 1, 1}, {1, 1, 3, 2, 2, 1, 0, 2, 2}, {3, 2, 3, 3, 2, 1, 2, 0, 1},
    {2, 1, 2, 2, 1, 1, 2, 1, 0}, {1, 1, 1, 1, 1, 1, 1, 1, 1}};

// A position with the eyes of the seat that decides.
class Position {
 public:
  Position(const State& state, int seat) : state_(state), seat_(seat) {}

  double value(const Notation& action) const {
    const std::string& verb = action.verb;
    const int province = province_of(action.first);
    if (verb == "ACT_KING") return best_of([&](int p) { return is_in_reach(p) ? king_to(p) : -9; });
    if (verb == "ACT_BUILD") return 0.8 * best_of([&](int p) { return build(p, state_.supply(0) > 0); });
    if (verb == "ACT_PLACE") return 0.9 * best_of([&](int p) { return place(p); });
    if (verb == "ACT_COINS") return state_.francs(seat_) < 6 ? 3.2 : 1;
    if (verb == "ACT_CONGRESS") return state_.congress(seat_) < 2 ? 1.5 : 0.2;
    if (verb == "ACT_QUEEN") return 0.5;
    if (verb == "ACT_CHANGE") return 0.4;
    if (verb == "LOAN") return -10;
    if (verb == "REPAY") return 10;
    if (verb == "BUILD") return build(province, action.second == "M");
    if (verb == "PLACE" || verb == "MOVE_TO") return place(province);
    if (verb == "PLACE_N") return -std::abs(action.number() - discs_to_place(state_.pending_province()));
    if (verb == "MOVE_FROM") return lead(province);
    if (verb == "MOVE_OFF") return -1;
    if (verb == "MOVE_STOP") return 3;
    if (verb == "CONGRESS_FROM_HAND") return 1;
    if (verb == "CONGRESS_FROM") return lead(province) - 3;
    if (verb == "KING_TO") return king_to(province);
    if (verb == "KING_LEN" || verb == "ORDER_POS") return -action.number();
    if (verb == "CONGRESS_GO") return turns_the_scoring() ? 1 : -1;
    if (verb.rfind("INACT_", 0) == 0) return verb == "INACT_NONE" ? 0 : lead(state_.king()) < 0 ? 1 : -1;
    if (verb == "VIRT_PLACE" || verb == "VIRT_TO") return hurts_the_opponent(province) ? worth(province) : -worth(province);
    if (verb == "VIRT_FROM") return lead(province) < 0 ? worth(province) : -worth(province);
    return 0;  // END_TURN, PASS, ACT_MOVE, CONGRESS_STAY, and what a later version of the rules adds
  }

 private:
  static int province_of(const std::string& name) {
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    return found == kNames.end() ? -1 : static_cast<int>(found - kNames.begin());
  }

  template <class Value>
  static double best_of(Value value) {
    double best = value(0);
    for (int province = 1; province < kProvinces; ++province) best = std::max<double>(best, value(province));
    return best;
  }

  int colours() const { return state_.discs_size() / kProvinces; }
  int discs(int colour, int province) const { return state_.discs(colour * kProvinces + province); }

  // Return by how many discs we lead the strongest other colour; below 0 if we do not.
  int lead(int province) const {
    int most = 0;
    for (int colour = 0; colour < colours(); ++colour) {
      if (colour != seat_) most = std::max(most, discs(colour, province));
    }
    return discs(seat_, province) - most;
  }

  // Return what the active factories of a province score, and how many factories there are in all.
  int active_points(int province) const {
    const int packed = state_.factories(province);
    return 6 * (packed & 7) + 3 * (packed >> 3 & 7);
  }
  int factories(int province) const {
    const int packed = state_.factories(province);
    return (packed & 7) + (packed >> 3 & 7) + (packed >> 6 & 7) + (packed >> 9 & 7);
  }
  // What the majority in a province promises: points when the King comes, and control at the end.
  double worth(int province) const { return active_points(province) + factories(province) + 2; }

  double place(int province) const {
    const int ahead = lead(province);
    if (ahead > 1) return ahead < 3 ? 0.2 * worth(province) : 0;
    return ahead == 1 ? 0.5 * worth(province) : ahead > -3 ? worth(province) + ahead : 0;
  }
  // Two discs more than the strongest other colour has hold for a while.
  int discs_to_place(int province) const { return std::clamp(2 - lead(province), 1, 3); }

  double build(int province, bool is_metal) const {
    const int ahead = lead(province);
    const double ours = ahead > 1 ? 1 : ahead > 0 ? 0.8 : ahead == 0 ? 0.3 : -0.3;
    const double medal = factories(province) == 0 ? 4 : 0;
    return (is_metal ? 6 : 3) * ours + medal;
  }

  bool is_in_reach(int province) const {
    return state_.king() != province && kSteps[state_.king()][province] - 1 <= state_.francs(seat_);
  }
  // Return what the King's visit brings us, or the leader there, less what the walk costs.
  double king_to(int province) const {
    const double price = 0.5 * (kSteps[state_.king()][province] - 1);
    if (lead(province) <= 0) return -active_points(province) - 0.5 - price;
    return std::max(active_points(province), discs(seat_, province) / 3) - price;
  }

  // Whether our congressmen win us a province with much to score that is not ours yet.
  bool turns_the_scoring() const {
    const int ahead = lead(state_.king());
    return ahead <= 0 && ahead + state_.congress(seat_) > 0 && active_points(state_.king()) >= 6;
  }
  bool hurts_the_opponent(int province) const {
    const int theirs = discs(1 - seat_, province);  // the virtual player is there with 2 seats only
    return theirs >= 1 && theirs >= discs(seat_, province);
  }

  const State& state_;
  int seat_;
};

}  // namespace

int choose_in_foreign_king(const arena::Decision& decision) {
  const State state = decision.observation<State>();
  const Position position(state, decision.match().seat());
  return best_action(decision, [&](const Notation& action) { return position.value(action); });
}
