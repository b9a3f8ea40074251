import { FieldSet } from '@annex/schema';
import type { WriteContext } from './context.ts';

const status = FieldSet.of(['status']);

/** What a write to this endpoint leaves as it is, whatever is sent: nobody becomes its owner by that. */
export function resetFieldsOf({
  kind,
  subresource,
}: Pick<WriteContext, 'kind' | 'subresource'>): FieldSet | undefined {
  if (subresource === undefined) return kind.subresources.status === undefined ? undefined : status;
  const { resetFields } = subresource.spec;
  return resetFields && FieldSet.of(...resetFields);
}
