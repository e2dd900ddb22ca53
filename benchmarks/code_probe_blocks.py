"""Blocks of code made for `code_probe`, with requests that paraphrase which one is meant."""

from __future__ import annotations

from typing import NamedTuple


class Made(NamedTuple):
    """A block, the turns around it, and its requests."""

    question: str
    language: str
    block: str
    queries: tuple[str, ...]
    introduction: str = "Here you go:"
    version: str = ""
    """Which of several nearly equal versions."""

    @property
    def answer(self) -> str:
        return f"{self.introduction}\n\n```{self.language}\n{self.block}\n```\n\nTell me if you want it changed."


_NGINX = """server {
    listen 80;
    server_name shop.example.org;
    location /api/ {
        proxy_pass http://127.0.0.1:PORT;
        proxy_read_timeout 30s;
    }
    location / {
        root /srv/shop/public;
        try_files $uri /index.html;
    }
}"""
_RETRY = """def fetch_with_retry(url: str, attempts: int = ATTEMPTS) -> bytes:
    for attempt in range(attempts):
        try:
            return urlopen(url, timeout=5).read()
        except URLError:
            sleep(2 ** attempt)
    raise GaveUp(url)"""

MADE = (
    Made("How should the reverse proxy in front of the shop look?", "nginx", _NGINX.replace("PORT", "8080"),
         ("What did the original nginx config look like?",), version="first version"),
    Made("Can you write the table for orders?", "sql", """CREATE TABLE orders (
    id BIGINT PRIMARY KEY,
    customer_id BIGINT NOT NULL REFERENCES customers (id),
    total_cents INTEGER NOT NULL CHECK (total_cents >= 0),
    placed_at TIMESTAMPTZ NOT NULL DEFAULT now()
);""", ("Give me the SQL for the orders table", "what was the schema of the orders table again?")),
    Made("How do I start a local message broker?", "bash",
         "docker run -d --name broker -p 5672:5672 -e RABBITMQ_DEFAULT_USER=shop rabbitmq:3.13-management",
         ("the docker command you gave me for the broker", "show the command that starts rabbitmq"),
         introduction="Run this:"),
    Made("I need to check that a SKU is well formed.", "", r"^[A-Z]{3}-\d{4,6}(?:-[a-z]{2})?$",
         ("What was that SKU regex?",), introduction="This regular expression matches a SKU:"),
    Made("How would a download that tries again look?", "python", _RETRY.replace("ATTEMPTS", "3"),
         ("show me the first version of the retry function",), version="first version",
         introduction="A function that retries with a growing delay:"),
    Made("What does the webhook of the courier send?", "json", """{
  "event": "parcel.delivered",
  "parcel": {"tracking": "QX-88213", "weight_grams": 940},
  "signed_by": "reception"
}""", ("paste the JSON payload of the courier webhook", "Can I see that parcel JSON again?")),
    Made("The proxy should reach the new service.", "nginx", _NGINX.replace("PORT", "9000"),
         ("show me that nginx config again", "paste the latest reverse proxy configuration for the shop"),
         version="newest version", introduction="With the new port the configuration becomes:"),
    Made("Which alert do we want for slow checkouts?", "yaml", """groups:
  - name: checkout
    rules:
      - alert: CheckoutSlow
        expr: histogram_quantile(0.95, rate(checkout_seconds_bucket[5m])) > 1.5
        for: 10m""", ("show the prometheus alert rule for checkout", "what was the YAML for the slow checkout alert?")),
    Made("It failed in staging, look.", "", """Traceback (most recent call last):
  File "billing/invoice.py", line 88, in render
    total = sum(line.amount for line in lines)
TypeError: unsupported operand type(s) for +: 'int' and 'Decimal128'""",
         ("what was the exact error message from the invoice rendering?", "show me that Decimal128 traceback"),
         introduction="You posted this, I keep it here:"),
    Made("Five attempts would be better.", "python", _RETRY.replace("ATTEMPTS", "5"),
         ("show me the retry function", "give me the function that fetches a url with retries"),
         version="newest version",
         introduction="Then the function is:"),
    Made("How do I paint the price tag green?", "css", """.price-tag--discount {
  color: #1a7f37;
  font-weight: 600;
}""", ("the css for the discount price tag please, show it",
            "can you repeat the stylesheet snippet with the green price tag?")),
    Made("Please write the job that cleans carts every night.", "toml", """[jobs.clean-carts]
schedule = "15 3 * * *"
command = "shop carts clean --older-than 30d"
timeout_minutes = 20""", ("show me the config of the nightly cart cleaning job", "what was the toml for clean-carts?")),
)  # fmt: skip
