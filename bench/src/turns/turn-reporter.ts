import { writeFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { PerformanceObserver } from 'node:perf_hooks';
import { setImmediate } from 'node:timers';

// Is loaded into the server that is measured, before its program. At each SIGUSR2 it prints the longest turn of the event loop since the last
// one, in milliseconds of the main thread's CPU time, and how long V8 collected garbage in it, and the longest turn without such collections. With the variable `TURN_PROFILES`, it
// also writes the samples of that turn there, and of others above the limit.

/** The event loop is quiet when no turn was longer for some time. */
const quiet = { turnMs: 1, forMs: 25 };
const longMs = 5;
/** No turn should be longer without collections of garbage. */
const limitMs = 20;
/** Turns above the limit whose samples are written. */
const maxWritten = 30;
/** Turns that are remembered until the next report. */
const maxRemembered = 10_000;

const folder = process.env.TURN_PROFILES;
const session = folder === undefined ? undefined : new Session();
const samplingMicroseconds = 400;

interface Turn {
  cpuMs: number;
  began: number;
  ended: number;
}

const noTurn: Turn = { cpuMs: 0, began: 0, ended: 0 };
let longest = noTurn;
/** Turns above `longMs`. */
let longTurns: Turn[] = [];
let long = 0;
let busyAt = 0;
let reports = 0;
let isDue = false;
/** Turns while a report waits until the event loop is quiet. */
let ticks: NodeJS.Timeout | undefined;
/** Turns that are not measured: the profiler starts in them. */
let skipped = 0;
/** When V8 collected garbage since the last report. */
let collections: { startTime: number; duration: number }[] = [];
let isReady = false;
let before = cpuMs();
let began = performance.now();

/** Linux updates the time of a running thread only at ticks, or when the time of its process is read. */
function cpuMs(): number {
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Is the first immediate of each turn: two calls enclose one turn. It does not keep the event loop from waiting for events, which takes no CPU time. */
function mark(): void {
  setImmediate(mark).unref();
  const [cpu, ended] = [cpuMs(), performance.now()];
  if (skipped > 0) skipped--;
  else if (isReady) remember({ cpuMs: cpu - before, began, ended });
  if (cpu - before > quiet.turnMs) busyAt = ended;
  if (isDue && ended - busyAt > quiet.forMs) void report();
  [before, began] = [cpuMs(), performance.now()];
}

function remember(turn: Turn): void {
  if (turn.cpuMs > longest.cpuMs) longest = turn;
  if (turn.cpuMs <= longMs) return;
  long++;
  if (longTurns.length < maxRemembered) longTurns.push(turn);
}

async function report(): Promise<void> {
  isDue = false;
  clearInterval(ticks);
  const own = longTurns
    .map((turn) => ({ turn, ms: Math.max(0, turn.cpuMs - collectedMs(turn)) }))
    .toSorted((a, b) => b.ms - a.ms);
  const most = own[0] ?? { turn: longest, ms: longest.cpuMs };
  const aboveLimit = own.filter(({ ms }) => ms > limitMs).length;
  const numbers = [longest.cpuMs, long, collectedMs(longest), most.ms, aboveLimit];
  collections = [];
  if (session !== undefined) {
    const { profile } = await session.post('Profiler.stop');
    const written = [most, ...own.slice(1, Math.min(aboveLimit, maxWritten))].map(({ turn, ms }) => ({
      ...turn,
      ownMs: ms,
      samples: within(profile, turn.began, turn.ended),
    }));
    writeFileSync(join(folder ?? '', `${reports + 1}.json`), JSON.stringify(written));
    await session.post('Profiler.start');
  }
  [longest, longTurns] = [noTurn, []];
  [long, skipped] = [0, session === undefined ? 0 : 2];
  process.stdout.write(`turns ${++reports}: ${numbers.map((value) => Number(value.toFixed(2))).join(' ')}\n`);
}

/** Returns for how long V8 collected garbage in a turn, in milliseconds of wall time. */
function collectedMs({ began: from, ended: to }: Turn): number {
  return collections.reduce((sum, { startTime, duration }) => {
    const overlap = Math.min(to, startTime + duration) - Math.max(from, startTime);
    return overlap > 0 ? sum + overlap : sum;
  }, 0);
}

/** Returns the samples of a time, which is that of `performance.now()`, as stacks with their time in milliseconds. */
function within(profile: Profiler.Profile, from: number, to: number): { stack: string[]; ms: number }[] {
  const zero = Number(process.hrtime.bigint() / 1000n) - performance.now() * 1000;
  const parents = new Map(profile.nodes.flatMap((node) => (node.children ?? []).map((id) => [id, node.id])));
  const nodes = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
  const stackOf = (id: number | undefined): string[] => {
    const frame = id === undefined ? undefined : nodes.get(id);
    if (frame === undefined) return [];
    const file = frame.url.split('/').slice(-2).join('/');
    return [`${frame.functionName} ${file}:${frame.lineNumber + 1}`, ...stackOf(parents.get(id as number))];
  };
  const taken = new Map<number, number>();
  let at = profile.startTime;
  for (const [i, id] of (profile.samples ?? []).entries()) {
    const delta = profile.timeDeltas?.[i] ?? 0;
    at += delta;
    const ms = (at - zero) / 1000;
    if (ms >= from && ms <= to) taken.set(id, (taken.get(id) ?? 0) + delta / 1000);
  }
  return [...taken].map(([id, ms]) => ({ stack: stackOf(id), ms }));
}

if (session !== undefined) {
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: samplingMicroseconds });
  await session.post('Profiler.start');
}
/** Copies are read for each long turn; the getters of entries are slow. */
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) collections.push({ startTime, duration });
}).observe({ type: 'gc' });
/** The turns before a server is ready hold up nobody: they begin to count after the one that prints so. */
const { write } = process.stdout;
process.stdout.write = ((...args: Parameters<typeof write>) => {
  if (String(args[0]).includes(' is ready in ')) {
    [isReady, skipped] = [true, 1];
    process.stdout.write = write;
  }
  return write.apply(process.stdout, args);
}) as typeof write;
process.on('SIGUSR2', () => {
  isDue = true;
  busyAt = performance.now();
  clearInterval(ticks);
  ticks = setInterval(() => undefined, quiet.forMs / 5);
});
mark();
