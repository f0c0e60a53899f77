"""Infos: the keys of single and batched environments, and the reason after an illegal action."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from mammalath_env import make_game
from mammalath_env.core.errors import IllegalMoveError
from mammalath_env.core.game import Game
from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.envs.opponent_vector import OpponentVectorEnv
from mammalath_env.envs.parallel import BoardGameParallelEnv
from mammalath_env.envs.registration import gymnasium_id
from mammalath_env.envs.single_agent import SingleAgentEnv
from mammalath_env.envs.vector import SelfPlayVectorEnv
from mammalath_env.integrations.mask_in_info import MaskInInfoEnv
from tests.processes import ROOT

Infos = Mapping[str, Any]


def refusal(game: Game, position: Any, action: int) -> str:
    """Return what the game says to an illegal action."""
    with pytest.raises(IllegalMoveError) as caught:
        position.play(action)
    return f"illegal action: {caught.value}"


@pytest.mark.parametrize("action", ["illegal", "huge"])
def test_single_environments_say_which_action_and_why(game: Game, action: str) -> None:
    """In words, for both agents, in the step that ends the game and in no other one."""
    late = game.deal(1)
    while all(late.action_mask()):
        late = late.play(late.legal_actions()[0])
    number = 2**70 if action == "huge" else int(late.action_mask().argmin())
    legal = late.legal_actions()[0]
    reason = refusal(game, late, number)

    aec = BoardGameEnv(game)
    parallel = BoardGameParallelEnv(game)
    single = SingleAgentEnv(game, seat="first")
    for play in (legal, number, legal):
        aec.reset(options={"position": late})
        assert all("reason" not in info for info in aec.infos.values())
        aec.step(play)
        _, infos = parallel.reset(options={"position": late})
        assert all("reason" not in info for info in infos.values())
        *_, infos = parallel.step({f"player_{late.to_move}": play})
        _, info = single.reset(options={"position": late})
        assert "reason" not in info
        *_, info = single.step(play)
        expected = [reason] * 5 if play == number else [None] * 5
        every = [*aec.infos.values(), *infos.values(), info]
        assert [each.get("reason") for each in every] == expected


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("kind", [SelfPlayVectorEnv, OpponentVectorEnv])
def test_batches_say_which_action(game: Game, kind: Any, mode: AutoresetMode) -> None:
    """Only in the steps in which an illegal action ends a game, and only in its lane."""
    envs = kind(game, 4, autoreset_mode=mode)
    envs.reset(seed=1)
    chosen = np.array([False, True, False, True])
    seen = 0
    for step in range(6):
        over = np.array([envs.is_over(lane) for lane in range(4)])
        if over.any() and mode is AutoresetMode.DISABLED:
            envs.reset(options={"reset_mask": over})
            over[:] = False
        actions = envs.masks().argmax(axis=1)
        refused = chosen & ~over if step % 2 else np.zeros(4, np.bool_)
        actions[refused] = game.num_actions + 7
        *_, info = envs.step(actions)
        infos = [info, info["final_info"]] if "final_info" in info else [info]
        for each in infos:
            assert ("reason" in each) == ("_reason" in each) == bool(refused.any())
        if refused.any():
            seen += 1
            for each in infos:
                assert each["reason"].dtype == object
                assert each["_reason"].tolist() == refused.tolist()
                text = f"illegal action {game.num_actions + 7}"
                assert each["reason"].tolist() == [text if one else None for one in refused]
    assert seen >= 2


def test_modes_of_gymnasium_have_the_same_keys() -> None:
    """A batch has the keys that Gymnasium makes of those of single environments."""
    keys: dict[str, list[set[str]]] = {}
    for mode in ("sync", "vector_entry_point"):
        envs = gymnasium.make_vec(
            gymnasium_id("mammalath"), num_envs=2, vectorization_mode=mode, seat="first"
        )
        _, info = envs.reset(seed=1)
        keys[mode] = [{key for key in info if not key.startswith("_")}]
        for actions in ([0, 0], [0, 1], [3, 3]):
            *_, info = envs.step(np.array(actions))
            keys[mode].append({key for key in info if not key.startswith("_")})
            if "reason" in info:
                assert info["reason"][1] is None
                assert info["reason"][0].startswith("illegal action")
                assert info["_reason"].tolist() == [True, False]
    assert keys["sync"] == keys["vector_entry_point"]
    assert ["reason" in each for each in keys["sync"]] == [False, False, True, False]


def test_the_table_of_the_docs(game: Game) -> None:
    """Keys, types and shapes are those of the table, in all environments."""
    text = (ROOT / "docs" / "batches.md").read_text("utf-8")
    section = re.search(r"^## Infos\n(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    assert section is not None
    cells = [line.split(" | ") for line in section[1].splitlines() if line.startswith("| `")]
    table = {re.findall(r"`(\w+)`", row[0])[0]: row for row in cells}

    illegal = 10_000
    aec = BoardGameEnv(game)
    aec.reset(seed=1)
    parallel = BoardGameParallelEnv(game)
    parallel.reset(seed=1)
    single = SingleAgentEnv(game)
    single.reset(seed=1)
    self_play = SelfPlayVectorEnv(game, 3)
    self_play.reset(seed=1)
    drawn = self_play.random_step()[-1]
    one_seat = OpponentVectorEnv(game, 3)
    one_seat.reset(seed=1)
    aec.step(illegal)
    found: dict[str, Infos] = {
        "AEC": aec.infos["player_0"],
        "parallel": parallel.step({"player_0": illegal, "player_1": illegal})[-1]["player_1"],
        "one seat": single.step(illegal)[-1],
        "batch of both": {**drawn, **self_play.step([illegal] * 3)[-1]},
        "batch of one seat": one_seat.step([illegal] * 3)[-1],
    }
    sizes = {"lanes": 3, "num_actions": game.num_actions, "2": 2}
    for name, info in found.items():
        assert {key for key, row in table.items() if name in row[1].split(", ")} == set(info)
        for key, value in info.items():
            alone, batched = (
                table[key][2].split("; ") if "; " in table[key][2] else table[key][2:3] * 2
            )
            if not name.startswith("batch") and isinstance(value, (int, str)):
                assert type(value).__name__ == alone
                continue
            shape = re.fullmatch(r"(\w+)\[(.*)\]", batched if name.startswith("batch") else alone)
            assert shape is not None, (name, key)
            assert value.dtype == np.dtype(shape[1]), (name, key)
            assert value.shape == tuple(sizes[each] for each in shape[2].split(", ")), (name, key)


def test_terminations_have_names(game: Game) -> None:
    """Every code in infos can be said in words."""
    assert game.describe_termination(0) == ""
    assert game.describe_termination(np.int8(-1)) == "illegal action"
    for reason in game.termination:
        assert game.describe_termination(int(reason)) == reason.label
    codes = ", ".join(map(str, [-1, 0, *map(int, game.termination)]))
    with pytest.raises(ValueError, match=f"unknown termination 17: expected one of {codes}$"):
        game.describe_termination(17)
    with pytest.raises(TypeError, match="a termination must be an integer"):
        game.describe_termination("draw")  # type: ignore[arg-type]
    assert make_game("mancala").describe_termination(1) == "majority"


def test_masks_in_infos_stand_beside_numbers_alone(game: Game) -> None:
    """Libraries that read masks from infos make tensors of all that stands there."""
    env = MaskInInfoEnv(game)
    env.reset(seed=1)
    *_, infos = env.step({"player_0": -1, "player_1": -1})
    for info in infos.values():
        assert info["termination"] == -1
        assert all(isinstance(value, (int, np.ndarray)) for value in info.values())
