# @NAME@ plays @GAME@. It reads a line for each event, and answers each decision with a line.
#
# arena bot test DIRECTORY plays it here against the samples. `arena game rules @GAME@` tells the rules,
# the keys of an observation and the notation of the actions; docs/write-a-bot.md of the arena tells everything
# else. What it writes to stderr is kept with the match. Change how it chooses.

require "json"

random = Random.new(0)
$stdin.set_encoding("UTF-8")
while (line = $stdin.gets)
  event = JSON.parse(line)
  if (match = event["match_started"]) # one process plays many matches: forget the last one here
    random = Random.new(match["seed"]) # draw from this seed only, and the match can be repeated
  elsif (decision = event["decide"])
    choice = decision["legal_actions"].sample(random: random) # an id
    # The Foreign King: the King's first walk, from his portrait, costs nothing.
    if decision["observation"]["king"] == "portrait" && decision["legal_names"].include?("ACT_KING")
      choice = "ACT_KING" # or a notation
    end
    puts JSON.generate(choice)
    $stdout.flush # an answer that stays in a buffer comes too late
  end
end
