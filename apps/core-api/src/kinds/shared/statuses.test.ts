import { FieldPath } from '@annex/machinery';
import { expect, it } from 'vitest';
import { claimStatus } from '../core/persistentvolumeclaims/status.ts';
import { defaultModes, serviceStatus } from '../core/services/status.ts';
import { conditions } from './conditions.ts';
import { loadBalancerErrors } from './load-balancer-status.ts';
import type { StatusValidation } from '../builtin-kind.ts';

const good = { type: 'Ready', status: 'True', reason: 'Done', lastTransitionTime: '2026-01-01T00:00:00Z' };

it.each([
  ['a condition with a message', [{ ...good, message: 'm' }], []],
  ['an empty condition', [{}], ['type', 'type', 'status', 'lastTransitionTime', 'reason']],
  ['two conditions of one type', [good, good], ['type']],
  ['a status that is no truth value', [{ ...good, status: 'yes' }], ['status']],
  ['a reason with a space', [{ ...good, reason: 'a b' }], ['reason']],
  ['a long reason', [{ ...good, reason: 'a'.repeat(1025) }], ['reason']],
  ['a negative generation', [{ ...good, observedGeneration: -1 }], ['observedGeneration']],
])('conditions: %s', (_case, value, expected) => {
  const fields = conditions(value, FieldPath.of('conditions')).map(({ field }) => field.split('.').pop());
  expect(fields).toEqual(expected);
});

const ingress: StatusValidation = { validate: (updated, parent) => loadBalancerErrors(updated, parent) };
const balancer = (...addresses: object[]) => ({ loadBalancer: { ingress: addresses } });
const address = 'status.loadBalancer.ingress[0]';

it.each<[string, StatusValidation, type: string, status: object, before: object, expected: string[]]>([
  ['an address and a name', ingress, '', balancer({ ip: '1.2.3.4' }, { hostname: 'a.b' }), {}, []],
  ['an address that is none', ingress, '', balancer({ ip: 'x' }), {}, [`${address}.ip`]],
  ['the same as before', ingress, '', balancer({ ip: 'x' }), balancer({ ip: 'x' }), []],
  ['a name with a space', ingress, '', balancer({ hostname: 'a b' }), {}, [`${address}.hostname`]],
  ['a name that is an address', ingress, '', balancer({ hostname: '1.2.3.4' }), {}, [`${address}.hostname`]],
  [
    'an address of a Service with a mode',
    serviceStatus,
    'LoadBalancer',
    balancer({ ip: '::1', ipMode: 'VIP' }),
    {},
    [],
  ],
  [
    'an address without a mode',
    serviceStatus,
    'LoadBalancer',
    balancer({ ip: '::1' }),
    {},
    [`${address}.ipMode`],
  ],
  [
    'a mode without an address',
    serviceStatus,
    'LoadBalancer',
    balancer({ ipMode: 'VIP' }),
    {},
    [`${address}.ipMode`],
  ],
  [
    'an unknown mode',
    serviceStatus,
    'LoadBalancer',
    balancer({ ip: '::1', ipMode: 'x' }),
    {},
    [`${address}.ipMode`],
  ],
  [
    'addresses of another type',
    serviceStatus,
    'ClusterIP',
    balancer({ ip: 'x' }),
    {},
    ['status.loadBalancer.ingress'],
  ],
  ['a resize', claimStatus, '', { allocatedResourceStatuses: { storage: 'NodeResizePending' } }, {}, []],
  [
    'an unknown resize',
    claimStatus,
    '',
    { allocatedResourceStatuses: { storage: 'x' } },
    {},
    ['status.allocatedResourceStatuses'],
  ],
  [
    'a resource of Kubernetes that claims do not have',
    claimStatus,
    '',
    { allocatedResources: { cpu: '1', 'a.b/c': '1' } },
    {},
    ['status.allocatedResources'],
  ],
])('a status with %s', (_case, { validate }, type, status, before, expected) => {
  const errors = validate({ status, spec: { type } } as never, { status: before } as never);
  expect(errors.map(({ field }) => field)).toEqual(expected);
});

it('an address of a load balancer has a mode by default', () => {
  const service = { spec: { type: 'LoadBalancer' }, status: balancer({ ip: '::1' }, { hostname: 'a' }) };
  defaultModes(service as never);
  expect(service.status).toEqual(balancer({ ip: '::1', ipMode: 'VIP' }, { hostname: 'a' }));
});
