// The page's side of the Worker that has the log.

/** A later request has replaced this one. */
export class Superseded extends Error {}

export class LogClient {
  #worker;
  #next = 1;
  /** @type {Map<number, {resolve: (value: any) => void, reject: (reason: Error) => void}>} */
  #waiting = new Map();
  /** @param {(event: any) => void} onEvent */
  constructor(onEvent) {
    this.#worker = new Worker(new URL("engine.js", document.baseURI), {type: "module"});
    this.#worker.addEventListener("message", ({data}) => {
      if (data.event) onEvent(data);
      else this.#answer(data);
    });
    this.#worker.addEventListener("error", (event) => {
      for (const {reject} of this.#waiting.values()) reject(new Error(event.message || "the page's Worker cannot be started"));
      this.#waiting.clear();
    });
  }

  /** @param {any} data */
  #answer({id, result, error, stopped}) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(stopped ? new Superseded(error) : new Error(error));
  }

  /** @param {string} name @param {any[]} args @returns {Promise<any>} */
  call(name, ...args) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, {resolve, reject});
      this.#worker.postMessage({id, name, args});
    });
  }
}
