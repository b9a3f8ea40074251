import { badRequest, isReason, type KubeObject, type StatusError } from '@annex/machinery';
import type { Step } from '../step.ts';
import { decodeObject } from '../decoding/decode-object.ts';
import { decodeApplied } from '../decoding/decode-patch.ts';
import { requireCustomVersion } from '../decoding/object-type.ts';
import { asJson } from '@annex/kinds';
import { checkTarget } from './check-target.ts';
import type { WriteContext } from './context.ts';
import { noteSent } from './note-sent.ts';
import { refuseStrict } from './strict.ts';
import { wipeSystemFields } from './wipe-system-fields.ts';

/** Reads the body of a create, an update or an apply. Other patches are read once it is known that there is something to patch. */
export const decode: Step<WriteContext> = {
  name: 'decode',
  async run(ctx, next) {
    if (ctx.operation === 'create' || ctx.operation === 'update') {
      const object = await decodeWhole(ctx).catch((error: unknown) => {
        throw isReason(error, 'BadRequest') ? (unnamedType(ctx) ?? error) : error;
      });
      if (ctx.request.audit) noteSent(ctx, object);
      if (ctx.operation === 'create') wipeSystemFields(object);
      checkTarget(ctx, object);
    } else if (ctx.operation === 'apply') {
      const { patch, strict } = await decodeApplied(ctx.body);
      ctx.sent = patch;
      ctx.strict = strict;
    }
    await next(ctx);
  },
};

async function decodeWhole(ctx: WriteContext): Promise<KubeObject> {
  const { endpoint } = ctx;
  const { object, strict } = await decodeObject(ctx.body, ctx.mediaType, endpoint);
  ctx.sent = object;
  ctx.strict = strict;
  refuseStrict(ctx, object);
  // What is wrong with an object of another version is said first.
  if (!endpoint.typed) requireCustomVersion(asJson(object), endpoint);
  return object;
}

// The scheme that kube reads custom resources with does not know the one Go type among their subresources by name.
function unnamedType({ kind, subresource }: WriteContext): StatusError | undefined {
  if (kind.behavior.typed || subresource?.spec.schema === undefined) return undefined;
  const { version, kind: name } = subresource.spec;
  return badRequest(
    `no kind is registered for the type ${version}.${name} in scheme "pkg/runtime/scheme.go:111"`,
  );
}
