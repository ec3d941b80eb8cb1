# Walks the command over a disk that fills up: PLACE PYTHON. Prints one `step=code` a line.
mount -t tmpfs -o size=600k none "$1/disk" || exit 9
export PADDOCK_DATA_DIR="$1/disk/data"
paddock() { "$python" -m desktop "$@" --json >/dev/null; }
place=$1; python=$2
paddock run "list files" --workspace "$place/folder"; echo "before=$?"
dd if=/dev/zero of="$place/disk/fill" bs=1k 2>/dev/null
dd if=/dev/zero of="$place/disk/fill2" bs=1 count=4096 2>/dev/null
paddock run "list files" --workspace "$place/folder"; echo "full=$?"
paddock sessions; echo "look=$?"
rm "$place/disk/fill" "$place/disk/fill2"
paddock run "list files" --workspace "$place/folder"; echo "again=$?"
paddock verify; echo "verify=$?"
exit 0
