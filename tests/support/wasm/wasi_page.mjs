// As much of WASI in a page as property/golden_test.c takes: run(PROGRAM, {NAME: TEXT}) gives what it prints and its exit code; the files
// are those below /data.
const OK = 0, BAD = 8, NONE = 44, DIRECTORY = 3;

class Exit extends Error {
  constructor(code) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** @param {string} program @param {Record<string, string>} files */
export async function run(program, files) {
  let memory, printed = "";
  const open = new Map(), view = () => new DataView(memory.buffer), bytes = () => new Uint8Array(memory.buffer), names = new TextEncoder();
  const each = (vectors, count, take) => {
    let sum = 0;
    for (let i = 0; i < count; i++) {
      const done = take(view().getUint32(vectors + 8 * i, true), view().getUint32(vectors + 8 * i + 4, true));
      sum += done;
      if (done === 0) break;
    }
    return sum;
  };
  const wasi = {
    environ_get: () => OK,
    environ_sizes_get: (count, size) => (view().setUint32(count, 0, true), view().setUint32(size, 0, true), OK),
    fd_close: (fd) => (open.delete(fd) ? OK : BAD),
    fd_fdstat_get: (fd, at) => {
      bytes().fill(0, at, at + 24);
      view().setUint8(at, fd === 3 ? DIRECTORY : 4);
      view().setBigUint64(at + 8, 0x1fffffffn, true);
      view().setBigUint64(at + 16, 0x1fffffffn, true);
      return OK;
    },
    fd_fdstat_set_flags: () => OK,
    fd_prestat_get: (fd, at) => {
      if (fd !== 3) return BAD;
      view().setUint32(at, 0, true);
      view().setUint32(at + 4, 5, true);
      return OK;
    },
    fd_prestat_dir_name: (fd, at) => (bytes().set(names.encode("/data"), at), OK),
    path_open: (fd, flags, path, length, o, r, i, f, out) => {
      const name = new TextDecoder().decode(bytes().slice(path, path + length));
      if (!(name in files)) return NONE;
      const number = 4 + open.size;
      open.set(number, {data: names.encode(files[name]), at: 0});
      view().setUint32(out, number, true);
      return OK;
    },
    fd_read: (fd, vectors, count, out) => {
      const file = open.get(fd);
      if (!file) return BAD;
      view().setUint32(out, each(vectors, count, (at, length) => {
        const part = file.data.subarray(file.at, file.at + length);
        bytes().set(part, at);
        file.at += part.length;
        return part.length;
      }), true);
      return OK;
    },
    fd_seek: () => BAD,
    fd_write: (fd, vectors, count, out) => {
      view().setUint32(out, each(vectors, count, (at, length) => {
        printed += new TextDecoder().decode(bytes().slice(at, at + length));
        return length;
      }), true);
      return OK;
    },
    proc_exit: (code) => { throw new Exit(code); },
  };
  const {instance} = await WebAssembly.instantiate(await (await fetch(program)).arrayBuffer(), {wasi_snapshot_preview1: wasi});
  memory = instance.exports.memory;
  try {
    instance.exports._start();
    return {code: 0, printed};
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    return {code: error.code, printed};
  }
}
