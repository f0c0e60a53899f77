"""Engines that speak UGI, their clients and servers."""
