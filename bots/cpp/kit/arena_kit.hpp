// Write a bot: derive from arena::Bot, write `decide`, and hand the bot to arena::run.
//
//     #include "arena_kit.hpp"
//
//     struct FirstBot : arena::Bot {
//       arena::Answer decide(const arena::Decision& decision) override { return decision.legal_actions()[0]; }
//     };
//
//     int main() {
//       FirstBot bot;
//       return arena::run(bot);
//     }
//
// Messages of the wire (arena::v1::...) are shown as they came; proto/arena/v1/play.proto says what they hold.

#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <google/protobuf/struct.pb.h>

#include "arena/v1/play.pb.h"

namespace arena {

// The protocol that this kit speaks.
constexpr int kProtocolMajor = 1;
constexpr int kProtocolMinor = 0;

// What the kit throws on purpose: the arena cannot be reached or refused the bot, a message came out of order, an answer
// is none. Thrown through `decide`, it ends the process like every other exception.
class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Ids = google::protobuf::RepeatedField<std::int32_t>;
using Events = google::protobuf::RepeatedPtrField<v1::Event>;
using Time = std::chrono::steady_clock::time_point;

// One playing of a game, as told to one seat when it began.
class Match {
 public:
  Match(v1::MatchStarted started, std::shared_ptr<const v1::GameInfo> game);

  const std::string& id() const { return started_.match_id(); }
  const std::string& game() const { return started_.game(); }
  const std::string& rules_version() const { return started_.rules_version(); }
  // The seat of this bot, 0-based, and how many seats there are.
  int seat() const { return started_.seat(); }
  int seats() const { return started_.seats(); }
  // How many processor cores are granted to this bot.
  int cores() const { return started_.cores(); }
  // In microseconds: decision_limit_us(), bank_us(), increment_us(), margin_us(); 0 where there is none.
  const v1::Clock& clock() const { return started_.clock(); }
  // Whether this stream takes over a match that was under way (remote bots only).
  bool is_resumed() const { return started_.resumed(); }
  // What was played before this bot was told: the opening, or everything in a resumed match.
  const Events& events() const { return started_.events(); }
  // All options of the game with their values: options().fields().at("max_rounds").number_value(). Throws Error.
  google::protobuf::Struct options() const;
  // The notation of an action, such as KING_TO:LIE. Throws Error for an id that the game does not have.
  const std::string& name(int action) const;
  // How many actions the game has; their ids begin with 0.
  int action_count() const { return game_->actions_size(); }

  // Randomness from the match's seed: a bot that draws from here alone plays equal matches equally.
  std::mt19937_64& random() const { return random_; }
  // Return a number from 0 to `count` - 1, all of them equally likely.
  int draw(int count) const { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

 private:
  v1::MatchStarted started_;
  std::shared_ptr<const v1::GameInfo> game_;
  mutable std::mt19937_64 random_;
};

// A point where the bot must choose.
class Decision {
 public:
  Decision(const Match& match, const v1::Decide& message, Time arrived);

  const Match& match() const { return match_; }
  // The ids that may be answered, ascending; at least two.
  const Ids& legal_actions() const { return message_.legal_actions(); }
  // The notation of an action.
  const std::string& name(int action) const { return match_.name(action); }
  // The index of the action to be chosen, counted from the start of the match.
  int ply() const { return message_.ply(); }
  // The plies since this bot last heard, its own included: seat(), action(), forced(), and what chance revealed.
  const Events& events() const { return message_.events(); }
  // How many ids of the bot's last answer were not played (chance, another seat or the end came first).
  int dropped_actions() const { return message_.dropped_actions(); }
  // Microseconds left in the bank, 0 without one; and the longest time for this decision, bank included, 0 = no limit.
  long long bank_us() const { return message_.bank_us(); }
  long long time_limit_us() const { return message_.time_limit_us(); }
  // Return the seconds until the limit of this decision, counted from its arrival; nothing without a limit.
  std::optional<double> seconds_left() const;

  // Return what this seat may see of the position, in the game's own message: with
  // #include "arena/games/foreign_king/v1/state.pb.h" it is
  // decision.observation<arena::games::foreign_king::v1::ForeignKingState>(). Throws Error if it is of another type.
  template <class Message>
  Message observation() const {
    Message message;
    read_observation(message);
    return message;
  }
  // The same for games without a message: its bytes.
  const std::string& observation_bytes() const { return message_.observation().value(); }

 private:
  void read_observation(google::protobuf::Message& message) const;

  const Match& match_;
  const v1::Decide& message_;
  Time arrived_;
};

// What a bot answers: an action, or several, of which the first answers this decision and the others the following ones,
// as long as this seat decides and nothing random happens in between.
class Answer {
 public:
  // The note is kept with the replay (its first 1,000 characters); nobody sees it before the match ends.
  Answer(int action, std::string note = "") : actions_{action}, note_(std::move(note)) {}
  Answer(std::vector<int> actions, std::string note = "") : actions_(std::move(actions)), note_(std::move(note)) {}
  Answer(std::initializer_list<int> actions) : actions_(actions) {}
  // Give the match up: the seat ranks last, and it is no fault.
  static Answer resign() {
    Answer answer{std::vector<int>{}};
    answer.is_resignation_ = true;
    return answer;
  }

  const std::vector<int>& actions() const { return actions_; }
  const std::string& note() const { return note_; }
  bool is_resignation() const { return is_resignation_; }

 private:
  std::vector<int> actions_;
  std::string note_;
  bool is_resignation_ = false;
};

// A bot. One object plays many matches, one after another.
class Bot {
 public:
  virtual ~Bot() = default;

  // Choose one of decision.legal_actions().
  virtual Answer decide(const Decision& decision) = 0;
  // Load what takes time: called once before the bot joins, within the start limit (10 s by default).
  virtual void prepare() {}
  // Forget the last match: a new one begins.
  virtual void match_started(const Match&) {}
  // Learn how a match ended: finished.result().ranks(match.seat()) is the rank, finished.faults() the faults.
  virtual void match_finished(const Match&, const v1::MatchFinished&) {}
  // The name for logs, and the games that it plays; "*" means every game.
  virtual std::string name() const { return "bot"; }
  virtual std::vector<std::string> games() const { return {"*"}; }
};

// Play for the arena that started this process until it closes the stream, and return the status for `main`: 0 then, 1
// after an error, which is told on stderr, 2 if no arena started it. The stream is the socket whose descriptor
// ARENA_STREAM_FD names, or else gRPC to ARENA_ADDRESS (any address that gRPC knows) with ARENA_TOKEN. What the bot
// throws ends the play, with its message on stderr.
int run(Bot& bot);

}  // namespace arena
