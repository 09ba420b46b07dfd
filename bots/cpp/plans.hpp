// How the sample bot chooses: for each game a function that values what a legal action does, told by its notation.

#pragma once

#include <string>

#include "arena_kit.hpp"

// A notation such as BUILD:ANT:M or KEEP:5, cut at its colons: verb, first and second parameter.
struct Notation {
  explicit Notation(const std::string& text);

  std::string verb, first, second;
  int number() const { return std::stoi(first); }
};

// Return the action of The Foreign King, or of Rex Romanorum, that is worth most by the rules of thumb.
int choose_in_foreign_king(const arena::Decision& decision);
int choose_in_rex_romanorum(const arena::Decision& decision);

// Return the legal action of the highest value; of equal ones the first.
template <class Value>
int best_action(const arena::Decision& decision, Value value) {
  int best = decision.legal_actions()[0];
  double highest = value(Notation(decision.name(best)));
  for (const int action : decision.legal_actions()) {
    const double found = value(Notation(decision.name(action)));
    if (found > highest) best = action, highest = found;
  }
  return best;
}
