import type { KubeObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { applyPatchInPasses, type ApplyRequest } from './apply.ts';
import { type AsyncVersionConverter, withConversion } from './apply-conversion.ts';
import { trackUpdateInPasses } from '../managed-fields/managed-fields-update.ts';
import { struct, text } from '../typed-values/typed-testdata.ts';

/** v1 has a host and a port, v1beta1 has both in one field. */
const schemas = {
  'example.com/v1': struct({ host: text, port: text }),
  'example.com/v1beta1': struct({ hostPort: text }),
};
type Version = keyof typeof schemas;

const convertTo = (object: KubeObject, apiVersion: Version): KubeObject => {
  if (object.apiVersion === apiVersion) return object;
  const { host, port, hostPort, ...rest } = object;
  // The merged object can lack the fields temporarily.
  const [newHost, newPort] = hostPort === undefined ? [] : String(hostPort).split(':');
  const split = newHost === undefined ? {} : { host: newHost, port: newPort };
  const joined = host === undefined ? {} : { hostPort: `${String(host)}:${String(port)}` };
  const fields = apiVersion === 'example.com/v1' ? split : joined;
  return { ...rest, ...fields, apiVersion };
};
const convert: AsyncVersionConverter = (object, apiVersion) =>
  Promise.resolve(
    Object.hasOwn(schemas, apiVersion)
      ? { object: convertTo(object, apiVersion as Version), schema: schemas[apiVersion as Version] }
      : undefined,
  );

const crd = (apiVersion: Version, fields: object): KubeObject => ({
  apiVersion,
  kind: 'Host',
  metadata: { name: 'a' },
  ...fields,
});
const stored = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, uid: 'u' },
});
const apply = async (
  manager: string,
  live: KubeObject | undefined,
  applied: KubeObject,
  more: Partial<ApplyRequest> = {},
) => {
  const apiVersion = applied.apiVersion as Version;
  const request = {
    schema: schemas[apiVersion],
    apiVersion,
    kind: 'Host',
    manager,
    applied,
    force: false,
    now: 0,
    ...more,
  };
  const { object } = await withConversion(convert, (c) =>
    applyPatchInPasses({ ...request, convert: c, live: live && convertTo(live, apiVersion) }),
  );
  return stored(object);
};
const managers = (object: KubeObject) =>
  object.metadata.managedFields?.map((e) => [e.manager, e.apiVersion, Object.keys(e.fieldsV1 ?? {})]);

describe('withConversion', () => {
  it('finds conflicts with a manager of another version', async () => {
    const live = await apply('old', undefined, crd('example.com/v1beta1', { hostPort: 'a:1' }));
    await expect(apply('new', live, crd('example.com/v1', { host: 'b', port: '1' }))).rejects.toThrow(
      'Apply failed with 1 conflict: conflict with "old": .hostPort',
    );
  });

  it('takes fields from a manager of another version', async () => {
    const live = await apply('old', undefined, crd('example.com/v1beta1', { hostPort: 'a:1' }));
    const forced = await apply('new', live, crd('example.com/v1', { host: 'b', port: '1' }), { force: true });
    expect(managers(forced)).toEqual([['new', 'example.com/v1', ['f:host', 'f:port']]]);
    const updated = await withConversion(convert, (c) =>
      trackUpdateInPasses({
        schema: schemas['example.com/v1beta1'],
        apiVersion: 'example.com/v1beta1',
        manager: 'u',
        now: 0,
        convert: c,
        live: convertTo(forced, 'example.com/v1beta1'),
        updated: { ...convertTo(forced, 'example.com/v1beta1'), hostPort: 'b:2' },
      }),
    );
    expect(managers(updated)).toEqual([
      ['new', 'example.com/v1', ['f:host']],
      ['u', 'example.com/v1beta1', ['f:hostPort']],
    ]);
  });

  it('lets an applier go on in another version', async () => {
    const live = await apply('me', undefined, crd('example.com/v1beta1', { hostPort: 'a:1' }));
    const later = await apply('me', live, crd('example.com/v1', { host: 'a', port: '1' }));
    expect(managers(later)).toEqual([['me', 'example.com/v1', ['f:host', 'f:port']]]);
  });

  it('drops managers of versions that are no longer served', async () => {
    const live = await apply('me', undefined, crd('example.com/v1', { host: 'a', port: '1' }));
    const entry = { ...live.metadata.managedFields?.[0], manager: 'gone', apiVersion: 'example.com/v0' };
    live.metadata.managedFields?.push(entry);
    expect(
      managers(await apply('me', live, crd('example.com/v1', { host: 'a', port: '2' })))?.map(
        ([name]) => name,
      ),
    ).toEqual(['me']);
  });

  it('passes failures of the conversion on', async () => {
    const live = await apply('old', undefined, crd('example.com/v1beta1', { hostPort: 'a:1' }));
    const failing = withConversion(
      () => Promise.reject(new Error('the webhook is down')),
      (c) =>
        applyPatchInPasses({
          schema: schemas['example.com/v1'],
          apiVersion: 'example.com/v1',
          kind: 'Host',
          manager: 'm',
          force: false,
          now: 0,
          convert: c,
          live: convertTo(live, 'example.com/v1'),
          applied: crd('example.com/v1', { host: 'b' }),
        }),
    );
    await expect(failing).rejects.toThrow('the webhook is down');
  });
});
