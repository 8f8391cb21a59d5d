"""Web and e-mail addresses, which both cleaners remove.

Every pattern runs in linear time: a lookbehind lets a repetition begin only at the start of a run
of its own characters.
"""

from __future__ import annotations

import re

_LINK = re.compile(
    r"""
    # A scheme or www., then anything but space, without the punctuation of the sentence.
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
        The replacement for an address.

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
