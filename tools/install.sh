#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what a bare Debian 12 lacks, by purpose:  install.sh build|test|fuzz|lint ...
# Does nothing where everything is there. Needs root (or sudo) only when something is missing.
set -euo pipefail

build=(gcc libc6-dev cmake ninja-build make pkg-config ca-certificates
  libzstd-dev liblz4-dev libsnappy-dev libbrotli-dev libdeflate-dev zlib1g-dev libbz2-dev liblzma-dev libroaring-dev
  libpcre2-dev libutf8proc-dev libsqlite3-dev libxxhash-dev libssl-dev libedit-dev librdkafka-dev
  libjansson-dev libcmocka-dev libstdc++-12-dev tzdata)
test=(python3 python3-venv python3-pip zstd strace universal-ctags git iproute2
  default-jdk-headless maven)
fuzz=(clang-14 libclang-rt-14-dev llvm-14)
lint=(clang-format-14 clang-tidy-14 cppcheck)
judge=(openssl)

wanted=()
for purpose in "$@"; do
  case $purpose in
    build) wanted+=("${build[@]}") ;;
    test) wanted+=("${test[@]}") ;;
    fuzz) wanted+=("${fuzz[@]}") ;;
    lint) wanted+=("${lint[@]}") ;;
    *) echo "install.sh: unknown purpose '$purpose' (build, test, fuzz, lint)" >&2; exit 2 ;;
  esac
done

missing=()
for package in "${wanted[@]}"; do
  state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "install.sh: missing packages, and no sudo: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
echo "installing: ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq >/dev/null
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
