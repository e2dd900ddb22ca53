"""Settings of refining with models: which models, how often, how much."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from turnfold.errors import InvalidSettings
from turnfold.settings import Settings
from turnfold_worker.adapters.prices import Price, read_prices

_REFINE: Final = ("auto", "on", "off")
_GROUPS: Final = (1, 2, 4, 8)
_ABOVE_ZERO: Final = ("call_seconds", "retry_seconds", "circuit_seconds")
_AT_LEAST_ONE: Final = ("refine_attempts", "refine_threads", "call_attempts", "circuit_failures")
_MOST_IDLE_SECONDS: Final = 900.0
"""Upper bound of `refine_idle_seconds`: a job due further ahead is taken for one postponed under a wrong clock."""
_NOT_BELOW_ZERO: Final = (
    "refine_idle_seconds",
    "requests_per_minute",
    "tokens_per_minute",
    "daily_tokens",
    "daily_dollars",
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ModelSettings(Settings):
    """Each field is read from the variable `TURNFOLD_` followed by its name in capitals."""

    openai_api_key: str = field(default="", repr=False)
    """API key of the provider. With a key or a base URL, models refine the text that the rules wrote."""
    openai_base_url: str = ""
    """Any server that speaks OpenAI's protocol; empty: OpenAI."""
    summarizer: str = ""
    """A custom callable instead of a provider: `module:callable`, or the name of an entry point."""
    refine: str = "auto"
    """Whether closed segments become refine jobs: `auto` where a model is configured, `on`, `off`."""
    extract_model: str = "gpt-4o"
    """The model that writes the notes of segments and finds anchors that the rules missed."""
    summarize_model: str = "gpt-4o-mini"
    """The model that writes the notes of chapters."""
    refine_segments: int = 4
    """Segments that one refine job sends to the model together: 1, 2, 4 or 8."""
    refine_idle_seconds: float = 900.0
    """Seconds without another closed segment after which an incomplete group is refined; 0: never."""
    refine_attempts: int = 5
    """Tries on a refine job before it is parked for a person."""
    refine_threads: int = 8
    """Concurrent calls of the refine worker that `turnfold up` starts."""
    call_seconds: float = 60.0
    """Longest duration of one call to a model, from the first byte to the last."""
    call_attempts: int = 4
    """Tries of one call, within `retry_seconds`, before its job is postponed."""
    retry_seconds: float = 90.0
    """Seconds during which one call is retried."""
    requests_per_minute: int = 0
    """Calls per minute to each model, over all workers; 0: as many as the provider accepts."""
    tokens_per_minute: int = 0
    """Input and output tokens per minute of each model, over all workers; 0: as many as the provider accepts."""
    circuit_failures: int = 8
    """Consecutive failed calls, over all workers, after which the circuit of a model opens."""
    circuit_seconds: float = 30.0
    """Seconds that the circuit stays open before one call probes the model."""
    daily_tokens: int = 0
    """Input and output tokens that one tenant may use per day (UTC); 0: no cap."""
    daily_dollars: float = 0.0
    """US dollars that one tenant may spend on models per day (UTC); 0: no cap."""
    prices: str = ""
    """Dollars per million tokens: `model=input/cached/output,…`; prices of the default models are built in."""
    redact: bool = False
    """Replace secrets and personal data before a call, and restore them in the reply."""

    def __post_init__(self) -> None:
        Settings.__post_init__(self)
        for names, least, why in (
            (_ABOVE_ZERO, 1e-9, "must be above 0"),
            (_AT_LEAST_ONE, 1, "must be at least 1"),
            (_NOT_BELOW_ZERO, 0, "must be 0 or more"),
        ):
            for name in names:
                if getattr(self, name) < least:
                    self.refuse(name, why)
        if self.refine not in _REFINE:
            self.refuse("refine", f"must be one of {', '.join(_REFINE)}")
        if self.refine_segments not in _GROUPS:
            self.refuse("refine_segments", "must be 1, 2, 4 or 8")
        if self.refine_idle_seconds > _MOST_IDLE_SECONDS:
            self.refuse("refine_idle_seconds", f"must be {_MOST_IDLE_SECONDS:g} or less")
        if self.openai_base_url and not self.openai_base_url.startswith(("http://", "https://")):
            self.refuse("openai_base_url", "must begin with http:// or https://")
        self._check_prices()

    def _check_prices(self) -> None:
        known = self.price_list
        for model in self.models if self.daily_dollars else ():
            if model not in known:
                msg = (
                    f"TURNFOLD_DAILY_DOLLARS needs the price of {model}: TURNFOLD_PRICES={model}=2.50/1.25/10.00 sets "
                    "dollars per million tokens of input, cached input and output"
                )
                raise InvalidSettings(msg)

    def refuse(self, name: str, why: str) -> None:
        """Raise `InvalidSettings` for a field."""
        raise InvalidSettings(f"TURNFOLD_{name.upper()} {why}, not {getattr(self, name)!r}")

    @property
    def has_model(self) -> bool:
        """Whether this process can reach a model."""
        return bool(self.openai_api_key or self.openai_base_url or self.summarizer)

    @property
    def models(self) -> tuple[str, str]:
        """The models that write the notes of segments and of chapters."""
        return (self.summarizer, self.summarizer) if self.summarizer else (self.extract_model, self.summarize_model)

    @property
    def refines(self) -> bool:
        """Whether closed segments become refine jobs."""
        return self.refine == "on" or (self.refine == "auto" and self.has_model)

    @property
    def price_list(self) -> dict[str, Price]:
        """Prices per model."""
        return read_prices(self.prices)
