#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs Apache Flink 2.1.3 (from the PyPI sdist apache-flink-libraries,
# which holds the distribution's jars) with the SQL gateway, the Kafka SQL
# connector, the Iceberg runtime, Hadoop client jars and sqlite-jdbc from Maven.
#
#   install.sh            idempotent; prints the install folder
#
# Into ${PEERS_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/frazil-peers}/flink-2.1.3.
# Needs: Java 17, mvn, python3 with pip, tar.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
flink_version=2.1.3
sdist_sha256=b48d3944755b9303f99d205ea1a9bcb798fc563a872c782393fb466f16d4f91c
peers_home=${PEERS_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/frazil-peers}
dest=$peers_home/flink-$flink_version
stamp=$dest/.installed
want=$(cat "$here/pom.xml" "${BASH_SOURCE[0]}" | sha256sum | cut -d' ' -f1)

if [[ -f $stamp && $(cat "$stamp") == "$want" ]]; then
    printf '%s\n' "$dest"
    exit 0
fi
mkdir -p "$peers_home"
exec 9>"$peers_home/.flink-$flink_version.lock"
flock 9
if [[ -f $stamp && $(cat "$stamp") == "$want" ]]; then
    printf '%s\n' "$dest"
    exit 0
fi

work=$(mktemp -d "$peers_home/.flink-install.XXXXXX")
trap 'rm -rf "$work"' EXIT

new=$work/flink
mkdir -p "$new"
if [[ -f $dest/lib/flink-dist-$flink_version.jar && -f $dest/.sdist-$sdist_sha256 ]]; then
    cp -al "$dest/." "$new/"
    rm -rf "$new/ext" "$new/.installed"
else
    sdist=${FLINK_SDIST:-}
    if [[ -z $sdist ]]; then
        (cd "$work" && python3 -m pip download -q --disable-pip-version-check \
            --no-deps --no-binary :all: "apache-flink-libraries==$flink_version") >&2
        sdist=$work/apache_flink_libraries-$flink_version.tar.gz
    fi
    printf '%s  %s\n' "$sdist_sha256" "$sdist" | sha256sum -c --quiet - >&2
    tar xzf "$sdist" -C "$new" --strip-components=2 \
        "apache_flink_libraries-$flink_version/deps"
    rm -f "$new/opt/flink-python-$flink_version.jar"
    : >"$new/.sdist-$sdist_sha256"
fi

mvn -q -B -f "$here/pom.xml" \
    org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
    -DexcludeTransitive=true -DoutputDirectory="$new/ext" >&2
ls "$new"/ext/flink-sql-gateway-*.jar "$new"/ext/iceberg-flink-runtime-*.jar >/dev/null
printf '%s\n' "$want" >"$new/.installed"
rm -rf "$dest"
mv "$new" "$dest"
printf '%s\n' "$dest"
