"""Batches among threads and processes: the same games, and no deadlock."""

from __future__ import annotations

import hashlib
import random
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from mammalath_env.core.game import Game
from mammalath_env.envs import lane_vector, threads
from mammalath_env.envs.opponent_vector import OpponentVectorEnv
from mammalath_env.envs.playouts import random_playouts
from mammalath_env.envs.vector import SelfPlayVectorEnv
from mammalath_env.games import GAMES
from tests.processes import run_code

Scale = Callable[[int], int]

MODES = list(AutoresetMode)[:2]
NUM_THREADS = (1, 2, 3, 7)

# What the scripts begin with. Forking with threads around is what they are for, though Python 3.12
# and later warn of it. A hang ends them, and children, which have not the thread that watches their
# parent.
PREAMBLE = """
import faulthandler, hashlib, os, signal, warnings
faulthandler.dump_traceback_later(240, exit=True)
warnings.filterwarnings("ignore", ".*multi-threaded.*", DeprecationWarning)
from mammalath_env.envs import lane_vector, threads
from mammalath_env.envs.opponent_vector import OpponentVectorEnv
from mammalath_env.envs.vector import SelfPlayVectorEnv
lane_vector.LANES_PER_THREAD = 1

def play(env, steps):
    digest = hashlib.sha256()
    for _ in range(steps):
        actions = [position.legal_actions()[-1:] or [0] for position in env.positions()]
        observation, reward, terminated, _, info = env.step([each[0] for each in actions])
        for array in (*observation.values(), reward, terminated, info["ply"]):
            digest.update(array.tobytes())
    return digest.hexdigest()

def child_says(work):
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(200)
        try:
            os.write(writer, work().encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        text = answer.read()
    os.waitpid(pid, 0)
    return text

def new(kind):
    env = kind(GAME, 20, num_threads=2)
    env.reset(seed=5)
    return env
"""


def digest_of(result: tuple[Any, ...]) -> bytes:
    """Return a digest of all arrays that `reset` or `step` returned."""
    digest = hashlib.sha256()
    found = dict(result[0]) | {f"{k}": array for k, array in enumerate(result[1:-1])}
    found |= {name: array for name, array in result[-1].items() if "final" not in name}
    for name, array in sorted(found.items()):
        # Of texts, the bytes of an array are their addresses.
        content = repr(array.tolist()).encode() if array.dtype == object else array.tobytes()
        digest.update(name.encode() + content)
    return digest.digest()


@pytest.fixture
def slices(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let every batch use all its threads; the number of threads that each call had."""
    found: list[int] = []
    parallel_for = threads.parallel_for

    def spy(task: threads.Task, num_items: int, num_threads: int) -> None:
        workers = set()
        together = threading.Barrier(num_threads, timeout=60)

        def spied(first: int, last: int) -> None:
            together.wait()
            workers.add(threading.get_ident())
            task(first, last)

        parallel_for(spied, num_items, num_threads)
        found.append(len(workers))

    monkeypatch.setattr(lane_vector, "LANES_PER_THREAD", 1)
    monkeypatch.setattr(threads, "parallel_for", spy)
    return found


@pytest.mark.parametrize("mode", MODES)
def test_threads_change_nothing(
    game: Game, mode: AutoresetMode, slices: list[int], scale: Scale
) -> None:
    """However many threads share the lanes, every bit is the same."""
    runs = []
    for num_threads in NUM_THREADS:
        env = SelfPlayVectorEnv(game, 257, autoreset_mode=mode, num_threads=num_threads)
        rng = random.Random(1)
        slices.clear()
        run = [digest_of(env.reset(seed=11))]
        for _ in range(scale(60)):
            actions = env.draw_actions()
            actions[[rng.randrange(257) for _ in range(3)]] = -1
            run.append(digest_of(env.step(actions)))
        run.append(digest_of(env.reset()))
        assert set(slices) == {num_threads}
        runs.append(run)
    assert runs == runs[:1] * len(NUM_THREADS)


@pytest.mark.parametrize("opponent", ["random", "greedy"])
@pytest.mark.parametrize("mode", MODES)
def test_threads_change_no_opponent(
    game: Game, mode: AutoresetMode, opponent: str, slices: list[int], scale: Scale
) -> None:
    """However many threads share the lanes, opponents reply the same."""
    runs, number = [], max(8, scale(40))
    for num_threads in NUM_THREADS:
        env = OpponentVectorEnv(
            game, number, opponent=opponent, autoreset_mode=mode, num_threads=num_threads
        )
        slices.clear()
        run = [digest_of(env.reset(seed=12))]
        for k in range(scale(40)):
            actions = env.action_masks().argmax(axis=1)
            actions[k % number] = -1
            run.append(digest_of(env.step(actions)))
        assert set(slices) == {num_threads}
        runs.append(run)
    assert runs == runs[:1] * len(NUM_THREADS)


def test_small_batches_stay_with_the_caller(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads are used once there are enough lanes for each."""
    asked: list[int] = []
    parallel_for = threads.parallel_for

    def spy(task: threads.Task, num_items: int, num_threads: int) -> None:
        asked.append(num_threads)
        parallel_for(task, num_items, num_threads)

    monkeypatch.setattr(threads, "parallel_for", spy)
    each = 8
    monkeypatch.setattr(lane_vector, "LANES_PER_THREAD", each)
    for num_envs, expected in [(1, 1), (2 * each - 1, 1), (2 * each, 2), (5 * each, 3)]:
        env = SelfPlayVectorEnv(game, num_envs, num_threads=3)
        asked.clear()
        env.reset(seed=1)
        assert asked == [expected]


def test_threads_change_no_playout(game: Game, scale: Scale) -> None:
    """A seed gives the same games on any number of threads; without, games differ."""
    number = max(12, scale(1100))
    first = random_playouts(game, number, seed=6, num_threads=1)
    for num_threads in (2, 3, 4, None):
        again = random_playouts(game, number, seed=6, num_threads=num_threads)
        assert np.array_equal(first.winners, again.winners)
        assert np.array_equal(first.plies, again.plies)
    for other in (random_playouts(game, number, seed=7), random_playouts(game, number)):
        assert not np.array_equal(first.plies, other.plies)
    generators = [np.random.default_rng(3) for _ in range(2)]
    one, two = (random_playouts(game, 12, seed=generator) for generator in generators)
    assert np.array_equal(one.plies, two.plies)


def test_batches_on_several_threads_do_not_disturb_each_other(
    game: Game, monkeypatch: pytest.MonkeyPatch, scale: Scale
) -> None:
    """Several threads, each with a batch of its own, get what they would get alone."""
    monkeypatch.setattr(lane_vector, "LANES_PER_THREAD", 1)
    steps = scale(60)

    def run(seed: int) -> list[bytes]:
        env = SelfPlayVectorEnv(game, 30, num_threads=2)
        found = [digest_of(env.reset(seed=seed))]
        found.extend(digest_of(env.random_step()) for _ in range(steps))
        return found

    alone = [run(seed) for seed in range(4)]
    together: dict[int, list[bytes]] = {}
    callers = [
        threading.Thread(target=lambda seed=seed: together.update({seed: run(seed)}))
        for seed in range(4)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(120)
    assert [together[seed] for seed in range(4)] == alone


@pytest.mark.parametrize("kind", ["SelfPlayVectorEnv", "OpponentVectorEnv"])
def test_interrupts_leave_batches_usable(kind: str, scale: Scale) -> None:
    """After Ctrl-C at random times, in bursts too, batches are right and no thread is left over."""
    printed = run_code(
        f"num_small, num_large, num_interrupts = {scale(12_000)}, {scale(200_000)}, {scale(200)}"
        + PREAMBLE
        + f"kind = {kind}"
        + """
import random, threading, time

# Raises only where the loop below expects it: within a call of the package.
def interrupt(number, frame):
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith("mammalath_env"):
            raise KeyboardInterrupt
        frame = frame.f_back
signal.signal(signal.SIGINT, interrupt)

def digest_of(env):
    digest = hashlib.sha256()
    observation, info = env.reset(seed=77)
    for array in (*observation.values(), *env._lanes, info["ply"]):
        digest.update(array.tobytes())
    return digest.hexdigest()

def act():
    if kind is SelfPlayVectorEnv:
        env.random_step()
    else:
        env.step(env.action_masks().argmax(axis=1))

expected = [digest_of(kind("mammalath", number)) for number in (num_small, num_large)]
env, large = (kind("mammalath", number, num_threads=2) for number in (num_small, num_large))
env.reset(seed=1)
act()
start = time.perf_counter()
act()
longest = 3 * (time.perf_counter() - start)
count = 0

def send():
    rng = random.Random(3)
    while count < num_interrupts:
        time.sleep(rng.uniform(0, longest))
        for _ in range(rng.choice([1, 1, 2, 5])):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(rng.choice([0, 1e-5]))

sender = threading.Thread(target=send)
sender.start()
while count < num_interrupts:
    try:
        env.reset() if count % 10 == 9 else act()
    except KeyboardInterrupt:
        count += 1
sender.join()
print([digest_of(each) for each in (env, large)] == expected, threading.active_count() <= 2)
"""
    )
    assert printed == "True True\n"


@pytest.mark.parametrize("name", GAMES)
def test_a_batch_continues_after_a_fork(name: str) -> None:
    """A batch that has been stepped continues in a child as it does in the parent."""
    printed = run_code(
        f"GAME = {name!r}"
        + PREAMBLE
        + """
for kind in (SelfPlayVectorEnv, OpponentVectorEnv):
    env, alone = new(kind), new(kind)
    play(alone, 5)
    expected = play(alone, 15)
    play(env, 5)
    assert len(threads._pool._workers) == 1
    children = [child_says(lambda: play(env, 15)) for _ in range(2)]
    both = child_says(lambda: child_says(lambda: play(env, 15)))
    print(children == [expected] * 2, both == expected, play(env, 15) == expected)
"""
    )
    assert printed == "True True True\n" * 2


@pytest.mark.parametrize("context", ["None", "'spawn'"])
def test_workers_of_gymnasium(context: str) -> None:
    """`AsyncVectorEnv` in its usual way and with new processes gives what one process gives."""
    printed = run_code(
        f"""
import warnings
warnings.filterwarnings("ignore", ".*multi-threaded.*", DeprecationWarning)
import gymnasium
import numpy as np
import mammalath_env
from mammalath_env.envs.single_agent import SingleAgentEnv

if __name__ == "__main__":
    makers = [lambda: SingleAgentEnv("mammalath", opponent="random")] * 2
    batches = [
        gymnasium.vector.AsyncVectorEnv(makers, context={context}),
        gymnasium.vector.SyncVectorEnv(makers),
    ]
    runs = []
    for env in batches:
        _, info = env.reset(seed=3)
        run = []
        for _ in range(40):
            masks = info["action_mask"]
            observation, reward, terminated, _, info = env.step(masks.argmax(axis=1))
            run.append([each.tobytes() for each in (*observation.values(), reward, terminated)])
        masks = env.call("action_masks")
        run.append(np.array(masks).tobytes())
        env.close()
        runs.append(run)
        print(len(masks), masks[0].dtype, masks[0].shape)
    print(runs[0] == runs[1])
"""
    )
    assert printed == "2 bool (123,)\n" * 2 + "True\n"
