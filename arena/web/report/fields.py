"""What is written of a match, each with numbers of its own for its situations; `js/unpack.js` has the same."""

from typing import Final

SEAT: Final = 8
ACTION: Final = 16
BY: Final = 24
THROWS: Final = 32
KIND: Final = 40
COUNT: Final = 48
CHANCE: Final = 56
SAID: Final = 64
WORDS: Final = 72
ELAPSED: Final = 80
LEFT: Final = 88
NOTE: Final = 96
DECIDER: Final = 104
TURN: Final = 112
WORTH: Final = 120
TEXT: Final = 128
SLOT: Final = 136
PART: Final = 144
TEMPLATE: Final = 152
SAME: Final = 160
AMOUNT: Final = 168
WHOLE: Final = 176
VALUE: Final = 184
CHANGE: Final = 192
