import { readFileSync } from 'node:fs';
import { recordedComponents, recordedGroupVersions, retiredGroupVersions } from '@annex/kinds';
import { describe, expect, it } from 'vitest';

describe('descriptions of built-in kinds', () => {
  it('name recorded components and fields', () => {
    const components = new Map(
      [...recordedGroupVersions(), ...retiredGroupVersions].flatMap(({ group, version }) =>
        Object.entries(recordedComponents(group, version)),
      ),
    );
    const url = new URL('../data/descriptions.json', import.meta.url);
    const written = JSON.parse(readFileSync(url, 'utf8')) as Record<string, Record<string, string>>;
    const unknown = Object.entries(written).flatMap(([name, fields]) =>
      Object.keys(fields)
        .filter((field) => field !== '')
        .filter((field) => !Object.hasOwn((components.get(name)?.properties ?? {}) as object, field))
        .map((field) => `${name}.${field}`),
    );
    expect(unknown).toEqual([]);
    expect(Object.keys(written).filter((name) => !components.has(name))).toEqual([]);
  });
});
