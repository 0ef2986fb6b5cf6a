"""Translates what an answer consists of, markers, yes and no and small numbers, from other languages to English."""

from __future__ import annotations

import re

from whatif.language.number_words import in_digits
from whatif.scoring.extraction.extracted import Kind

_LATIN = (
    r"respuesta|contestación|réponse|reponse|antwort|lösung|resposta|risposta|antwoord|odpowiedź|odpověď|ответ|"
    r"відповідь|"
    r"cevap|yanıt|svar|svaret|vastaus|válasz|răspuns(?:ul)?|jawaban(?:nya)?|đáp án|câu trả lời|απάντηση|उत्तर|जवाब|"
    r"الإجابة|الجواب|إجابة|תשובה|opción|opção|alternativa|opzione|optie|вариант"
)
_CJK = r"答案|回答|解答|答え|正解|答|정답|답|คำตอบ|选项|選項|选择|選択肢|选|選|선택"
_ADJECTIVES = (
    r"correcta|correcto|correcte|correto|corretta|richtige|juste|bonne|final|finale|finall?e|endgültige|juiste|"
    r"правильный|верный|doğru|rätt|rätta|prawidłowa|poprawna|benar|الصحيحة|الصحيح|النهائية|सही"
)
_ARTICLES = r"la|el|le|die|der|das|il|lo|a|o|de|het"
_IS = r"es|est|ist|é|è|is|jest|är|er|adalah|là|है|هي|هو|:|=|-|→"
_FOREIGN = (
    re.compile(
        rf"(?<!\w)(?:(?:{_ARTICLES})\s)?(?:(?:{_ADJECTIVES})\s){{0,2}}(?:{_LATIN})(?:\s(?:{_ADJECTIVES})){{0,2}}"
        rf"\s?(?:{_IS})(?:\s?:)?\s{{0,3}}(?:(?:{_ARTICLES})\s)?(?:(?:{_LATIN}|option)\s)?(?=[\w(\[\"'-])",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:最終|最终|正确|正確)?(?:的)?(?:{_CJK})\s?(?:应该|應該)?(?:是|为|為|は|が|은|는|이)?\s?[\s:=-]{{0,3}}"
        rf"(?:{_CJK})?\s?(?=[\w(\[\"'-])"
    ),
)
_YES = (
    r"sí|si|sì|oui|ja|jawohl|sim|tak|evet|да|так|ναι|ya|vâng|igen|ano|kyllä|是的?|对的?|對|有的?|会的?|會|可以|能|"
    r"はい|ええ|そうです|네|예|그렇습니다|نعم|أجل|כן|हाँ|हां|जी हाँ|ใช่"
)
_NO = (
    r"non|nein|não|nao|nie|hayır|нет|ні|όχι|tidak|không|nem|ne|nej|nee|ei|不是的?|不会|不會|不对|不對|不能|不可以|不|否|没有|沒有|没|"
    r"いいえ|いや|違います|아니요|아니오|아뇨|아닙니다|لا|לא|नहीं|ไม่(?:ใช่)?"
)
_SAID = re.compile(
    rf"(?P<before>\A\W*|^\W*(?=\w+\W*$)|\b(?:answer|final answer):\s*\W*)"
    rf"(?:(?P<yes>{_YES})|(?P<no>{_NO}))(?P<end>\s*(?:$|[^\w\s]|"
    rf"(?:,|;|:)))",
    re.I | re.M,
)
_COUNTED = (
    r"[个個只隻人位条條张張本辆輛头頭名匹棵朵把座架件块塊支枝枚颗顆つ台羽杯道次盏盞艘間间口尾筆串双雙扇部幅面棟栋排"
    r"层層]"
)
_CHINESE = {sign: value for value, sign in enumerate("零一二三四五六七八九十")} | {"两": 2, "兩": 2}
_CHINESE_NUMBER = re.compile(
    rf"(?:(?<=\W)|\A|(?<=[有是剩共为為下到成于於加减減等余餘只]))(?P<tens>[二两三四五六七八九]?十)?(?P<ones>[零一二两兩三四五六七八九])?"
    rf"(?=\s?(?:{_COUNTED}|\W|\Z))"
)
_CHINESE_SIGNS = {
    re.compile(r"(?:等于|等於) ?(?=\d)"): " = ",
    re.compile(r"(?:加上?|再加) ?(?=\d)"): " + ",
    re.compile(r"(?:减去?|減去?) ?(?=\d)"): " - ",
}
_KOREAN = {
    "한": 1,
    "하나": 1,
    "두": 2,
    "둘": 2,
    "세": 3,
    "셋": 3,
    "네": 4,
    "넷": 4,
    "다섯": 5,
    "여섯": 6,
    "일곱": 7,
    "여덟": 8,
}
_KOREAN |= {"아홉": 9, "열": 10}
_KOREAN_NUMBER = re.compile(
    rf"(?<!\w)(?P<word>{'|'.join(sorted(_KOREAN, key=len, reverse=True))})"
    r"(?= ?(?:명|개|마리|대|권|그루|송이|사람|입니다|\W|\Z))"
)
_NUMBERS = {
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez",
    "fr": "zéro un deux trois quatre cinq six sept huit neuf dix",
    "de": "null eins zwei drei vier fünf sechs sieben acht neun zehn",
    "it": "zero uno due tre quattro cinque sei sette otto nove dieci",
    "pt": "zero um dois três quatro cinco seis sete oito nove dez",
    "nl": "nul een twee drie vier vijf zes zeven acht negen tien",
    "pl": "zero jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć",
    "tr": "sıfır bir iki üç dört beş altı yedi sekiz dokuz on",
    "sv": "noll en två tre fyra fem sex sju åtta nio tio",
    "ru": "ноль один два три четыре пять шесть семь восемь девять десять",
    "ar": "صفر واحد اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة",
    "hi": "शून्य एक दो तीन चार पाँच छह सात आठ नौ दस",
}
_FURTHER = {
    "es": {"una": 1, "ningún": 0, "ninguna": 0, "ninguno": 0, "once": 11, "doce": 12},
    "fr": {"une": 1, "aucun": 0, "aucune": 0, "onze": 11, "douze": 12},
    "de": {"ein": 1, "eine": 1, "einen": 1, "kein": 0, "keine": 0, "keinen": 0, "elf": 11, "zwölf": 12},
    "it": {"una": 1, "nessun": 0, "nessuno": 0, "nessuna": 0, "undici": 11, "dodici": 12},
    "pt": {"uma": 1, "duas": 2, "nenhum": 0, "nenhuma": 0, "onze": 11, "doze": 12},
    "nl": {"één": 1, "geen": 0, "elf": 11, "twaalf": 12},
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
_ARTICLE_LIKE = {
    "un",
    "une",
    "uno",
    "una",
    "ein",
    "eine",
    "einen",
    "een",
    "en",
    "on",
    "bir",
    "um",
    "uma",
    "null",
    "six",
}
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
_MANY = 200  # words of a text that is not searched for its language
_FEW = 6  # words of a text whose language need not be known
_REFUSALS = re.compile(
    r"\b(?:no se puede|no puedo|no es posible|no se ve|impossible d|je ne peux pas|on ne peut pas|lässt sich nicht|"
    r"kann (?:ich |man )?(?:das )?"
    r"nicht|nicht (?:zu )?erkennen|não é possível|não posso|não dá para|non è possibile|non posso|невозможно|не могу|"
    r"не видно|не знаю)\b"
    r"|无法|看不清|不知道|不确定|無法|わかりません|分かりません|できません|"
    r"알 수 없|판단할 수 없|لا يمكن|لا أستطيع|पता नहीं|नहीं बता",
    re.IGNORECASE,
)
_BOTH = re.compile(
    r"\A\W*(?:oui et non|sí y no|si y no|ja und nein|sim e não|sì e no|да и нет|是也不是)\b", re.IGNORECASE
)
_ENGLISH = re.compile(r"\b(?:the|is|are|there|of|would|and|with|this|it|i|answer|they|that|be|if|has)\b")


def in_english(text: str, kind: Kind) -> str:
    """A text whose answer markers, and yes, no and numbers up to about ten, are English.

    Words that could be English (`die`, `once`, `six`) count only where nothing else in the text is English.
    """
    if _REFUSALS.search(text) and not _ENGLISH.search(text):
        return "I cannot tell."
    if kind == "boolean":
        text = _BOTH.sub("Yes and no", text)
    for marker in _FOREIGN:
        text = marker.sub("\nanswer: ", text)
    if kind == "number":
        text = _KOREAN_NUMBER.sub(lambda found: f"{_KOREAN[found['word']]} ", text)
        text = _CHINESE_NUMBER.sub(_chinese, text)
        for sign, arithmetic in _CHINESE_SIGNS.items():
            text = sign.sub(arithmetic, text)
        text = _latin_numbers(text)
    if kind in ("boolean", "choice", "option text"):
        text = _SAID.sub(lambda found: f"{found['before']}{'yes' if found['yes'] else 'no'}{found['end']}", text)
    return text


def _chinese(found: re.Match[str]) -> str:
    tens, ones = found["tens"], found["ones"]
    if not (tens or ones):
        return found[0]
    value = 0 if tens is None else 10 * (1 if len(tens) == 1 else _CHINESE[tens[0]])
    return f" {value + (_CHINESE[ones] if ones else 0)} "


def _latin_numbers(text: str) -> str:
    words = re.findall(r"[^\W\d_]+", text.lower().replace("answer:", ""))
    if not words or len(words) > _MANY or _ENGLISH.search(" ".join(words)) or in_digits(text) != text.lower():
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
    return re.sub(r"[^\W\d_]+", lambda word: known.get(word[0].lower(), word[0]), text)
