// The token that clashd may ask for. The address has it behind the # (`clashctl view` puts it there); it is kept for this tab, and
// taken out of the address, so that it is in no history and no picture of the window.
const KEY = "clashd.token";
const HEX = /^[0-9a-f]{64}$/i;
const MALFORMED = "malformed"; // sent in place of what a header could not carry, so that clashd refuses it and the page gives that reason

/** As given now or when the tab was opened; undefined without one. @returns {string | undefined} */
export function token() {
  const words = new URLSearchParams(location.hash.slice(1));
  const given = words.get("token");
  if (given !== null) {
    words.delete("token");
    const rest = words.toString();
    history.replaceState(null, "", location.pathname + location.search + (rest ? `#${rest}` : ""));
    try {
      if (HEX.test(given)) sessionStorage.setItem(KEY, given);
    } catch { /* storage may be forbidden: it holds until the page is loaded again */ }
    if (HEX.test(given)) kept = given;
    else isMalformed = true;
  }
  try {
    kept ??= sessionStorage.getItem(KEY) ?? undefined;
  } catch { /* likewise */ }
  return kept ?? (isMalformed ? MALFORMED : undefined);
}

/** @type {string | undefined} */
let kept;
let isMalformed = false;

/** Where clashd's WebSocket is: on the port that served this page. */
export function address() {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/`;
}
