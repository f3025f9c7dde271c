#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Starts a small Flink session cluster with a SQL gateway in folder DIR:
# one JobManager, one TaskManager, one gateway, all on 127.0.0.1.
#
#   start.sh DIR
#   start.sh --taskmanager DIR     starts the TaskManager of a running cluster
#                                  again, after it was killed (recovery tests)
#
# Environment (all optional):
#   FLINK_REST_PORT, FLINK_GATEWAY_PORT   ports (default: free ones)
#   FLINK_SLOTS            slots of the TaskManager (2)
#   FLINK_TM_HEAP_MB       task heap (768)
#   FLINK_TM_MANAGED_MB    managed memory, i.e. RocksDB and batch (256)
#   FLINK_TM_NETWORK_MB    network buffers (64)
#   FLINK_STATE_BACKEND    hashmap (default) or rocksdb
#   FLINK_CHECKPOINT_MS    checkpoint interval; 0 switches off (2000)
#   FLINK_EXTRA_CLASSPATH  more jars for all three processes
#   FLINK_EXTRA_CONF       a file of further config.yaml lines
# Writes DIR/env (REST_URL, GATEWAY_URL, JM_PID, TM_PID, GATEWAY_PID) and waits
# until the TaskManager's slots are registered and the gateway answers.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
again=0
if [[ ${1:-} == --taskmanager ]]; then
    again=1
    shift
fi
[[ $# -eq 1 ]] || { echo "usage: start.sh [--taskmanager] DIR" >&2; exit 2; }
mkdir -p "$1"
dir=$(cd "$1" && pwd)
if ((again)); then
    [[ -f $dir/env ]] || { echo "start.sh: not running: $dir" >&2; exit 2; }
elif [[ -f $dir/env ]]; then
    echo "start.sh: $dir/env exists: already running? use stop.sh" >&2
    exit 2
fi
home=$("$here/install.sh")

free_ports() {
    python3 - "$1" <<'PY'
import random, socket, sys
# below the ephemeral range, so that no outgoing connection takes one meanwhile
found = []
while len(found) < int(sys.argv[1]):
    port = random.randrange(20000, 32000)
    with socket.socket() as s:
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            continue
    if port not in found:
        found.append(port)
print(*found)
PY
}
read -r p1 p2 p3 <<<"$(free_ports 3)"
rpc_port=$p1
rest_port=${FLINK_REST_PORT:-$p2}
gw_port=${FLINK_GATEWAY_PORT:-$p3}
slots=${FLINK_SLOTS:-2}
heap=${FLINK_TM_HEAP_MB:-768}
managed=${FLINK_TM_MANAGED_MB:-256}
network=${FLINK_TM_NETWORK_MB:-64}
ckpt=${FLINK_CHECKPOINT_MS:-2000}

write_conf() {
mkdir -p "$dir/conf" "$dir/log" "$dir/tmp" "$dir/checkpoints" "$dir/savepoints"
cat >"$dir/conf/config.yaml" <<CONF
jobmanager.rpc.address: 127.0.0.1
jobmanager.rpc.port: $rpc_port
jobmanager.bind-host: 127.0.0.1
jobmanager.execution.failover-strategy: region
taskmanager.host: 127.0.0.1
taskmanager.bind-host: 127.0.0.1
rest.address: 127.0.0.1
rest.bind-address: 127.0.0.1
rest.port: $rest_port
sql-gateway.endpoint.rest.address: 127.0.0.1
sql-gateway.endpoint.rest.bind-address: 127.0.0.1
sql-gateway.endpoint.rest.port: $gw_port
sql-gateway.endpoint.rest.bind-port: "$gw_port"
sql-gateway.session.idle-timeout: 1 h
taskmanager.numberOfTaskSlots: $slots
taskmanager.cpu.cores: $slots.0
taskmanager.memory.framework.heap.size: 128m
taskmanager.memory.framework.off-heap.size: 128m
taskmanager.memory.task.heap.size: ${heap}m
taskmanager.memory.task.off-heap.size: 0m
taskmanager.memory.network.min: ${network}m
taskmanager.memory.network.max: ${network}m
taskmanager.memory.managed.size: ${managed}m
taskmanager.memory.jvm-metaspace.size: 256m
taskmanager.memory.jvm-overhead.min: 192m
taskmanager.memory.jvm-overhead.max: 192m
parallelism.default: 1
state.backend.type: ${FLINK_STATE_BACKEND:-hashmap}
execution.checkpointing.dir: file://$dir/checkpoints
execution.checkpointing.savepoint-dir: file://$dir/savepoints
io.tmp.dirs: $dir/tmp
restart-strategy.type: none
table.local-time-zone: UTC
classloader.check-leaked-classloader: false
web.submit.enable: false
CONF
if [[ $ckpt != 0 ]]; then
    echo "execution.checkpointing.interval: ${ckpt}ms" >>"$dir/conf/config.yaml"
fi
if [[ -n ${FLINK_EXTRA_CONF:-} ]]; then
    cat "$FLINK_EXTRA_CONF" >>"$dir/conf/config.yaml"
fi
cat >"$dir/conf/log4j.properties" <<'CONF'
rootLogger.level = INFO
rootLogger.appenderRef.file.ref = MainAppender
appender.main.name = MainAppender
appender.main.type = File
appender.main.fileName = ${sys:log.file}
appender.main.layout.type = PatternLayout
appender.main.layout.pattern = %d{yyyy-MM-dd HH:mm:ss,SSS} %-5p %-60c %x - %m%n
CONF
}
((again)) || write_conf

opens=()
for x in java.rmi/sun.rmi.registry jdk.compiler/com.sun.tools.javac.api \
    jdk.compiler/com.sun.tools.javac.file jdk.compiler/com.sun.tools.javac.parser \
    jdk.compiler/com.sun.tools.javac.tree jdk.compiler/com.sun.tools.javac.util \
    java.security.jgss/sun.security.krb5; do
    opens+=("--add-exports=$x=ALL-UNNAMED")
done
for x in lang net io nio lang.reflect text time util util.concurrent \
    util.concurrent.atomic util.concurrent.locks; do
    opens+=("--add-opens=java.base/java.$x=ALL-UNNAMED")
done
opens+=("--add-opens=java.base/sun.nio.ch=ALL-UNNAMED" "-Duser.timezone=UTC"
    "-Dlog4j.configurationFile=file:$dir/conf/log4j.properties"
    "-Dlog4j.configuration=file:$dir/conf/log4j.properties"
    "-Djava.io.tmpdir=$dir/tmp")

cp="$home/lib/*:$home/ext/*"
if [[ -n ${FLINK_EXTRA_CLASSPATH:-} ]]; then
    cp="$cp:$FLINK_EXTRA_CLASSPATH"
fi
export FLINK_CONF_DIR=$dir/conf FLINK_LIB_DIR=$home/lib FLINK_PLUGINS_DIR=$home/plugins
export FLINK_OPT_DIR=$home/opt HADOOP_USER_NAME=${HADOOP_USER_NAME:-frazil} TZ=UTC

launch() { # NAME CLASS JVMOPTS... -- ARGS...
    local name=$1 class=$2 jvm=()
    shift 2
    while [[ $1 != -- ]]; do jvm+=("$1"); shift; done
    shift
    setsid nohup java "${jvm[@]}" "${opens[@]}" "-Dlog.file=$dir/log/$name.log" \
        -cp "$cp" "$class" "$@" </dev/null >"$dir/log/$name.out" 2>&1 &
    echo $!
}

if ((again)); then
    # the sizes with which the cluster was started
    size() { sed -n "s/^taskmanager.memory.$1: \([0-9]*\)m$/\1/p" "$dir/conf/config.yaml"; }
    heap=$(size task.heap.size)
    network=$(size network.max)
    slots=$(sed -n 's/^taskmanager.numberOfTaskSlots: //p' "$dir/conf/config.yaml")
fi
launch_tm() {
    local tm_heap=$((heap + 128)) tm_direct=$((network + 128 + 64))
    launch taskmanager org.apache.flink.runtime.taskexecutor.TaskManagerRunner \
        "-Xms${tm_heap}m" "-Xmx${tm_heap}m" "-XX:MaxDirectMemorySize=${tm_direct}m" \
        -XX:MaxMetaspaceSize=256m -XX:+UseG1GC -- --configDir "$dir/conf"
}
if ((again)); then
    tm_pid=$(launch_tm)
    sed -i "s/^TM_PID=.*/TM_PID=$tm_pid/" "$dir/env"
    python3 "$here/flinksql.py" wait --dir "$dir" --slots "$slots" --timeout 120
    echo "taskmanager $tm_pid"
    exit 0
fi

jm_pid=$(launch jobmanager org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint \
    -Xms256m -Xmx640m -XX:MaxMetaspaceSize=256m -XX:+UseSerialGC -- \
    --configDir "$dir/conf" --executionMode cluster)
tm_pid=$(launch_tm)
gw_pid=$(launch gateway org.apache.flink.table.gateway.SqlGateway \
    -Xms256m -Xmx768m -XX:MaxMetaspaceSize=384m -XX:+UseSerialGC --)

cat >"$dir/env" <<ENV
REST_URL=http://127.0.0.1:$rest_port
GATEWAY_URL=http://127.0.0.1:$gw_port
JM_PID=$jm_pid
TM_PID=$tm_pid
GATEWAY_PID=$gw_pid
FLINK_DIR=$dir
ENV

if ! python3 "$here/flinksql.py" wait --dir "$dir" --slots "$slots" --timeout 120; then
    echo "start.sh: did not come up; last log lines:" >&2
    tail -n 5 "$dir"/log/*.out "$dir"/log/*.log >&2 || true
    "$here/stop.sh" "$dir" || true
    exit 1
fi
echo "rest http://127.0.0.1:$rest_port gateway http://127.0.0.1:$gw_port"
