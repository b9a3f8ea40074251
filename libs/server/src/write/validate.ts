import {
  type FieldError,
  invalid,
  nameIsDnsSubdomain,
  nameIsPathSegment,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '@annex/machinery';
import { asJson } from '../resource-kind.ts';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';

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

function metaErrors({ kind, object, current }: WriteContext): FieldError[] {
  const { metadata } = object;
  const { namespaced } = kind;
  if (current === undefined) {
    const nameCheck = kind.strategy.validateName ?? nameIsDnsSubdomain;
    return validateObjectMeta(metadata, { namespaced, nameCheck });
  }
  return [
    ...validateObjectMeta(metadata, { namespaced, nameCheck: nameIsPathSegment }),
    ...validateObjectMetaUpdate(metadata, current.object.metadata),
  ];
}

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
