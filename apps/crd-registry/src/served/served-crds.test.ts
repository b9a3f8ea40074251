import { KindRegistry } from '@annex/kinds';
import { systemClock } from '@annex/runtime';
import { expectLinear } from '@annex/testkit';
import { expect, it } from 'vitest';
import type { Crd } from '../crd/crd.ts';
import { crdOf, versionOf } from '../crd.fixture.ts';
import { renamingConverter } from './converter.ts';
import { ServedCrds } from './served-crds.ts';

/** Returns an accepted CRD with many deprecated versions that have a status. */
function crdOfVersions(count: number): Crd {
  const versions = Array.from({ length: count }, (_, i) =>
    versionOf({
      name: `v${i + 1}`,
      storage: i === count - 1,
      deprecated: i < count - 1,
      subresources: { status: {} },
    }),
  );
  const crd = crdOf({ versions }) as Crd;
  crd.status = {
    conditions: [{ type: 'NamesAccepted', status: 'True' }],
    acceptedNames: crd.spec.names,
    storedVersions: ['v1'],
  };
  return crd;
}

function serve(crd: Crd): KindRegistry {
  const kinds = new KindRegistry();
  new ServedCrds(kinds, () => renamingConverter, systemClock).put(crd);
  return kinds;
}

it('the kinds of many versions share what is common to them', () => {
  const [first, last] = [...serve(crdOfVersions(3)).kinds()].filter(({ version }) => version !== 'v2');
  expect(first?.deprecationWarning).toBe('example.com/v1 Widget is deprecated; use example.com/v3 Widget');
  expect(last?.deprecationWarning).toBeUndefined();
  expect(first?.storage?.unhashed).toBe(false);
  expect(last?.subresources.status?.resetVersions).toBe(first?.subresources.status?.resetVersions);
  expect([...(last?.subresources.status?.resetVersions ?? [])]).toEqual([
    'example.com/v1',
    'example.com/v2',
    'example.com/v3',
  ]);
});

it('many versions are served in linear time', () => {
  const all = (crd: Crd) => [...serve(crd).kinds()].map((kind) => [kind.subresources, kind.storage]);
  expectLinear(crdOfVersions, all, { max: 256 });
});
