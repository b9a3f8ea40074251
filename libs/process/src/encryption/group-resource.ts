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

/** The groups whose names contain no dot; all other first segments without a dot are resources of the core group. */
const shortGroups = new Set(['apps', 'autoscaling', 'batch', 'policy']);

/** Returns whose objects a key stores: `/registry/[<group>/]<resource>/…`. */
export function resourceOfKey(key: string): GroupResource {
  const [, , first = '', second = ''] = key.split('/', 4);
  return first.includes('.') || shortGroups.has(first)
    ? { group: first, resource: second }
    : { group: '', resource: first };
}
