#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the judges of Iceberg tables into PEERS_HOME/lake: install.sh [python|spark]
#   python  PyIceberg, PyArrow, DuckDB (requirements.txt) into lake/py; the default
#   spark   that, PySpark (requirements-spark.txt) and the jars of pom.xml; needs Java 17 and Maven
# A second run does nothing unless a pin has changed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
home=${PEERS_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/frazil-peers}/lake
venv=$home/py
mkdir -p "$home"
exec 9>"$home/.lock"
flock 9 # a second install waits here and then finds the work done

stamp_of() { sha256sum "$@" | cut -d' ' -f1 | sha256sum | cut -d' ' -f1; }
is_fresh() { [[ "$(cat "$home/.stamp-$1" 2>/dev/null || true)" == "$(stamp_of "${@:2}")" ]]; }
pip_install() { "$venv/bin/pip" install -q --disable-pip-version-check -r "$1" >&2; }

install_python() {
  local pins=$here/requirements.txt
  is_fresh python "$pins" && [[ -x $venv/bin/python ]] && return
  [[ -x $venv/bin/python ]] || python3 -m venv "$venv"
  pip_install "$pins"
  stamp_of "$pins" >"$home/.stamp-python"
}

install_spark() {
  local pins=("$here/requirements-spark.txt" "$here/pom.xml")
  is_fresh spark "${pins[@]}" && return
  pip_install "${pins[0]}"
  rm -rf "$home/jars-spark"
  mvn -q -B -Dstyle.color=never -f "${pins[1]}" dependency:copy-dependencies \
    -DoutputDirectory="$home/jars-spark" -DincludeScope=runtime >&2
  stamp_of "${pins[@]}" >"$home/.stamp-spark"
}

case ${1:-python} in
python) install_python ;;
spark)
  install_python
  install_spark
  ;;
*)
  echo "usage: install.sh [python|spark]" >&2
  exit 2
  ;;
esac
