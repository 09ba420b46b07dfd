/* @NAME@ plays @GAME@. It reads a line for each event, and answers each decision with a line.
 *
 *   arena bot test DIRECTORY   builds it and plays it here against the samples
 *   cc -O2 -Wall main.c        only shows what the compiler says
 *
 * `arena game rules @GAME@` tells the rules, the keys of an observation and the notation of the actions;
 * docs/write-a-bot.md of the arena tells everything else. What it writes to stderr is kept with the match. */

#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the text behind `key`, or an empty one. C brings no JSON, and as the arena writes no spaces, this is enough
 * here. To look at more of the observation, put a library such as cJSON beside this file, and name it in `build`. */
static char *after(char *text, const char *key) {
  char *found = strstr(text, key);
  return found ? found + strlen(key) : text + strlen(text);
}

int main(void) {
  char *line = NULL;
  size_t size = 0;
  while (getline(&line, &size, stdin) > 0) { /* getline makes room for lines of any length */
    if (strncmp(line, "{\"match_started\":", 17) == 0) {
      /* One process plays many matches: forget the last one here. Draw from this seed only, and the match can be
       * repeated. */
      srand((unsigned)strtoll(after(line, "\"seed\":"), NULL, 10));
    } else if (strncmp(line, "{\"decide\":", 10) == 0) {
      long chosen = 0, seen = 0;
      for (char *at = after(line, "\"legal_actions\":["); *at && *at != ']'; at += *at == ',') {
        long action = strtol(at, &at, 10);
        if (rand() % ++seen == 0) chosen = action; /* so each is chosen equally often */
      }
      /* The Foreign King: the King's first walk, from his portrait, costs nothing. */
      if (strstr(line, "\"king\":\"portrait\"") && strstr(after(line, "\"legal_names\":["), "\"ACT_KING\""))
        puts("\"ACT_KING\""); /* a notation */
      else
        printf("%ld\n", chosen); /* or an id */
      fflush(stdout); /* an answer that stays in a buffer comes too late */
    }
  }
  free(line);
  return 0;
}
