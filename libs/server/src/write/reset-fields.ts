import { FieldSet } from '@annex/schema';
import type { WriteContext } from './context.ts';

const status = FieldSet.of(['status']);

/** Returns the fields that this endpoint never changes. A write to them does not record an owner. */
export function resetFieldsOf({
  kind,
  subresource,
}: Pick<WriteContext, 'kind' | 'subresource'>): FieldSet | undefined {
  const { resetFields } = subresource?.spec ?? kind.strategy;
  if (resetFields !== undefined) return FieldSet.of(...resetFields);
  return subresource === undefined && kind.subresources.status !== undefined ? status : undefined;
}
