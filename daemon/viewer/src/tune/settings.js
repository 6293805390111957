// From sliders to clashd's configuration.

/** Of each blade, beside what it is. @typedef {{radius?: number, hilt: number, tip: number}} BladeChange */
/** @typedef {{margin?: number, release_margin?: number, max_gap_ms?: number, blades: Record<string, BladeChange>}} Changes */

/** What a float32 is as it is written: the shortest digits that make it again. @param {number} number */
const short = (number) => Number(number.toPrecision(7));

/** @param {any} blade @param {BladeChange} change @returns {any} */
function changed(blade, {radius, hilt, tip}) {
  const {type: _type, time_ns: _time, ...own} = blade;
  if (own.parts) {
    return radius === undefined ? withoutStandIn(own)
                                : withoutStandIn({...own, parts: own.parts.map((part) => ({...part, radius}))});
  }
  const axis = own.tip.map((x, i) => x - own.base[i]), length = Math.hypot(...axis);
  const along = length > 0 ? axis.map((x) => x / length) : [0, 0, -1];
  return {
    ...own, radius: radius ?? own.radius, base: hilt === 0 ? own.base : own.base.map((x, i) => short(x + along[i] * hilt)),
    tip: tip === 0 ? own.tip : own.tip.map((x, i) => short(x + along[i] * tip)),
  };
}

/** A configuration has parts alone; a recording also has the capsule that represents them. */
function withoutStandIn({base: _base, tip: _tip, radius: _radius, edge: _edge, ...rest}) {
  return rest;
}

/** What is laid over the recording's own settings. null: nothing is. @param {Changes} changes @param {any[]} blades the recording's */
export function configurationOf(changes, blades) {
  const contact = Object.fromEntries(["margin", "release_margin", "max_gap_ms"].filter((key) => changes[key] !== undefined)
    .map((key) => [key, changes[key]]));
  /** @param {BladeChange} change */
  const isChanged = ({radius, hilt, tip}) => radius !== undefined || hilt !== 0 || tip !== 0;
  const own = Object.values(changes.blades).some(isChanged)
    ? blades.map((blade) => changed(blade, changes.blades[blade.name] ?? {hilt: 0, tip: 0})) : undefined;
  if (Object.keys(contact).length === 0 && !own) return null;
  return {...(Object.keys(contact).length ? {contact} : {}), ...(own ? {blades: own} : {})};
}

/** All that was in force, as a file for clashd --config. @param {Changes} changes @param {any[]} blades @param {any} contact the recording's */
export function fileOf(changes, blades, contact) {
  const {gap_by_rate: byRate, ...rest} = contact;
  const over = configurationOf(changes, blades);
  return {
    contact: {...rest, max_gap_ms: byRate ? null : rest.max_gap_ms, ...over?.contact},
    blades: over?.blades ?? blades.map((blade) => changed(blade, {hilt: 0, tip: 0})),
  };
}
