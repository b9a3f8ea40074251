import { Buffer } from 'node:buffer';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { parseFieldSelector, parseLabelSelector, SelectorError } from '@annex/machinery';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildGoClients } from './clients/go-clients.ts';
import { randomNumbers } from './clients/random-targets.ts';

const suite = 'selectors as apimachinery reads them';

/** The requirements of selectors, or their errors; and the first name that a field selector requires. */
interface Reading {
  fields: string[][] | string;
  name: string;
  labels: string[][] | string;
}

async function readByGo(program: string, texts: readonly string[]): Promise<Reading[]> {
  const running = promisify(execFile)(program, ['selectors'], { maxBuffer: 2 ** 30 });
  running.child.stdin?.end(texts.map((text) => `${Buffer.from(text).toString('base64')}\n`).join(''));
  const { stdout } = await running;
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Reading);
}

function orError<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof SelectorError) return error.message;
    throw error;
  }
}

function readHere(text: string): Reading {
  const fields = orError(() => parseFieldSelector(text));
  return {
    fields:
      typeof fields === 'string'
        ? fields
        : fields.requirements.map(({ field, operator, value }) => [field, operator, value]),
    name: typeof fields === 'string' ? '' : (fields.exactMatch('metadata.name') ?? ''),
    labels: orError(() =>
      parseLabelSelector(text).requirements.map(({ key, operator, values }) => [
        key,
        operator,
        ...values.toSorted(),
      ]),
    ),
  };
}

const pieces = [
  ...[
    'metadata.name',
    'metadata.name=a',
    'a',
    'b',
    'x/y',
    'A_b',
    '1',
    '-1',
    'é',
    '\u{1F600}',
    '\ufffd',
    '..',
    '/',
    '%',
    '"',
  ],
  ...[
    '=',
    '=',
    '==',
    '!=',
    '!',
    '!a',
    ',',
    ',',
    '\\',
    '\\,',
    '\\=',
    '\\\\',
    '(',
    ')',
    'in',
    'notin',
    ' in (',
    'a in (b,c)',
    '>',
    '<',
  ],
  ...[' ', '\t', '\n', '\0', ''],
];

function randomSelectors(count: number, seed: number): string[] {
  const next = randomNumbers(seed);
  return Array.from({ length: count }, () =>
    Array.from({ length: next(9) }, () => pieces[next(pieces.length)]).join(''),
  );
}

describe(suite, () => {
  let program: string | undefined;
  beforeAll(async () => {
    program = await buildGoClients(suite);
  });

  it('have the same terms, names and errors', async ({ skip }) => {
    if (program === undefined) return skip();
    const texts = randomSelectors(20_000, 20261122);
    const byGo = await readByGo(program, texts);
    const differences = texts
      .map((text, i) => ({ text, go: byGo[i], annex: readHere(text) }))
      .filter(({ go, annex }) => JSON.stringify(go) !== JSON.stringify(annex))
      .toSorted((a, b) => a.text.length - b.text.length);
    expect(byGo.filter(({ labels }) => typeof labels !== 'string').length).toBeGreaterThan(1_000);
    expect(byGo.filter(({ fields }) => typeof fields !== 'string').length).toBeGreaterThan(1_000);
    expect(differences.slice(0, 10)).toEqual([]);
  });
});
