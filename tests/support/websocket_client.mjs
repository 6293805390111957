// protocol/clients/js against a live clashd: node --experimental-websocket websocket_client.mjs URL TOKEN_FILE. Prints each
// message that `for await` gives; says "callback SEQ" of a clash that a listener got. Ends with the word stop.
import {readFileSync} from "node:fs";
import {Clashd} from "../../protocol/clients/js/clashd.js";

const [url, file] = process.argv.slice(2);
const clashd = new Clashd({url, token: () => readFileSync(file, "utf8").trim(), subscribe: {axes: "unity"}});
clashd.on("clash", ({seq}) => console.log("callback", seq));
process.stdin.on("data", () => clashd.close());
for await (const message of clashd) console.log(JSON.stringify(message));
console.log("ended");
process.exit(0);
