// Reads an MCAP file by its indexes with other people's reader, @mcap/core, and prints how many messages each topic has. The
// directory with the modules is named by MCAP_MODULES.
import { open } from "node:fs/promises";
import { createRequire } from "node:module";

const require = createRequire(`${process.env.MCAP_MODULES}/index.js`);
const { McapIndexedReader } = require("@mcap/core");
const { decompress } = require("fzstd");

const file = await open(process.argv[2]);
const readable = {
  size: async () => BigInt((await file.stat()).size),
  read: async (offset, length) => {
    const bytes = new Uint8Array(Number(length));
    await file.read(bytes, 0, bytes.length, Number(offset));
    return bytes;
  },
};
const reader = await McapIndexedReader.Initialize({
  readable, decompressHandlers: { zstd: (bytes) => decompress(bytes) },
});
const topics = {};
let total = 0, last = -1n;
for await (const message of reader.readMessages()) {
  const { topic } = reader.channelsById.get(message.channelId);
  JSON.parse(new TextDecoder().decode(message.data));
  if (message.logTime < last) throw new Error("messages come by time");
  last = message.logTime;
  topics[topic] = (topics[topic] ?? 0) + 1;
  total += 1;
}
console.log(JSON.stringify({ total, topics }));
await file.close();
