"""The tweet cleaner: it names emojis, removes tags and addresses and regularises spelling.

The steps are those of section 7.1.3 of the thesis on UBE, KUBWE and EigenWord. Its first step,
lowercasing, is left to the tokenizer: matching here ignores case, and text that is not replaced
keeps its case. The thesis does not print its lists; those below were written for firth and have
about the same lengths.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html.entities import html5

from firth.text.cleaners.links import without_links


def _table(rows: str) -> dict[str, str]:
    """Read rows of "spelling, spelling: meaning" into a dictionary."""
    table = {}
    for row in rows.strip().splitlines():
        spellings, _, meaning = row.partition(":")
        for spelling in spellings.split(","):
            table[spelling.strip()] = meaning.strip()
    return table


# About 50, as in the thesis; any of their letters can be doubled. Words that a doubled letter turns
# into another word are left out: god, lose, hoping, bared.
_EMOTION_WORDS = str.split("""
    afraid amazing anger angry annoyed anxious awesome awful beautiful bored crazy cry damn
    depressed disgusting excited fear funny glad good great happy hate hope hurt jealous joy kiss
    laugh lmao lol lonely love mad miss nervous omg panic proud rofl sad scared scary smile sorry
    surprised sweet terrified upset wow yay
""")
# Other spellings of these and of a few more, whose letters can be doubled too.
_EMOTION_SPELLINGS = _table("""
    luv, lurve, wuv: love
    luvs: loves
    luvly: lovely
    h8: hate
    gr8: great
    gud: good
    hapy, hapi: happy
    awsome, awesum: awesome
    amazin: amazing
    butiful: beautiful
    kewl: cool
    lolz, lulz: lol
    rotfl, roflmao: rofl
    lmfao: lmao
    omfg: omg
    surprized, suprised: surprised
    xcited: excited
""")
# Words and names that only look like one of those with a doubled letter.
_DISTINCT = frozenset(str.split("scarred hoppe loll saad glaad hatte"))

# These stay out without their apostrophe, because they are other words: hell, id, ill, its, lets,
# shed, shell, wed, well, were.
_ABBREVIATIONS = _table("""
    sry, soz: sorry
    bday, b-day: birthday
    xmas, x-mas: christmas
    thx, thnx, thanx, tnx, thks: thanks
    ty: thank you
    pls, plz: please
    tbh: to be honest
    idk: i do not know
    idc: i do not care
    imo: in my opinion
    imho: in my humble opinion
    btw: by the way
    fyi: for your information
    asap: as soon as possible
    brb: be right back
    ttyl: talk to you later
    smh: shaking my head
    ily: i love you
    jk: just kidding
    nvm: never mind
    omw: on my way
    rn: right now
    bff: best friend forever
    bf: boyfriend
    gf: girlfriend
    dm: direct message
    msg: message
    txt: text
    pic: picture
    pics: pictures
    fav, fave: favorite
    congrats: congratulations
    prob, probs: probably
    ppl: people
    u: you
    ur: your
    r: are
    k, kk: okay
    b4: before
    l8r: later
    2day: today
    2nite, tonite: tonight
    2moro, tmrw, tmr: tomorrow
    nite: night
    wknd: weekend
    yr: year
    yrs: years
    hrs: hours
    mins: minutes
    lil: little
    tho: though
    thru: through
    abt: about
    bc, bcuz, becuz, cuz, coz: because
    wat, wut: what
    w8: wait
    sum1: someone
    any1: anyone
    every1: everyone
    wanna: want to
    gonna: going to
    gotta: got to
    kinda: kind of
    sorta: sort of
    lemme: let me
    gimme: give me
    dunno: do not know
    y'all, yall: you all
    ain't, aint: is not
    can't, cant: can not
    won't, wont: will not
    shan't: shall not
    don't, dont: do not
    doesn't, doesnt: does not
    didn't, didnt: did not
    isn't, isnt: is not
    aren't, arent: are not
    wasn't, wasnt: was not
    weren't, werent: were not
    haven't, havent: have not
    hasn't, hasnt: has not
    hadn't, hadnt: had not
    couldn't, couldnt: could not
    shouldn't, shouldnt: should not
    wouldn't, wouldnt: would not
    mustn't: must not
    needn't: need not
    i'm, im: i am
    you're, youre: you are
    we're: we are
    they're, theyre: they are
    i've, ive: i have
    you've, youve: you have
    we've, weve: we have
    they've, theyve: they have
    i'll: i will
    you'll, youll: you will
    he'll: he will
    she'll: she will
    it'll: it will
    we'll: we will
    they'll, theyll: they will
    i'd: i would
    you'd, youd: you would
    he'd: he would
    she'd: she would
    we'd: we would
    they'd, theyd: they would
    he's: he is
    she's: she is
    it's: it is
    that's, thats: that is
    there's, theres: there is
    here's, heres: here is
    what's, whats: what is
    who's, whos: who is
    where's: where is
    how's: how is
    let's: let us
""")

# Pictures, without the skin tones and the letters that flags consist of. The second class is text
# unless the variation selector U+FE0F follows.
_PICTURE = (
    "(?:[\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa"
    "\U0001f400-\U0001faff]|[©®‼⁉™ℹ\u2190-\u21ffⓂ\u25a0-\u25ff⤴⤵〰〽㊗㊙](?=\ufe0f))"
)
# Variation selectors, keycaps, skin tones, and the tags that spell regional flags.
_MODIFIER = "[\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
_MODIFIERS = re.compile(f"{_MODIFIER}++")
_JOINER = "\u200d"
# At most five pictures are joined into one; the longest in use joins four. Nine modifiers suffice
# for the flag of a region, which spells its name in tags.
_EMOJI = re.compile(
    f"{_PICTURE}{_MODIFIER}{{0,9}}+(?:{_JOINER}{_PICTURE}{_MODIFIER}{{0,9}}+){{0,4}}+"
    f"|[\U0001f1e6-\U0001f1ff]{{2}}|{_MODIFIER}"
)
_GENDER_SIGNS = frozenset("♀♂")
_REGIONAL_A = 0x1F1E6

_ENTITY = re.compile(r"&(?:amp;)*((?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});)", re.I)
# The lookbehinds let a run of signs match only at its start.
# A hashtag ends at white space or punctuation; \w would end it at the marks of Indic scripts.
_HASHTAG = re.compile(
    r"(?<![\w#＃])[#＃]++\w[^\s\0-/:-@\[-^`{-\x7f\u0964\u0965\u2010-\u206f\u3000-\u303f\uff00-\uff0f]*+"
)
_MENTION = re.compile(r"(?<![\w@＠])[@＠]++\w++")
# U.S.A. becomes USA and R&D becomes RD; single letters would be read as u and r, "you" and "are".
_ACRONYM = re.compile(
    r"(?<![\w.])(?:[^\W\d_]\.){2,}+(?:[^\W\d_](?!\w))?|(?<!\w)[A-Z]{1,2}&[A-Z]{1,2}(?!\w)"
)
_ELONGATION = re.compile(r"([^\W\d_])\1{2,}+", re.IGNORECASE)
_HAS = re.compile(r"\b(he|she|it|that|there|here|what|who|where|how)'s (been|got|had)\b", re.I)
_WORD = re.compile(r"[^\W_]++(?:['-][^\W_]++)*+")
_LONGEST = 64  # letters; longer words are in no list and are not cached
_RUN = re.compile(r"(.)\1*+")
_OUTER_MARKS = re.compile(r"['-]{2,}+|(?<!\S)['-]|['-](?!\S)")
_TYPOGRAPHIC = str.maketrans("’‘ʼ＇‐‑\u200b", "''''-- ")
# Joiners, soft hyphens and similar characters. They are removed before words are matched, so that
# the rest of a joined emoji does not split a word.
_INVISIBLE = re.compile("[\u00ad\u061c\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff]++")


def tweets(lines: Iterable[str]) -> Iterator[str]:
    """Clean tweets, one per line.

    Emojis become words. Hashtags, mentions, addresses and character references are removed. A
    letter repeated more than twice is written twice, about 50 words of emotion lose their doubled
    letters, and about 100 abbreviations and contractions are written out. Then every character
    that is not a letter, a mark, a digit or an apostrophe or hyphen inside a word becomes a space.

    Parameters
    ----------
    lines
        The lines of one file, without newline characters.

    Yields
    ------
    str
        A cleaned tweet, with single spaces. Empty ones are left out.

    Notes
    -----
    The thesis writes `emoji_face_with_tears_of_joy`. The `words` tokenizer splits at underscores
    and keeps hyphens inside words, so it is `emoji-face-with-tears-of-joy` here. Names come from
    the Unicode tables of the running Python; newer emojis are removed. Skin tones, gender signs and
    variation selectors are removed, joined emojis become one word, and a flag becomes its letters.
    The thesis removes all character references; here those of a letter or an apostrophe are
    decoded, so that words and contractions stay whole.

    References
    ----------
    Thesis on UBE, KUBWE and EigenWord, section 7.1.3, steps 2 to 10.

    Examples
    --------
    >>> list(tweets(["@ann gooooood bday 😂😂 #party", "sry, I doesn&apos;t luvvv it https://t.co/x"]))
    ['good birthday emoji-face-with-tears-of-joy emoji-face-with-tears-of-joy', \
'sorry I does not love it']
    """
    for line in lines:
        text = _clean(line)
        if text:
            yield text


def _clean(text: str) -> str:
    if not text.isascii():
        text = _EMOJI.sub(lambda emoji: _emoji_word(emoji[0]), text.translate(_TYPOGRAPHIC))
        text = _INVISIBLE.sub("", text)
    text = without_links(text)
    if "&" in text:
        text = _ENTITY.sub(_entity_letter, text)
    text = _MENTION.sub(" ", _HASHTAG.sub(" ", text))
    if "." in text or "&" in text:
        text = _ACRONYM.sub(lambda acronym: re.sub("[.&]", "", acronym[0]), text)
    text = " ".join(text.split())
    if "'" in text:
        text = _HAS.sub(r"\1 has \2", text)
    text = _WORD.sub(_word, text).translate(_ALLOWED)
    return " ".join(_OUTER_MARKS.sub(" ", text).split())


@lru_cache(maxsize=4096)
def _emoji_word(signs: str) -> str:
    """Return an emoji's name: Unicode names joined by hyphens, or the letters of a flag."""
    if _REGIONAL_A <= ord(signs[0]) < _REGIONAL_A + 26:
        letters = "".join(chr(ord(sign) - _REGIONAL_A + ord("a")) for sign in signs)
        return f" emoji-flag-{letters} "
    pictures = _MODIFIERS.sub("", signs).split(_JOINER)
    if signs == pictures[0] and unicodedata.category(signs) != "So":
        return signs  # a bracket or a number, which has a code point among the pictures
    parts = [part for part in pictures[1:] if part not in _GENDER_SIGNS]
    names = [unicodedata.name(part, "") for part in [pictures[0], *parts] if part]
    words = "-".join(filter(None, names)).lower().replace(" ", "-")
    return f" emoji-{words} " if words else " " * bool(pictures[0])


def _entity_letter(entity: re.Match[str]) -> str:
    """Decode a letter, an apostrophe or an ampersand; remove other references; keep the rest."""
    name = entity[1]
    if name.startswith("#"):
        letter = html.unescape(f"&{name}")
    else:
        letter = html5.get(name) or html5.get(name.lower()) or ""
    if not letter:
        return f" {name}"
    letter = letter.translate(_TYPOGRAPHIC)
    return letter if letter in ("'", "&") or letter.isalpha() else " "


def _word(match: re.Match[str]) -> str:
    word = match[0]
    short = _ELONGATION.sub(lambda run: run[1] * 2, word) if len(word) > _LONGEST else word
    regular = _regular(short) if len(short) <= _LONGEST else short
    return word if regular == word or _touches_mark(match) else regular


@lru_cache(maxsize=65536)
def _regular(word: str) -> str:
    """Return a word's regular spelling, or the word itself: steps 7, 8 and 9 of the thesis."""
    word = _ELONGATION.sub(lambda run: run[1] * 2, word)
    lower = word.lower()
    stretched = _STRETCHED.get(_RUN.sub(r"\1", lower))
    if stretched and stretched[0].fullmatch(lower) and lower not in _DISTINCT:
        regular = stretched[1]
    else:
        regular = _ABBREVIATIONS.get(lower, lower)
    return word if regular == lower else regular


def _touches_mark(match: re.Match[str]) -> bool:
    """Whether a combining mark makes the match a part of a longer word."""
    around = match.string[max(match.start() - 1, 0) : match.start()]
    around += match.string[match.end() : match.end() + 1]
    return any(unicodedata.category(sign).startswith("M") for sign in around)


def _stretched() -> dict[str, tuple[re.Pattern[str], str]]:
    """Index the spellings by their letters without doubles: good is listed under god.

    Each has the pattern of its stretched forms, g+oo+d+, whose runs are at least as long.
    """
    spellings = {word: word for word in _EMOTION_WORDS} | _EMOTION_SPELLINGS
    return {
        _RUN.sub(r"\1", spelling): (re.compile(_RUN.sub(r"\g<0>+", spelling)), regular)
        for spelling, regular in spellings.items()
    }


_STRETCHED = _stretched()


class _Allowed(dict[int, str]):
    """What the last step makes of each character, computed when it first occurs."""

    def __missing__(self, point: int) -> str:
        sign = chr(point)
        category = unicodedata.category(sign)
        if category[0] in "LMN" or sign in "'-":
            self[point] = sign
        else:
            self[point] = "" if category == "Cf" else " "
        return self[point]


_ALLOWED = _Allowed()
