"""Converts the markup of a response, LaTeX, Markdown and HTML, and its special signs to plain text."""

from __future__ import annotations

import re
import unicodedata

_CODE = re.compile(r"```(?:python|py|js|javascript|java|cpp|sql|bash)\n(?:(?!```)[\s\S])*```", re.IGNORECASE)
_LATEX_TEXT = r"text|textbf|textit|textrm|mathrm|mathbf|mathit|mathsf|operatorname|emph|underline|mbox|bf|rm|bm"
_LATEX_SIGNS = {
    "times": "×",
    "cdot": "×",
    "div": "÷",
    "to": "→",
    "rightarrow": "→",
    "longrightarrow": "→",
    "implies": "→",
    "therefore": ". Therefore ",
    "approx": "≈",
    "quad": " ",
    "qquad": " ",
    "checkmark": "✓",
    "left": "",
    "right": "",
}
_LATEX_SIGN = re.compile(
    rf"\\(?P<name>{'|'.join(sorted(_LATEX_SIGNS, key=len, reverse=True))})(?![a-z])", re.IGNORECASE
)
_TEXTS = re.compile(rf"\\(?:{_LATEX_TEXT})\*? ?\{{([^{{}}]*)\}}")
_MARKUP = tuple(
    (re.compile(pattern, re.IGNORECASE | re.MULTILINE), replacement)
    for pattern, replacement in (
        (r"\\[dt]?frac ?\{(\d+)\} ?\{(\d+)\}", r"\1/\2"),
        (r"\\[dt]?frac ?\{([^{}]*)\} ?\{([^{}]*)\}", r"\1 / \2"),
        (r"\\(?:boxed|fbox|framebox) ?\{([^{}]*)\}", r"\nfinal answer: \1\n"),
        (r"<\|begin_of_box\|>", "\nfinal answer: "),
        (r"<\|end_of_box\|>", "\n"),
        (r"\\boxed ?\d", lambda found: f"\nfinal answer: {found[0][-1]}\n"),
        (r"^#### *(?=-?\d)", "final answer: "),
        (r"<(?:answer|final_answer|final|conclusion|solution)>", "\nfinal answer: "),
        (r"\\begin\{[a-z*]{1,20}\}|\\end\{[a-z*]{1,20}\}|\\\\", "\n"),
        (r"\\[,;:! ]", " "),
        (r" ?\^ ?\{? ?\\circ ?\}? ?", "°"),
        (r"\{([:,.])\}", r"\1"),
        (r"[-=]{1,2}>", "→"),
        (r"^[ \t]*[-*] \[x\]", "✓"),
        (r"^[ \t]*[-*] \[ \]", "✗"),
        (r"\bn/a\b", "unknown"),
        (r",? \(?i\.e\.,? ", ", that is "),
        (r"~~[^~\n]{1,200}~~", " "),
        (r"^(?=[^\n]{0,300}--)[ \t|:-]{2,300}$", ""),
        (r"[ \t]{2,}", " "),
        (r"^[ \t]*\|[ \t]*|[ \t]*\|[ \t]*$", "\n"),
        (r"</?[a-z]+(?: [^<>\n]{0,80})?/?>|```[a-z]*|\\[\[\]()]|^[ >]*#+ |^[ >]*[-•*·▪◦] +|^ *>+ +", "\n"),
        (r"(?<=\b10)\*\*(?=-?\d)", "^"),  # a power, not bold
        (r"\*\*|__|`|(?<!\w)\*(?=\w)|(?<=[\w.!?)])\*(?!\w)", ""),
        (r"\$(?!\d)|\$(?=[\d\s+=*-]*\$)|\$(?=[\d\s.]*[×^][\d\s.×^{}+-]*\$)", ""),
        (r"[^\S\n]+", " "),
        (r" ?\n\s*", "\n"),
    )
)
_SIGNS = {
    "−": "-",
    "—": "; ",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "…": "...",
    "\ufe0f": "",
    "⇒": "→",
    "⟹": "→",
    "➜": "→",
    "➡": "→",
}
_SIGNS |= {"。": ". ", "、": ", ", "「": '"', "」": '"', "،": ",", "؛": ";", "؟": "?", "।": ". ", "｡": ". "}
_SIGNS |= dict.fromkeys("✔☑✅🗸👍", "✓") | dict.fromkeys("❌✘✖❎🗴👎", "✗")
_ENCLOSED = re.compile(r"(?:NEGATIVE )?(?:CIRCLED|SQUARED|PARENTHESIZED) LATIN (?:CAPITAL|SMALL) LETTER ([A-Z])")
# Between Chinese, Japanese or Korean signs and a Latin letter or digit, where no space is written.
_CJK = r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]"
_BESIDE_CJK = re.compile(rf"(?<={_CJK})(?=[A-Za-z0-9(])|(?<=[A-Za-z0-9)])(?={_CJK})")


def plain_text(response: str) -> str:
    """A response without markup, with signs and decimal digits of all scripts converted to ASCII.

    A box (`\\boxed`, `<|begin_of_box|>`) and the tag `<answer>` become the words `final answer:`; ticks and crosses
    become ✓ and ✗; letters in circles, squares or parentheses become letters in parentheses; text that is struck out is
    removed.
    """
    signs: dict[str, str | int | None] = {sign: _converted(sign) for sign in set(response)}
    without_code = _CODE.sub("\n", response)
    text = without_code if re.search(r"\w", without_code) else response
    text = text.translate(str.maketrans(signs))
    text = _LATEX_SIGN.sub(lambda sign: _LATEX_SIGNS[sign["name"].lower()], text)
    for _ in range(3):  # commands within commands
        text = _TEXTS.sub(r"\1", text)
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    return _BESIDE_CJK.sub(" ", text).strip()


def _converted(sign: str) -> str:
    if sign in _SIGNS or sign.isascii():
        return _SIGNS.get(sign, sign)
    category = unicodedata.category(sign)
    if category in ("Cf", "Me"):  # marks, not signs
        return ""
    if category in ("Nd", "Pd", "Zs"):
        return {"Nd": str(unicodedata.decimal(sign, "")), "Pd": "-", "Zs": " "}[category]
    if category in ("So", "No") and (enclosed := _ENCLOSED.fullmatch(unicodedata.name(sign, ""))):
        return f"({enclosed[1]})"
    if "\uff00" < sign < "\uff5f" or "\U0001d400" <= sign <= "\U0001d6a3":  # full width, mathematical letters
        return unicodedata.normalize("NFKC", sign)
    return sign
