import { hostname } from 'node:os';
import { randomUUID } from 'node:crypto';
import type { Leadership } from '@annex/client';
import { type ConflictCheck, optionGroup, type OptionsTable } from '@annex/runtime';

/** The leader election of processes that run the same controllers. */
export interface ElectionConfig {
  leaderElect: boolean;
  leaderElectLeaseDuration: number;
  leaderElectRenewDeadline: number;
  leaderElectRetryPeriod: number;
}

/** kube-controller-manager's options with these names. */
export const electionOptions: OptionsTable<ElectionConfig> = optionGroup('Controllers', {
  leaderElect: {
    flag: 'leader-elect',
    type: 'bool',
    default: true,
    help: 'Run the controllers only while this process is the leader.',
  },
  leaderElectLeaseDuration: {
    flag: 'leader-elect-lease-duration',
    type: 'duration',
    default: 15_000,
    help: 'The time after which another process takes over a lease that is not renewed.',
  },
  leaderElectRenewDeadline: {
    flag: 'leader-elect-renew-deadline',
    type: 'duration',
    default: 10_000,
    help: 'The time after which a leader gives up renewing.',
  },
  leaderElectRetryPeriod: {
    flag: 'leader-elect-retry-period',
    type: 'duration',
    default: 2_000,
    help: 'The time between attempts.',
  },
});

/** Checks rules between the options. */
export const electionConflicts: ConflictCheck<ElectionConfig> = (config) =>
  config.leaderElectLeaseDuration > config.leaderElectRenewDeadline &&
  config.leaderElectRenewDeadline > config.leaderElectRetryPeriod
    ? []
    : ['a lease must last longer than the renew deadline, and that longer than the retry period'];

/** Returns the leadership of a process. Its identity is unique. */
export const leadershipOf = (config: ElectionConfig, lost: () => void): Leadership => ({
  identity: `${hostname()}_${randomUUID()}`,
  leaseDurationMs: config.leaderElectLeaseDuration,
  renewDeadlineMs: config.leaderElectRenewDeadline,
  retryPeriodMs: config.leaderElectRetryPeriod,
  lost,
});
