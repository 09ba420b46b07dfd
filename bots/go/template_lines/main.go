// @NAME@ plays @GAME@. It reads a line for each event, and answers each decision with a line.
//
//	arena bot test DIRECTORY   builds it and plays it here against the samples
//	go build main.go           only shows what the compiler says
//
// `arena game rules @GAME@` tells the rules, the keys of an observation and the notation of the actions;
// docs/write-a-bot.md of the arena tells everything else. What it writes to stderr is kept with the match.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
)

// Event holds of a line what this bot looks at; encoding/json passes over the rest.
type Event struct {
	MatchStarted *struct {
		Seed int64 `json:"seed"`
	} `json:"match_started"`
	Decide *struct {
		LegalActions []int    `json:"legal_actions"`
		LegalNames   []string `json:"legal_names"`
		Observation  struct {
			King interface{} `json:"king"`
		} `json:"observation"`
	} `json:"decide"`
}

func main() {
	random := rand.New(rand.NewSource(0))
	lines := json.NewDecoder(os.Stdin) // unlike bufio.Scanner it reads lines of any length
	for {
		var event Event
		if lines.Decode(&event) != nil {
			return // the arena has closed the input
		}
		if event.MatchStarted != nil { // one process plays many matches: forget the last one here
			random.Seed(event.MatchStarted.Seed) // draw from this seed only, and the match can be repeated
		} else if decision := event.Decide; decision != nil {
			answer := fmt.Sprint(decision.LegalActions[random.Intn(len(decision.LegalActions))]) // an id
			for _, name := range decision.LegalNames {
				// The Foreign King: the King's first walk, from his portrait, costs nothing.
				if name == "ACT_KING" && decision.Observation.King == "portrait" {
					answer = `"ACT_KING"` // or a notation
				}
			}
			fmt.Println(answer) // os.Stdout has no buffer; a bufio.Writer needs Flush after each answer
		}
	}
}
