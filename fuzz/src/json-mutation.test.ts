import { describe, expect, it } from 'vitest';
import { looksLikeJson, mutatedJson } from './json-mutation.ts';
import { mutated } from './mutation.ts';
import { Random } from './random.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
const text = (input: Uint8Array): string => String(Buffer.from(input));
const isJson = (input: Uint8Array): boolean => {
  try {
    JSON.parse(text(input));
    return true;
  } catch {
    return false;
  }
};

describe('mutations of JSON', () => {
  const document = bytes('{"a":[1,{"b\\"":"x,]"}],"c":{"d":null,"e":-1.5}}');
  const other = bytes('[true, {"z" : "}"}]');

  it('usually keep it valid JSON, and change keys and values of each kind', () => {
    const random = new Random(1);
    const results = Array.from({ length: 3_000 }, () =>
      mutatedJson(document, random, [document, other], [bytes('word')]),
    );
    expect(results.filter(isJson).length).toBeGreaterThan(2_700);
    const all = results.map(text);
    expect(all).toEqual(
      expect.arrayContaining([
        '{"c":{"d":null,"e":-1.5}}',
        '{"a":[1,{"b\\"":"x,]"}],"c":{"e":-1.5}}',
        '{"a":[1,{"b\\"":"x,]"}],"word":{"d":null,"e":-1.5}}',
        '{"a":[1,{"b\\"":"x,]"}],"c":{"d":[null],"e":-1.5}}',
        '{"a":[1,1,{"b\\"":"x,]"}],"c":{"d":null,"e":-1.5}}',
        '{"a":[true,{"b\\"":"x,]"}],"c":{"d":null,"e":-1.5}}',
      ]),
    );
  });

  it.each(['{"a":[1', '{"a', '[', '{"a":"\\', ']}', '{}{}\n[]', ''])('take %j, too', (input) => {
    const random = new Random(1);
    for (let i = 0; i < 200; i++) mutatedJson(bytes(input), random, [bytes(input)], []);
  });

  it('are for objects and lists', () => {
    expect(['{}', '[1]', '"a"', 'a{}', ''].map((input) => looksLikeJson(bytes(input)))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('a mutation', () => {
  it.each(['plain text', '{"a":{"b":[1,2,3]}}'])('does not change %s', (original) => {
    const random = new Random(1);
    // Parts of a Buffer share its bytes.
    const input = Buffer.from(original);
    for (let i = 0; i < 1_000; i++)
      mutated(input, random, { corpus: [input], words: [bytes('x')], maxBytes: 99 });
    expect(String(input)).toBe(original);
  });
});
