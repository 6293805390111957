// protocol/clients/js against a live clashd: node client.mjs URL TOKEN_FILE is the module as in a page; node client.mjs node
// [ADDRESS] is Node's, which finds socket and token by itself. Prints each message that `for await` gives, and "callback SEQ"
// of a clash that a listener got. Each line of its input is a call, {"call": "blade", "arguments": [..]}, whose outcome is
// printed as {"type": "returned", "call", "value" or "error"}; the last is "close".
import {readFileSync} from "node:fs";
import {createRequire} from "node:module";
import {createInterface} from "node:readline";
import {Clashd} from "../../protocol/clients/js/clashd.js";
import {Clashd as ClashdNode} from "../../protocol/clients/js/node.mjs";

// Debian's Node has no WebSocket of its own; Debian's packages for it are there.
const WebSocket = globalThis.WebSocket ?? createRequire("/usr/share/nodejs/")("ws");
const [url, file] = process.argv.slice(2);
if (!url) process.exit(0); // only asked whether there is a WebSocket
const options = {subscribe: {axes: "unity"}, WebSocket};
const clashd = url === "node" ? new ClashdNode({...options, address: file})
  : new Clashd({...options, url, token: () => readFileSync(file, "utf8").trim()});
clashd.on("clash", ({seq}) => console.log("callback", seq));

async function take(line) {
  const {call, arguments: words = []} = JSON.parse(line);
  const told = {type: "returned", call};
  try {
    told.value = await clashd[call](...words);
  } catch (error) {
    Object.assign(told, {error: error.message, code: error.code});
  }
  console.log(JSON.stringify(told));
}

createInterface({input: process.stdin}).on("line", take);
for await (const message of clashd) console.log(JSON.stringify(message));
console.log("ended");
process.exit(0);
