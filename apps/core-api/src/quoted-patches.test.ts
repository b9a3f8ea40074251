import { patchTypes } from '@annex/kinds';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveCoreApi, type ServedCoreApi } from './served.fixture.ts';

let server: ServedCoreApi;
const maps = '/api/v1/namespaces/default/configmaps';

beforeAll(async () => {
  server = await serveCoreApi();
  await server.request('POST', maps, { metadata: { name: 'c' }, data: { a: 'b' } });
});
afterAll(() => server.stop());

/** The first key in the order of the text is the last of the object: only whole objects are quoted in that order. */
const numbers = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${99_999 - i}`, i]));
const fields = (count: number): object => ({ ...numbers(count), metadata: {} });
const notString = 'json: cannot unmarshal number into Go struct field ConfigMap.data of type string';

type Row = [what: string, type: string, patch: (count: number) => unknown, quoted: RegExp, why: RegExp];

const rows: Row[] = [
  [
    'strategic merge patch',
    patchTypes.strategic,
    (count) => ({ data: numbers(count) }),
    /"map\[data:map\[k\d{5}:\d/,
    /: cannot convert int64 to string$/,
  ],
  [
    'merge patch',
    patchTypes.merge,
    (count) => ({ data: numbers(count) }),
    /"\{\\"apiVersion\\":\\"v1\\",\\"data\\":\{/,
    new RegExp(`: ${notString}$`),
  ],
  [
    'JSON patch',
    patchTypes.json,
    (count) => [{ op: 'add', path: '/data', value: numbers(count) }],
    /"\{\\"apiVersion\\":\\"v1\\",\\"data\\":\{/,
    new RegExp(`: ${notString}$`),
  ],
  [
    'strict merge patch',
    `${patchTypes.merge}?fieldValidation=Strict`,
    fields,
    /"\{\\"apiVersion\\":\\"v1\\",/,
    /: strict decoding error: unknown field "k\d+"/,
  ],
  [
    'strict strategic merge patch',
    `${patchTypes.strategic}?fieldValidation=Strict`,
    fields,
    /"map\[k\d{5}:\d/,
    /: strict decoding error: unknown field "k\d+"/,
  ],
];

// The limit: maxQuotedParts.
/** Small patches are applied at once, large ones in slices: spaces make a body large. */
const inSizes = rows.flatMap(([what, ...row]) => [
  [`${what} in a small body`, ...row, 0] as const,
  [`${what} in a large body`, ...row, 70_000] as const,
]);

it.each(inSizes)(
  'the error of a %s quotes 2,000 parts at most',
  async (_what, typeAndQuery, patch, quoted, why, spaces) => {
    const [type = '', query = ''] = typeAndQuery.split('?');
    const messageOf = async (count: number): Promise<string> => {
      const body = JSON.stringify(patch(count)) + ' '.repeat(spaces);
      const response = await server.request('PATCH', `${maps}/c?${query}`, body, type);
      expect(response.code).toBe(422);
      return response.message;
    };
    const [few, many] = [await messageOf(100), await messageOf(5000)];
    expect(few).toMatch(quoted);
    expect(few).toMatch(why);
    expect(few).not.toContain('which is not quoted');
    expect(few.split(/k\d{5}/).length).toBeGreaterThan(100);
    expect(many).toMatch(quoted);
    expect(many).toMatch(why);
    expect(many).toContain(' and more, which is not quoted":');
    expect(many.split('which is not quoted')[0]?.split(/k\d{5}/).length).toBeLessThan(2002);
  },
);
