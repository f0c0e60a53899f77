"""Engines in other processes, by UGI: the Universal Game Interface, which is UCI for any game.

The protocol is that of kz04px's cutegames (https://github.com/kz04px/cutegames).
"""
