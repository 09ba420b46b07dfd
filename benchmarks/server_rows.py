"""The statements that write a large book of record into PostgreSQL, all of it made up on the server.

Every value follows from the number of a match or of a version, so a book of the same size is the same each time. What
is rated is plausible and not computed: a million matches take TrueSkill minutes.
"""

from __future__ import annotations

from collections.abc import Iterator

_ID = "01990000-0000-7000-{kind}-"
_RATED = "o < 3 AND NOT broken"


def id_of(kind: str, number: str) -> str:
    """Return the SQL for the id of a kind of thing with that number."""
    return f"('{_ID.format(kind=kind)}' || lpad(to_hex(({number})::bigint), 12, '0'))"


MATCH, BLOCK, VERSION, BOT, TOURNAMENT = "8001", "8002", "8003", "8004", "8005"


def text_id(kind: str, number: int) -> str:
    """Return the id of a kind of thing with that number."""
    return f"{_ID.format(kind=kind)}{number:012x}"


def staging(bots: int) -> Iterator[str]:
    """Yield the statements that make a row for each match: who meets whom, and what comes of it (`o`).

    That is 0 or 1 for the seat that wins, 2 for a draw, 3 for a void match, 4 for one that is still to be played.
    """
    versions = 2 * bots
    yield f"""
CREATE UNLOGGED TABLE plan AS
SELECT *, CASE
    WHEN seq IS NULL THEN 4
    WHEN broken AND rotation = 1 THEN 3
    WHEN chance & 7 = 0 THEN 2
    WHEN ((chance >> 8) & 65535) / 65536.0 < 1 / (1 + exp({_strength("k1", bots)} - {_strength("k0", bots)})) THEN 0
    ELSE 1 END::int2 AS o
FROM (
    SELECT g, t, pool, place, rotation, block, seq, hashint8extended(g, 1) AS chance,
        seq IS NOT NULL AND place % 2000 >= 1998 AS broken,
        ((first_version + step * CASE rotation WHEN 0 THEN one ELSE other END) % {versions})::int AS k0,
        ((first_version + step * CASE rotation WHEN 0 THEN other ELSE one END) % {versions})::int AS k1
    FROM (
        SELECT *, (one + 1 + (place / 2 / entrants) % least(entrants - 1, reach)) % entrants AS other
        FROM (
            SELECT s.*, s.tournament AS t, s.first_match + i AS g, s.first_place + i AS place, s.first_seq + i AS seq,
                (s.first_place + i) % 2 AS rotation, (s.first_match + i) / 2 AS block,
                (s.first_place + i) / 2 % s.entrants AS one
            FROM segment s CROSS JOIN LATERAL generate_series(0, s.matches - 1) AS i
        ) AS places
    ) AS pairs
) AS meetings"""
    yield "ANALYZE plan"


def rows(bots: int) -> dict[str, str]:
    """Return the statement that fills each table from the staged rows, those first that take longest."""
    match, version = id_of(MATCH, "g"), id_of(VERSION, "k")
    seats = "(SELECT *, 0 AS seat, k0 AS k FROM plan UNION ALL SELECT *, 1, k1 FROM plan) AS seats"
    points = "CASE WHEN o = 2 THEN 1 WHEN o = seat THEN 2 ELSE 0 END"
    counts = f"count(*), sum((o = seat)::int), 0, sum((o = 2)::int), sum({points})"
    fault = "o < 2 AND g % 200 = 7"
    loser = id_of(VERSION, "CASE o WHEN 0 THEN k1 ELSE k0 END")
    return {
        "match": f"""
            INSERT INTO match (id, tournament_id, block_id, rotation, position, state, attempt, void_reason,
                by_rules, rated, details, plies, decisions, started_at_us, duration_us, game_digest, record_digest,
                sandbox, pool_id)
            SELECT {match}, {id_of(TOURNAMENT, "t")}, {id_of(BLOCK, "block")}, rotation, place,
                CASE o WHEN 3 THEN 'void' WHEN 4 THEN 'planned' ELSE 'finished' END,
                CASE WHEN o = 4 THEN 0 WHEN o = 3 THEN 3 WHEN g % 5000 = 4 THEN 2 ELSE 1 END,
                CASE o WHEN 3 THEN 'three attempts failed' END,
                CASE WHEN o < 3 THEN true END, CASE WHEN o < 3 THEN true END, CASE WHEN o < 3 THEN '{{}}'::json END,
                CASE WHEN o < 3 THEN 60 + g % 97 END, CASE WHEN o < 3 THEN 50 + g % 41 END,
                CASE WHEN o < 3 THEN 1700000000000000 + g * 3000000 END, CASE WHEN o < 3 THEN 50000 + g % 1009 END,
                CASE WHEN o < 3 THEN md5(g::text) || md5(chance::text) END,
                CASE WHEN o < 3 THEN md5(chance::text) || md5(g::text) END, CASE WHEN o < 3 THEN 'standard' END,
                pool
            FROM plan ORDER BY g""",
        "rating_change": f"""
            INSERT INTO rating_change (match_id, seat, pool_id, version_id, rating_seq, mu_before, sigma_before,
                mu_after, sigma_after)
            SELECT {match}, seat, pool, {version}, seq, {_mu("seq - 1", bots)}, {_sigma("seq - 1")},
                {_mu("seq", bots)}, {_sigma("seq")}
            FROM (SELECT g, seat, pool, seq, CASE seat WHEN 0 THEN k0 ELSE k1 END AS k
                FROM plan CROSS JOIN (VALUES (0), (1)) AS s (seat) WHERE {_RATED}) AS seats""",
        "match_seat": f"""
            INSERT INTO match_seat (match_id, seat, version_id, rank, forfeit, resigned)
            SELECT {match}, seat, {id_of(VERSION, "CASE seat WHEN 0 THEN k0 ELSE k1 END")},
                CASE WHEN o = 2 OR o = seat THEN 1 WHEN o < 2 THEN 2 END,
                CASE WHEN {fault} AND o <> seat THEN 1 END, CASE WHEN o < 3 THEN false END
            FROM plan CROSS JOIN (VALUES (0), (1)) AS s (seat)""",
        "entrant_tally": f"""
            INSERT INTO entrant_tally (tournament_id, version_id, matches, wins, shared, draws, points, forfeits,
                blocks, block_matches, block_points, equal, leaks, unstable, unknown)
            SELECT {id_of(TOURNAMENT, "t")}, {version}, {counts}, sum(({fault} AND o <> seat)::int),
                sum((NOT broken)::int) / 2, sum((NOT broken)::int), sum(CASE WHEN broken THEN 0 ELSE {points} END),
                0, 0, 0, 0
            FROM {seats} WHERE o < 3 GROUP BY t, k""",
        "rating": f"""
            INSERT INTO rating (pool_id, version_id, mu, sigma, exposure, matches, wins, shared, draws, points)
            SELECT pool, {version}, mu, sigma, mu - 3 * sigma, matches, wins, shared, draws, points
            FROM (
                SELECT *, {_mu("seq", bots)} AS mu, {_sigma("seq")} AS sigma
                FROM (
                    SELECT pool, k, max(seq), {counts} FROM {seats} WHERE {_RATED} GROUP BY pool, k
                ) AS counted (pool, k, seq, matches, wins, shared, draws, points)
            ) AS rated""",
        "rating_order": f"""
            INSERT INTO rating_order (pool_id, rating_seq, match_id, verdict)
            SELECT pool, seq, {match}, CASE WHEN o = 3 THEN 'void' WHEN broken THEN 'void_block' ELSE 'rated' END
            FROM plan WHERE o < 4""",
        "attempt": f"""
            INSERT INTO attempt (match_id, number, worker, state, leased_at_us, deadline_us, ended_at_us, reason,
                cause, tournament_id)
            SELECT {match}, number, 'worker-1', CASE WHEN lost THEN 'expired' ELSE 'finished' END,
                1700000000000000 + g * 3000000, 1700000060000000 + g * 3000000, 1700000001000000 + g * 3000000,
                CASE WHEN lost THEN 'the lease ran out' END, CASE WHEN lost THEN 'LEASE_EXPIRED' END,
                CASE WHEN lost THEN {id_of(TOURNAMENT, "t")} END
            FROM (
                SELECT g, t, o, number, o = 3 OR (g % 5000 = 4 AND number = 1) AS lost FROM plan CROSS JOIN LATERAL
                    generate_series(1, CASE WHEN o = 3 THEN 3 WHEN g % 5000 = 4 THEN 2 ELSE 1 END) AS number
                WHERE o < 4
            ) AS attempts""",
        "replay": f"""
            INSERT INTO replay (match_id, data)
            SELECT {match}, decode(repeat(md5(g::text), 6), 'hex') FROM plan WHERE o < 3""",
        "block": f"""
            INSERT INTO block (id, tournament_id, index, opening, chance_seed)
            SELECT {id_of(BLOCK, "block")}, {id_of(TOURNAMENT, "t")}, place / 2, '[0, 0]',
                hashint8extended(block, 5) & {2**62 - 1} FROM plan WHERE rotation = 0""",
        "fault": f"""
            INSERT INTO fault (match_id, number, seat, cause, ply, explanation, evidence, tournament_id, version_id)
            SELECT {match}, 0, 1 - o, CASE g % 3 WHEN 0 THEN 'ILLEGAL_ACTION' ELSE 'DISCONNECTED' END, 12,
                'It did what nobody may do.', '{{}}', {id_of(TOURNAMENT, "t")}, {loser} FROM plan WHERE {fault}""",
    }


def _strength(k: str, bots: int) -> str:
    return f"(4.0 * (({k} / 2) * 7919 % {bots}) / {bots} + 0.2 * ({k} % 2))"


def _mu(seq: str, bots: int) -> str:
    return f"(20 + 2 * {_strength('k', bots)} + 0.3 * sin(k + ({seq}) / 1000.0))::float8"


def _sigma(seq: str) -> str:
    return f"(0.8 + 7 / (1 + ({seq}) / 1000.0))::float8"
