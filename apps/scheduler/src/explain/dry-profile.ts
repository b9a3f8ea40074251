import { setImmediate as nextTurn } from 'node:timers/promises';
import { nullLogger, systemClock } from '@annex/runtime';
import type { Cluster } from '../cache/cluster.ts';
import { defaultFeatureGates } from '../config/feature-gates.ts';
import type { ProfileConfig } from '../config/types.ts';
import type { Extender } from '../extenders/extender.ts';
import type { Cycle } from '../framework/cycle.ts';
import type { DefinedPlugin } from '../framework/define-plugin.ts';
import type { Diagnosis } from '../framework/diagnosis.ts';
import type { Handle } from '../framework/handle.ts';
import type { Profile } from '../framework/profile.ts';
import type { PodInfo } from '../objects/pod-info.ts';
import { pluginRegistry } from '../plugins/registry.ts';
import { Nominator } from '../queue/nominator.ts';
import { profileWithHandle } from '../scheduler-app.ts';

/** Options of {@link dryProfile}. */
export interface DryProfileOptions {
  extenders?: readonly Extender[];
  /** Further plugins, which the profile can enable. */
  plugins?: readonly DefinedPlugin[];
}

/** Returns a profile that writes nothing. The names of the Pods that its preemption would delete are added to `victims`. */
export function dryProfile(
  config: ProfileConfig,
  cluster: Cluster,
  victims: string[],
  { extenders = [], plugins = [] }: DryProfileOptions = {},
): Profile {
  const nominator = new Nominator();
  for (const pod of cluster.pods.values()) if ((pod.pod.spec.nodeName ?? '') === '') nominator.set(pod);
  const api = {
    patchStatus: (pod: PodInfo, { condition }: { condition?: object }) => {
      if (condition !== undefined) victims.push(pod.key);
      return Promise.resolve();
    },
    deletePod: () => Promise.resolve(),
    json: ({ body }: { body?: unknown }) => Promise.resolve(body),
  };
  const shared = {
    api,
    cluster,
    clock: systemClock,
    features: defaultFeatureGates,
    log: nullLogger,
    recorder: { record: () => undefined },
    extenders,
    activate: () => undefined,
    nominatedPods: (node: string) => nominator.on(node),
  } as unknown as Handle;
  return profileWithHandle(config, pluginRegistry(plugins), shared);
}

/** Runs the plugins that make room; completes the message of the diagnosis. Resolves to the node where they would make room, or ''. */
export async function dryPostFilter(
  profile: Profile,
  cycle: Cycle,
  pod: PodInfo,
  diagnosis: Diagnosis,
): Promise<string> {
  if (profile.at('postFilter').length === 0) return '';
  const { status, nominatedNode = '' } = await profile.postFilter(cycle, pod, diagnosis);
  // The preemption continues in later turns of the event loop.
  await nextTurn();
  diagnosis.postFilterMessage = status?.message ?? '';
  return nominatedNode;
}
