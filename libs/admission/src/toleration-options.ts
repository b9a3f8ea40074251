import { optionGroup, type OptionsTable } from '@annex/runtime';
import { fiveMinutes, type TolerationSeconds } from './plugins/default-tolerations.ts';

/** How long Pods stay on nodes that fail. */
export interface TolerationConfig {
  defaultNotReadyTolerationSeconds: number;
  defaultUnreachableTolerationSeconds: number;
}

/** kube-apiserver's options of the plugin DefaultTolerationSeconds. */
export const tolerationOptions: OptionsTable<TolerationConfig> = optionGroup('Admission', {
  defaultNotReadyTolerationSeconds: {
    flag: 'default-not-ready-toleration-seconds',
    type: 'int',
    default: fiveMinutes.notReady,
    help: 'The seconds that a Pod stays on a node that is not ready.',
  },
  defaultUnreachableTolerationSeconds: {
    flag: 'default-unreachable-toleration-seconds',
    type: 'int',
    default: fiveMinutes.unreachable,
    help: 'The seconds that a Pod stays on an unreachable node.',
  },
});

/** Returns the configuration of the plugin. */
export const tolerationSeconds = ({
  defaultNotReadyTolerationSeconds: notReady = fiveMinutes.notReady,
  defaultUnreachableTolerationSeconds: unreachable = fiveMinutes.unreachable,
}: Partial<TolerationConfig>): TolerationSeconds => ({ notReady, unreachable });
