#!/usr/bin/env bash
# An empty PostgreSQL server for tests, in the given folder or a new one. It listens only on a socket in that folder.
#   .ci/postgres.sh start [folder]   starts a server and prints its URL (for TEST_POSTGRES_URL)
#   .ci/postgres.sh stop folder      stops the server and removes its folder
# If PostgreSQL is missing, it installs Debian's packages, which requires root.
set -euo pipefail

find_programs() {
  compgen -G '/usr/lib/postgresql/*/bin' | sort -V | tail -n 1
}

install() {
  export DEBIAN_FRONTEND=noninteractive
  # Without this, Debian creates and starts a cluster of its own.
  mkdir -p /etc/postgresql-common
  [ -e /etc/postgresql-common/createcluster.conf ] ||
    echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf
  apt-get update -q && apt-get install -yq --no-install-recommends -o Dpkg::Options::=--force-confold postgresql
}

# PostgreSQL refuses to run as root.
as_owner() {
  if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --init-groups -- "$@"; else "$@"; fi
}

start() {
  local folder="${1:-$(mktemp -d /tmp/masquerade-postgres-XXXXXX)}"
  [ -n "$(find_programs)" ] || install >&2
  local programs; programs="$(find_programs)"
  mkdir -p "$folder"
  [ "$(id -u)" != 0 ] || chown postgres: "$folder"
  cd "$folder"
  as_owner "$programs/initdb" --pgdata="$folder/data" --username=postgres --auth=trust \
    --encoding=UTF8 --no-locale --no-sync > "$folder/initdb.log"
  # Data need not survive a crash of the machine. Each test has its own databases, so there are many connections.
  cat >> "$folder/data/postgresql.conf" <<CONF
listen_addresses = ''
unix_socket_directories = '$folder'
fsync = off
synchronous_commit = off
full_page_writes = off
max_connections = 300
shared_buffers = 64MB
CONF
  as_owner "$programs/pg_ctl" start --pgdata="$folder/data" --log="$folder/server.log" --wait > /dev/null
  # In the URL, the folder of the socket is the host.
  echo "postgres://postgres@/postgres?host=$folder"
}

stop() {
  local programs; programs="$(find_programs)"
  cd /
  as_owner "$programs/pg_ctl" stop --pgdata="$1/data" --mode=immediate --wait > /dev/null ||
    echo "PostgreSQL in $1 was not running any more" >&2
  rm -rf "$1"
}

"$@"
