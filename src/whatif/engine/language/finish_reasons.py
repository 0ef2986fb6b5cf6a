"""Why a reply ended: the words of servers and providers for it (`finish_reason`), and what they mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, TypeAlias

# `whole`: the model was done. `limit`: the response was cut off at a limit of tokens. `withheld`: the endpoint withheld
# the response, or the rest of it, and would do so again. `failed`: the endpoint failed, and may succeed another time.
Ending: TypeAlias = Literal["whole", "limit", "withheld", "failed"]

WITHHELD = "refused: "  # how the reason begins of a reply that was withheld: the model gave no answer (`none`)

# In lower case, and without what separates words there. Servers that pass on the words of what they serve mix them.
_WORDS: Mapping[Ending, tuple[str, ...]] = {
    "whole": (
        *("", "none", "null"),  # no reason is given
        *("stop", "toolcalls", "functioncall"),  # OpenAI, and what follows it: vLLM, SGLang, llama.cpp, Ollama, ...
        *("eos", "eostoken", "stopsequence"),  # Together, Text Generation Inference, watsonx
        *("eosfound", "stopstringfound", "word"),  # LM Studio, llama.cpp
        *("endturn", "tooluse"),  # Anthropic, Bedrock
        *("complete", "toolcall"),  # Cohere
        *("completed", "end", "endofturn", "eogtoken"),  # gateways and small servers
    ),
    "limit": (
        *("length", "maxtokens", "maxoutputtokens"),  # OpenAI; Gemini, Anthropic, Cohere; OpenAI's Responses
        *("modellength", "tokenlimit"),  # Mistral, watsonx
        *("modelcontextwindowexceeded", "errorlimit"),  # Anthropic, Bedrock, Zhipu; Cohere
        *("maxpredictedtokensreached", "contextlengthreached", "limit"),  # LM Studio, llama.cpp
    ),
    "withheld": (
        *("contentfilter", "refusal", "sensitive"),  # OpenAI, Anthropic, Zhipu
        *("contentfiltered", "guardrailintervened", "errortoxic"),  # Bedrock, Cohere
        *("safety", "recitation", "language", "blocklist", "prohibitedcontent", "spii", "modelarmor"),  # Gemini
        *("imagesafety", "imageprohibitedcontent", "imagerecitation"),
    ),
    "failed": (
        *("error", "abort", "aborted", "failed", "cancelled", "usercancel", "timeout", "timelimit"),
        *("networkerror", "insufficientsystemresource"),  # Zhipu, DeepSeek
        *("other", "malformedfunctioncall", "malformedresponse", "malformedmodeloutput"),  # Gemini, Bedrock
        *("modelunloaded", "load"),  # LM Studio, Ollama
    ),
}
_MEANINGS = {word: ending for ending, words in _WORDS.items() for word in words}


def ending(finish: str | None) -> Ending | None:
    """What a finish reason means, however it is spelled (`MAX_TOKENS`, `maxTokens`); None for one that is unknown."""
    word = re.sub(r"[\s._-]", "", (finish or "").lower())
    return _MEANINGS.get(word.removeprefix("finishreason"))  # `FinishReason.STOP`: an enumeration printed by a gateway


def withheld(text: str, refusal: str | None, finish: str | None) -> str | None:
    """Why a reply has no answer although its request succeeded: it was withheld, or is a refusal without a text.

    None for any other reply. `refusal` is what the endpoint gave as one, if it did.
    """
    if ending(finish) == "withheld":
        return f"{WITHHELD}{refusal or f'finish reason {finish}'}"
    return f"{WITHHELD}{refusal}" if refusal and not text.strip() else None


def is_answer(finish: str | None) -> bool:
    """Whether a reply with this reason is an answer. After any other, also an unknown one, it may be incomplete."""
    return ending(finish) in ("whole", "limit", "withheld")
