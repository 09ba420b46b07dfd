# @NAME@ plays @GAME@. It reads a line for each event, and answers each decision with a line.
#
# arena bot test DIRECTORY plays it here against the samples. `arena game rules @GAME@` tells the rules,
# the keys of an observation and the notation of the actions; docs/write-a-bot.md of the arena tells everything
# else. What it writes to stderr is kept with the match. Change how it chooses.
#
# A POSIX shell and awk, which every Debian has, find what they need in the text, as the arena writes no spaces. To look
# at more of the observation, take jq (`apt install jq`): printf '%s\n' "$line" | jq '.decide.observation.round'

# Print what stands between the last "KEY": or "KEY":[ and the next , or }, or the next ].
value() {
  printf '%s\n' "$line" | awk -v key="\"$1\":" '{
    while (at = index($0, key)) $0 = substr($0, at + length(key))
    end = sub(/^\[/, "") ? "]" : "[,}]"
    sub(end ".*", "")
    print
  }'
}

random=1
while IFS= read -r line; do
  case $line in
    '{"match_started":'*) # one process plays many matches: forget the last one here
      random=$(($(value seed) % 2147483646 + 1)) # draw from this seed only, and the match can be repeated
      ;;
    '{"decide":'*'"king":"portrait"'*'"legal_names":'*'"ACT_KING"'*)
      echo '"ACT_KING"' # The Foreign King: the King's first walk, from his portrait, costs nothing.
      ;;
    '{"decide":'*)
      random=$((random * 48271 % 2147483647))
      set -- $(value legal_actions | tr , ' ')
      shift $((random % $#))
      echo "$1" # an id, or a notation as above; echo leaves nothing in a buffer
      ;;
  esac
done
