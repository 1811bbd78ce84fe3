#!/usr/bin/env bash
# `rank_hosts.sh`: ranks on three hosts, each a network namespace with a name and an address of its own. A search
# and a comparison on them give what one process gives; then the cable of one host is pulled while the
# comparison runs, which goes on without it. Needs root, iproute2, Open MPI and a build with it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program="$(realpath "${PLACER:-build/placer}")"
hosts=3
if [[ ${1:-} != inside ]]; then
  exec unshare --net --mount --uts --pid --fork --kill-child --mount-proc "$0" inside
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p /run/netns
mount -t tmpfs none /run/netns
cp /etc/hosts "$folder/hosts"
ip link set lo up
ip link add bridge type bridge
ip link set bridge up
for ((i = 0; i < hosts; ++i)); do
  ip netns add "host$i"
  ip link add "wire$i" type veth peer name wire netns "host$i"
  ip link set "wire$i" master bridge up
  ip netns exec "host$i" ip link set lo up
  ip netns exec "host$i" ip address add "10.99.0.$((i + 1))/24" dev wire
  ip netns exec "host$i" ip link set wire up
  echo "10.99.0.$((i + 1)) host$i" >>"$folder/hosts"
done
mount --bind "$folder/hosts" /etc/hosts

# `HOST COMMAND...` as ssh does it.
cat >"$folder/login" <<'EOF'
#!/usr/bin/env bash
host=$1
shift
exec ip netns exec "$host" unshare --uts bash -c 'hostname "$0" && exec bash -c "$*"' "$host" "$@"
EOF
chmod +x "$folder/login"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

on_hosts() {
  ip netns exec host0 unshare --uts bash -c 'hostname host0 && exec "$@"' _ mpirun --mca plm_rsh_agent "$folder/login" \
    --mca btl tcp,self --mca btl_tcp_if_include wire --mca oob_tcp_if_include wire --host host0,host1,host2 -n 3 "$@"
}
without_times() { grep -v -e second -e '"wall"' "$1"; }
check_same() {  # WHAT: what alone.json and shared.json say
  if cmp -s <(without_times "$folder/alone.json") <(without_times "$folder/shared.json"); then
    echo "$1: the same as in one process"
  else
    echo "$1: expected what one process finds, found something else" >&2
    exit 1
  fi
}

named=$(on_hosts hostname | sort | tr '\n' ' ')
[[ $named == "host0 host1 host2 " ]] || { echo "expected a rank on each of three hosts, found: $named" >&2; exit 1; }

search=("$program" optimize graphs/inception_v3.json --evaluations 30000 --json --quiet)
"${search[@]}" >"$folder/alone.json"
on_hosts "${search[@]}" >"$folder/shared.json"
check_same "a search on three hosts"

comparison=("$program" compare graphs/inception_v3.json --algo genetic,anneal --seeds 12 --evaluations 12000 --json
  --quiet --output)
"${comparison[@]}" "$folder/alone.json"
on_hosts "${comparison[@]}" "$folder/shared.json"
check_same "a comparison on three hosts"

# mpirun itself waits some minutes more for what started the ranks there.
rm "$folder/shared.json"
on_hosts --enable-recovery "${comparison[@]}" "$folder/shared.json" &
sleep 2
ip link set wire2 down
for ((i = 0; i < 1200; ++i)); do
  [[ -e $folder/shared.json ]] && break
  sleep 0.1
done
check_same "a comparison whose third host is cut off"
