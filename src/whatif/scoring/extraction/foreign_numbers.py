"""Converts number words of other languages to figures, and removes their suppositions (`si dos se fueran, ...`)."""

from __future__ import annotations

import re

from whatif.engine.language.number_words import in_digits

_COUNTED = (
    r"[个個只隻人位条條张張本辆輛头頭名匹棵朵把座架件块塊支枝枚颗顆つ台羽杯道次盏盞艘間间口尾筆串双雙扇部幅面棟栋排"
    r"层層片份碗瓶箱袋包套组組群根粒束顶頂株门門节節阶階串团團滴种種盘盤堵壶壺位员員棟隻]"
)
_CHINESE = {sign: value for value, sign in enumerate("零一二三四五六七八九十")} | {"两": 2, "兩": 2}
_CHINESE_NUMBER = re.compile(
    rf"(?:(?<=\W)|\A|(?<=[有是剩共为為下到成于於加减減等余餘只]))(?P<tens>[二两三四五六七八九]?十)?(?P<ones>[零一二两兩三四五六七八九])?"
    rf"(?=\s?(?:{_COUNTED}|\W|\Z))"
)
_REMAINS = re.compile(
    r"\b(?:quedar[ií]an?|quedan|rester(?:ait|aient|ont|a)|restariam|sobrariam|rimarrebbero|resterebbero|blieben|"
    r"останется|останутся|осталось бы|остались бы)\b|还剩|剩下|会剩|就剩|只剩|残りは",
    re.IGNORECASE,
)
_CHINESE_SIGNS = {
    re.compile(r"一共|总共|總共|共有|合计|合計|共计|总计|全部で|合わせて|모두"): ". So ",
    _REMAINS: ". So ",
    re.compile(r"\b(?:en total|au total|insgesamt|in totale|no total|всего|итого)\b", re.IGNORECASE): " in total ",
    re.compile(r"(?:等于|等於) ?(?=\d)"): " = ",
    re.compile(r"(?:加上?|再加) ?(?=\d)"): " + ",
    re.compile(r"(?:减去?|減去?) ?(?=\d)"): " - ",
}
_KOREAN = dict(zip(["하나", "둘", "셋", "넷", "다섯", "여섯", "일곱", "여덟", "아홉", "열"], range(1, 11), strict=True))
_KOREAN |= dict(zip(["한", "두", "세", "네"], range(1, 5), strict=True))
_KOREAN_NUMBER = re.compile(
    rf"(?<!\w)(?P<word>{'|'.join(sorted(_KOREAN, key=len, reverse=True))})"
    r"(?= ?(?:명|개|마리|대|권|그루|송이|사람|입니다|\W|\Z))"
)
_NUMBERS = {
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez"
    " once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte",
    "fr": "zéro un deux trois quatre cinq six sept huit neuf dix"
    " onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt",
    "de": "null eins zwei drei vier fünf sechs sieben acht neun zehn"
    " elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig",
    "it": "zero uno due tre quattro cinque sei sette otto nove dieci"
    " undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove venti",
    "pt": "zero um dois três quatro cinco seis sete oito nove dez"
    " onze doze treze catorze quinze dezesseis dezessete dezoito dezenove vinte",
    "nl": "nul een twee drie vier vijf zes zeven acht negen tien"
    " elf twaalf dertien veertien vijftien zestien zeventien achttien negentien twintig",
    "pl": "zero jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć"
    " jedenaście dwanaście trzynaście czternaście piętnaście szesnaście siedemnaście osiemnaście"
    " dziewiętnaście dwadzieścia",
    "tr": "sıfır bir iki üç dört beş altı yedi sekiz dokuz on",
    "sv": "noll en två tre fyra fem sex sju åtta nio tio"
    " elva tolv tretton fjorton femton sexton sjutton arton nitton tjugo",
    "ru": "ноль один два три четыре пять шесть семь восемь девять десять"
    " одиннадцать двенадцать тринадцать четырнадцать пятнадцать шестнадцать семнадцать восемнадцать"
    " девятнадцать двадцать",
    "ar": "صفر واحد اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة",
    "hi": "शून्य एक दो तीन चार पाँच छह सात आठ नौ दस ग्यारह बारह तेरह चौदह पंद्रह सोलह सत्रह अठारह उन्नीस बीस",
}
_FURTHER = {
    "es": {"una": 1, "ningún": 0, "ninguna": 0, "ninguno": 0},
    "fr": {"une": 1, "aucun": 0, "aucune": 0},
    "de": {"ein": 1, "eine": 1, "einen": 1, "kein": 0, "keine": 0, "keinen": 0},
    "it": {"una": 1, "nessun": 0, "nessuno": 0, "nessuna": 0},
    "pt": {"uma": 1, "duas": 2, "nenhum": 0, "nenhuma": 0},
    "nl": {"één": 1, "geen": 0},
    "ru": {"одна": 1, "одно": 1, "две": 2, "нет": 0},
    "ar": {"اثنين": 2, "ثلاث": 3, "أربع": 4, "خمس": 5, "ست": 6, "سبع": 7, "ثماني": 8, "تسع": 9, "عشر": 10},
    "hi": {"पांच": 5, "छः": 6, "दोनों": 2},
    "tr": {"hiç": 0},
}
_WORDS = {
    language: {word: str(value) for value, word in enumerate(words.split())}
    | {word: str(value) for word, value in _FURTHER.get(language, {}).items()}
    for language, words in _NUMBERS.items()
}
_ARTICLE_LIKE = frozenset(re.findall(r"\w+", "un une uno una ein eine einen een en on bir um uma null six once"))
_TYPICAL = {
    "es": "hay el los las son en la y personas del que quedarían habría",
    "fr": "il y a le les est sont dans et des du sur personnes aurait resterait",
    "de": "es gibt sind der das ist im auf und sehe wären würden bleiben personen übrig",
    "it": "ci sono il nel della sulla e persone sarebbero gli",
    "pt": "há o os as são na no existem e pessoas haveria restariam",
    "nl": "er zijn het op de en mensen zouden",
    "pl": "jest są na w osób",
    "tr": "var kişi resimde",
    "sv": "det finns är och på",
}
_A_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0900-\u0903\u093a-\u094f])*")
_MANY = 200  # words of a text that is not searched for its language
_FEW = 6  # words of a text whose language need not be known
_ENGLISH = re.compile(r"\b(?:the|is|are|there|of|would|and|with|this|it|i|answer|they|that|be|if|has)\b")
# A clause that begins with `if`, up to its comma.
_SUPPOSITION = re.compile(
    r"(?:^|(?<=[.!?:,;] )|(?<=\n)|(?<=, ))(?:(?:si|se|wenn|falls|als|jeśli|gdyby|jeżeli|если|eğer|om|إذا|لو|अगर|यदि) |"
    r"如果|假如|若是?|要是|もし)[^,.;!?\n]{1,120}(?:,|たら|れば|なら)\s*",
    re.IGNORECASE | re.MULTILINE,
)


# Portuguese `no bolo`, which is not English `no`.
_IN_THE = re.compile(r"(?<=\w )no (?!hay\b|se\b|puede|es\b|son\b|est|hab)(?=\w)", re.IGNORECASE)


def is_english(text: str) -> bool:
    """Whether a text has an English function word."""
    return _ENGLISH.search(text) is not None


def with_figures(text: str) -> str:
    """A text whose number words, if it is not English, are figures, and which has no supposition before a number.

    Words that could be English (`die`, `once`, `six`) count only where nothing else in the text is English.
    """
    text = _KOREAN_NUMBER.sub(lambda found: f"{_KOREAN[found['word']]} ", text)
    text = _CHINESE_NUMBER.sub(_chinese, text)
    for sign, arithmetic in _CHINESE_SIGNS.items():
        text = sign.sub(arithmetic, text)
    text = _latin_numbers(text)
    if is_english(text.lower()):
        return text
    rest = _SUPPOSITION.sub("", text)
    return rest if re.search(r"\d", rest) else text


def _chinese(found: re.Match[str]) -> str:
    tens, ones = found["tens"], found["ones"]
    if not (tens or ones):
        return found[0]
    value = 0 if tens is None else 10 * (1 if len(tens) == 1 else _CHINESE[tens[0]])
    return f" {value + (_CHINESE[ones] if ones else 0)} "


def _latin_numbers(text: str) -> str:
    text = _IN_THE.sub("em ", text) if not is_english(text.lower()) else text
    words = _A_WORD.findall(text.lower().replace("answer:", ""))
    if not words or len(words) > _MANY or is_english(" ".join(words)) or in_digits(text) != text.lower():
        return text
    hits = {language: len(set(typical.split()).intersection(words)) for language, typical in _TYPICAL.items()}
    speaks = {
        language: bool(set(known).difference(_ARTICLE_LIKE).intersection(words)) for language, known in _WORDS.items()
    }
    order = sorted(_WORDS, key=lambda language: (speaks[language], hits.get(language, 0)), reverse=True)
    known = dict(_WORDS[order[0]])
    if len(words) <= _FEW:
        known = {word: digits for language in reversed(order) for word, digits in _WORDS[language].items()}
        known = {
            word: digits for word, digits in known.items() if len(words) <= 2 or word not in _ARTICLE_LIKE
        } | _WORDS[order[0]]
    for language in ("ru", "ar", "hi"):
        known |= _WORDS[language]
    return _A_WORD.sub(lambda word: known.get(word[0].lower(), word[0]), text)
