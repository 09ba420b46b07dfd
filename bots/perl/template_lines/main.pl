# @NAME@ plays @GAME@. It reads a line for each event, and answers each decision with a line.
#
# arena bot test DIRECTORY plays it here against the samples. `arena game rules @GAME@` tells the rules,
# the keys of an observation and the notation of the actions; docs/write-a-bot.md of the arena tells everything
# else. What it writes to stderr is kept with the match. Change how it chooses.

use strict;
use warnings;
use JSON::PP;

$| = 1;    # an answer that stays in a buffer comes too late
my $json = JSON::PP->new->utf8->allow_nonref;
while (my $line = <STDIN>) {
    my $event = $json->decode($line);
    if (my $match = $event->{match_started}) {    # one process plays many matches: forget the last one here
        srand $match->{seed};                     # draw from this seed only, and the match can be repeated
    }
    elsif (my $decision = $event->{decide}) {
        my @legal  = @{ $decision->{legal_actions} };
        my $choice = $legal[ rand @legal ];       # an id
        my $king   = $decision->{observation}{king} // '';
        # The Foreign King: the King's first walk, from his portrait, costs nothing.
        if ($king eq 'portrait' && grep { $_ eq 'ACT_KING' } @{ $decision->{legal_names} }) {
            $choice = 'ACT_KING';                 # or a notation
        }
        print $json->encode($choice), "\n";
    }
}
