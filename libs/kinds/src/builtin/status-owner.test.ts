import { finish, type KubeObject, type ManagedFieldsEntry } from '@annex/machinery';
import { expect, it } from 'vitest';
import { appliedStatus, ownedStatus } from './status-owner.ts';

const time = '2026-01-02T00:00:00Z';
const [now, later] = [Date.parse(time), Date.parse('2026-01-03T00:00:00Z')];

const entry = (
  manager: string,
  operation: 'Apply' | 'Update',
  apiVersion: string,
  fieldsV1: object,
  subresource?: string,
  at = time,
): ManagedFieldsEntry =>
  ({
    manager,
    operation,
    apiVersion,
    time: at,
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...(subresource === undefined ? {} : { subresource }),
  }) as ManagedFieldsEntry;

const flowcontrol = 'flowcontrol.apiserver.k8s.io/v1';
const consumer = 'api-priority-and-fairness-config-consumer-v1';
const specOwner = entry('client', 'Update', flowcontrol, {
  'f:spec': { 'f:matchingPrecedence': {}, 'f:priorityLevelConfiguration': { 'f:name': {} } },
});
const conditionFields = {
  ...{ '.': {}, 'f:lastTransitionTime': {}, 'f:message': {}, 'f:reason': {}, 'f:status': {}, 'f:type': {} },
};
const dangling = {
  type: 'Dangling',
  status: 'True',
  reason: 'NotFound',
  message: 'm',
  lastTransitionTime: time,
};
const flowSchema = (managedFields: ManagedFieldsEntry[] | undefined, conditions: object[] = []): KubeObject =>
  ({
    apiVersion: flowcontrol,
    kind: 'FlowSchema',
    metadata: { name: 'a', uid: 'u', ...(managedFields === undefined ? {} : { managedFields }) },
    spec: { matchingPrecedence: 5000, priorityLevelConfiguration: { name: 'x' } },
    status: conditions.length === 0 ? {} : { conditions },
  }) as unknown as KubeObject;

// The entries are those of kube-apiserver 1.36.3.
it('a condition that is applied has the manager that applies it', () => {
  const live = flowSchema([specOwner]);
  const { metadata, status } = finish(
    appliedStatus(live, { conditions: [dangling] }, { manager: consumer, now }),
  )!;
  expect(status).toEqual({ conditions: [dangling] });
  const fields = { 'f:status': { 'f:conditions': { 'k:{"type":"Dangling"}': conditionFields } } };
  expect(metadata.managedFields).toEqual([
    entry(consumer, 'Apply', flowcontrol, fields, 'status'),
    specOwner,
  ]);
});

it('it takes the condition from the manager who changed it, and leaves other conditions', () => {
  const owns = (fields: object) => ({ 'f:status': { 'f:conditions': fields } });
  const other = { type: 'Other', status: 'True' };
  const mine = owns({
    'k:{"type":"Dangling"}': { 'f:status': {} },
    'k:{"type":"Other"}': { '.': {}, 'f:type': {} },
  });
  const live = flowSchema(
    [specOwner, entry('client', 'Update', flowcontrol, mine, 'status')],
    [{ ...dangling, status: 'Unknown' }, other],
  );
  const { metadata, status } = finish(
    appliedStatus(live, { conditions: [dangling] }, { manager: consumer, now: later }),
  )!;
  expect(status).toEqual({ conditions: [dangling, other] });
  expect(metadata.managedFields?.map(({ manager, fieldsV1 }) => [manager, fieldsV1])).toEqual([
    [consumer, owns({ 'k:{"type":"Dangling"}': conditionFields })],
    ['client', specOwner.fieldsV1],
    ['client', owns({ 'k:{"type":"Other"}': { '.': {}, 'f:type': {} } })],
  ]);
});

it('a status that is updated has the manager that updates it', () => {
  const registration = 'apiregistration.k8s.io/v1';
  const owner = entry('client', 'Update', registration, { 'f:spec': { 'f:group': {} } });
  const live = {
    apiVersion: registration,
    kind: 'APIService',
    metadata: { name: 'v1.x.y', uid: 'u', managedFields: [owner] },
    spec: { group: 'x.y', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 },
    status: {},
  } as unknown as KubeObject;
  const condition = { ...dangling, type: 'Available' };
  const updated = { ...live, status: { conditions: [condition] } } as unknown as KubeObject;
  const { metadata } = ownedStatus(live, updated, { manager: 'kube-apiserver', now });
  const fields = {
    'f:status': { 'f:conditions': { '.': {}, 'k:{"type":"Available"}': conditionFields } },
  };
  expect(metadata.managedFields).toEqual([
    owner,
    entry('kube-apiserver', 'Update', registration, fields, 'status'),
  ]);
});

it('objects of the server, which have no managers, get none', () => {
  const live = flowSchema(undefined);
  const updated = flowSchema(undefined, [dangling]);
  expect(ownedStatus(live, updated, { manager: 'm', now })).toBe(updated);
  expect(finish(appliedStatus(live, { conditions: [dangling] }, { manager: 'm', now }))).toBeUndefined();
});
