// The colours of the room, dark and light. Left and right are blue and orange, which nobody's eyes take for each other.

/** @typedef {"dark" | "light"} Theme */
/** @typedef {{background: number, floor: number, axis: number, left: number, right: number, others: number[], hand: number, target: number,
 *  core: number, rim: number, hot: number, cool: number, normal: number, point: number, glow: boolean}} Palette */

/** @type {Record<Theme, Palette>} */
export const PALETTES = {
  dark: {
    background: 0x10131a, floor: 0x2b3342, axis: 0x56637a, left: 0x4f9dff, right: 0xff8240,
    others: [0x6fd08c, 0xc58af9, 0xf2c94c, 0x45d0c4, 0xf578a8, 0xa5b4fc], hand: 0xb9c2d0, target: 0x8b98ad,
    core: 0xfff6e0, rim: 0x14100a, hot: 0xffe9a8, cool: 0xff6a1a, normal: 0xffd166, point: 0x7df9ff, glow: true,
  },
  light: {
    background: 0xeef1f6, floor: 0xcbd3df, axis: 0x8a97ab, left: 0x1b62c4, right: 0xc8500f,
    others: [0x1f7a43, 0x7b3fc4, 0x8a6500, 0x0c7a70, 0xb42663, 0x4f5bd5], hand: 0x4c586b, target: 0x6b778b,
    core: 0xfff6e0, rim: 0x6b3200, hot: 0xe07a00, cool: 0xb3261e, normal: 0x9a5b00, point: 0x00677a, glow: false,
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
