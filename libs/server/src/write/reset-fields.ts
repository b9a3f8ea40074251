import { FieldSet } from '@annex/schema';
import type { WriteContext } from './context.ts';

const nothing = FieldSet.of();
const status = FieldSet.of(['status']);
const spec = FieldSet.of(['spec']);
const allButStatus = FieldSet.of(['metadata'], ['spec']);

/** What a write to this endpoint leaves as it is, whatever is sent: nobody becomes its owner by that. */
export function resetFieldsOf({ kind, subresource }: Pick<WriteContext, 'kind' | 'subresource'>): FieldSet {
  if (subresource === undefined) return kind.subresources.status === undefined ? nothing : status;
  if (subresource.name !== 'status') return nothing;
  // The status endpoint of built-in kinds takes metadata as well.
  return kind.custom ? allButStatus : spec;
}
