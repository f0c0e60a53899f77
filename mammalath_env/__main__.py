"""Run the command line as ``python -m mammalath_env``."""

from __future__ import annotations

from mammalath_env.cli import main

if __name__ == "__main__":
    main()
