import { describe, expect, it } from 'vitest';
import { bytesOfText, latin1OfText, sortByBytes, textOfBytes, textOfLatin1 } from './bytes.ts';

describe('bytes as text', () => {
  it.each([
    ['text', [0x61, 0xc3, 0xa9, 0xf0, 0x9f, 0x98, 0x80], 'aé😀'],
    ['a byte order mark', [0xef, 0xbb, 0xbf, 0x61], '\ufeffa'],
    ['bytes that begin no character', [0x80, 0x61, 0xbf, 0xff], '\udc80a\udcbf\udcff'],
    ['a sequence that is cut off', [0xf0, 0x9f, 0x98], '\udcf0\udc9f\udc98'],
    ['an overlong slash', [0xc0, 0xaf, 0xe0, 0x80, 0xaf], '\udcc0\udcaf\udce0\udc80\udcaf'],
    ['a surrogate', [0xed, 0xb3, 0xbf], '\udced\udcb3\udcbf'],
    ['a character beyond the last', [0xf4, 0x90, 0x80, 0x80], '\udcf4\udc90\udc80\udc80'],
  ])('%s', (_what, bytes, text) => {
    expect(textOfBytes(Uint8Array.from(bytes))).toBe(text);
    expect([...bytesOfText(text)]).toEqual(bytes);
  });

  it('of Node are converted one by one', () => {
    expect(textOfLatin1('/\u00c3\u00a9\u00ff')).toBe('/é\udcff');
    expect(latin1OfText('/é\udcff')).toBe('/\u00c3\u00a9\u00ff');
  });
});

it('sorts strings by their bytes', () => {
  expect(sortByBytes(['\u{10000}', '\ufffd', '\udcff', 'b', 'a', 'aa'])).toEqual([
    'a',
    'aa',
    'b',
    '\ufffd',
    '\u{10000}',
    '\udcff',
  ]);
  expect(sortByBytes(['b', 'a', 'aa'])).toEqual(['a', 'aa', 'b']);
});
