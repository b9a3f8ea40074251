import { deepEqual, setOwn } from '@annex/machinery';
import { conditionOf, type Crd, type CrdNames } from '../crd/crd.ts';
import type { NewCondition } from './conditions.ts';

/** Names that must be unique in a group: plural, singular and short names form one set, kinds and list kinds another. */
export const nameSpaces = ['resources', 'kinds'] as const;
export type NameSpace = (typeof nameSpaces)[number];

/** The names of the other CRDs of a group. */
export type TakenNames = Readonly<Record<NameSpace, Pick<ReadonlySet<string>, 'has'>>>;

/** Returns the accepted names of a CRD in one of the sets. */
export function namesOf({ status }: Crd, space: NameSpace): string[] {
  const { plural, singular, shortNames, kind, listKind } = status.acceptedNames;
  const names: string[] = [];
  const add = (name: string | undefined): void => {
    if (name !== undefined && name !== '') names.push(name);
  };
  for (const name of space === 'resources' ? [plural, singular] : [kind, listKind]) add(name);
  if (space === 'resources') shortNames?.forEach(add);
  return names;
}

/** True if both have the same accepted names: a fast comparison, because a CRD may have 50,000 of them. */
export const hasSameNames = (a: Crd, b: Crd): boolean =>
  deepEqual(a.status.acceptedNames, b.status.acceptedNames);

/** True if a CRD released a name. */
export const releasesNames = (before: Crd, now: Crd): boolean =>
  !hasSameNames(before, now) &&
  nameSpaces.some((space) => {
    const had = namesOf(before, space);
    if (had.length === 0) return false;
    const kept = new Set(namesOf(now, space));
    return had.some((name) => !kept.has(name));
  });

export interface Acceptance {
  names: CrdNames;
  accepted: NewCondition;
}

const single = [
  ['plural', 'resources', 'PluralConflict'],
  ['singular', 'resources', 'SingularConflict'],
  ['shortNames', 'resources', 'ShortNamesConflict'],
  ['kind', 'kinds', 'KindConflict'],
  ['listKind', 'kinds', 'ListKindConflict'],
] as const;

/**
 * Decides which of the requested names a CRD gets; `undefined` if all are accepted already. A name that is in use keeps its old value; the
 * last conflict is reported.
 */
export function acceptNames(crd: Crd, takenNow: () => TakenNames): Acceptance | undefined {
  const requested = crd.spec.names;
  const before = crd.status.acceptedNames;
  if (deepEqual(requested, before)) return undefined;
  const taken = takenNow();
  const names: Record<string, unknown> = { ...before };
  let conflict: NewCondition | undefined;
  for (const [field, space, reason] of single) {
    const message = conflictOf(field, requested, before, taken[space]);
    if (message === undefined) set(names, field, requested[field]);
    else conflict = { type: 'NamesAccepted', status: 'False', reason, message };
  }
  set(names, 'categories', requested.categories);
  const fine = { status: 'True', reason: 'NoConflicts', message: 'no conflicts found' } as const;
  return { names: names as unknown as CrdNames, accepted: conflict ?? { type: 'NamesAccepted', ...fine } };
}

function set(names: Record<string, unknown>, field: string, value: unknown): void {
  if (value === undefined) delete names[field];
  else setOwn(names, field, value);
}

function conflictOf(
  field: (typeof single)[number][0],
  requested: CrdNames,
  before: CrdNames,
  taken: TakenNames[NameSpace],
): string | undefined {
  const inUse = (name: string): string => `${JSON.stringify(name)} is already in use`;
  if (field !== 'shortNames') {
    const name = requested[field] ?? '';
    return name !== (before[field] ?? '') && taken.has(name) ? inUse(name) : undefined;
  }
  const own = new Set(before.shortNames);
  const clashes = (requested.shortNames ?? []).filter((name) => !own.has(name) && taken.has(name));
  const messages = [...new Set(clashes)].map(inUse);
  return messages.length > 1 ? `[${messages.join(', ')}]` : messages[0];
}

const notAccepted: NewCondition = {
  type: 'Established',
  status: 'False',
  reason: 'NotAccepted',
  message: 'not all names are accepted',
};
const installing: NewCondition = {
  type: 'Established',
  status: 'False',
  reason: 'Installing',
  message: 'the initial names have been accepted',
};

/** Returns the Established condition after a decision about names. An established CRD stays established. */
export function establishedAfter(crd: Crd, accepted: NewCondition): NewCondition | undefined {
  const now = conditionOf(crd, 'Established');
  if (now?.status === 'True') return undefined;
  if (accepted.status === 'True') return installing;
  return now === undefined ? notAccepted : undefined;
}
