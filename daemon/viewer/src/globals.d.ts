import type {Stage} from "./scene/stage.js";

declare global {
  interface Window {
    /** The page's hook for tests: by panel ("live", "log") its stage, whose project() says where a point is drawn, and itself. */
    clashdViewer: Record<string, {stage: Stage; panel: any}>;
  }
}
