"""The deal and the moves of Mammalath, rule by rule (R1 to R8, R13)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mammalath_env.core.errors import IllegalMoveError, InvalidMoveError
from mammalath_env.games.mammalath.game import MammalathGame
from tests.games.boards import (
    BOTH,
    NAMES,
    PLUS,
    SMALL,
    full_animals,
    play_text,
    position,
)

# The example of the notation: neither A nor E is left.
EXAMPLE = "DCFBDF/1BCFCB/C3F1/1B4/F1D3/B1D1CC 6/6/5b/1w4/6/1b1w2 w 8"
FIRST_PLY = "FEDBCA/EADADF/CEAEEC/EAFBFF/DDCDCB/FBBBCA 6/6/1b4/6/6/6 w 1"
SWAP_PLIES = {
    0: "FEDBCA/EADADF/CEAEEC/EAFBFF/DDCDCB/FBBBCA 6/6/6/6/6/6 b 0",
    1: FIRST_PLY,
    2: "FEDBCA/EADADF/CEAEEC/EAFBFF/DDCDCB/FBBBCA 6/6/1b4/6/w5/6 b 2",
    3: "FEDBCA/EADADF/CEAEEC/EAFBFF/DDCDCB/FBBBCA 6/6/1b4/6/w5/b5 w 3",
}
MANY = 3600


def _animal_letters(game: MammalathGame, seed: int) -> str:
    """Return the type on each space of a deal."""
    return game.deal(seed).to_text().split(" ")[0].replace("/", "")


@pytest.mark.parametrize("game", BOTH, ids=NAMES)
def test_deal_counts(game: MammalathGame) -> None:
    """One animal on every space, equally many of each type, and no token (R1, R2, R13)."""
    size = game.config.size
    assert (size, game.config.letters) in [(6, "ABCDEF"), (8, "ABCDEFGH")]
    for seed in range(100):
        deal = game.deal(seed)
        animals, tokens, side, ply = deal.to_text().split(" ")
        for letter in game.config.letters:
            assert animals.count(letter) == size
        assert len(animals.replace("/", "")) == size * size
        assert tokens == "/".join([str(size)] * size)
        assert (side, ply) == ("bw"[deal.to_move], "0")
        assert deal.outcome is None


def test_deals_of_a_seed() -> None:
    """A seed gives the same deal in every release, so that results can be repeated."""
    assert SMALL.deal(7).to_text() == ("DEDBEE/CFCECA/ACFCFA/EAFDCF/ADBDDB/FEBBAB 6/6/6/6/6/6 w 0")
    assert PLUS.deal(7).to_text() == (
        "FGFCFGDH/DGDAADHD/HBFAGFDH/BFBEEDGG/FHCEBCCH/AEDEAEBH/GFECCCBE/BGABHAAC "
        "8/8/8/8/8/8/8/8 w 0"
    )


@pytest.mark.parametrize("game", BOTH, ids=NAMES)
def test_every_space_gets_every_type_equally_often(
    game: MammalathGame, scale: Callable[[int], int]
) -> None:
    """Animals are dealt at random, space by space and for neighbours together (R1)."""
    size, deals = game.config.size, max(300, scale(MANY))
    boards = np.array([list(_animal_letters(game, seed)) for seed in range(deals)])
    for letter in game.config.letters:
        share = 1 / size
        spread = 5 * (deals * share * (1 - share)) ** 0.5
        counts = (boards == letter).sum(axis=0)
        assert np.abs(counts - deals * share).max() < spread
    # One animal's neighbour is of its type as often as any of the others is.
    for step in (1, size, size * size - 1):
        same = (boards == np.roll(boards, -step, axis=1)).sum(axis=0)
        share = (size - 1) / (size * size - 1)
        assert np.abs(same - deals * share).max() < 5 * (deals * share * (1 - share)) ** 0.5


@pytest.mark.parametrize("game", BOTH, ids=NAMES)
def test_first_player_of_mammalath_is_drawn(
    game: MammalathGame, scale: Callable[[int], int]
) -> None:
    """Each side begins about as often, and whoever begins says nothing about the animals (R2)."""
    deals = max(300, scale(MANY))
    starts = [game.deal(seed).to_move for seed in range(deals)]
    assert abs(sum(starts) - deals / 2) < 2.5 * deals**0.5
    black_begins_with_a = sum(
        start == 0 and _animal_letters(game, seed)[0] == "A" for seed, start in enumerate(starts)
    )
    share = 1 / (2 * game.config.size)
    assert abs(black_begins_with_a - deals * share) < 5 * (deals * share) ** 0.5 + 1


@pytest.mark.parametrize("game", BOTH, ids=NAMES)
def test_first_player_can_be_fixed(game: MammalathGame) -> None:
    """The option changes who begins and nothing else, not even later draws from the stream (R2)."""
    for seed in range(50):
        drawn = game.deal(seed)
        fixed = [game.deal(seed, first_player=player) for player in (0, 1)]
        assert [deal.to_move for deal in fixed] == [0, 1]
        assert drawn in fixed
        assert len({deal.to_text().split(" ")[0] for deal in (drawn, *fixed)}) == 1
    rng, same = np.random.default_rng(3), np.random.default_rng(3)
    first = [game.deal(rng).to_text().split(" ")[0] for _ in range(5)]
    assert first == [game.deal(same, 1).to_text().split(" ")[0] for _ in range(5)]
    assert len(set(first)) == 5


@pytest.mark.parametrize(
    ("game", "counts"), [(SMALL, [36, 6, 80, 1]), (PLUS, [64, 8, 130 + 49, 1])], ids=NAMES
)
def test_moves_by_kind(game: MammalathGame, counts: list[int]) -> None:
    """Placements, types, lines and squares, swap; without the rule the last one is missing."""
    assert [block.size for block in game.codec.blocks.values()] == counts
    assert game.num_actions == sum(counts)
    without = MammalathGame(game.config, swap_rule=False)
    assert without.num_actions == sum(counts) - 1 in (122, 251)
    at = game.deal(0)
    texts = [at.move_text(action) for action in range(game.num_actions)]
    assert texts[-1] == "swap"
    assert texts[:-1] == [without.format_move(k, without.deal(0)) for k in range(sum(counts) - 1)]


def test_tokens_go_on_spaces_without_one() -> None:
    """A token goes on any space without one, with or without an animal, which stays (R4)."""
    start = SMALL.from_text(EXAMPLE)
    legal = start.legal_moves()
    spaces = [f"{col}{row}" for row in range(1, 7) for col in "abcdef"]
    assert [move for move in legal if move in spaces] == [
        space for space in spaces if space not in ("f3", "b4", "b6", "d6")
    ]
    on_animal = start.play("a1")
    assert on_animal.to_text() == EXAMPLE.replace(" 6/6/5b", " w5/6/5b").replace("w 8", "b 9")
    on_empty = start.play("a2")
    assert on_empty.to_text() == EXAMPLE.replace(" 6/6/5b", " 6/w5/5b").replace("w 8", "b 9")
    for taken in ("f3", "b4", "b6", "d6"):
        with pytest.raises(IllegalMoveError, match=f"illegal move {taken} .* of white"):
            start.play(taken)


def test_release_a_type() -> None:
    """All animals of the type go, tokens stay; legal exactly if one is left (R5)."""
    start = SMALL.from_text(EXAMPLE)
    types = [move for move in start.legal_moves() if len(move) == 2 and move[0] == "x"]
    assert types == ["xB", "xC", "xD", "xF"]
    after = start.play("xB")
    assert after.to_text() == "DCF1DF/2CFC1/C3F1/6/F1D3/2D1CC 6/6/5b/1w4/6/1b1w2 b 9"
    for gone in ("xA", "xE"):
        with pytest.raises(IllegalMoveError, match=f"illegal move {gone}"):
            start.play(gone)
    with pytest.raises(IllegalMoveError, match=r"illegal move xB .* of black"):
        after.play("xB")


def test_release_the_last_animal_of_a_type() -> None:
    """One animal left is enough (R5)."""
    last = SMALL.from_text("6/6/6/3E2/6/6 6/6/6/3b2/6/6 w 9")
    assert [move for move in last.legal_moves() if move[0] == "x"] == ["xE"]
    assert last.play("xE").to_text() == "6/6/6/6/6/6 6/6/6/3b2/6/6 b 10"


@pytest.mark.parametrize("game", BOTH, ids=NAMES)
def test_release_each_line(game: MammalathGame) -> None:
    """Exactly the animals of the line or square go, whatever their types (R6, R15)."""
    full = range(game.config.num_spaces)
    start = position(game, full, [0], [], "w", 1)
    first = game.codec.blocks["pattern"].start
    for index, pattern in enumerate(game.patterns):
        after = start.play(first + index)
        left = set(full) - set(pattern)
        assert after == position(game, left, [0], [], "b", 2)


@pytest.mark.parametrize(("game", "side", "ply"), [(SMALL, "w", 9), (PLUS, "b", 12)], ids=NAMES)
def test_lines_need_all_their_animals(game: MammalathGame, side: str, ply: int) -> None:
    """With its animals alone a line is the only one to release, and with one less none is (R6)."""
    first = game.codec.blocks["pattern"].start
    for index, pattern in enumerate(game.patterns):
        at = position(game, pattern, [pattern[0]], [], side, ply)
        # The swap is illegal here, so what follows the types are patterns.
        assert [action for action in at.legal_actions() if action >= first] == [first + index]
        assert at.play(at.move_text(first + index)).to_text().split(" ")[0] == (
            "/".join([str(game.config.size)] * game.config.size)
        )
        for missing in pattern:
            less = [space for space in pattern if space != missing]
            at = position(game, less, [pattern[0]], [], side, ply)
            assert at.legal_actions()[-1] < first
            with pytest.raises(IllegalMoveError, match="illegal move x"):
                at.play(first + index)


def test_tokens_do_not_matter_for_a_release() -> None:
    """Tokens of either colour, or none, stand on the line, and they stay (R6)."""
    animals = "6/6/6/6/6/3BCB"
    for tokens in ("5b/6/6/6/6/6", "5b/6/6/6/6/3bwb", "5b/6/6/6/6/4ww"):
        black, white = tokens.count("b"), tokens.count("w")
        text = f"{animals} {tokens} w {9 + 2 * ((black + white) // 2)}"
        after = play_text(SMALL.from_text(text), "xd6-f6")
        assert after.to_text().startswith(f"6/6/6/6/6/6 {tokens} b")
        assert after.outcome is None


def test_lines_do_not_run_around_the_edge() -> None:
    """Spaces in a row by number but not on the board are no line (R6)."""
    # e1 f1 a2; f1 a3 b4 (steps of 7); a1 f1 e2 (5); b1 c1 f6.
    for spaces in ("e1 f1 a2", "f1 a3 b4", "a1 f1 e2", "f2 e3 a4", "b1 c1 f6"):
        at = position(SMALL, spaces, "d6", "", "w", 9)
        assert at.legal_actions()[-1] < 42
    for spaces in ("f1 g1 h1 a2", "h1 a2 h2 a3", "h7 a8 b8 c8", "h1 a3 b4 c5", "a1 h1 g2 f3"):
        at = position(PLUS, spaces, "d6", "", "b", 12)
        assert at.legal_actions()[-1] < 72


@pytest.mark.parametrize("game", BOTH, ids=NAMES)
@pytest.mark.parametrize("first_player", [0, 1])
def test_first_ply_is_a_placement(game: MammalathGame, first_player: int) -> None:
    """Nothing else is legal on the first ply, and all of it is on the second (R7)."""
    start = game.deal(3, first_player)
    assert start.legal_actions() == list(range(game.config.num_spaces))
    for action in range(game.config.num_spaces, game.num_actions):
        with pytest.raises(IllegalMoveError, match="illegal move"):
            start.play(action)
    second = start.play(9)
    assert second.legal_actions() == [k for k in range(game.num_actions) if k != 9]
    assert second.to_move == 1 - first_player


@pytest.mark.parametrize("ply", SWAP_PLIES)
def test_swap_is_legal_on_the_second_ply_alone(ply: int) -> None:
    """Not before, and not later, not even with one token on the board (R8)."""
    at = SMALL.from_text(SWAP_PLIES[ply])
    assert (at.legal_moves()[-1] == "swap") == (ply == 1)
    assert at.observation(0)[..., -2].all() == at.observation(1)[..., -2].any() == (ply == 1)
    if ply != 1:
        with pytest.raises(IllegalMoveError, match="illegal move swap"):
            at.play("swap")
    released = play_text(SMALL.from_text(FIRST_PLY), "xA")
    assert "swap" not in released.legal_moves()


@pytest.mark.parametrize(("first", "second"), ["bw", "wb"])
def test_swap_replaces_the_token(first: str, second: str) -> None:
    """The token becomes the second player's, sides stay, and the first is to move (R8)."""
    text = FIRST_PLY.replace("1b4", f"1{first}4").replace("w 1", f"{second} 1")
    after = play_text(SMALL.from_text(text), "swap")
    expected = text.replace(f"1{first}4", f"1{second}4").replace(f"{second} 1", f"{first} 2")
    assert after.to_text() == expected
    assert after.to_move == "bw".index(first)
    assert "swap" not in after.legal_moves()
    # A second swap back is no move, nor is a token on the same space.
    for move in ("swap", "b3"):
        with pytest.raises(IllegalMoveError, match=f"illegal move {move}"):
            after.play(move)


@pytest.mark.parametrize("game", BOTH, ids=NAMES)
def test_without_the_swap_rule(game: MammalathGame) -> None:
    """The action does not exist, the moves are one less, and the plane stays empty (R8)."""
    without = MammalathGame(game.config, swap_rule=False)
    at = without.deal(2).play(5)
    assert at.legal_actions() == [k for k in range(without.num_actions) if k != 5]
    assert not at.observation(0)[..., -2].any()
    assert without.observation_shape == game.observation_shape
    with pytest.raises(IllegalMoveError, match="out of range"):
        at.play(without.num_actions)
    with pytest.raises(InvalidMoveError, match="'swap' is not a move of this game"):
        without.parse_move("swap", at)
    assert without.max_plies == game.max_plies - 1
    # The same words, but not the same position: what may follow differs.
    assert without.deal(2).row.tolist() == game.deal(2).row.tolist()
    assert without != game
    assert without.deal(2) != game.deal(2)


def test_full_board_of_the_tests() -> None:
    """The board that tests build on is a deal (R1, R13)."""
    for game in BOTH:
        letters = full_animals(game)
        assert sorted(letters) == sorted(game.config.letters * game.config.size)
