import { type ApiGroup, apiGroup } from '@annex/server';
import type { GroupDiscovery } from '@annex/kinds';
import { orderGroups } from './group-order.ts';
import { type Registration, groupOf } from './sources.ts';

/** The group of the APIServices themselves. */
export const apiRegistration = 'apiregistration.k8s.io';

/** The group that every APIService belongs to; it has no APIService itself and always comes first. */
const apiRegistrationGroup = apiGroup(apiRegistration, ['v1']);

/** The groups of `/apis`: those that have APIServices, available or not. */
export function registeredGroups(registrations: Iterable<Registration>): ApiGroup[] {
  const placed = [...registrations].map(({ spec }) => ({ ...spec, group: spec.group ?? '' }));
  const ordered = orderGroups(placed.filter(({ group }) => group !== '' && group !== apiRegistration));
  return [
    apiRegistrationGroup,
    ...ordered.map(({ group, versions }) =>
      apiGroup(
        group,
        versions.map(({ version }) => version),
      ),
    ),
  ];
}

/** One group: by its APIServices, or by what is served here where it has none. */
export function findGroup(
  name: string,
  registrations: Iterable<Registration>,
  local: readonly GroupDiscovery[],
): ApiGroup | undefined {
  const own = [...registrations].filter((registration) => groupOf(registration) === name);
  if (own.length > 0) return registeredGroups(own).find((group) => group.name === name);
  const served = local.find((group) => group.metadata.name === name);
  return (
    served &&
    apiGroup(
      name,
      served.versions.map(({ version }) => version),
    )
  );
}

/** The document of `/api`. */
export const versionsDocument = (versions: string[], serverAddress: string) => ({
  kind: 'APIVersions',
  versions,
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
});
