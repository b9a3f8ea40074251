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

/**
 * Reads the body of a create, an update or an apply. Other patches are decoded later, after the object is
 * read.
 */
export const decode: Step<WriteContext> = {
  name: 'decode',
  async run(write, next) {
    if (write.operation === 'create' || write.operation === 'update') {
      const object = await decodeWhole(write).catch((error: unknown) => {
        throw isReason(error, 'BadRequest') ? (unnamedType(write) ?? error) : error;
      });
      const noting = noteSent(write, object);
      if (noting !== undefined) await noting;
      if (write.operation === 'create') wipeSystemFields(object);
      checkTarget(write, object);
    } else if (write.operation === 'apply') {
      const { patch, strict } = await decodeApplied(write.body);
      write.sent = patch;
      write.strict = strict;
    }
    await next(write);
  },
};

async function decodeWhole(write: WriteContext): Promise<KubeObject> {
  const { endpoint, query } = write;
  const ignoresFields = query.fieldValidation === 'Ignore';
  const expected = ignoresFields ? { ...endpoint, ignoresFields } : endpoint;
  const { object, strict } = await decodeObject(write.body, write.mediaType, expected);
  write.sent = object;
  write.strict = strict;
  refuseStrict(write, object);
  // The error for another version comes first.
  if (!endpoint.typed) requireCustomVersion(asJson(object), endpoint);
  return object;
}

// kube-apiserver's scheme for custom resources has no name for the only Go type among their subresources.
function unnamedType({ kind, subresource }: WriteContext): StatusError | undefined {
  if (kind.behavior.typed || subresource?.spec.schema === undefined) return undefined;
  const { version, kind: name } = subresource.spec;
  return badRequest(
    `no kind is registered for the type ${version}.${name} in scheme "pkg/runtime/scheme.go:111"`,
  );
}
