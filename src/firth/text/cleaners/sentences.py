"""Splitting a paragraph into sentences by rules."""

from __future__ import annotations

import re

_QUOTES = "\"'“”„‘’‚«»‹›「『"

_ALWAYS_LAST = "。！？｡।॥"
# Matches a whole run of marks, so that no run is searched twice.
_MARKS = re.compile(rf"""([.!?…؟۔{_ALWAYS_LAST}]++)["'”’»)\]」』）]*+( ?)""")

# Always followed by what they belong to, so never the last word of a sentence.
_NEVER_LAST = frozenset(
    str.split("""
    mr mrs ms mx dr prof messrs mme mlle rev fr ste gen col lt capt cpt sgt maj adm cmdr brig gov
    sen rep hon pres supt e.g i.e cf viz vs ca approx esp incl
    """)
)
# Abbreviations only where a number follows: "no. 5", but "he said no. Then".
_BEFORE_NUMBER = frozenset(
    str.split("""
    no nos pp vol vols fig figs ch sec art op ed eds para eq jan feb mar apr jun jul aug sep sept
    oct nov dec
    """)
)
# Abbreviations that may also end a sentence; the next word decides.
_SOMETIMES_LAST = frozenset(
    str.split("inc ltd co corp bros plc jr sr esq etc al st mt ft ave blvd rd dept univ assn")
)
# Words that, with a capital, rarely follow an initial or abbreviation inside a sentence.
_STARTERS = frozenset(
    str.split("""
    The This That These Those There It Its He She They We You His Her Their Our In On At As By For
    From With After Before Since While When Where Although However But And If An Some Many Most
    All Both One During Under Another Other
    """)
)


def split_sentences(text: str) -> list[str]:
    """Split a paragraph into sentences.

    A full stop, exclamation mark, question mark or ellipsis ends a sentence when a space and then
    a capital, a digit, a quotation mark or a letter of a script without capitals follow, unless
    the word before a full stop is an abbreviation or an initial. Chinese and Japanese full stops
    and the danda need no space. Runs of white space become one space.

    Parameters
    ----------
    text
        A paragraph, or any line.

    Returns
    -------
    list of str
        The sentences, none of them empty.

    Examples
    --------
    >>> split_sentences("Dr. J. R. Smith moved to the U.S. Army. He left at 5 p.m. on Nov. 3. Why?")
    ['Dr. J. R. Smith moved to the U.S. Army.', 'He left at 5 p.m. on Nov. 3.', 'Why?']
    >>> split_sentences("今天下雨。明天晴！")
    ['今天下雨。', '明天晴！']
    """
    text = " ".join(text.split())
    sentences = []
    start = 0
    for marks in _MARKS.finditer(text):
        if _ends(text, start, marks):
            sentences.append(text[start : marks.end()].strip())
            start = marks.end()
    sentences.append(text[start:].strip())
    return [sentence for sentence in sentences if sentence]


def _ends(text: str, start: int, marks: re.Match[str]) -> bool:
    """Whether the sentence that begins at `start` ends at these marks."""
    if marks[1][-1] in _ALWAYS_LAST:
        return True
    following = text[marks.end() : marks.end() + 1]
    if not marks[2] or not _may_begin(following):
        return False
    closed_by_quote = marks.end(2) > marks.end(1) + 1
    return marks[1] != "." or closed_by_quote or _full_stop_ends(text, start, marks)


def _full_stop_ends(text: str, start: int, marks: re.Match[str]) -> bool:
    """Whether a full stop ends the sentence and not only an abbreviation."""
    following = text[marks.end()]
    at = max(text.rfind(" ", start, marks.start()) + 1, start)
    word = text[at : marks.start()].lstrip(_QUOTES + "([").lower()
    if word in _NEVER_LAST or (word in _BEFORE_NUMBER and following.isdigit()):
        return False
    if word.isdigit():  # "1. First" numbers an item; "in 1990. Then" ends a sentence
        return at > start
    if word in _SOMETIMES_LAST or _is_initials(word):
        next_word = text[marks.end() : marks.end() + 12].partition(" ")[0]
        return next_word.strip(_QUOTES + ",") in _STARTERS
    return True


def _may_begin(letter: str) -> bool:
    caseless_or_capital = letter.isalpha() and not letter.islower()
    return caseless_or_capital or letter.isdigit() or letter in _QUOTES or letter in "¿¡"


def _is_initials(word: str) -> bool:
    """Whether a word without its last full stop is like j, u.s or ph.d."""
    if len(word) == 1:
        return word.isalpha()
    return "." in word[:16] and all(1 <= len(part) <= 2 for part in word.split("."))
