# The image of workers, migrations, beat and Flower; no sentence model and no torch in it. From the repository's root:
#
#   docker build --file ops/worker.Dockerfile --tag turnfold-worker:0.1.0 .

ARG PYTHON_IMAGE=python:3.12.12-slim-bookworm

FROM ${PYTHON_IMAGE} AS build

# The second one is for the tools that build the distributions, in versions of pip that tell them apart.
ENV PIP_CONSTRAINT=/build/constraints.txt \
    PIP_BUILD_CONSTRAINT=/build/constraints.txt \
    PIP_DISABLE_PIP_VERSION_CHECK=1

WORKDIR /build
COPY constraints.txt ./
COPY producer_sdk/ producer_sdk/
COPY worker/ worker/
COPY examples/ examples/

RUN python -m venv /opt/turnfold \
    && /opt/turnfold/bin/pip install --no-cache-dir --upgrade pip \
    && /opt/turnfold/bin/pip install --no-cache-dir ./producer_sdk './worker[flower,openai,otel,postgres,redact]' \
    && /opt/turnfold/bin/pip check


FROM ${PYTHON_IMAGE}

ENV PATH=/opt/turnfold/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    TURNFOLD_STATE_DIR=/var/lib/turnfold

RUN groupadd --system --gid 10001 turnfold \
    && useradd --system --uid 10001 --gid turnfold --home-dir /var/lib/turnfold --create-home turnfold

COPY --from=build /opt/turnfold /opt/turnfold

USER 10001:10001
WORKDIR /var/lib/turnfold

# One worker for all queues; docker-compose.yml has one for each.
CMD ["celery", "--app", "turnfold_worker.celery_app", "worker", "--queues", "turnfold.ingest,turnfold.compress,turnfold.maintenance", "--loglevel", "INFO"]
