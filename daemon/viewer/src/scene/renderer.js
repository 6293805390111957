// What draws the room.
import {WebGLRenderer} from "three";

const FRAMES = 12, SLOW_MS = 42, PAUSE_MS = 400;
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** Whether the main processor draws, as in virtual machines; null where there is no WebGL. */
function isSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return null;
  let name = String(gl.getParameter(gl.RENDERER));
  const info = /webkit/i.test(name) && gl.getExtension("WEBGL_debug_renderer_info"); // others say it at once
  if (info) name = String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return SOFTWARE.test(name);
}

/** Says when there should be fewer pixels: after FRAMES in a row that took longer than SLOW_MS each, in the middle. */
export class Pace {
  #last = NaN;
  #times = 0;
  #frames = 0;

  /** A frame was drawn. @param {number} now ms @returns {boolean} whether it is too slow */
  isTooSlow(now) {
    const time = now - this.#last;
    this.#last = now;
    if (!(time > 0 && time < PAUSE_MS)) return false; // nothing was drawn in between
    this.#times += time;
    if (++this.#frames < FRAMES) return false;
    const mean = this.#times / this.#frames;
    this.#times = this.#frames = 0;
    return mean > SLOW_MS;
  }
}

/** Null where there is no WebGL. Where the main processor draws, edges are not smoothed, which would be a third of the work, and there is
 *  a pace to keep to. @returns {{renderer: WebGLRenderer, pixelRatioMax: number, pace: Pace | null} | null} */
export function makeRenderer() {
  const software = isSoftware();
  if (software === null) return null;
  try {
    return {renderer: new WebGLRenderer({antialias: !software, powerPreference: "low-power"}), pixelRatioMax: software ? 1 : 2,
      pace: software ? new Pace() : null};
  } catch {
    return null;
  }
}
