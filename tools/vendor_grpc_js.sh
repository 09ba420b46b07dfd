#!/usr/bin/env bash
# Makes bots/node/kit/vendor/: the gRPC library of the Node kit with all it needs in one file, and its licences.
# Needs Node.js, npm and the network; nobody else does. A test compares the file with its checksum.
set -euo pipefail
GRPC_JS=1.14.7
ORDERED_MAP=4.4.2
ESBUILD=0.28.2

kit="$(cd "$(dirname "$0")/.." && pwd)/bots/node/kit"
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
npm install --silent --no-package-lock --no-audit --no-fund --ignore-scripts \
  "@grpc/grpc-js@$GRPC_JS" "@js-sdsl/ordered-map@$ORDERED_MAP" "esbuild@$ESBUILD"
echo 'export { Client, Metadata, credentials, status } from "@grpc/grpc-js";' > entry.js
# The loader of .proto files is asked for only by servers of channelz, of which a bot is none.
npx esbuild entry.js --bundle --minify --platform=node --target=node18 --format=cjs --legal-comments=none \
  --external:@grpc/proto-loader --log-level=warning \
  "--banner:js=// @grpc/grpc-js $GRPC_JS (Apache-2.0) with @js-sdsl/ordered-map $ORDERED_MAP (MIT): see LICENSES.txt." \
  "--outfile=$kit/vendor/grpc.cjs"
{
  echo "grpc.cjs holds two packages, each under its own licence."
  for package in "@grpc/grpc-js" "@js-sdsl/ordered-map"; do
    printf '\n==== %s ====\n\n' "$package"
    cat "node_modules/$package/LICENSE"
  done
} > "$kit/vendor/LICENSES.txt"
cd "$kit/vendor"
sha256sum grpc.cjs > grpc.cjs.sha256
