// The colours of the room, dark and light: those of Okabe and Ito, which people with any colour vision tell apart, some of them darker in
// the light room. e2e/viewer_colours_test measures how they stand out from the room and from each other.

/** @typedef {"dark" | "light"} Theme */
/** @typedef {{background: number, floor: number, axis: number, left: number, right: number, others: number[], hand: number, target: number, targetEdge: number,
 *  core: number, rim: number, hot: number, cool: number, normal: number, point: number, glow: boolean}} Palette */

/** @type {Record<Theme, Palette>} */
export const PALETTES = {
  dark: {
    background: 0x10131a, floor: 0x2b3342, axis: 0x56637a, left: 0x56b4e9, right: 0xe69f00,
    others: [0x009e73, 0xf0e442, 0xcc79a7, 0xd55e00, 0xe8e8e8], hand: 0xb9c2d0, target: 0x7d8aa0, targetEdge: 0xc3cddd,
    core: 0xfff6e0, rim: 0x14100a, hot: 0xffe9a8, cool: 0xff6a1a, normal: 0xf0e442, point: 0x7df9ff, glow: true,
  },
  light: {
    background: 0xeef1f6, floor: 0xcbd3df, axis: 0x8a97ab, left: 0x0072b2, right: 0xd55e00,
    others: [0x007d5b, 0x8a7a00, 0xa34f7f, 0x303030, 0x2a7fb3], hand: 0x4c586b, target: 0x929eb2, targetEdge: 0x434d5e,
    core: 0xfff6e0, rim: 0x6b3200, hot: 0xd94f00, cool: 0x9c1c0c, normal: 0x7a5200, point: 0x00677a, glow: false,
  },
};

/** Of a blade: its hand's, or one of the others that its device has for as long as it is there.
 *  @param {Palette} palette @param {string} device @returns {number} */
export function colourOf(palette, device) {
  if (device === "/user/hand/left") return palette.left;
  if (device === "/user/hand/right") return palette.right;
  let hash = 0;
  for (let i = 0; i < device.length; i++) hash = (hash * 31 + device.charCodeAt(i)) >>> 0;
  return palette.others[hash % palette.others.length];
}
