import { describe, expect, it } from 'vitest';
import { daemonSetStatus, deploymentStatus, replicasStatus, statefulSetStatus } from './status-numbers.ts';

const negative = 'must be greater than or equal to 0';

describe('the numbers of a status', () => {
  it.each([
    ['a Deployment whose numbers fit', deploymentStatus, { replicas: 3, readyReplicas: 3 }, {}, []],
    [
      'more ready than replicas',
      deploymentStatus,
      { replicas: 1, readyReplicas: 2 },
      {},
      ['status.readyReplicas: cannot be greater than status.replicas'],
    ],
    [
      'more available than ready',
      replicasStatus,
      { replicas: 2, readyReplicas: 1, availableReplicas: 2 },
      {},
      ['status.availableReplicas: cannot be greater than readyReplicas'],
    ],
    [
      'the same of a StatefulSet, with the path',
      statefulSetStatus,
      { replicas: 2, readyReplicas: 1, availableReplicas: 2 },
      {},
      ['status.availableReplicas: cannot be greater than status.readyReplicas'],
    ],
    ['a negative number', daemonSetStatus, { numberReady: -1 }, {}, [`status.numberReady: ${negative}`]],
    [
      'fewer collisions than before',
      deploymentStatus,
      { collisionCount: 1 },
      { collisionCount: 2 },
      ['status.collisionCount: cannot be decremented'],
    ],
    [
      'no collisions any more',
      deploymentStatus,
      {},
      { collisionCount: 2 },
      ['status.collisionCount: cannot be decremented'],
    ],
  ])('%s', (_case, { validate }, status, before, expected) => {
    const errors = validate({ status } as never, { status: before } as never);
    expect(errors.map(({ field, detail }) => `${field}: ${detail}`)).toEqual(expected);
  });
});
