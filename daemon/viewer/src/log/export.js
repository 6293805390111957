// What can be taken away: contacts as a table or as lines, pictures, a clip as a folder of frames.

/** Seconds with nine digits, exactly. @param {number | undefined} ns */
function seconds(ns) {
  if (ns === undefined || ns === null) return "";
  const whole = BigInt(Math.trunc(ns)), size = whole < 0n ? -whole : whole;
  return `${whole < 0n ? "-" : ""}${size / 1000000000n}.${String(size % 1000000000n).padStart(9, "0")}`;
}

/** As a spreadsheet takes it; what would be a formula is none. @param {unknown} text */
function cell(text) {
  const plain = /^[=+\-@\t\r]/.test(String(text)) ? `'${text}` : String(text ?? "");
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** The table of RECORDING.md, of contacts that have ended. The columns behind those that are written here have the names of a clash's
 *  fields. @param {{clash: any, release: any}[]} contacts @param {string[]} columns as the engine has them */
export function csvOf(contacts, columns) {
  const three = (v) => v ?? ["", "", ""];
  const cells = contacts.filter(({release}) => release).map(({clash: c, release: r}) => [c, [
    c.id, seconds(c.time_ns), seconds(r.duration_ns), cell(c.blades[0]), cell(c.blades[1]), c.closing_speed, c.slide_speed,
    c.crossing_angle, c.intensity, ...c.along, ...c.midpoint, r.peak_closing_speed, r.min_distance, c.tracked ? "yes" : "no", r.reason,
    c.seq, cell(c.target ?? ""), cell(c.parts?.[0] ?? ""), cell(c.parts?.[1] ?? ""), c.distance, ...c.points[0], ...c.points[1],
    ...c.normal, ...three(c.surface_normal), c.triangle ?? "", ...c.velocities[0], ...c.velocities[1], c.edge_alignment?.[0] ?? "",
    c.edge_alignment?.[1] ?? "", c.fraction, seconds(c.interval_ns), seconds(c.since_release_ns),
  ]]);
  const rows = cells.map(([c, row]) => [...row, ...columns.slice(row.length).map((name) => c[name] ?? "")]);
  return [columns, ...rows].map((row) => `${row.join(",")}\n`).join("");
}

/** @param {{clash: any, release: any, seen: any}[]} contacts */
export function jsonOf(contacts) {
  return `${JSON.stringify(contacts.map(({clash, release, seen}) => ({clash, release, sampled_ns: seen === null ? null : seen && seen.time})),
                           null, 1)}\n`;
}

/** Offers a file as a download. @param {Blob | string} content @param {string} name */
export function save(content, name) {
  const blob = typeof content === "string" ? new Blob([content], {type: "text/plain"}) : content;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name.replace(/[^\w.-]+/g, "_");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

const CRC = Uint32Array.from({length: 256}, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ n >>> 1 : n >>> 1;
  return n >>> 0;
});

/** @param {Uint8Array} bytes */
function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = CRC[(crc ^ byte) & 0xff] ^ crc >>> 8;
  return (crc ^ 0xffffffff) >>> 0;
}

/** A zip file of files as they are: pictures are compressed already. @param {{name: string, bytes: Uint8Array}[]} files @returns {Blob} */
export function zipOf(files) {
  const parts = [], directory = [];
  let at = 0;
  const numbers = (...fields) => {
    const bytes = new Uint8Array(fields.reduce((sum, [size]) => sum + size, 0));
    let to = 0;
    for (const [size, value] of fields) for (let i = 0; i < size; i++) bytes[to++] = Math.floor(value / 2 ** (8 * i)) & 0xff;
    return bytes;
  };
  for (const {name, bytes} of files) {
    const path = new TextEncoder().encode(name);
    const common = [[2, 20], [2, 0], [2, 0], [2, 0], [2, 0x21], [4, crc32(bytes)], [4, bytes.length], [4, bytes.length], [2, path.length], [2, 0]];
    const head = numbers([4, 0x04034b50], ...common);
    directory.push(numbers([4, 0x02014b50], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]), path);
    parts.push(head, path, bytes);
    at += head.length + path.length + bytes.length;
  }
  const length = directory.reduce((sum, part) => sum + part.length, 0);
  const end = numbers([4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, length], [4, at], [2, 0]);
  return new Blob([...parts, ...directory, end], {type: "application/zip"});
}
