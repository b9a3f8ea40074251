import { Buffer } from 'node:buffer';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { escapeUrl, parseRequestTarget, parseUrl, UrlError } from '@annex/machinery';
import { requireTools } from '@annex/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { randomTargets, type Target } from './clients/random-targets.ts';

const suite = 'request targets as Go reads them';
const hasGo = requireTools(suite, 'go');
const sources = new URL('../clients/', import.meta.url).pathname;

/** The output of the Go program for one target; bytes are in base64. */
interface GoReading {
  request: { path: string; uri: string; query: string[] | null; encoded: string; forwarded: string } | null;
  url: { Scheme: string; Opaque: string; Host: string; EscapedPath: string; Text: string } | null;
  error?: string;
}

async function readByGo(targets: readonly Target[]): Promise<GoReading[]> {
  const running = promisify(execFile)('go', ['run', './urls'], {
    cwd: sources,
    env: { ...process.env, GOFLAGS: '-buildvcs=false' },
    maxBuffer: 2 ** 30,
  });
  const lines = targets.map(
    ([method, target]) => `${method} ${Buffer.from(target, 'latin1').toString('base64')}\n`,
  );
  running.child.stdin?.end(lines.join(''));
  const { stdout } = await running;
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as GoReading);
}

/** Encodes a text in which bytes that are not UTF-8 are escaped. */
const base64 = (text: string): string =>
  Buffer.from(decodeBytes(escapeUrl(text, 'query')), 'latin1').toString('base64');

const decodeBytes = (escaped: string): string =>
  escaped
    .replaceAll('+', ' ')
    .replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Returns `undefined` for values that are not URLs. */
function orNone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UrlError) return undefined;
    throw error;
  }
}

function requestOf([method, target]: Target): GoReading['request'] {
  const read = orNone(() => parseRequestTarget(method, target));
  if (read === undefined) return null;
  const pairs = [...read.query.toMap()].flatMap(([name, values]) =>
    values.map((value) => base64(`${name}\0${value}`)),
  );
  return {
    path: base64(read.path),
    uri: base64(read.uri),
    query: pairs.length === 0 ? null : pairs.sort(),
    encoded: read.query.toString(),
    forwarded: read.path === '*' ? '*' : escapeUrl(read.path, 'path'),
  };
}

/** Returns the differences, the shortest target first. */
function differences<T>(targets: readonly Target[], expected: readonly T[], found: (target: Target) => T) {
  return targets
    .map((target, i) => ({ target, go: expected[i] as T, annex: found(target) }))
    .filter(({ go, annex }) => JSON.stringify(go) !== JSON.stringify(annex))
    .toSorted((a, b) => a.target[1].length - b.target[1].length);
}

describe.skipIf(!hasGo)(suite, () => {
  const targets = randomTargets(40_000, 20261122);
  let byGo: GoReading[];
  beforeAll(async () => {
    byGo = await readByGo(targets);
  });

  it('are read, forwarded and refused as by net/http', () => {
    const expected = byGo.map(({ request }) =>
      request === null ? null : { ...request, query: request.query?.sort() ?? null },
    );
    expect(expected.filter((request) => request !== null).length).toBeGreaterThan(10_000);
    expect(differences(targets, expected, requestOf).slice(0, 10)).toEqual([]);
  });

  it('are URLs as to net/url, or fail with its words', () => {
    // In all other places, URLs are strings, so only UTF-8 is possible.
    const texts = targets.filter(([, target]) => isUtf8(target));
    const expected = byGo
      .filter((_, i) => isUtf8(targets[i]?.[1] ?? ''))
      .map(({ url, error }) => url ?? error);
    const found = ([, target]: Target) => {
      try {
        const { scheme, opaque, host, escapedPath, text } = parseUrl(
          Buffer.from(target, 'latin1').toString(),
        );
        return {
          Scheme: base64(scheme),
          Opaque: base64(opaque),
          Host: base64(host),
          EscapedPath: base64(escapedPath),
          Text: base64(text),
        };
      } catch (error) {
        return base64((error as Error).message);
      }
    };
    expect(differences(texts, expected, found).slice(0, 10)).toEqual([]);
  });
});

const isUtf8 = (latin1: string): boolean => {
  const bytes = Buffer.from(latin1, 'latin1');
  return Buffer.from(bytes.toString()).equals(bytes);
};
