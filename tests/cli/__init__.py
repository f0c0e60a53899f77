"""The commands of `mammalath`."""
