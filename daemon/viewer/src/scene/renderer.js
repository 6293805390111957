// What draws the room.
import {WebGLRenderer} from "three";

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

/** Null where there is no WebGL. Where the main processor draws, edges are not smoothed: that would be a third of the work.
 *  @returns {{renderer: WebGLRenderer, pixelRatioMax: number} | null} */
export function makeRenderer() {
  const software = isSoftware();
  if (software === null) return null;
  try {
    return {renderer: new WebGLRenderer({antialias: !software, powerPreference: "low-power"}), pixelRatioMax: software ? 1 : 2};
  } catch {
    return null;
  }
}
