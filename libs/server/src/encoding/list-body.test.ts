import { Buffer } from 'node:buffer';
import { encodeYaml, stringifyJson } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { encodeList } from './list-body.ts';
import type { Encoding } from './negotiation.ts';
import { encodeAs } from './negotiation.ts';

const members = {
  kind: 'ConfigMapList',
  apiVersion: 'v1',
  metadata: { resourceVersion: '7', continue: 'a "items":[] token\nitems: []\n' },
};
const items = [
  { metadata: { name: 'a', labels: { text: 'two\nlines "items":[' } }, data: { number: '1', empty: '' } },
  { metadata: { name: 'b' }, data: {} },
  { metadata: { name: 'c', annotations: { 'a/b': '- x\n- y\n' } } },
];

const encodings: [
  encoding: Encoding,
  pretty: boolean,
  whole: (value: Record<string, unknown>) => Promise<string>,
][] = [
  ['application/json', false, async (value) => `${stringifyJson(value)}\n`],
  ['application/json', true, async (value) => stringifyJson(value, 2)],
  ['application/yaml', false, async (value) => encodeYaml(value)],
  [
    'application/vnd.kubernetes.protobuf',
    false,
    async (value) => (await encodeAs('application/vnd.kubernetes.protobuf', value)).body.toString('latin1'),
  ],
];

describe('a list that is encoded item by item', () => {
  for (const [encoding, pretty, whole] of encodings) {
    it.each([0, 1, 3])(
      `is what it is in one go: ${encoding}${pretty ? ', indented' : ''}, %i items`,
      async (count) => {
        const some = items.slice(0, count);
        const { contentType, pieces } = await encodeList(encoding, pretty, {
          members,
          name: 'items',
          items: some,
        });
        expect(contentType).toBe(encoding);
        const text = Buffer.concat(pieces).toString(encoding.endsWith('protobuf') ? 'latin1' : 'utf8');
        expect(text).toBe(await whole({ ...members, items: some }));
      },
    );
  }

  it.each([false, true])('is null if it is a nil slice in Go, indented: %s', async (pretty) => {
    const list = { members, name: 'rows', items: [], nullIfEmpty: true } as const;
    const { pieces } = await encodeList('application/json', pretty, list);
    const text = stringifyJson({ ...members, rows: null }, pretty ? 2 : undefined);
    expect(Buffer.concat(pieces).toString()).toBe(pretty ? text : `${text}\n`);
  });

  it('has the rows of a Table at their position', async () => {
    const table = { kind: 'Table', columnDefinitions: [{ name: 'rows' }], rows: [] };
    const rows = [{ cells: ['a', 1], object: null }];
    const { pieces } = await encodeList('application/json', false, {
      members: table,
      name: 'rows',
      items: rows,
    });
    expect(Buffer.concat(pieces).toString()).toBe(
      '{"kind":"Table","columnDefinitions":[{"name":"rows"}],"rows":[{"cells":["a",1],"object":null}]}\n',
    );
  });

  it('yields to other work while it is encoded', async () => {
    let turns = 0;
    const turn = setInterval(() => turns++, 0);
    const slow = {
      *[Symbol.iterator]() {
        for (let i = 0; i < 20; i++) {
          const end = performance.now() + 5;
          while (performance.now() < end);
          yield { i };
        }
      },
    };
    await encodeList('application/json', false, { members, name: 'items', items: slow });
    clearInterval(turn);
    expect(turns).toBeGreaterThan(3);
  });
});
