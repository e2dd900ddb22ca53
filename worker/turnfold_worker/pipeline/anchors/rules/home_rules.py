"""Patterns for where someone lives. See `statements.attributes`."""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.common_words import listed

_NOT_THERE: Final = (
    r"(?! (?:for|as) (?!good(?!\w)|work(?!\w)|school(?!\w)|university|college|a (?:job|while|year)|"
    r"the (?:summer|year|job)|(?:my|her|his|our) ))"
)
"""Excludes changes of a tool: 'We moved to Linear for planning'."""
WE_MOVED: Final = lazy_pattern(
    r"(?<!\w)we(?:'ve| have)?(?: just| finally| recently| now| all)? (?P<cue>moved|relocated) to "
    r"(?P<value>(?!(?:the|an?|our|my|your|his|her|their) )"
    r"[^\W\d_][\w'-]{1,30}(?: (?!(?:for|as|and|but|so|in|on|at|with|from|last|this)(?!\w))"
    r"[^\W\d_][\w'-]{1,30}){0,2}?)"
    rf"{_NOT_THERE}(?=[,;!]|\.(?:\s|$)| (?:and|but|so|because|since|as|after|with|on|in|at|for|from|last|this|early|"
    r"late|today|yesterday|now|together|two|three|four|an?|some|when|where|to)(?!\w)|\W{0,9}$)"
)
"""'We moved to Bristol last month': a home unless `is_no_place` rejects the name."""
MY_HOME: Final = lazy_pattern(
    r"(?<!\w)(?:my|our) home (?:is|'s)(?P<cue> now)?(?: currently| still)? in (?P<value>[^\W\d_][\w' -]{1,40}?)"
    r"(?=[,;!]|\.(?:\s|$)| (?:and|but|so|because|since|now)(?!\w)|\W{0,9}$)"
)
_LATELY: Final = lazy_pattern(
    r"(?P<moved>(?<!\w)(?:i|we)(?:'ve| have)?(?: just| finally)? (?:moved|relocated) to [^,;:.!?]{2,60}?) "
    r"(?:last (?:week|month|quarter|summer|winter|spring|autumn|fall)|"
    r"(?:a|one|two|three|few|couple of) (?:week|month)s? ago)(?!\w)"
)
_WRITTEN_AS_A_NAME: Final = lazy_pattern(r"[A-Z][a-z'\u2019-]+(?: [A-Z]?[a-z'\u2019-]+)*")
"""Spelling of a place name, unlike 'PostgreSQL', 'AWS' and 'k8s'."""
_NO_PLACES: Final = listed("""
    january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays plan phase stage
    step level part chapter version option team gate room hall terminal platform
    airflow airtable akka angular ansible apache asana astro azure basecamp bazel bitbucket bootstrap buildkite bun
    cassandra celery chrome clickhouse cloudflare confluence consul cypress datadog debian deno discord django docker
    drupal elastic elasticsearch electron elixir elm ember excel express fastly fedora figma firebase firefox flask
    flink flutter gatsby git gitea gmail go gradle grafana graphite grpc hadoop haskell helm heroku hibernate influx
    ionic java jenkins jest jira joomla jupyter kafka keras kibana kotlin kubernetes laravel linear linux loki
    mailchimp maven memcached mercurial meteor microsoft miro moodle nats netlify next nginx node nomad notion numba
    nuxt ocaml okta oracle outlook pandas perl phoenix php playwright podman polars postgres prefect prisma prometheus
    pulsar puppet python pytest quarkus rabbit rails react redis redshift redux remix render ruby rust salesforce
    scala scrum selenium sentry shopify signal slack snowflake spark splunk spring sqlite square stripe supabase
    svelte swagger swift symfony tableau tailwind teams telegram tensorflow terraform trello twilio typescript ubuntu
    unity vagrant vault vercel vite vue webpack windows wordpress xero yarn zendesk zoho zoom agile kanban
""")
"""Months, parts of something, and software names that are spelled like places."""


def lives_there_since(plain: str) -> str:
    """Remove the date of a recent move from a normalized text, since the speaker still lives there.

    >>> lives_there_since("we moved to bristol last month.")
    'we moved to bristol.'
    """
    return _LATELY.sub(r"\g<moved>", plain)


def is_no_place(name: str, text: str) -> bool:
    """Check whether a name is not spelled like a place in the text, or known not to be one.

    >>> is_no_place("braga", "We moved to Braga."), is_no_place("kafka", "We moved to Kafka.")
    (False, True)
    """
    at = text.lower().find(name)
    written = text[at : at + len(name)] if at >= 0 else ""
    return _WRITTEN_AS_A_NAME.fullmatch(written) is None or not _NO_PLACES.isdisjoint(name.split())
