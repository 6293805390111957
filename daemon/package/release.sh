#!/bin/sh
# release.sh DIRECTORY VERSION: what a release is made of, beside the packages that are in the directory: the archive of the source as
# it was committed last, the same to the bit wherever it is made, and SHA256SUMS of all. Started in the source, by the target `release`.
set -eu
directory=$1
name=clashd-$2
if ! commit=$(git rev-parse --verify --quiet HEAD); then
    echo "release.sh: the archive is made of a git commit, and there is none here" >&2
    exit 1
fi
[ -z "$(git status --porcelain)" ] || echo "release.sh: what is not committed is not in the archive, which is of $commit" >&2
git archive --format=tar --prefix="$name/" "$commit" | gzip -9n >"$directory/$name.tar.gz.part"
mv "$directory/$name.tar.gz.part" "$directory/$name.tar.gz"
cd "$directory"
rm -f SHA256SUMS
sha256sum -- "$name.tar.gz" *.deb >SHA256SUMS.part
mv SHA256SUMS.part SHA256SUMS
sha256sum -c --quiet SHA256SUMS
echo "$directory:"
cat SHA256SUMS
