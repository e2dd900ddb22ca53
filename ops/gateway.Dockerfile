# The image of the HTTP gateway: the SDK and Starlette, no Celery and no command that migrates. From the repository's root:
#
#   docker build --file ops/gateway.Dockerfile --tag turnfold-gateway:0.1.0 .

ARG PYTHON_IMAGE=python:3.12.12-slim-bookworm

FROM ${PYTHON_IMAGE} AS build

# As in worker.Dockerfile.
ENV PIP_CONSTRAINT=/build/constraints.txt \
    PIP_BUILD_CONSTRAINT=/build/constraints.txt \
    PIP_DISABLE_PIP_VERSION_CHECK=1

WORKDIR /build
COPY constraints.txt ./
COPY producer_sdk/ producer_sdk/
COPY gateway/ gateway/

RUN python -m venv /opt/turnfold \
    && /opt/turnfold/bin/pip install --no-cache-dir --upgrade pip \
    && /opt/turnfold/bin/pip install --no-cache-dir ./producer_sdk './gateway[mcp,postgres]' \
    && /opt/turnfold/bin/pip check


FROM ${PYTHON_IMAGE}

ENV PATH=/opt/turnfold/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1

RUN groupadd --system --gid 10001 turnfold \
    && useradd --system --uid 10001 --gid turnfold --home-dir /var/lib/turnfold --create-home turnfold

COPY --from=build /opt/turnfold /opt/turnfold

USER 10001:10001
WORKDIR /var/lib/turnfold

# One process, for one core; docker-compose.yml has one of these.
CMD ["turnfold-gateway", "serve", "--host=0.0.0.0", "--port=8321"]
