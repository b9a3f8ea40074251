import { FieldSet } from '@annex/schema';
import type { WriteContext } from './context.ts';

const status = FieldSet.of(['status']);

/** What a write to this endpoint leaves as it is, whatever is sent: nobody becomes its owner by that. */
export function resetFieldsOf({
  kind,
  subresource,
}: Pick<WriteContext, 'kind' | 'subresource'>): FieldSet | undefined {
  const { resetFields } = subresource?.spec ?? kind.strategy;
  if (resetFields !== undefined) return FieldSet.of(...resetFields);
  return subresource === undefined && kind.subresources.status !== undefined ? status : undefined;
}
