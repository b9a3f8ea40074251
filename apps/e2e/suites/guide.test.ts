import { expect, it } from 'vitest';
import { guideBlocks, missingLine } from './guide.ts';

const page =
  '# A\n\n```sh\necho a\n```\n\n```text\na\n```\n\n```console\nnpm start\n```\n\n```sh\necho b\n```\n';

it('reads sh blocks with the text block after them, and skips other blocks', () => {
  expect(guideBlocks(page)).toEqual([
    { line: 3, commands: 'echo a\n', expected: ['a'] },
    { line: 15, commands: 'echo b\n', expected: [] },
  ]);
});

it.each([
  ['lines in order', 'a\nb\n', ['a', 'b'], undefined],
  ['lines out of order', 'b\na\n', ['a', 'b'], 'b'],
  ['an ellipsis', 'default   Active   3s\n', ['default   Active   …'], undefined],
  ['other widths of columns', 'NAME   AGE\n', ['NAME  AGE'], undefined],
  ['a line that is not there', 'a\n', ['c'], 'c'],
])('finds %s', (_name, output, expected, missing) => {
  expect(missingLine(output, expected)).toBe(missing);
});
