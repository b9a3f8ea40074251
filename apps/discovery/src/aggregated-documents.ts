import type { Passes } from '@annex/machinery';
import { aggregatedVersion } from '@annex/server';
import type { GroupDiscovery, VersionDiscovery } from '@annex/kinds';
import { type Placed, orderGroups } from './group-order.ts';
import { type Registration, versionKey } from './sources.ts';

/** Returns the priorities of a version without an APIService. */
export type LocalPlace = (
  group: string,
  version: string,
) => Pick<Placed, 'groupPriorityMinimum' | 'versionPriority'> | undefined;

interface Entry extends Placed {
  document: VersionDiscovery;
}

// kube's defaults for versions without priorities, and a priority above the highest that can be registered.
const unknownPlace = { groupPriorityMinimum: 1000, versionPriority: 15 };
const firstPlace = { groupPriorityMinimum: 20_001, versionPriority: 1 };

/** The sources of the aggregated documents. */
export interface AggregatedSources {
  /** Groups that Annex serves. */
  local: readonly GroupDiscovery[];
  registrations: Iterable<Registration>;
  /** Returns the discovery of a version of an extension server. */
  remote(registration: Registration): VersionDiscovery;
  place: LocalPlace;
}

/** Returns the items of the APIGroupDiscoveryList of `/apis`, or of `/api` for the core group. */
export function* aggregatedItems(sources: AggregatedSources, core: boolean): Passes<GroupDiscovery[]> {
  const entries = new Map<string, Entry>();
  const places = new Map<string, Registration['spec']>();
  for (const registration of sources.registrations) {
    if (places.size % groupsAtOnce === 0) yield;
    const { spec } = registration;
    const group = spec.group ?? '';
    places.set(versionKey(group, spec.version), spec);
    if (!spec.service) continue;
    const document = sources.remote(registration);
    entries.set(versionKey(group, spec.version), { ...spec, group, document });
  }
  for (const { metadata, versions } of sources.local) {
    const group = metadata.name ?? '';
    if (entries.size % groupsAtOnce === 0) yield;
    for (const document of versions) {
      const key = versionKey(group, document.version);
      // An extension server serves the versions that are registered for it, even if another source has them too.
      if (entries.has(key)) continue;
      const place = group === 'apiregistration.k8s.io' ? firstPlace : places.get(key);
      const { groupPriorityMinimum, versionPriority } =
        place ?? sources.place(group, document.version) ?? unknownPlace;
      entries.set(key, { group, version: document.version, groupPriorityMinimum, versionPriority, document });
    }
  }
  yield;
  const wanted = [...entries.values()].filter((entry) => (entry.group === '') === core);
  yield;
  const ordered = orderGroups(wanted);
  const items: GroupDiscovery[] = [];
  for (const { group, versions } of ordered) {
    if (items.length % groupsAtOnce === 0) yield;
    items.push({
      metadata: group === '' ? {} : { name: group },
      versions: versions.map((entry) => aggregatedVersion(entry.document)),
    });
  }
  return items;
}

/** How many groups one pass visits. */
const groupsAtOnce = 200;
