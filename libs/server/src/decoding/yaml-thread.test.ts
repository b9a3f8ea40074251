import { decodeYaml } from '@annex/machinery';
import { expect, it } from 'vitest';
import { readYaml } from './yaml-thread.ts';

const filler = Array.from({ length: 2000 }, (_, i) => `  key${i}: "${'v'.repeat(40)}"`).join('\n');

it.each([
  [
    'whole numbers beyond 2^53, booleans of YAML 1.1, merges',
    'n: 9007199254740993\nb: yes\n__proto__: { x: 1 }',
  ],
  ['repeated keys', 'a: 1\na: 2'],
])('a large text has the same value as a small one: %s', async (_what, text) => {
  const large = `${text}\ndata:\n${filler}\n`;
  expect(await readYaml(large)).toEqual(await decodeYaml(large));
});

it('a large text is refused with the error of a small one', async () => {
  const large = `data:\n${filler}\n  "\n`;
  const message = await decodeYaml(large).catch((error: Error) => error.message);
  expect(message).toMatch(/^yaml: /);
  await expect(readYaml(large)).rejects.toThrow(message as string);
});

it('several concurrent large texts get their own results', async () => {
  const texts = Array.from({ length: 5 }, (_, i) => `which: ${i}\ndata:\n${filler}\n`);
  const read = await Promise.all(texts.map(readYaml));
  expect(read.map(({ value }) => (value as { which: number }).which)).toEqual([0, 1, 2, 3, 4]);
});
