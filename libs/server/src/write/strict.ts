import { badRequest, fieldErrors, invalid, stringifyJson } from '@annex/machinery';
import type { WriteContext } from './context.ts';

/** Refuses duplicate and unknown fields of a whole object, or warns of them, as `fieldValidation` says. */
export function refuseStrict(ctx: WriteContext): void {
  if (ctx.strict.length === 0 || ctx.query.fieldValidation === 'Ignore') return;
  if (ctx.query.fieldValidation === 'Strict') {
    const { kind, version } = ctx.subresource?.spec ?? ctx.kind;
    throw badRequest(
      `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: strict decoding error: ${ctx.strict.join(', ')}`,
    );
  }
  ctx.request.warnings.push(...ctx.strict);
}

/** The same for what a patch produced; kube answers 422 here and quotes the patched object. */
export function refuseStrictPatch(ctx: WriteContext): void {
  if (ctx.strict.length === 0 || ctx.query.fieldValidation === 'Ignore') return;
  if (ctx.query.fieldValidation === 'Strict') {
    const value = ctx.kind.custom ? stringifyJson(ctx.object) : stringifyJson(ctx.sent);
    throw invalid({ group: ctx.kind.group, kind: ctx.kind.kind }, ctx.name, [
      fieldErrors.invalid('patch', value, `strict decoding error: ${ctx.strict.join(', ')}`),
    ]);
  }
  ctx.request.warnings.push(...ctx.strict);
}
