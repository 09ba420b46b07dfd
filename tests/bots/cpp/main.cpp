// One program for all tests of the C++ kit, so that it is compiled once: the sample bot, the bot that `arena bot new`
// writes, the one of docs/write-a-bot-in-cpp.md, and bots that do what a test needs. The first argument says which.

#include <cstdio>
#include <map>

#define main sample_main
#include "sample/main.cpp"
#undef main
#define main template_main
#include "template/main.cpp"
#undef main
#define main guide_main
#include "guide/bot.inc"
#undef main

#include "arena/games/foreign_king/v1/state.pb.h"

using arena::Answer, arena::Decision, arena::Match;

static Answer tell(const Decision& decision) {
  const Match& match = decision.match();
  std::printf("match %s of %s: seat %d of %d, rules %s, %d cores, bank %lld\n", match.id().c_str(), match.game().c_str(),
              match.seat(), match.seats(), match.rules_version().c_str(), match.cores(),
              static_cast<long long>(match.clock().bank_us()));
  std::printf("heap %g\n", match.options().fields().at("heap").number_value());
  std::printf("ply %d, %zu bytes, dropped %d, bank %lld, limit %lld, %s\n", decision.ply(),
              decision.observation_bytes().size(), decision.dropped_actions(), decision.bank_us(),
              decision.time_limit_us(), decision.seconds_left().value_or(1) < 5 ? "in time" : "late");
  for (const int action : decision.legal_actions()) std::printf("%d is %s\n", action, decision.name(action).c_str());
  for (const auto& event : decision.events()) {
    std::printf("seat %d played %d, %s %d\n", event.seat(), event.action(), event.reveals(0).kind().c_str(),
                event.reveals(0).values(0));
  }
  return decision.legal_actions()[match.draw(decision.legal_actions().size())];
}

static Answer fail(const Decision& decision) {
  throw std::runtime_error("no idea at ply " + std::to_string(decision.ply()));
}

// The lines of the guide about the position: the header that they begin with has been read above.
static Answer count_francs(const Decision& decision) {
#include "guide/position.inc"
  return {0, std::to_string(francs)};
}

static Answer observe(const Decision& decision) {
  decision.observation<arena::games::foreign_king::v1::ForeignKingState>();
  return 0;
}

static std::string long_note() {
  std::string note = "\xff";
  for (int i = 0; i < 2000; ++i) note += "é";
  return note;
}

// Says in a note what a child of the bot has of the arena's socket.
static Answer child(const Decision&) {
  char text[100] = "";
  FILE* const told = popen("readlink /proc/self/fd/$ARENA_STREAM_FD || echo closed", "r");
  if (!std::fgets(text, sizeof text, told)) std::puts("nothing");
  pclose(told);
  const std::string note = text;
  return {0, note.substr(0, note.find('\n'))};
}

using Habit = Answer (*)(const Decision&);
static const std::map<std::string, Habit> kHabits = {
    {"first", [](const Decision& decision) -> Answer { return decision.legal_actions()[0]; }},
    {"tell", tell},
    {"fail", fail},
    {"fail-oddly", [](const Decision&) -> Answer { throw 7; }},
    {"observe", observe},
    {"child", child},
    {"count-francs", count_francs},
    {"several", [](const Decision&) -> Answer { return {std::vector<int>{2, 0, 1}, "three at once"}; }},
    {"a-list", [](const Decision&) -> Answer { return {2, 0}; }},
    {"none", [](const Decision&) -> Answer { return std::vector<int>{}; }},
    {"too-many", [](const Decision&) -> Answer { return std::vector<int>(65, 0); }},
    {"no-such-name", [](const Decision& decision) -> Answer { return {0, decision.name(3)}; }},
    {"long-note", [](const Decision&) -> Answer { return {0, long_note()}; }},
    {"resign", [](const Decision&) { return Answer::resign(); }},
};

class HabitBot : public arena::Bot {
 public:
  explicit HabitBot(Habit habit) : habit_(habit) {}

  Answer decide(const Decision& decision) override { return habit_(decision); }
  void prepare() override { std::puts("prepared"); }
  void match_started(const Match& match) override {
    std::printf("started %s%s, %d events\n", match.id().c_str(), match.is_resumed() ? " again" : "", match.events().size());
  }
  void match_finished(const Match& match, const arena::v1::MatchFinished& finished) override {
    std::printf("finished %s as %d\n", match.id().c_str(), finished.result().ranks(match.seat()));
  }
  std::string name() const override { return "habit"; }
  std::vector<std::string> games() const override { return {"nim", "foreign_king"}; }

 private:
  Habit habit_;
};

int main(int count, char** arguments) {
  const std::string which = count > 1 ? arguments[1] : "sample";
  if (which == "sample") return sample_main();
  if (which == "template") return template_main();
  if (which == "guide") return guide_main();
  HabitBot bot(kHabits.at(which));
  return arena::run(bot);
}
