"""Mancala, played with lists and loops (R20 to R27).

What the rules leave to be worked out, and how it is settled here:

* When a game ends by R24: at once. As soon as a move leaves a position whose next player faces
  an empty row and has no feeding move, that player's seeds go to their store and the game is
  over; nobody makes a further move, the ply does not advance, `to_move` stays with the player
  who took the seeds and the count of plies since a capture is not reset. Recorded games end this
  way, with all twelve holes empty, and so do those ended by R26.
* A capture always leaves the opponent a seed (R23). So a player who wins by R25 wins with seeds
  still in the holes, where they stay, and 24 each only comes from taking the last seeds.
* A capture prevented by R23 is prevented whole, a chain too, and is no capture for R26.
* R26 and R24 may fall on the same ply. The seeds go to the same stores either way and only the
  reason differs. R26 is named, for then a reader of the text, which shows empty holes and the
  count of plies since a capture, finds the same reason again.
"""

from __future__ import annotations

SOUTH = 0
NORTH = 1
SIDES = "sn"
WINNERS = "SN"
# South's holes are numbered 0 to 5 and north's 6 to 11, in the order of sowing.
HOLE_NAMES = "ABCDEFabcdef"
HOLES_EACH = 6
SEEDS_EACH_HOLE = 4
ALL_SEEDS = 48

MAJORITY = "majority"
CANNOT_FEED = "opponent cannot be fed"
NO_CAPTURE = "no-capture limit"


def _number(word: str, text: str) -> int:
    """Read a number written without sign or leading zeros."""
    if not (word.isascii() and word.isdigit()) or str(int(word)) != word:
        raise ValueError(f"{word!r} is not a number in position {text!r}")
    return int(word)


class MancalaReference:
    """One game in progress or finished; `apply` changes it in place.

    Attributes:
        capture: `last` or `chain` (R22).
        no_capture_limit: Plies without a capture that end the game (R26).
        holes: Seeds in the twelve holes, A to F and then a to f.
        stores: Seeds in south's and north's store.
        to_move: 0 for south, 1 for north (R20); once finished, who would have been next.
        plies_since_capture: Plies since the last capture.
        ply: Moves made so far.
        result: `S`, `N` or `draw`, and None while the game goes on.
        reason: `majority` (R25), `opponent cannot be fed` (R24), `no-capture limit` (R26) or
            None.
    """

    def __init__(self, capture: str = "last", no_capture_limit: int = 100) -> None:
        """Set up the start position with south to move; ValueError for a bad option."""
        if capture not in ("last", "chain"):
            raise ValueError(f"capture is last or chain, not {capture!r}")
        if no_capture_limit < 1:
            raise ValueError(f"no_capture_limit is at least 1, not {no_capture_limit}")
        self.capture = capture
        self.no_capture_limit = no_capture_limit
        self.start()

    def start(self, first_player: int = SOUTH) -> MancalaReference:
        """Go back to the start position with the given player to move (R20); return self."""
        self.holes = [SEEDS_EACH_HOLE] * (2 * HOLES_EACH)
        self.stores = [0, 0]
        self.to_move = first_player
        self.plies_since_capture = 0
        self.ply = 0
        self.result: str | None = None
        self.reason: str | None = None
        return self

    @classmethod
    def from_text(
        cls, text: str, capture: str = "last", no_capture_limit: int = 100
    ) -> MancalaReference:
        """Read a position; one at its end is settled (R24 to R27).

        Raises ValueError for a text `to_text` would not write, a wrong number of seeds, and a
        player to move who has none while the opponent has some, which no game reaches.
        """
        game = cls(capture, no_capture_limit)
        fields = text.split(" ")
        if len(fields) != 5 or fields[2] not in ("s", "n"):
            raise ValueError(f"not five fields with side s or n: {text!r}")
        rows = [row.split(",") for row in fields[0].split("/")]
        stores = fields[1].split("-")
        if [len(row) for row in rows] != [HOLES_EACH, HOLES_EACH] or len(stores) != 2:
            raise ValueError(f"not two rows of six holes and two stores: {text!r}")
        game.holes = [_number(word, text) for row in rows for word in row]
        game.stores = [_number(word, text) for word in stores]
        game.to_move = SIDES.index(fields[2])
        game.plies_since_capture = _number(fields[3], text)
        game.ply = _number(fields[4], text)
        if sum(game.holes) + sum(game.stores) != ALL_SEEDS:
            raise ValueError(f"not {ALL_SEEDS} seeds in position {text!r}")
        if game.plies_since_capture > game.ply:
            raise ValueError(f"more plies since a capture than plies in position {text!r}")
        game._settle()
        if game.result is None and not game.legal_actions():
            raise ValueError(f"the player to move has no seed in position {text!r}")
        return game

    def copy(self) -> MancalaReference:
        """Return an independent copy."""
        other = MancalaReference(self.capture, self.no_capture_limit)
        other.holes = list(self.holes)
        other.stores = list(self.stores)
        other.to_move = self.to_move
        other.plies_since_capture = self.plies_since_capture
        other.ply = self.ply
        other.result = self.result
        other.reason = self.reason
        return other

    def to_text(self) -> str:
        """Write the position in its five fields."""
        south = ",".join(str(self.holes[hole]) for hole in self._row(SOUTH))
        north = ",".join(str(self.holes[hole]) for hole in self._row(NORTH))
        stores = f"{self.stores[SOUTH]}-{self.stores[NORTH]}"
        return (
            f"{south}/{north} {stores} {SIDES[self.to_move]} {self.plies_since_capture} {self.ply}"
        )

    def legal_actions(self) -> list[int]:
        """Return the holes the player to move may sow (R21), only feeding ones if R24 asks."""
        if self.result is not None:
            return []
        return self._allowed()

    def apply(self, action: int) -> None:
        """Sow, capture and see whether the game is over; ValueError if the move is illegal."""
        if action not in self.legal_actions():
            raise ValueError(f"illegal action {action} in {self.to_text()!r}")
        mover = self.to_move
        self.holes, last = self._sown(self._row(mover)[action])
        taken = self._captured(last)
        if taken:
            for hole in taken:
                self.stores[mover] += self.holes[hole]
                self.holes[hole] = 0
            self.plies_since_capture = 0
        else:
            self.plies_since_capture += 1
        self.to_move = 1 - mover
        self.ply += 1
        self._settle()

    def format_move(self, action: int) -> str:
        """Write an action of the player to move, `A` to `F` for south, `a` to `f` for north."""
        if not 0 <= action < HOLES_EACH:
            raise ValueError(f"no action {action} in mancala")
        return HOLE_NAMES[self._row(self.to_move)[action]]

    def parse_move(self, text: str) -> int:
        """Return the id of a move's text; ValueError if it is no hole of the player to move."""
        for action in range(HOLES_EACH):
            if self.format_move(action) == text:
                return action
        raise ValueError(f"no move {text!r} for {SIDES[self.to_move]} in {self.to_text()!r}")

    def _row(self, player: int) -> list[int]:
        """Return the player's holes from their left to their right."""
        if player == SOUTH:
            return [0, 1, 2, 3, 4, 5]
        return [6, 7, 8, 9, 10, 11]

    def _seeds(self, player: int) -> int:
        return sum(self.holes[hole] for hole in self._row(player))

    def _sown(self, origin: int) -> tuple[list[int], int]:
        """Return the holes after sowing `origin` (R21) and the hole of the last seed."""
        holes = list(self.holes)
        in_hand = holes[origin]
        holes[origin] = 0
        hole = origin
        while in_hand > 0:
            hole = (hole + 1) % len(holes)
            if hole != origin:
                holes[hole] += 1
                in_hand -= 1
        return holes, hole

    def _allowed(self) -> list[int]:
        """Return the moves that R21 and R24 allow, without asking whether the game is over."""
        own = self._row(self.to_move)
        allowed = [action for action in range(HOLES_EACH) if self.holes[own[action]] > 0]
        if self._seeds(1 - self.to_move) > 0:
            return allowed
        feeding = []
        for action in allowed:
            holes, _ = self._sown(own[action])
            if any(holes[hole] > 0 for hole in self._row(1 - self.to_move)):
                feeding.append(action)
        return feeding

    def _captured(self, last: int) -> list[int]:
        """Return the holes captured by the player to move, who has just sown up to `last`."""
        theirs = self._row(1 - self.to_move)
        taken = []
        hole = last
        while hole in theirs and self.holes[hole] in (2, 3):  # R22
            taken.append(hole)
            if self.capture == "last":
                break
            hole -= 1
        if sum(self.holes[hole] for hole in taken) == self._seeds(1 - self.to_move):  # R23
            return []
        return taken

    def _take_own_seeds(self, player: int) -> None:
        for hole in self._row(player):
            self.stores[player] += self.holes[hole]
            self.holes[hole] = 0

    def _settle(self) -> None:
        """End the game if the player to move finds it ended (R24 to R27)."""
        if max(self.stores) > ALL_SEEDS // 2 and sum(self.holes) > 0:
            self.reason = MAJORITY
        elif self.plies_since_capture >= self.no_capture_limit:
            self.reason = NO_CAPTURE
            self._take_own_seeds(SOUTH)
            self._take_own_seeds(NORTH)
        elif self._seeds(1 - self.to_move) == 0 and not self._allowed():
            self.reason = CANNOT_FEED
            self._take_own_seeds(self.to_move)
        else:
            return
        if self.stores[SOUTH] == self.stores[NORTH]:
            self.result = "draw"
        elif self.stores[SOUTH] > self.stores[NORTH]:
            self.result = WINNERS[SOUTH]
        else:
            self.result = WINNERS[NORTH]
