import type { PodTransition } from './stage.ts';

/** The milliseconds of a change that no stage matches, from and to. A back-off is computed instead where a kubelet has one. */
export const defaultDelaysMs: Readonly<Record<PodTransition, readonly [from: number, to: number]>> = {
  Sandbox: [20, 60],
  Pull: [50, 150],
  Start: [0, 0],
  Startup: [50, 100],
  Readiness: [50, 100],
  Exit: [400, 600],
  Restart: [0, 0],
  Terminate: [20, 60],
};
