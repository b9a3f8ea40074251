import { FieldSet } from '@annex/schema';
import type { WriteContext } from './context.ts';

const status = FieldSet.of(['status']);
const spec = FieldSet.of(['spec']);
const allButStatus = FieldSet.of(['metadata'], ['spec']);

/** What a write to this endpoint leaves as it is, whatever is sent: nobody becomes its owner by that. */
export function resetFieldsOf({
  kind,
  subresource,
}: Pick<WriteContext, 'kind' | 'subresource'>): FieldSet | undefined {
  if (subresource === undefined) return kind.subresources.status === undefined ? undefined : status;
  if (subresource.name !== 'status') return undefined;
  // The status endpoint of built-in kinds takes metadata as well.
  return kind.custom ? allButStatus : spec;
}
