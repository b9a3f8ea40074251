import { type ApiGroup, apiGroup } from '@annex/server';
import type { GroupDiscovery } from '@annex/kinds';
import { orderGroups } from './group-order.ts';
import { type Registration, groupOf } from './sources.ts';

/** The group of the kind APIService. */
export const apiRegistration = 'apiregistration.k8s.io';

/** The group of the kind APIService has no APIService, and always comes first. */
const apiRegistrationGroup = apiGroup(apiRegistration, ['v1']);

/** Returns the groups of `/apis`: those with APIServices, available or not. */
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

/** Returns one group: by its APIServices, or by the groups of Annex if it has none. */
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

/** Returns the document of `/api`. */
export const versionsDocument = (versions: string[], serverAddress: string) => ({
  kind: 'APIVersions',
  versions,
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
});
