//! @NAME@ plays @GAME@. It reads a line for each event, and answers each decision with a line.
//!
//! arena bot test DIRECTORY   builds it and plays it here against the samples
//! rustc -O main.rs           only shows what the compiler says
//!
//! `arena game rules @GAME@` tells the rules, the keys of an observation and the notation of the actions;
//! docs/write-a-bot.md of the arena tells everything else. What it writes to stderr is kept with the match.

use std::io::{self, BufRead, Write};

/// Returns the text between the last `key` and the next of `ends`. Rust brings no JSON, and as the arena writes no
/// spaces, this is enough here. To look at more of the observation, put the crate serde_json beside this file
/// (`cargo vendor`: a build has no network) and build with cargo.
fn between<'a>(line: &'a str, key: &str, ends: &[char]) -> &'a str {
    let rest = line.rsplit_once(key).map_or("", |(_, rest)| rest);
    rest.split(ends).next().unwrap_or("")
}

fn main() -> io::Result<()> {
    let mut random: u64 = 0;
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.starts_with("{\"match_started\":") {
            // One process plays many matches: forget the last one here. Draw from this seed only, and the match can be
            // repeated.
            random = between(&line, "\"seed\":", &[',', '}']).parse().unwrap_or(0);
        } else if line.starts_with("{\"decide\":") {
            let legal: Vec<&str> = between(&line, "\"legal_actions\":[", &[']']).split(',').collect();
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let mut answer = legal[(random >> 33) as usize % legal.len()]; // an id
            let names = between(&line, "\"legal_names\":[", &[']']);
            // The Foreign King: the King's first walk, from his portrait, costs nothing.
            if line.contains("\"king\":\"portrait\"") && names.contains("\"ACT_KING\"") {
                answer = "\"ACT_KING\""; // or a notation
            }
            println!("{answer}");
            io::stdout().flush()?; // an answer that stays in a buffer comes too late
        }
    }
    Ok(())
}
