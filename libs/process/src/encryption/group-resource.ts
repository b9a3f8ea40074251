import { recordedGroupVersions } from '@annex/kinds';
import { builtinStoragePrefix, lazily } from '@annex/machinery';

/** A resource and its API group, which is empty for the core group. `*` stands for all. */
export interface GroupResource {
  group: string;
  resource: string;
}

/** Parses `secrets`, `pandas.example.com`, `*.` or `*.*`. */
export function parseGroupResource(text: string): GroupResource {
  const dot = text.indexOf('.');
  return dot < 0
    ? { resource: text, group: '' }
    : { resource: text.slice(0, dot), group: text.slice(dot + 1) };
}

/** The groups whose names contain no dot: keys of earlier versions begin with the group. */
const shortGroups = new Set(['apps', 'autoscaling', 'batch', 'policy']);

/** The built-in resources by the prefix of their keys. Resources of several groups belong to the first one. */
const builtinResources = lazily(() => {
  const found = new Map<string, GroupResource>();
  for (const { group, resources } of recordedGroupVersions()) {
    for (const { resource } of resources) {
      const prefix = builtinStoragePrefix(group, resource);
      if (!found.has(prefix)) found.set(prefix, { group, resource });
    }
  }
  return found;
});

/** Returns whose objects a key stores: `/registry/<group>/<resource>/…`, and `/registry/<resource>/…` for built-in ones. */
export function resourceOfKey(key: string): GroupResource {
  const [, , first = '', second = ''] = key.split('/', 4);
  if (first.includes('.') || shortGroups.has(first)) return { group: first, resource: second };
  const builtin = builtinResources();
  return (
    builtin.get(`/registry/${first}/`) ??
    builtin.get(`/registry/${first}/${second}/`) ?? { group: '', resource: first }
  );
}
