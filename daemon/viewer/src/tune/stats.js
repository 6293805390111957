// What a setting makes of a log, in the numbers of clashctl tune; and which contacts come and go.

/** @typedef {import("../log/slim.js").Slim} Slim */

/** By nearest rank. @param {number[]} sorted @param {number} percent */
const rank = (sorted, percent) => sorted[Math.floor((sorted.length * percent + 99) / 100) - 1];

/** @param {number[]} values */
function spread(values) {
  const sorted = values.slice().sort((a, b) => a - b);
  return sorted.length ? {median: rank(sorted, 50), p90: rank(sorted, 90), max: rank(sorted, 100)} : null;
}

/** @param {Slim[]} contacts @param {{first: number, last: number}} extent @param {number} holds */
export function statsOf(contacts, extent, holds) {
  const seconds = (extent.last - extent.first) * 1e-9;
  const ended = contacts.filter(({nearest}) => nearest !== null);
  return {
    contacts: contacts.length, contacts_per_minute: seconds > 0 ? contacts.length / seconds * 60 : 0,
    closing_speed: spread(contacts.map(({speed}) => speed)), intensity: spread(contacts.map(({intensity}) => intensity)),
    duration_s: spread(ended.map(({start, end}) => Math.fround((end - start) * 1e-9))), holds,
    min_distance: ended.length ? ended.reduce((least, {nearest}) => Math.min(least, /** @type {number} */ (nearest)), Infinity) : null,
  };
}

/** Contacts of the same two that last at the same time are the same one. @param {Slim[]} before @param {Slim[]} now
 *  @returns {{kept: Set<number>, gone: Slim[], fresh: number}} kept: indices of `now` */
export function compare(before, now) {
  /** @type {Map<string, {contact: Slim, index: number}[]>} */
  const byPair = new Map();
  now.forEach((contact, index) => {
    const key = JSON.stringify(contact.blades);
    if (!byPair.has(key)) byPair.set(key, []);
    byPair.get(key)?.push({contact, index});
  });
  const kept = new Set(), gone = [], next = new Map();
  for (const old of before) {
    const list = byPair.get(JSON.stringify(old.blades)) ?? [], key = JSON.stringify(old.blades);
    let at = next.get(key) ?? 0;
    while (at < list.length && list[at].contact.end < old.start) at++;
    next.set(key, at);
    let found = false;
    for (let i = at; i < list.length && list[i].contact.start <= old.end; i++) {
      kept.add(list[i].index);
      found = true;
    }
    if (!found) gone.push(old);
  }
  return {kept, gone, fresh: now.length - kept.size};
}
