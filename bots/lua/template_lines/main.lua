-- @NAME@ plays @GAME@. It reads a line for each event, and answers each decision with a line.
--
-- arena bot test DIRECTORY plays it here against the samples. `arena game rules @GAME@` tells the rules,
-- the keys of an observation and the notation of the actions; docs/write-a-bot.md of the arena tells everything
-- else. What it writes to stderr is kept with the match. Change how it chooses.
--
-- Lua brings no JSON, and as the arena writes no spaces, patterns are enough here. To look at more of the observation,
-- put a library such as json.lua or dkjson beside this file, and add the directory to the path:
-- package.path = os.getenv("ARENA_BOT_DIR") .. "/?.lua;" .. package.path

for line in io.lines() do
  if line:find('^{"match_started":') then -- one process plays many matches: forget the last one here
    math.randomseed(tonumber(line:match('.*"seed":(%d+)'))) -- draw from this seed only, and the match can be repeated
  elseif line:find('^{"decide":') then
    local legal = {}
    for id in line:match('.*"legal_actions":%[([^%]]*)'):gmatch("%d+") do
      legal[#legal + 1] = id
    end
    local choice = legal[math.random(#legal)] -- an id
    -- The Foreign King: the King's first walk, from his portrait, costs nothing.
    if line:find('"king":"portrait"') and line:match('.*"legal_names":(.*)'):find('"ACT_KING"') then
      choice = '"ACT_KING"' -- or a notation
    end
    print(choice)
    io.stdout:flush() -- an answer that stays in a buffer comes too late
  end
end
