import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('no field has the name of an inherited member, so that the encoder can read fields directly', () => {
  const file = new URL('../../data/protobuf.json', import.meta.url);
  const { messages } = JSON.parse(readFileSync(file, 'utf8')) as {
    messages: Record<string, [json: string, ...rest: unknown[]][] | string>;
  };
  const names = Object.values(messages).flatMap((fields) =>
    Array.isArray(fields) ? fields.map(([json]) => json) : [],
  );
  expect(names.length).toBeGreaterThan(1000);
  expect(names.filter((name) => name in Object.prototype)).toEqual([]);
});
