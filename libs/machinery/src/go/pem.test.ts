import { expectLinear } from '@annex/testkit';
import { describe, expect, test } from 'vitest';
import { maxPemLength, readPem } from './pem.ts';

const block = '-----BEGIN A B-----\nQUJD\nREVG\n-----END A B-----';
const [begin, end] = ['-----BEGIN A-----\n', '-----END A-----\n'];
const found = (text: string) =>
  readPem(text).map(({ type, hasHeaders, bytes }) => [type, hasHeaders, bytes.toString()]);

describe('blocks of PEM are found as Go finds them:', () => {
  test.each<[string, string, unknown[]]>([
    ['one', block, [['A B', false, 'ABCDEF']]],
    [
      'two with text around',
      `x\n${block}\ny\n${block}\nz`,
      [
        ['A B', false, 'ABCDEF'],
        ['A B', false, 'ABCDEF'],
      ],
    ],
    [
      'lines of Windows and spaces at their ends',
      '-----BEGIN A----- \t\r\nQU JD\r\n-----END A-----\r\n',
      [['A', false, 'ABC']],
    ],
    ['headers', `${begin}K: v\n\nQUJD\n${end}`, [['A', true, 'ABC']]],
    ['no content', begin + end, [['A', false, '']]],
    ['a beginning that is repeated', `${begin}QUJD\n${begin}QUJD\n${end}`, [['A', false, 'ABC']]],
    ['another type at the end', `${begin}QUJD\n-----END B-----\n`, []],
    ['content that is not base64', `${begin}Q!JD\n${end}`, []],
    ['a beginning within a line', `x${begin}QUJD\n${end}`, []],
    ['nothing', '', []],
  ])('%s', (_, text, blocks) => expect(found(text)).toEqual(blocks));

  test('a block keeps its text', () => expect(readPem(`x\n${block}\ny`)[0]?.text).toBe(block));

  test('a text that is too long is refused', () =>
    expect(() => readPem('-'.repeat(maxPemLength + 1))).toThrow('PEM text of more than 4194304 characters'));
});

describe('PEM is read in linear time:', () => {
  test.each<[string, (size: number) => string]>([
    ['beginnings without an end', (size) => begin.repeat(size)],
    ['BEGIN lines and one END line', (size) => begin.repeat(size) + end],
    ['BEGIN lines and one END line of another type', (size) => `${begin.repeat(size)}-----END B-----\n`],
    ['ends', (size) => `\n${end}`.repeat(size)],
    ['ends in one line', (size) => `\n${'-----END '.repeat(size)}`],
    ['content that never ends', (size) => `${begin}${'QUJD\n'.repeat(size)}`],
    ['headers', (size) => `${begin}${'a: b\n'.repeat(size)}${end}`],
    ['blocks', (size) => `${block}\n`.repeat(size)],
  ])('%s', (_, make) => void expectLinear((size) => make(size).slice(0, maxPemLength), readPem));
});
