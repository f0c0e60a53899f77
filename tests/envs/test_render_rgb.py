"""Pixels through the environments: single, parallel, batched, and through video recorders."""

from __future__ import annotations

import functools
import random
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pettingzoo.utils.wrappers as pettingzoo_wrappers
import pytest
from gymnasium import wrappers
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from mammalath_env import make_game
from mammalath_env.core.game import Game
from mammalath_env.envs.aec import BoardGameEnv
from mammalath_env.envs.opponent_vector import OpponentVectorEnv
from mammalath_env.envs.parallel import BoardGameParallelEnv
from mammalath_env.envs.registration import gymnasium_id
from mammalath_env.envs.single_agent import SingleAgentEnv
from mammalath_env.envs.vector import SelfPlayVectorEnv
from mammalath_env.rendering import render_rgb
from tests.envs.play import MakeEnv, drain, illegal_action

SIZE = 96
Frames = list[NDArray[np.uint8]]


def height(game: Game) -> int:
    """Return the height of a picture that is `SIZE` wide."""
    return SIZE // 2 if game.name == "mancala" else SIZE


def test_every_position_is_drawn(make_env: MakeEnv, rng: random.Random) -> None:
    """Each frame is a new picture of the position with its last move, the last one too."""
    env = make_env(render_mode="rgb_array", render_size=SIZE)
    env.reset(seed=1)
    frames: Frames = []
    before = env.position
    assert (env.render() == render_rgb(before, size=SIZE)).all()
    while not before.is_over:
        action = rng.choice(before.legal_actions())
        env.step(action)
        frame = env.render()
        assert frame.dtype == np.uint8
        assert frame.shape == (height(env.game), SIZE, 3)
        assert (frame == render_rgb(env.position, before, action, size=SIZE)).all()
        frames.append(frame)
        before = env.position
    assert len({frame.tobytes() for frame in frames}) == len(frames)
    assert all(len(np.unique(frame)) > 2 for frame in frames)
    drain(env)
    assert (env.render() == frames[-1]).all()


def test_an_illegal_action_leaves_the_pixels(make_env: MakeEnv, rng: random.Random) -> None:
    """An action that was not played is not shown."""
    env = make_env(render_mode="rgb_array", render_size=SIZE)
    env.reset(seed=1)
    action = illegal_action(env, rng)
    before = env.render()
    env.step(action)
    assert (env.render() == before).all()


def test_the_parallel_view_draws_what_the_aec_environment_draws(game: Game) -> None:
    """The parallel view draws what the AEC environment draws, and says that it can."""
    env = BoardGameParallelEnv(game, "rgb_array", render_size=SIZE)
    env.reset(seed=3)
    twin = BoardGameEnv(game, "rgb_array", render_size=SIZE)
    twin.reset(seed=3)
    action = env.position.legal_actions()[0]
    env.step({env.possible_agents[env.position.to_move]: action})
    twin.step(action)
    assert (env.render() == twin.render()).all()
    metadata: Any = env.metadata
    assert "rgb_array" in metadata["render_modes"]
    assert metadata["is_parallelizable"] is True
    assert twin.metadata["is_parallelizable"] is False


def test_a_reply_is_the_last_move_of_the_picture(game: Game) -> None:
    """The picture after a step shows the opponent's reply as the last move."""
    env = SingleAgentEnv(game, "rgb_array", render_size=SIZE, seat="first")
    _, info = env.reset(seed=1)
    assert (env.render() == render_rgb(env.position, size=SIZE)).all()
    before, action = env.position, int(np.flatnonzero(info["action_mask"])[0])
    env.step(action)
    between = before.play(action)
    replies = [a for a in between.legal_actions() if between.play(a) == env.position]
    assert any(
        (env.render() == render_rgb(env.position, between, reply, size=SIZE)).all()
        for reply in replies
    )


@pytest.mark.parametrize("make", [SelfPlayVectorEnv, OpponentVectorEnv])
def test_batches_draw_each_lane_with_its_last_move(make: Callable[..., Any], game: Game) -> None:
    """One picture a lane with its last move, the reply in a batch with opponents."""
    envs = make(game, 5, render_mode="rgb_array", render_size=SIZE)
    envs.reset(seed=1)
    start = envs.positions()
    for lane, (frame, position) in enumerate(zip(envs.render(), start, strict=True)):
        # An opponent that moves first has left a mark.
        last = envs.last_move(lane) or ()
        assert bool(last) == (position.ply > 0)
        assert not last or last[0].play(last[1]) == position
        assert (frame == render_rgb(position, *last, size=SIZE)).all()
    # Another action in each lane.
    actions = np.array([each.legal_actions()[lane] for lane, each in enumerate(start)])
    envs.step(actions)
    frames = envs.render()
    assert isinstance(frames, tuple)
    for frame, before, action, now in zip(frames, start, actions, envs.positions(), strict=True):
        after = before.play(action)
        if make is SelfPlayVectorEnv:
            expected = [render_rgb(now, before, action, size=SIZE)]
        else:
            replies = [a for a in after.legal_actions() if after.play(a) == now]
            expected = [render_rgb(now, after, reply, size=SIZE) for reply in replies]
        assert any((frame == picture).all() for picture in expected)
    assert envs.metadata["render_modes"] == ["rgb_array"]
    assert envs.metadata["render_fps"] > 0


@pytest.mark.parametrize("mode", AutoresetMode)
def test_an_illegal_action_leaves_the_pictures_of_batches(game: Game, mode: AutoresetMode) -> None:
    """In the lanes that it ends; in the others there is another move."""
    for make in (SelfPlayVectorEnv, OpponentVectorEnv):
        envs: Any = make(game, 2, render_mode="rgb_array", autoreset_mode=mode, render_size=96)
        observation, _ = envs.reset(seed=1)
        actions = observation["action_mask"].argmax(axis=1)
        observation, *_ = envs.step(actions)
        before = envs.render()
        actions = observation["action_mask"].argmax(axis=1)
        actions[1] = -1
        envs.step(actions)
        after = envs.render()
        assert not np.array_equal(after[0], before[0])
        assert np.array_equal(after[1], before[1]) == (mode is not AutoresetMode.SAME_STEP)


def _reply(action: NDArray[Any], observations: Any, masks: Any) -> NDArray[Any]:
    return action


def test_replies_to_the_same_position() -> None:
    """A picture names the reply that was played, not another one that leads to the same board."""
    game = make_game("mammalath")
    before = game.from_text("CEFEEF/1DD1E1/1D2F1/3F2/C1FAA1/1BBBAC 6/6/2w3/3b2/2w3/6 b 8")
    placement = game.parse_move("f3", before)
    after = before.play(placement)
    pictures = []
    for move in ("xB", "xb6-d6"):
        reply = np.array([game.parse_move(move, after)])
        envs = OpponentVectorEnv(
            game,
            opponent=functools.partial(_reply, reply),
            seat="first",
            render_mode="rgb_array",
            render_size=355,
        )
        envs.reset(options={"positions": [before]})
        envs.step([placement])
        expected = render_rgb(envs.positions()[0], after, int(reply[0]), size=355)
        assert (envs.render()[0] == expected).all()
        pictures.append(expected)
    assert (pictures[0] != pictures[1]).any()


def test_a_failing_opponent_leaves_the_pictures(game: Game) -> None:
    """A step that was taken back is not seen, last moves of the step before are."""
    calls = 0

    def opponent(observation: Any, masks: NDArray[np.bool_]) -> NDArray[Any]:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise RuntimeError("no more")
        return np.asarray(masks.argmax(axis=-1))

    envs = OpponentVectorEnv(
        game, 2, opponent=opponent, seat="first", render_mode="rgb_array", render_size=SIZE
    )
    _, info = envs.reset(seed=1)
    plain = envs.render()
    _, _, _, _, info = envs.step(info["action_mask"].argmax(axis=-1))
    frames = envs.render()
    assert (frames[0] != plain[0]).any()
    with pytest.raises(RuntimeError, match="no more"):
        envs.step(info["action_mask"].argmax(axis=-1))
    assert all((now == then).all() for now, then in zip(envs.render(), frames, strict=True))
    assert (frames[0] != render_rgb(envs.positions([0])[0], size=SIZE)).any()


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_lanes_are_drawn_at_every_step(mode: AutoresetMode, game: Game) -> None:
    """Every lane can be drawn at every step; a new deal shows no last move."""
    envs = SelfPlayVectorEnv(game, 3, render_mode="rgb_array", render_size=64, autoreset_mode=mode)
    envs.reset(seed=1)
    deals = 0
    for _ in range(3 * game.max_plies):
        *_, terminated, _, info = envs.random_step()
        if mode is AutoresetMode.DISABLED and terminated.any():
            _, info = envs.reset(options={"reset_mask": terminated})
        frames = envs.render()
        for lane in np.flatnonzero(info["ply"] == 0).tolist():
            deals += 1
            assert (frames[lane] == render_rgb(envs.positions([lane])[0], size=64)).all()
        if deals >= 2:
            return
    raise AssertionError("no game ended")


def test_the_grid_shows_the_chosen_lanes_in_order(game: Game) -> None:
    """Chosen lanes stand row after row in the order that was asked for, also without a mode."""
    envs = SelfPlayVectorEnv(game, 8, render_size=SIZE)
    envs.reset(seed=1)
    rows = height(game)
    pictures = [render_rgb(position, size=SIZE) for position in envs.positions()]
    grid = envs.render_grid([7, 2, 5])
    assert grid.shape == (2 * rows, 2 * SIZE, 3)
    assert (grid[:rows, :SIZE] == pictures[7]).all()
    assert (grid[:rows, SIZE:] == pictures[2]).all()
    assert (grid[rows:, :SIZE] == pictures[5]).all()
    assert len(np.unique(grid[rows:, SIZE:].reshape(-1, 3), axis=0)) == 1
    assert envs.render_grid(columns=8).shape == (rows, 8 * SIZE, 3)
    assert envs.render_grid().shape == (3 * rows, 3 * SIZE, 3)
    with pytest.raises(ValueError, match="at least one lane"):
        envs.render_grid([])
    with pytest.raises(ValueError, match="columns must be at least 1, not 0"):
        envs.render_grid([0], columns=0)
    wide = envs.render_grid([7, 2], columns=10**9)
    assert wide.shape == (rows, 2 * SIZE, 3)
    assert (wide == envs.render_grid(np.array([7, 2]), columns=np.int64(2))).all()
    for lane in (8, -1):
        with pytest.raises(IndexError, match=f"a lane must be 0 to 7, not {lane}"):
            envs.render_grid([0, lane])
    wrong: Any
    for wrong in (True, 1.0, "1", None):
        with pytest.raises(TypeError, match=f"a lane must be an integer, not {wrong!r}"):
            envs.render_grid([wrong])
    for wrong in (True, 2.0, "2"):
        with pytest.raises(TypeError, match=f"columns must be an integer, not {wrong!r}"):
            envs.render_grid([0], columns=wrong)
    for wrong in (3, "12"):
        with pytest.raises(TypeError, match=f"lanes must be integers, not {wrong!r}"):
            envs.render_grid(wrong)
    with pytest.warns(UserWarning, match="without a render_mode"):
        assert envs.render() is None


def test_pictures_need_a_game(game: Game) -> None:
    """Before the first reset there is nothing to draw."""
    single = SingleAgentEnv(game, "rgb_array")
    envs = SelfPlayVectorEnv(game, 2, render_mode="rgb_array")
    for draw in (BoardGameEnv(game, "rgb_array").render, single.render, envs.render):
        with pytest.raises(gymnasium.error.ResetNeeded):
            draw()
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.render_grid()


@pytest.mark.parametrize(
    "make",
    [
        BoardGameEnv,
        BoardGameParallelEnv,
        SingleAgentEnv,
        lambda game, **options: SelfPlayVectorEnv(game, 2, **options),
        lambda game, **options: OpponentVectorEnv(game, 2, **options),
    ],
)
def test_sizes_are_checked_at_once(make: Callable[..., Any], game: Game) -> None:
    """The constructor refuses what could not be drawn later."""
    with pytest.raises(ValueError, match="from 64 to 4096, not 63"):
        make(game, render_size=63)
    with pytest.raises(TypeError, match=r"must be an integer, not 480\.0"):
        make(game, render_size=480.0)
    with pytest.raises(ValueError, match="'svg'"):
        make(game, render_mode="svg")


class FakeClip:
    """Stands in for MoviePy's clip, and keeps the frames."""

    written: ClassVar[list[tuple[Frames, float, str]]] = []

    def __init__(self, frames: Frames, fps: float) -> None:
        """Take the frames of a video."""
        self.frames, self.fps = frames, fps

    def write_videofile(self, path: str, **_: Any) -> None:
        """Keep what would have been written."""
        self.written.append((self.frames, self.fps, path))


@pytest.fixture
def videos(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Frames, float, str]]:
    """The videos that recorders write, without the library that would encode them."""
    FakeClip.written.clear()
    for name in ("moviepy", "moviepy.video", "moviepy.video.io"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    module = types.ModuleType("moviepy.video.io.ImageSequenceClip")
    module.ImageSequenceClip = FakeClip  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return FakeClip.written


def check_video(video: tuple[Frames, float, str], game: Game, frames: int) -> None:
    """Compare a video with what a game should have given."""
    pictures, fps, _ = video
    assert len(pictures) == frames
    assert fps == 2
    assert {picture.shape for picture in pictures} == {(height(game), SIZE, 3)}
    assert len({picture.tobytes() for picture in pictures}) == frames


def test_video_of_gymnasium(
    game: Game, videos: list[tuple[Frames, float, str]], tmp_path: Path
) -> None:
    """Gymnasium's recorder gets a frame a step, of an environment that was made by its id."""
    plain = gymnasium.make(gymnasium_id(game.name), render_mode="rgb_array", render_size=SIZE)
    folder = str(tmp_path / "videos")
    env: Any = wrappers.RecordVideo(plain, folder, episode_trigger=lambda _: True)
    _, info = env.reset(seed=1)
    steps, over = 0, False
    while not over:
        _, _, over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        steps += 1
    env.close()
    check_video(videos[0], game, steps + 1)


def test_collected_frames(game: Game) -> None:
    """Gymnasium's collector returns the frames since it was asked last."""
    plain = gymnasium.make(gymnasium_id(game.name), render_mode="rgb_array", render_size=SIZE)
    env = wrappers.RenderCollection(plain)
    _, info = env.reset(seed=1)
    for _ in range(2):
        _, _, _, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
    frames: Any = env.render()
    assert len(frames) == 3
    assert env.render() == []


@pytest.mark.skipif(
    not hasattr(pettingzoo_wrappers, "RecordVideo"), reason="this PettingZoo has no recorder"
)
def test_video_of_pettingzoo(
    make_env: MakeEnv, videos: list[tuple[Frames, float, str]], tmp_path: Path, rng: random.Random
) -> None:
    """PettingZoo's recorders get a frame a step."""
    recorder = pettingzoo_wrappers.RecordVideo
    env = recorder(make_env(render_mode="rgb_array", render_size=SIZE), str(tmp_path / "aec"))
    env.reset(seed=1)
    game, plies = env.unwrapped.game, 0
    while not env.unwrapped.position.is_over:
        env.step(rng.choice(env.unwrapped.position.legal_actions()))
        plies += 1
    env.close()
    check_video(videos[0], game, plies + 1)
    parallel = BoardGameParallelEnv(game, "rgb_array", render_size=SIZE)
    both = pettingzoo_wrappers.RecordVideoParallel(parallel, str(tmp_path / "parallel"))
    both.reset(seed=1)
    for _ in range(3):
        position = parallel.position
        both.step(dict.fromkeys(both.agents, position.legal_actions()[0]))
    both.close()
    check_video(videos[1], game, 4)


@pytest.mark.skipif(
    not hasattr(wrappers.vector, "RecordVideo"), reason="this Gymnasium has no recorder of batches"
)
def test_video_of_a_batch(
    game: Game, videos: list[tuple[Frames, float, str]], tmp_path: Path
) -> None:
    """Gymnasium's recorder of batches joins the pictures of all lanes."""
    envs = gymnasium.make_vec(
        gymnasium_id(game.name),
        num_envs=4,
        vectorization_mode="vector_entry_point",
        render_mode="rgb_array",
        render_size=SIZE,
    )
    recorded = wrappers.vector.RecordVideo(envs, str(tmp_path / "batch"), video_length=2)
    _, info = recorded.reset(seed=1)
    for _ in range(3):
        _, _, _, _, info = recorded.step(info["action_mask"].argmax(axis=1))
    recorded.close()
    frames, fps, _ = videos[0]
    assert len(frames) >= 2
    assert fps == 2
    assert frames[0].size == 4 * SIZE * height(game) * 3
