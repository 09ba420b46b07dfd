"""Moves in words: cards, dice and what came of them; the final scoring in its steps."""

from engine.abilities import Move
from engine.games.rex_romanorum import GAME
from engine.games.rex_romanorum.state import RexState
from engine.games.rex_romanorum.view import SHOWN
from tests.engine.games.rex_romanorum.table import dice, lay, play


def told(state: RexState, line: str, language: str = "en") -> list[str]:
    """What is told of the last action of a line."""
    for name in line.split():
        before, action = state.clone(), GAME.actions.parse(name)
        state.apply(action)
        move = Move(before, action, name, before.seat() or 0, state, state.revealed())
    return list(SHOWN.tell(move, language))


def test_cards_are_told_by_their_names_and_what_is_kept_of_them_too() -> None:
    state = lay(2, pile="hessen elsass mainz")
    assert told(state, "ACT_ACQUIRE") == ["Habsburg draws Hesse, Alsace and Mainz."]
    assert told(state.clone(), "KEEP:7", "de") == ["Habsburg kauft Hessen, das Elsass und Mainz für 15 Gold."]
    assert told(state.clone(), "KEEP:0") == ["Habsburg keeps none of the cards."]
    assert told(state, "KEEP:5") == ["Habsburg buys Hesse and Mainz for 10 gold."]


def test_a_choice_names_what_it_means_here() -> None:
    state = play(lay(2, pile="hessen elsass mainz"), "ACT_ACQUIRE")
    assert (
        SHOWN.choice(state, "KEEP:6", "fr")
        == "Acheter l\N{RIGHT SINGLE QUOTATION MARK}Alsace et Mayence pour 10 pièces d\N{RIGHT SINGLE QUOTATION MARK}or"
    )
    assert SHOWN.choice(state, "KEEP:0", "en") == "Keep no card"
    assert SHOWN.choice(state, "VOTE:1", "en") == "Vote for Wittelsbach"
    assert SHOWN.labels("en")["CHURCH"] == "Build a church"
    assert SHOWN.path("CHURCH:koeln:hessen") == ("hessen", "CHURCH", "koeln")


def test_a_fight_is_told_die_by_die() -> None:
    state = lay(
        2,
        land={0: "mainz", 1: "hessen"},
        figures={"mainz": "2F1A", "hessen": "1F"},
        chance=dice("6", "51", "4", "1", "61"),
    )
    play(
        state, "ACT_ATTACK MOVE_FROM:F:mainz MOVE_TO:hessen COUNT:2 MOVE_FROM:A:mainz MOVE_TO:hessen COUNT:1 MOVE_DONE"
    )
    assert told(state, "FIGHT:hessen") == [
        "Habsburg attacks Wittelsbach in Hesse.",
        "1 archer of Habsburg rolls 6: no hit.",
        "2 foot soldiers of Habsburg roll 5 1: 1 hit.",
        "Wittelsbach loses 1 foot soldier.",
        "Habsburg conquers Hesse.",
    ]


def test_a_title_that_comes_with_land_is_told() -> None:
    state = lay(2, pile="kurpfalz hessen mainz")
    assert told(state, "ACT_ACQUIRE KEEP:1")[-1] == "Habsburg becomes Count Palatine."


def test_dice_for_a_tie_are_told_with_who_threw_them() -> None:
    state = lay(
        2,
        land={0: "mainz", 1: "hessen"},
        churches={"mainz": "hessen"},
        chance=dice("2", "2", "3", "5"),
        gold=[20, 20],
    )
    line = "ACT_BISHOP:mainz STAND STAND VOTE:0 VOTE:1"
    assert told(state, line) == [
        "Wittelsbach gives the vote of a church to Wittelsbach.",
        "The votes are even; dice decide: Habsburg 2, Wittelsbach 2.",
        "Even again: Habsburg 3, Wittelsbach 5.",
        "Wittelsbach becomes Archbishop of Mainz.",
    ]


def test_the_royal_election_is_told_with_offers_and_its_end() -> None:
    titles = {"mainz": 0, "koeln": 0, "trier": 0, "boehmen": 1}
    state = lay(2, titles=titles, gold=[30, 20])
    play(state, "ACT_KING STAND STAND OFFER:3")
    assert told(state.clone(), "ABSTAIN") == ["Habsburg abstains as Archbishop of Mainz."]
    assert told(state, "VOTE:1") == [
        "Habsburg votes for Wittelsbach as Archbishop of Mainz. Wittelsbach pays Habsburg 3 gold for it."
    ]
    assert told(state, "OFFER:0") == ["Wittelsbach offers nothing for the vote of the Archbishop of Cologne."]
    play(state, "VOTE:1 OFFER:0 VOTE:1 OFFER:0")
    assert told(state, "VOTE:1")[1] == "Wittelsbach has 4 votes and becomes King of the Romans: the game is over."
    steps, outcome = SHOWN.scoring(state, "en"), state.outcome()
    assert outcome is not None
    assert list(steps[-1].sums) == outcome.details["wealth"]
    assert steps[-1].note == "Wittelsbach is king and wins; so does the richest."


def test_languages_have_the_same_words() -> None:
    keys = {language: set(SHOWN.labels(language)) for language in SHOWN.languages}
    assert set(SHOWN.languages) == {"en", "de", "fr", "it"}
    assert all(found == keys["en"] for found in keys.values())
    assert SHOWN.labels("fr")["MOVE_TO:elsass"] == "Aller vers : Alsace"
    assert SHOWN.labels("it")["koeln"] == "Colonia"
