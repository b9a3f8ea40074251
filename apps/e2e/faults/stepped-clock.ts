// Loaded into a process before its program: its wall clock differs from that of the machine by the milliseconds in a file.
import { readFileSync } from 'node:fs';

const file = process.env.ANNEX_CLOCK_FILE;
const readMs = 50;
const RealDate = Date;
let offset = 0;

if (file !== undefined) {
  const read = () => (offset = Number(readFileSync(file, 'utf8')));
  read();
  setInterval(read, readMs).unref();
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args: [], type) =>
      Reflect.construct(target, args.length === 0 ? [RealDate.now() + offset] : args, type) as Date,
    apply: () => new RealDate(RealDate.now() + offset).toString(),
    get: (target, name, receiver) =>
      name === 'now' ? () => RealDate.now() + offset : (Reflect.get(target, name, receiver) as unknown),
  });
}
