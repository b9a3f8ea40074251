import type { IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { diff, shorten } from './diff.ts';
import { type HelperServer, startHelper } from './helper-server.ts';
import { normalize, sortCauses } from './normalize.ts';
import { drop, get, isObject } from './paths.ts';
import type { RecordedStep, Recording } from './recording.ts';
import { printJson, readJson, unwrapFloat } from './scalars.ts';
import { substitute, type Values } from './substitute.ts';
import type { Target } from './target.ts';
import { Watch } from './watch.ts';

/** Plays a recording against a server. Returns the differences, one line each; none if it passed. */
export async function playRecording(recording: Recording, target: Target): Promise<string[]> {
  const play = new Play(recording, target);
  try {
    return await play.run();
  } catch (error) {
    return [
      ...play.problems,
      `player: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    ];
  } finally {
    play.end();
  }
}

interface Response {
  status: number;
  headers: Record<string, unknown>;
  body: unknown;
}

const keptHeaders = new Set([
  'content-type',
  'warning',
  'www-authenticate',
  'location',
  'retry-after',
  'allow',
  'audit-id-present',
  'x-content-type-options',
  'cache-control',
  'etag-present',
]);
/** The factor by which timeouts of recordings are extended, because the server shares its processors here. */
const timeoutFactor = 6;

const comparedHeaders = ['warning', 'location', 'retry-after', 'allow'];

class Play {
  readonly problems: string[] = [];
  private readonly recording: Recording;
  private readonly target: Target;
  private readonly helpers = new Map<string, HelperServer>();
  private readonly values: Values = { steps: new Map(), helpers: this.helpers };
  private readonly watches = new Map<string, Watch>();

  constructor(recording: Recording, target: Target) {
    this.recording = recording;
    this.target = target;
  }

  async run(): Promise<string[]> {
    for (const [name, spec] of Object.entries(this.recording.servers ?? {})) {
      this.helpers.set(name, await startHelper(name, spec, this.target.frontProxyCa));
    }
    for (const [i, step] of this.recording.steps.entries()) await this.step(step, step.id ?? `step${i}`);
    return this.problems;
  }

  end(): void {
    this.helpers.forEach((helper) => helper.stop());
    this.watches.forEach((watch) => watch.close());
  }

  private async step(step: RecordedStep, id: string): Promise<void> {
    if (step.sleep !== undefined) await wait(step.sleep * 1000);
    else if (step.stop !== undefined) this.helper(step.stop).stop();
    else if (step.calls !== undefined) this.calls(step, id);
    else if (step.watch !== undefined) await this.watch(step, id);
    else if (step.events !== undefined) await this.events(step, id);
    else await this.request(step, id);
  }

  private helper(name: string): HelperServer {
    const helper = this.helpers.get(name);
    if (helper === undefined) throw new Error(`no server ${name}`);
    return helper;
  }

  private report(id: string, lines: string[]): void {
    this.problems.push(...lines.map((line) => `${id}: ${line}`));
  }

  private normalize(value: unknown, step: RecordedStep): unknown {
    return normalize(value, step, [...this.helpers.values()]);
  }

  // Compares the reviews that a helper received.
  private calls(step: RecordedStep, id: string): void {
    const { where = {}, ignore = [] } = step;
    let calls = this.normalize(this.helper(step.calls ?? '').calls, step) as unknown[];
    calls = calls.filter((call) =>
      Object.entries(where).every(([path, value]) => same(get(call, path), value)),
    );
    if (step.first) calls = calls.slice(0, step.first);
    for (const path of ignore) calls.forEach((call) => drop(call, path));
    const got = step.count === undefined || step.count === null ? calls : calls.length;
    if (step.compare !== 'none') this.report(id, diff(step.response?.calls, got));
  }

  private async watch(step: RecordedStep, id: string): Promise<void> {
    const path = substitute(step.watch ?? '', this.values);
    const as = substitute(step.as ?? 'admin', this.values);
    const headers = step.headers ?? {};
    const give = Date.now() + timeoutFactor * 10_000;
    for (;;) {
      const response = await this.target.open({ as, method: 'GET', path, headers, timeout: 120_000 });
      // The watch cache of a new or changed resource may not be filled yet; clients retry.
      if (response.statusCode !== 429 || Date.now() > give) {
        this.watches.set(id, new Watch(response));
        return;
      }
      await readBody(response);
      await wait(100);
    }
  }

  private async events(step: RecordedStep, id: string): Promise<void> {
    const { watch: name = '', count, timeout = 5, closed } = step.events ?? {};
    const watch = this.watches.get(name);
    if (watch === undefined) throw new Error(`no watch ${name}`);
    // If fewer events came than requested, the recording states that no more events come.
    const recorded = get(step.response, 'events');
    const complete = closed || (Array.isArray(recorded) && recorded.length >= (count ?? 1));
    const within = timeout * 1000 * (complete ? timeoutFactor : 1);
    const events = await watch.events({ count: count ?? 1, closed: closed ?? false, within });
    const got = this.normalize(events.slice(0, count), step) as unknown[];
    for (const path of step.ignore ?? []) {
      for (const event of got) if (isObject(event)) drop(event.object, path);
    }
    this.report(id, diff(step.response, { status: watch.status, events: got }));
  }

  private async request(step: RecordedStep, id: string): Promise<void> {
    const response = await this.ask(step, id);
    this.values.steps.set(id, response.body);
    if (step.compare === 'none') return;
    const body = this.comparable(response.body, step);
    this.compare(step, id, { ...response, body });
  }

  // Repeats the request until the response has the expected value.
  private async ask(step: RecordedStep, id: string): Promise<Response> {
    const request = substitute(step.request ?? { path: '' }, this.values);
    const as = substitute(step.as ?? 'admin', this.values);
    const headers = { ...request.headers };
    let body: string | undefined;
    if (request.body !== undefined) body = printJson(request.body);
    else if (request.text !== undefined) body = request.text;
    if (body !== undefined && !hasHeader(headers, 'Content-Type')) {
      headers['Content-Type'] = request.body === undefined ? 'application/yaml' : 'application/json';
    }
    const { method = 'GET', path } = request;
    const end = Date.now() + timeoutFactor * Number(step.within ?? 10) * 1000;
    for (;;) {
      const response = await this.send(
        { as, method, path, headers, ...(body === undefined ? {} : { body }) },
        step,
      );
      if (isAwaited(step, response)) return response;
      if (Date.now() > end) {
        const awaited = shorten(step.until ?? step.untilStatus);
        this.report(id, [
          `waited in vain for ${awaited}; last: ${response.status} ${shorten(response.body)}`,
        ]);
        return response;
      }
      await wait(50);
    }
  }

  private async send(request: Parameters<Target['open']>[0], step: RecordedStep): Promise<Response> {
    try {
      const response = await this.target.open(request);
      const text = await readBody(response);
      const headers = this.normalize(keepHeaders(response), step) as Record<string, unknown>;
      return { status: response.statusCode ?? 0, headers, body: decode(response, text) };
    } catch (error) {
      return { status: 0, headers: {}, body: { error: String(error) } };
    }
  }

  private comparable(parsed: unknown, step: RecordedStep): unknown {
    let body = sortCauses(this.normalize(parsed, step), this.recording.ordered ?? false);
    for (const path of step.ignore ?? []) drop(body, path);
    for (const path of step.sort ?? []) {
      const list = get(body, path);
      if (Array.isArray(list)) list.sort((a, b) => (printJson(a, true) < printJson(b, true) ? -1 : 1));
    }
    if (step.pick !== undefined) {
      const { path, key, among } = step.pick;
      const list = get(body, path);
      const picked = Array.isArray(list) ? list.map((item) => get(item, key)) : [];
      body = picked.filter((value) => among.includes(value as string));
    }
    if (step.only === undefined) return body;
    return Object.fromEntries(step.only.map((path) => [path, get(body, path)]));
  }

  private compare(step: RecordedStep, id: string, got: Response): void {
    const want = step.response as
      | { status: number; headers?: Record<string, unknown>; body?: unknown }
      | undefined;
    if (want === undefined) return this.report(id, ['nothing recorded']);
    if (want.status !== got.status) {
      return this.report(id, [`want status ${want.status}, got ${got.status} ${shorten(got.body)}`]);
    }
    this.report(id, headerDifferences(want.headers ?? {}, got.headers));
    if ((step.compare ?? 'body') === 'body' && 'body' in want) {
      const wanted = sortCauses(normalize(want.body, step, []), this.recording.ordered ?? false);
      this.report(id, diff(wanted, got.body));
    }
  }
}

const same = (a: unknown, b: unknown): boolean => diff(b, a).length === 0;
const hasHeader = (headers: object, name: string): boolean =>
  Object.keys(headers).some((header) => header.toLowerCase() === name.toLowerCase());

function isAwaited(step: RecordedStep, { status, body }: Response): boolean {
  const holds = Object.entries(step.until ?? {}).every(([path, value]) => same(get(body, path), value));
  // Clients retry a 429, unless the recording has it.
  const settled = status !== 429 || unwrapFloat(step.response?.status) === 429;
  return holds && (step.untilStatus ?? status) === status && settled;
}

function headerDifferences(want: Record<string, unknown>, got: Record<string, unknown>): string[] {
  const found: string[] = [];
  for (const [name, value] of Object.entries(want)) {
    if (comparedHeaders.includes(name) && diff(value, got[name] ?? null).length > 0) {
      found.push(`header ${name}: want ${shorten(value)}, got ${shorten(got[name])}`);
    }
    if (name === 'content-type' && spaceless(got[name]) !== spaceless(value)) {
      found.push(`content-type: want ${String(value)}, got ${String(got[name])}`);
    }
  }
  if (!('warning' in want) && 'warning' in got) found.push(`unexpected warning ${shorten(got.warning)}`);
  return found;
}

const spaceless = (value: unknown): string => String(value ?? '').replaceAll(' ', '');

function keepHeaders({ rawHeaders }: IncomingMessage): Record<string, string | string[]> {
  const kept: Record<string, string[]> = {};
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase();
    // Node reads header bytes as Latin-1, as Python does.
    if (keptHeaders.has(name)) (kept[name] ??= []).push(rawHeaders[i + 1] ?? '');
  }
  const entries = Object.entries(kept).map(([name, list]) => [
    name,
    list.length === 1 ? list[0] : list.sort(),
  ]);
  return Object.fromEntries(entries) as Record<string, string | string[]>;
}

async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function decode(response: IncomingMessage, text: string): unknown {
  if (!response.headers['content-type']?.includes('json')) return text;
  try {
    return readJson(text);
  } catch {
    return text;
  }
}
