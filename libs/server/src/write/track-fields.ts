import { groupVersion, type KubeObject, parseGroupVersion } from '@annex/machinery';
import { mapMaybePromise } from '@annex/runtime';
import { trackUpdateInPasses, type VersionConverter, withConversion } from '@annex/schema';
import type { ServerDeps } from '../app.ts';
import { asJson, type KindRegistry } from '@annex/kinds';
import { pause } from '../large-objects.ts';
import { missingVersion } from '../decoding/object-type.ts';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';
import { inVersion } from './in-version.ts';
import { isLargeWrite } from './large-write.ts';
import { dropRepeatedOwners } from './repeated-owners.ts';
import { resetFieldsOf } from './reset-fields.ts';

/** Records the field owners in metadata.managedFields. An apply has recorded them already. */
export const trackFields = (deps: ServerDeps, kinds: KindRegistry): Step<WriteContext> => ({
  name: 'trackFields',
  run(write, next) {
    if (write.operation === 'create' || write.operation === 'update') dropRepeatedOwners(write, 'as sent');
    if (namesOtherType(write)) {
      delete write.object.metadata.managedFields;
      return next(write);
    }
    if (write.operation === 'apply') return next(write);
    return mapMaybePromise(tracked(write, deps, kinds), (object) => {
      write.object = object;
      return next(write);
    });
  },
});

function tracked(
  write: WriteContext,
  deps: ServerDeps,
  kinds: KindRegistry,
): KubeObject | Promise<KubeObject> {
  const { endpoint, live, object, query, subresource } = write;
  const { schema, typed, ...version } = endpoint;
  const reset = resetFieldsOf(write);
  // A body of 3 MiB can hold 150,000 fields: other requests are served between the passes over them.
  const large = isLargeWrite(write);
  const now = deps.clock.now();
  const updated = (schema.owned?.(asJson(object)) ?? object) as KubeObject;
  const tracking = (convert: VersionConverter) => ({
    ...(live ? { live } : {}),
    updated,
    schema: schema.root,
    apiVersion: groupVersion(version),
    typed,
    empty: schema.empty,
    convert,
    ...(reset ? { resetFields: reset } : {}),
    resetVersions: (subresource?.spec ?? write.kind.strategy).resetVersions,
    manager: query.fieldManager,
    ...(subresource ? { subresource: subresource.name } : {}),
    now,
    large,
  });
  const track = (known: VersionConverter) => trackUpdateInPasses(tracking(known));
  const result = withConversion(inVersion(write, kinds), track, large ? pause : undefined);
  return updated === object ? result : mapMaybePromise(result, (owned) => withOwners(object, owned));
}

/** Sets the field owners to those of another form of the object. */
function withOwners(object: KubeObject, { metadata: { managedFields } }: KubeObject): KubeObject {
  if (managedFields === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = managedFields;
  return object;
}

/**
 * Returns whether a patch of a subresource names a type that the custom resource does not have. The subresource keeps the type of the stored
 * object, but kube-apiserver cannot track the fields.
 */
function namesOtherType({ endpoint, object, operation, subresource }: WriteContext): boolean {
  if (operation !== 'patch' || endpoint.typed || subresource === undefined) return false;
  if (!object.apiVersion) throw missingVersion();
  const { group, version } = parseGroupVersion(object.apiVersion);
  const isKnown = version === endpoint.version || endpoint.schemaIn?.(version) !== undefined;
  return object.kind !== endpoint.kind || group !== endpoint.group || !isKnown;
}
