/** A measurement of schedulers. */
export interface SchedulerRow {
  name: string;
  nodes: number;
  pods: number;
  /** The fields of the specification of a Pod besides its containers. */
  spec: object;
}

const selected = { labelSelector: { matchLabels: { app: 'bench' } } };

/** Pods that are pending when the scheduler starts. The last row shows the memory of a large cluster. */
export const schedulerRows: readonly SchedulerRow[] = [
  { name: 'scheduler: plain Pods', nodes: 1_000, pods: 5_000, spec: {} },
  {
    name: 'scheduler: Pods with a topology spread constraint',
    nodes: 1_000,
    pods: 1_000,
    spec: {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'topology.kubernetes.io/zone',
          whenUnsatisfiable: 'DoNotSchedule',
          ...selected,
        },
      ],
    },
  },
  {
    name: 'scheduler: Pods with anti-affinity against each other',
    nodes: 1_000,
    pods: 1_000,
    spec: {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', ...selected },
          ],
        },
      },
    },
  },
  { name: 'scheduler: plain Pods on 5,000 nodes', nodes: 5_000, pods: 5_000, spec: {} },
];
