// Makes demo.json, which the page plays if no hands are there: a recording's poses, and the events that clashd finds in it. The poses are
// the recording's own to the bit (float32), so that the page can also hand them to its log. The same files give the same text.

const lines = (text) => text.trim().split("\n").map((line) => JSON.parse(line));

/** @param {string} recording as JSON lines: a header, then poses of the same devices in each @param {string} events JSON lines */
export function demoOf(recording, events) {
  const [header, ...frames] = lines(recording), devices = frames[0].poses.map(({device}) => device);
  const numbers = new Float32Array(7 * devices.length * frames.length);
  frames.forEach(({type, poses}, row) => {
    const isPlain = type === "poses" && poses.length === devices.length && poses.every(({device, tracked}, i) => device === devices[i] && tracked);
    if (!isPlain) throw new Error(`the demo's recording, line ${row + 2}: expected tracked poses of ${devices.join(" and ")}`);
    poses.forEach(({position, orientation}, i) => numbers.set([...position, ...orientation], 7 * (devices.length * row + i)));
  });
  const bytes = Buffer.alloc(4 * numbers.length); // little endian, whatever the machine
  numbers.forEach((number, i) => bytes.writeFloatLE(number, 4 * i));
  return JSON.stringify({header, devices, times_ns: frames.map(({time_ns: time}) => time), poses: bytes.toString("base64"), events: lines(events)});
}
