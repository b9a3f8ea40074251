import { FieldSet } from '@annex/schema';
import type { WriteContext } from './context.ts';

const status = FieldSet.of(['status']);

/** Returns the fields that this endpoint never changes. A write to them does not record an owner. */
export function resetFieldsOf({
  kind,
  subresource,
}: Pick<WriteContext, 'kind' | 'subresource'>): FieldSet | undefined {
  const { resetFields } = subresource?.spec ?? kind.strategy;
  if (resetFields !== undefined) return setOf(resetFields);
  return subresource === undefined && kind.subresources.status !== undefined ? status : undefined;
}

type Paths = readonly (readonly string[])[];

const sets = new WeakMap<Paths, FieldSet>();

/** Returns the same set for the same paths: what is computed with it is cached by it. */
function setOf(paths: Paths): FieldSet {
  let set = sets.get(paths);
  if (set === undefined) sets.set(paths, (set = FieldSet.of(...paths)));
  return set;
}
