"""Translates what an answer consists of, markers, yes and no and small numbers, from other languages to English."""

from __future__ import annotations

import re

from whatif.scoring.extraction.extracted import Kind
from whatif.scoring.extraction.foreign_numbers import is_english, with_figures

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
_IS = r"lautet|est|ist|es|é|è|is|jest|är|er|adalah|là|है|هي|هو|:|=|-|→"
_FOREIGN = (
    re.compile(
        rf"(?<!\w)(?:(?:{_ARTICLES})\s)?(?:(?:{_ADJECTIVES})\s){{0,2}}(?:{_LATIN})(?:\s(?:{_ADJECTIVES})){{0,2}}"
        rf"\s?(?:{_IS})(?!\w)(?:\s?:)?\s{{0,3}}(?:(?:{_ARTICLES})\s)?(?:(?:{_LATIN}|option)\s)?(?=[\w(\[\"'-])",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?<![不没別])(?:最終|最终|正确|正確)?(?:的)?(?:{_CJK})\s?(?:应该|應該)?(?:是|为|為|は|が|은|는|이)?\s?[\s:=-]{{0,3}}"
        rf"(?:{_CJK})?\s?(?=[\w(\[\"'-])"
    ),
)
_YES = (
    r"(?:claro|por supuesto) que (?:sí|si)|bien sûr|natürlich|exact(?:ement)?|genau|certo|esatto|конечно|верно|"
    r"sí|si|sì|oui|ja|jawohl|sim|tak|evet|да|так|ναι|ya|vâng|igen|ano|kyllä|是的?|对的?|對|有的?|会的?|會|可以|能|"
    r"はい|ええ|そうです|네|예|그렇습니다|نعم|أجل|כן|हाँ|हां|जी हाँ|ใช่"
)
_NO = (
    r"no|non|nein|não|nao|nie|hayır|нет|ні|όχι|tidak|không|nem|ne|nej|nee|ei|不是的?|不会|不會|不对|不對|不能|不可以|不|否|没有|沒有|没|"
    r"いいえ|いや|違います|아니요|아니오|아뇨|아닙니다|لا|לא|नहीं|ไม่(?:ใช่)?"
)
# What begins a conclusion, so that a yes or no after it is the answer.
_SO = (
    r"also|deshalb|donc|alors|así que|entonces|por tanto|por lo tanto|portanto|então|logo|quindi|dunque|więc|поэтому|"
    r"значит|так что|dus|alltså|所以|因此|したがって|따라서"
)
_SAID = re.compile(
    rf"(?P<before>\A\W*|^\W*(?=\w+\W*$)|\b(?:answer|final answer):\s*\W*|(?P<so>(?:\b(?:{_SO}),?|(?<=\w) :)\s?))"
    rf"(?:(?P<yes>{_YES})|(?P<no>{_NO}))(?P<end>\s*(?:$|[^\w\s]|"
    rf"(?:,|;|:)))",
    re.I | re.M,
)
_NEGATED = re.compile(
    r"\A\W*(?:no|não|non) (?=\w+(?:ría|rían|ría[ns]|ria|riam|rebbe|rebbero|puede|pode|può|hay|há)\b)", re.I
)
_REFUSALS = re.compile(
    r"\b(?:no se puede|no puedo|no es posible|no se ve|impossible d|je ne peux pas|on ne peut pas|lässt sich nicht|"
    r"kann (?:ich |man )?(?:das )?"
    r"nicht|nicht (?:zu )?erkennen|não é possível|não posso|não dá para|non è possibile|non posso|невозможно|не могу|"
    r"не видно|не знаю)\b"
    r"|无法|看不清|不知道|不确定|無法|わかりません|分かりません|できません|"
    r"알 수 없|판단할 수 없|لا يمكن|لا أستطيع|पता नहीं|नहीं बता",
    re.IGNORECASE,
)
_DENIES = re.compile(r"答案(?:应该)?是否定的")
_BOTH = re.compile(
    r"\A\W*(?:oui et non|sí y no|si y no|ja und nein|sim e não|sì e no|да и нет|是也不是)\b", re.IGNORECASE
)


def in_english(text: str, kind: Kind) -> str:
    """A text whose answer markers, and yes, no and numbers up to about ten, are English.

    Words that could be English (`die`, `once`, `six`) count only where nothing else in the text is English.
    """
    if _REFUSALS.search(text) and not is_english(text):
        return "I cannot tell."
    if kind == "boolean":
        text = _BOTH.sub("Yes and no", text)
    text = text.replace("答案是肯定的", "yes.").replace("答案是否定的", "no.") if kind == "boolean" else text
    for marker in _FOREIGN:
        text = marker.sub("\nanswer: ", text)
    if kind == "number":
        text = with_figures(text)
    if kind == "boolean" and not is_english(text.lower()):
        text = _NEGATED.sub("no, ", text)
    if kind == "boolean":
        text = _DENIES.sub("no.", text)
    if kind in ("boolean", "choice", "option text"):
        text = _SAID.sub(_as_english, text)
    return text


def _as_english(found: re.Match[str]) -> str:
    if found["so"] and is_english(found.string.lower()):
        return found[0]
    return f"{found['before']}{'. ' if found['so'] else ''}{'yes' if found['yes'] else 'no'}{found['end']}"
