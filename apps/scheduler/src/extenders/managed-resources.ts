import type { ExtenderConfig, NodeResourcesFitArgs, ProfileConfig } from '../config/types.ts';

/**
 * Returns a profile whose fit ignores the resources that only extenders decide about. As in kube-scheduler, they replace the
 * `ignoredResources` of the profile.
 */
export function withoutManagedResources(
  profile: ProfileConfig,
  extenders: readonly ExtenderConfig[],
): ProfileConfig {
  const ignoredResources = extenders
    .flatMap(({ managedResources }) => managedResources)
    .filter(({ ignoredByScheduler }) => ignoredByScheduler)
    .map(({ name }) => name);
  if (ignoredResources.length === 0) return profile;
  return {
    ...profile,
    pluginConfig: profile.pluginConfig.map((one) =>
      one.name === 'NodeResourcesFit'
        ? { ...one, args: { ...(one.args as NodeResourcesFitArgs), ignoredResources } }
        : one,
    ),
  };
}
