import { type FieldError, invalid } from '@annex/machinery';
import { asJson } from '../resource-kind.ts';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';
import { metaErrors } from './meta-errors.ts';

/** Checks the whole object and reports every error at once: metadata, schema (with ratcheting), the kind's own rules. */
export const validate: Step<WriteContext> = {
  name: 'validate',
  async run(ctx, next) {
    const { kind, object, current, request } = ctx;
    const errors = [...metaErrors(ctx), ...(await contentErrors(ctx))];
    if (errors.length > 0) throw invalid(kind, object.metadata.name ?? '', errors);
    request.warnings.push(...(kind.strategy.warnings?.(object, current?.object) ?? []));
    await next();
  },
};

async function contentErrors(ctx: WriteContext): Promise<FieldError[]> {
  const { kind, object, current, request, subresource } = ctx;
  if (subresource !== undefined) {
    return current ? ((await subresource.spec.validate?.(object, current.object, request)) ?? []) : [];
  }
  const errors = kind.schema.validate(asJson(object), current && asJson(current.object));
  const own = current
    ? await kind.strategy.validateUpdate?.(object, current.object, request)
    : await kind.strategy.validateCreate?.(object, request);
  return [...errors, ...(own ?? [])];
}
