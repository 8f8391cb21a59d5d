"""Web and e-mail addresses, as both cleaners find them.

Every pattern runs in linear time: a repetition that could begin anywhere in a long run of its own
characters has a lookbehind that lets it begin only at the run's start.
"""

from __future__ import annotations

import re

_LINK = re.compile(
    r"""
    # A scheme or www., then all that is not a space, less the sentence's own punctuation.
    (?<!\w) (?: (?:https?|ftps?|sftp|irc|git|file|gopher|news):// | www\d?\. )
        [^\s\0]* [^\s\0.,;:!?"'”’»)\]}>…]
    # A name under a domain with a path: bit.ly/x, pic.twitter.com/x.
  | (?<![\w.@-]) (?:[a-z0-9-]++\.)++ [a-z]{2,24} /
        (?: [^\s\0]* [^\s\0.,;:!?"'”’»)\]}>…] )?
    # An e-mail address.
  | (?<![\w.+-]) (?:mailto:)? [\w.+-]++ @ [\w-]++ (?:\.[\w-]++)++
    """,
    re.VERBOSE | re.IGNORECASE,
)


def without_links(text: str, instead: str = " ") -> str:
    """Replace web and e-mail addresses.

    The full stop or comma after an address belongs to the sentence and stays.

    Parameters
    ----------
    text
        One line.
    instead
        What is put in an address's place.

    Returns
    -------
    str
        The line without addresses.

    Examples
    --------
    >>> without_links("Write to ada@example.org or see https://example.org/a_b?c=d.", "")
    'Write to  or see .'
    """
    may_have_one = "/" in text or "@" in text or "www" in text or "WWW" in text
    return _LINK.sub(instead, text) if may_have_one else text
