import { describe, expect, it } from 'vitest';
import type { Registration } from './registration.ts';
import { patienceMs } from '../patience.ts';
import { wardleAdmission } from './wardle-admission.contract.ts';
import { wardleRequests } from './wardle-requests.contract.ts';
import { wardleTypes } from './wardle-types.contract.ts';

type Spec = Record<string, string>;

const flunder = (name: string, version: string, spec: Spec): string =>
  JSON.stringify({ apiVersion: `wardle.example.com/${version}`, kind: 'Flunder', metadata: { name }, spec });
const fischer = (name: string, disallowedFlunders: string[]): string =>
  JSON.stringify({
    apiVersion: 'wardle.example.com/v1alpha1',
    kind: 'Fischer',
    metadata: { name },
    disallowedFlunders,
  });

/** The promises about flunders and fischers, for every server that serves them. */
export function wardlePromises(registered: () => Registration): void {
  const create = (text: string) => registered().admin.run(['create', '-f', '-'], text);
  const specIn = async (version: string, name: string): Promise<unknown> =>
    (await read(registered(), objectPath(name, version))).spec;

  describe('flunders', () => {
    it.each<[string, string, Spec, Spec, Spec]>([
      [
        'a reference without a type is one to a flunder',
        'v1alpha1',
        { reference: 'other' },
        { reference: 'other', referenceType: 'Flunder' },
        { flunderReference: 'other', referenceType: 'Flunder' },
      ],
      [
        'a reference to a fischer is read in both versions',
        'v1alpha1',
        { reference: 'fred', referenceType: 'Fischer' },
        { reference: 'fred', referenceType: 'Fischer' },
        { fischerReference: 'fred', referenceType: 'Fischer' },
      ],
      [
        'and is written in both',
        'v1beta1',
        { fischerReference: 'fred', referenceType: 'Fischer' },
        { reference: 'fred', referenceType: 'Fischer' },
        { fischerReference: 'fred', referenceType: 'Fischer' },
      ],
      [
        'a type that only one version supports is lost',
        'v1alpha1',
        { reference: 'x', referenceType: 'Whale' },
        {},
        {},
      ],
      ['no reference stays none', 'v1beta1', {}, {}, {}],
    ])('%s', async (_name, version, sent, alpha, beta) => {
      expect((await create(flunder('refers', version, sent))).text).toContain('refers created');
      expect(await specIn('v1alpha1', 'refers')).toEqual(alpha);
      expect(await specIn('v1beta1', 'refers')).toEqual(beta);
      await registered().ask({ method: 'DELETE', path: objectPath('refers') });
    });

    it.each<[string, string, Spec, string]>([
      [
        'two references',
        'v1beta1',
        { flunderReference: 'a', fischerReference: 'b', referenceType: 'Flunder' },
        'spec.fischerReference: Invalid value: "b": cannot be set with flunderReference at the same time',
      ],
      [
        'a reference to a flunder without its type',
        'v1beta1',
        { flunderReference: 'a' },
        'spec.flunderReference: Invalid value: "a": cannot be set if referenceType is not Flunder',
      ],
      [
        'a reference to a fischer under another type',
        'v1beta1',
        { fischerReference: 'a', referenceType: 'Flunder' },
        'spec.fischerReference: Invalid value: "a": cannot be set if referenceType is not Fischer',
      ],
      [
        'a type without a reference',
        'v1alpha1',
        { referenceType: 'Fischer' },
        'spec.fischerReference: Invalid value: "": cannot be empty if referenceType is Fischer',
      ],
      [
        'a type that there is not',
        'v1beta1',
        { referenceType: 'Whale' },
        'spec.referenceType: Invalid value: "Whale": must be Flunder or Fischer',
      ],
    ])('are refused with %s', async (_name, version, spec, error) => {
      const { text } = await create(flunder('bad', version, spec));
      expect(text).toBe(`${warning(version)}The Flunder "bad" is invalid: ${error}\n`);
    });

    it('are listed with the time of their creation', async () => {
      await create(flunder('listed', 'v1alpha1', {}));
      expect(await registered().admin.ok(['get', 'flunders', 'listed'])).toMatch(
        /^NAME +CREATED AT\nlisted +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n$/,
      );
    });

    it('are selected by their name and by no other field', async () => {
      const { admin } = registered();
      const names = ['get', 'flunders', '-o', 'name', '--field-selector'];
      expect(await admin.ok([...names, 'metadata.name=listed'])).toBe('flunder.wardle.example.com/listed\n');
      expect(await admin.ok([...names, 'metadata.name!=listed,metadata.namespace=default'])).not.toContain(
        'listed',
      );
      expect((await admin.run([...names, 'spec.reference=x'])).text).toContain('spec.reference');
    });

    it('are replaced with the version that was read, and with no other', async () => {
      const { admin } = registered();
      const blind = await admin.run(
        ['replace', '--raw', objectPath('listed'), '-f', '-'],
        flunder('listed', 'v1alpha1', {}),
      );
      expect(blind.text).toMatch(
        /metadata\.resourceVersion: Invalid value: \S+: must be specified for an update/,
      );
      const stale = JSON.stringify({
        ...(JSON.parse(flunder('listed', 'v1alpha1', {})) as object),
        metadata: { name: 'listed', namespace: 'default', resourceVersion: '1' },
      });
      const conflict = await admin.run(['replace', '-f', '-'], stale);
      expect(conflict.text).toContain(
        'the object has been modified; please apply your changes to the latest version',
      );
    });

    it('are applied by several managers, which own the fields that they applied', async () => {
      const { admin } = registered();
      const apply = ['apply', '--server-side', '-f', '-', '--field-manager'];
      await admin.ok([...apply, 'one'], flunder('shared', 'v1alpha1', { reference: 'a' }));
      const refused = await admin.run([...apply, 'two'], flunder('shared', 'v1alpha1', { reference: 'b' }));
      expect(refused.text).toContain('conflict with "one": .spec.reference');
      await admin.ok(
        [...apply, 'two', '--force-conflicts'],
        flunder('shared', 'v1alpha1', { reference: 'b' }),
      );
      expect(await specIn('v1beta1', 'shared')).toEqual({ flunderReference: 'b', referenceType: 'Flunder' });
    });

    it('are applied by the client, changed in place, and deleted together', async () => {
      const { admin } = registered();
      await admin.ok(['apply', '-f', '-'], flunder('mine', 'v1alpha1', { reference: 'a' }));
      const changed = await admin.ok(['apply', '-f', '-'], flunder('mine', 'v1alpha1', { reference: 'b' }));
      expect(changed).toBe('flunder.wardle.example.com/mine configured\n');
      await admin.ok(['annotate', 'flunder', 'mine', 'a=b']);
      expect(await admin.ok(['get', 'flunder', 'mine', '-o', 'jsonpath={.metadata.annotations.a}'])).toBe(
        'b',
      );
      await admin.ok(['delete', 'flunders', '--all']);
      expect(await admin.ok(['get', 'flunders', '-o', 'name'])).toBe('');
    });
  });

  describe('fischers', () => {
    it('belong to no namespace', async () => {
      const { admin } = registered();
      expect(await admin.ok(['api-resources', '--api-group=wardle.example.com', '--no-headers'])).toMatch(
        /^fischers +wardle\.example\.com\/v1alpha1 +false +Fischer\nflunders +wardle\.example\.com\/v1\w+ +true +Flunder\n$/,
      );
      expect((await admin.run(['explain', 'fischer.disallowedFlunders'])).text).toMatch(
        /list of Flunder.Names that are\s+disallowed/,
      );
    });

    it('ban the names of flunders, of new ones', async () => {
      const { admin } = registered();
      await create(flunder('early', 'v1alpha1', {}));
      expect((await create(fischer('fred', ['early', 'banned']))).text).toContain('fred created');
      const forbidden = 'this name may not be used, please change the resource name';
      const refused = async (version: string) => (await create(flunder('banned', version, {}))).text;
      // The Go server receives changes of fischers with a delay.
      await expect.poll(() => refused('v1alpha1'), { timeout: patienceMs }).toContain(forbidden);
      expect(await refused('v1beta1')).toBe(
        `Error from server (Forbidden): error when creating "STDIN": flunders.wardle.example.com "banned" is forbidden: ${forbidden}\n`,
      );
      await admin.ok(['label', 'flunder', 'early', 'a=b']);
      await admin.ok(['delete', 'fischers', '--all']);
      await admin.ok(['delete', 'flunders', '--all']);
    });
  });

  wardleRequests(registered);
  wardleTypes(registered);
  wardleAdmission(registered);

  describe('its documents', () => {
    it('are there in both versions of OpenAPI, in discovery of both forms', async () => {
      const raw = (path: string) => read(registered(), path);
      const { definitions } = await raw('/openapi/v2');
      expect(
        Object.keys(definitions as object).filter((name) => name.endsWith('wardle.v1beta1.Flunder')),
      ).toHaveLength(1);
      expect(await raw('/openapi/v3/apis/wardle.example.com/v1alpha1')).toHaveProperty([
        'paths',
        '/apis/wardle.example.com/v1alpha1/fischers/{name}',
      ]);
      expect(await raw('/apis/wardle.example.com')).toMatchObject({
        kind: 'APIGroup',
        name: 'wardle.example.com',
      });
    });
  });
}

/** Returns the deprecation warning of the older version. */
const warning = (version: string): string =>
  version === 'v1alpha1'
    ? 'Warning: wardle.example.com/v1alpha1 Flunder is deprecated in v1.3+, unavailable in v1.10+\n'
    : '';

const objectPath = (name: string, version = 'v1alpha1'): string =>
  `/apis/wardle.example.com/${version}/namespaces/default/flunders/${name}`;

/** Reads a document that exists. A kubectl would take the processor time of many requests. */
async function read({ ask }: Registration, path: string): Promise<Record<string, unknown>> {
  const { status, text } = await ask({ path });
  expect(status, text).toBe(200);
  return JSON.parse(text) as Record<string, unknown>;
}
