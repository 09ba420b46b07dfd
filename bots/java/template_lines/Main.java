// @NAME@ plays @GAME@. It reads a line for each event, and answers each decision with a line.
//
//   arena bot test DIRECTORY   builds it and plays it here against the samples
//   javac Main.java            only shows what the compiler says
//
// `arena game rules @GAME@` tells the rules, the keys of an observation and the notation of the actions;
// docs/write-a-bot.md of the arena tells everything else. What it writes to stderr is kept with the match.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Random;

public class Main {
    public static void main(String[] arguments) throws IOException {
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var random = new Random(0);
        for (String line; (line = input.readLine()) != null; ) {
            if (line.startsWith("{\"match_started\":")) { // one process plays many matches: forget the last one here
                // Draw from this seed only, and the match can be repeated.
                random = new Random(Long.parseLong(between(line, "\"seed\":", "[,}]")));
            } else if (line.startsWith("{\"decide\":")) {
                String[] legal = between(line, "\"legal_actions\":[", "]").split(",");
                String answer = legal[random.nextInt(legal.length)]; // an id
                String names = between(line, "\"legal_names\":[", "]");
                // The Foreign King: the King's first walk, from his portrait, costs nothing.
                if (line.contains("\"king\":\"portrait\"") && names.contains("\"ACT_KING\"")) {
                    answer = "\"ACT_KING\""; // or a notation
                }
                System.out.println(answer);
                System.out.flush(); // an answer that stays in a buffer comes too late
            }
        }
    }

    // Returns the text between the last `key` and what the expression `end` finds next. Java brings no JSON, and as the
    // arena writes no spaces, this is enough here. To look at more of the observation, put a library such as Gson or
    // Jackson beside this file, and name its .jar in `build` and `command`.
    static String between(String line, String key, String end) {
        return line.substring(line.lastIndexOf(key) + key.length()).split(end, 2)[0];
    }
}
