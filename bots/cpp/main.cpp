// A sample bot in C++: it reads the position from the game's own message and plays by rules of thumb.

#include "plans.hpp"

Notation::Notation(const std::string& text) {
  const std::size_t colon = text.find(':'), last = text.rfind(':');
  verb = text.substr(0, colon);
  if (colon == std::string::npos) return;
  first = text.substr(colon + 1, last > colon ? last - colon - 1 : std::string::npos);
  if (last > colon) second = text.substr(last + 1);
}

class ThumbBot : public arena::Bot {
 public:
  arena::Answer decide(const arena::Decision& decision) override {
    const bool is_king = decision.match().game() == "foreign_king";
    return is_king ? choose_in_foreign_king(decision) : choose_in_rex_romanorum(decision);
  }

  std::string name() const override { return "cpp"; }
  std::vector<std::string> games() const override { return {"foreign_king", "rex_romanorum"}; }
};

int main() {
  ThumbBot bot;
  return arena::run(bot);
}
