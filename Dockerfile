# `make repro` in a container: `docker build --tag whatif .`, then `docker run ... whatif` (docs/installation.md).
FROM python:3.11-slim-bookworm

RUN apt-get update \
    && apt-get install --yes --no-install-recommends git make \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --shell /bin/bash whatif \
    && install --directory --owner=whatif --group=whatif /home/whatif/project
USER whatif
WORKDIR /home/whatif/project
ENV PATH=/home/whatif/project/.venv/bin:$PATH PIP_NO_CACHE_DIR=1

# The packages, which are installed again only when one of these files changes. TORCH is the build of torch: cpu, cu126, cu130 ...
ARG TORCH=cpu
COPY --chown=whatif:whatif Makefile pyproject.toml constraints.txt README.md LICENSE ./
COPY --chown=whatif:whatif src/whatif/__init__.py src/whatif/
RUN make .venv/.installed TORCH=$TORCH

# As a git repository, because DVC wants one.
COPY --chown=whatif:whatif . .
RUN git init --quiet \
    && git add --all \
    && git -c user.name=whatif -c user.email=whatif@localhost commit --quiet --message "the sources of the image"

# Not while the image is built: the sandbox in which programs run needs user namespaces.
CMD ["make", "repro"]
