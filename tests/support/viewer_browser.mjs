// A browser for tests of the page: node viewer_browser.mjs chromium|firefox PROGRAM MODULES. Each line of its input is a command,
// {"do": .., ..}; each gets one line, {"value": ..} or {"error": ".."}. tests/support/viewer.py drives it. MODULES is the folder that
// has puppeteer-core and axe-core.
import {readFileSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {createInterface} from "node:readline";

const [browserName, program, modules] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const puppeteer = require("puppeteer-core");
const WAIT_MS = Number(process.env.CLASHD_WAIT_MS ?? 120000);
const CHROMIUM = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run", "--force-color-profile=srgb",
  "--host-resolver-rules=MAP *.example 127.0.0.1"];
const GL = {true: ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"], false: ["--disable-3d-apis"]};
const FIREFOX = {"webgl.force-enabled": true, "gfx.webrender.software.opengl": true, "webgl.disabled": false,
  "browser.shell.checkDefaultBrowser": false, "datareporting.policy.dataSubmissionEnabled": false, "network.captive-portal-service.enabled": false,
  "app.update.auto": false, "browser.safebrowsing.downloads.remote.enabled": false, "network.connectivity-service.enabled": false};

let browser, page;
/** What a page should not have: errors and warnings of the console, exceptions, violations of its policy; and all it fetched. */
let told;

async function watch(opened) {
  const mine = {problems: [], fetched: []};
  told = mine;
  opened.on("console", (message) => {
    if (/GPU stall due to ReadPixels|willReadFrequently/.test(message.text())) return; // of a picture that a test takes
    if (["error", "warn", "warning"].includes(message.type())) mine.problems.push(`${message.type()}: ${message.text()}`);
  });
  opened.on("pageerror", (error) => mine.problems.push(`exception: ${error.stack ?? error.message ?? error}`));
  opened.on("request", (request) => mine.fetched.push(request.url()));
  await opened.evaluateOnNewDocument(() => {
    window.violations = [];
    window.sockets = []; // so that a test can say what clashd seldom does
    window.WebSocket = class extends WebSocket {
      constructor(...words) {
        super(...words);
        window.sockets.push(this);
      }
    };
    addEventListener("securitypolicyviolation", (event) =>
      window.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
  });
}

const commands = {
  async start({webgl = true, theme = "dark"}) {
    // Firefox takes the colours of the system from a setting: 0 dark, 1 light.
    const common = {executablePath: program, protocolTimeout: WAIT_MS, timeout: WAIT_MS, defaultViewport: null};
    browser = await puppeteer.launch(browserName === "firefox"
      ? {...common, browser: "firefox", headless: false, extraPrefsFirefox: {...FIREFOX, "webgl.disabled": !webgl,
          "layout.css.prefers-color-scheme.content-override": theme === "light" ? 1 : 0}}
      : {...common, headless: true, args: [...CHROMIUM, ...GL[webgl]]});
    return browser.version();
  },
  async open({url, width = 1280, height = 720, theme, clear = false, touch = false}) {
    await page?.close();
    page = await browser.newPage();
    await page.setViewport({width, height, deviceScaleFactor: 1, hasTouch: touch});
    if (theme && browserName === "chromium") await page.emulateMediaFeatures([{name: "prefers-color-scheme", value: theme}]);
    await watch(page);
    await page.goto(url, {waitUntil: "load", timeout: WAIT_MS});
    if (clear) await page.evaluate(() => { document.documentElement.style.background = "none"; });
  },
  size: ({width, height}) => page.setViewport({width, height, deviceScaleFactor: 1}),
  ask: ({expression}) => page.evaluate(`(async () => (${expression}))()`),
  async wait({expression}) {
    const handle = await page.waitForFunction(`(() => (${expression}))()`, {timeout: WAIT_MS, polling: 50});
    return handle.jsonValue();
  },
  press: ({key}) => page.keyboard.press(key),
  click: ({selector}) => page.click(selector),
  async drag({start, to}) {
    await page.mouse.move(...start);
    await page.mouse.down();
    await page.mouse.move(...to, {steps: 5});
    await page.mouse.up();
  },
  /** Fingers: each of `steps` has where they are, [[x, y], ..]; the first puts them down, after the last they are lifted. Chromium's. */
  async touch({steps}) {
    const client = await page.createCDPSession();
    const send = (type, points) => client.send("Input.dispatchTouchEvent", {type, touchPoints: points.map(([x, y], id) => ({x, y, id}))});
    await send("touchStart", steps[0]);
    for (const points of steps.slice(1)) await send("touchMove", points);
    await send("touchEnd", []);
    await client.detach();
  },
  pid: () => browser.process().pid,
  async upload({selector, files}) {
    const input = await page.$(selector);
    await input.uploadFile(...files);
  },
  async picture({file, clear = false, selector}) {
    const what = selector ? await page.$(selector) : page;
    writeFileSync(file, await what.screenshot({type: "png", omitBackground: clear}));
  },
  async axe() {
    await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
    return page.evaluate(async () => {
      const {violations} = await window.axe.run(document, {resultTypes: ["violations"]});
      return violations.map(({id, impact, nodes}) => ({id, impact, nodes: nodes.map(({html, failureSummary}) => `${html}: ${failureSummary}`)}));
    });
  },
  async problems() {
    return {...told, violations: await page.evaluate(() => window.violations)};
  },
  async stop() {
    await browser?.close();
    return null;
  },
};

for await (const line of createInterface({input: process.stdin})) {
  const {do: name, ...given} = JSON.parse(line);
  let answer;
  try {
    answer = {value: await commands[name](given) ?? null};
  } catch (error) {
    answer = {error: error.message ?? String(error)};
  }
  console.log(JSON.stringify(answer));
  if (name === "stop") break;
}
process.exit(0);
