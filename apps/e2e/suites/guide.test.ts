import { expect, it } from 'vitest';
import { differenceOf, guideBlocks, guidesOf } from './guide.ts';

const page =
  '# A\n\n```sh\necho a\n```\n\n```text\na\n```\n\n```console\nnpm start\n```\n\n```sh\necho b\n```\n';

it('reads sh blocks with the text block after them, and skips other blocks', () => {
  expect(guideBlocks(page)).toEqual([
    { line: 3, commands: 'echo a\n', expected: ['a'] },
    { line: 15, commands: 'echo b\n', expected: undefined },
  ]);
});

it('reads the guides in the order of the README', () => {
  const readme = '- [B](docs/guides/b.md)\n- [A](docs/guides/a-a.md)\n\nSee [C](docs/guides/c.md).\n';
  expect(guidesOf(readme)).toEqual(['b.md', 'a-a.md']);
});

it.each<[what: string, output: string, expected: string[] | undefined, difference: string | undefined]>([
  ['lines in order', 'a\nb\n', ['a', 'b'], undefined],
  ['lines out of order', 'b\na\n', ['a', 'b'], 'not on the page: b'],
  ['text that is omitted', 'default   Active   3s\n', ['default   Active   …'], undefined],
  ['other widths of columns', 'NAME   AGE\n', ['NAME  AGE'], undefined],
  ['a line that is missing', 'a\n', ['c'], 'missing: c'],
  ['a line that the page omits silently', 'a\nb\nc\n', ['a', 'c'], 'not on the page: b'],
  ['a last line that the page omits silently', 'a\nb\n', ['a'], 'not on the page: b'],
  ['the rest of a line that the page omits silently', 'a b\n', ['a'], 'missing: a'],
  ['lines that are omitted', 'a\nb\nc\nd\n', ['a', '…', 'd'], undefined],
  ['last lines that are omitted', 'a\nb\nc\n', ['a', '…'], undefined],
  ['no lines where some are omitted', 'a\nb\n', ['a', '…', 'b'], undefined],
  ['output that the page does not show', 'a\n', undefined, undefined],
  ['an error in it', 'a\nError from server (NotFound)\n', undefined, 'Error from server (NotFound)'],
])('compares %s', (_what, output, expected, difference) => {
  expect(differenceOf(output, expected)).toBe(difference);
});
