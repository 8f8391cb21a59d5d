"""Stored folders and output files: reading, writing aside, renaming, locking, versions.

`firth.stores.registry` lists the kinds of stores and loads any of them.
"""
