"""How a model chooses the tokens of a response: greedily (the default), by beam search, or by sampling."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from whatif.engine.params.base import Settings


class Decoding(Settings):
    """The decoding of a checkpoint: greedy if neither several beams nor a temperature are set."""

    beams: int = Field(default=1, ge=1, le=64)  # of beam search; 1: none
    # Power of the length by which beam search divides the score of a finished response. 1 is the library's own value;
    # lower values favour short responses.
    length_penalty: float | None = Field(default=None, ge=-10, le=10)
    temperature: float = Field(default=0, ge=0, le=10)  # 0: the most probable token
    top_p: float | None = Field(default=None, gt=0, le=1)  # only the most probable tokens with this total probability
    seed: int = Field(default=0, ge=0, lt=2**32)
    samples: int = Field(default=1, ge=1, le=256)  # responses to each question, of which the majority counts

    @property
    def is_random(self) -> bool:
        """Whether tokens are drawn at random."""
        return self.temperature > 0

    @property
    def identity(self) -> dict[str, Any] | None:
        """What determines a response, for the key of stored answers; None if decoding is greedy.

        The number of samples is not part of it: each sample has a key with its own number.
        """
        if self.is_random:
            drawn = {"temperature": self.temperature, "top_p": self.top_p, "seed": self.seed}
            return {name: value for name, value in drawn.items() if value is not None}
        if self.beams > 1:
            penalty = {} if self.length_penalty is None else {"length_penalty": self.length_penalty}
            return {"beams": self.beams, **penalty}
        return None

    @model_validator(mode="after")
    def _consistent(self) -> Decoding:
        if self.beams > 1 and self.is_random:
            raise ValueError("beam search draws nothing; give either beams or a temperature")
        if self.length_penalty is not None and self.beams == 1:
            raise ValueError("length_penalty is for beam search; set beams above 1, or remove it")
        if self.top_p is not None and not self.is_random:
            raise ValueError("top_p is for sampling; set a temperature above 0, or remove it")
        if self.seed != 0 and not self.is_random:
            raise ValueError("seed is for sampling; set a temperature above 0, or remove it")
        if self.samples > 1 and not self.is_random:
            raise ValueError("several samples would all be the same; set a temperature above 0")
        return self


class EndpointDecoding(Settings):
    """The decoding of a model behind an endpoint: what is sent with each request, and the number of samples."""

    temperature: float | None = Field(default=0, ge=0, le=2)  # null: not sent, for models that reject it
    top_p: float | None = Field(default=None, gt=0, le=1)  # null: not sent
    seed: int | None = Field(default=None, ge=0, lt=2**31)  # null: not sent; the number of the sample is added
    samples: int = Field(default=1, ge=1, le=256)  # responses to each question, of which the majority counts

    @model_validator(mode="after")
    def _consistent(self) -> EndpointDecoding:
        if self.top_p is not None and self.temperature == 0:
            raise ValueError("top_p is for sampling; set a temperature above 0, or remove it")
        if self.samples > 1 and self.temperature == 0:
            raise ValueError("several samples would all be the same; set a temperature above 0")
        return self

    @property
    def identity(self) -> dict[str, Any] | None:
        """What determines a response besides the temperature, for the key of stored answers; None if nothing is set."""
        found = {name: value for name, value in {"top_p": self.top_p, "seed": self.seed}.items() if value is not None}
        return found or None

    def sent(self, sample: int = 0) -> dict[str, Any]:
        """The fields of the request for one sample, counted from 0."""
        seed = None if self.seed is None else self.seed + sample
        fields = {"temperature": self.temperature, "top_p": self.top_p, "seed": seed}
        return {name: value for name, value in fields.items() if value is not None}
