import type { KubeObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { podColumns } from './columns.ts';

const now = Date.UTC(2026, 0, 2);

/** Returns the cells of the named columns for a pod. */
const shown = (rest: object, ...columns: string[]) =>
  columns.map((column) => podColumns[column]!({ metadata: { name: 'x' }, ...rest } as KubeObject, now));

const running = { ready: true, restartCount: 0, state: { running: {} } };
const pod = (status: object, spec: object = {}) => ({ spec: { containers: [{}, {}], ...spec }, status });

describe('cells of pods', () => {
  it.each<[string, object, string[]]>([
    ['a new pod', pod({ phase: 'Pending' }), ['0/2', 'Pending', '0']],
    [
      'a running one',
      pod({ phase: 'Running', containerStatuses: [running, running] }),
      ['2/2', 'Running', '0'],
    ],
    [
      'one that waits for its image',
      pod({
        phase: 'Pending',
        containerStatuses: [running, { restartCount: 0, state: { waiting: { reason: 'ErrImagePull' } } }],
      }),
      ['1/2', 'ErrImagePull', '0'],
    ],
    [
      'one that failed before, with the time of its last restart',
      pod({
        phase: 'Running',
        containerStatuses: [
          { ...running, restartCount: 3, lastState: { terminated: { finishedAt: '2026-01-01T23:50:00Z' } } },
          running,
        ],
      }),
      ['2/2', 'Running', '3 (10m ago)'],
    ],
    [
      'one whose init container is not done',
      pod(
        { phase: 'Pending', initContainerStatuses: [{ state: { running: {} }, restartCount: 0 }] },
        { initContainers: [{}] },
      ),
      ['0/2', 'Init:0/1', '0'],
    ],
    [
      'one that completed',
      pod({
        phase: 'Succeeded',
        containerStatuses: [{ state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
      }),
      ['0/2', 'Completed', '0'],
    ],
  ])('show %s', (_what, rest, expected) => {
    expect(shown(rest, 'Ready', 'Status', 'Restarts')).toEqual(expected);
  });

  it('show that a pod is being deleted', () => {
    const leaving = {
      metadata: { name: 'x', deletionTimestamp: '2026-01-01T00:00:00Z' },
      status: { phase: 'Running' },
    };
    expect(shown(leaving, 'Status')).toEqual(['Terminating']);
  });
});
