import {
  hasManyParts,
  setOwn,
  type JsonObject,
  type KubeObject,
  type ManagedFieldsEntry,
} from '@annex/machinery';
import { managedFieldsError } from '@annex/schema';
import { mapMaybePromise } from '@annex/runtime';
import { type AdmissionAttributes, firstInvocation } from '../admission/plugin.ts';
import type { AdmissionChain } from '../admission/chain.ts';
import type { RequestScope } from '../handlers/request-scope.ts';
import type { ResourceKind } from '@annex/kinds';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';

/** Returns the namespace of an object for plugins. A Namespace is in the namespace that it represents. */
const namespaceOf = ({ group, resource }: ResourceKind, namespace: string, name: string): string =>
  group === '' && resource === 'namespaces' ? name : namespace;

/**
 * Returns the admission attributes of a write. The objects have the type of the endpoint: a Scale for
 * `/scale`.
 */
function attributesOf(
  write: WriteContext,
  chain: AdmissionChain,
  object: KubeObject,
  oldObject: KubeObject | undefined,
): AdmissionAttributes {
  const { kind, current, subresource } = write;
  const operation = current === undefined ? 'CREATE' : 'UPDATE';
  const schema = subresource?.spec.schema;
  const name = write.name || (write.object.metadata.name ?? '');
  return {
    request: write.request,
    kind,
    objectKind: subresource && schema ? { ...subresource.spec, schema } : undefined,
    equivalents: () => chain.equivalents(kind),
    operation,
    subresource: subresource?.name ?? '',
    namespace: namespaceOf(kind, write.namespace, name),
    name,
    dryRun: write.query.dryRun,
    options: () => operationOptions(operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions', write),
    object,
    oldObject,
    reinvocation: firstInvocation(),
  };
}

/**
 * Runs all plugins for an object that is not stored: a review, or the body of a POST to a subresource.
 * Returns the object as the plugins changed it.
 */
export function admitUnstored(
  scope: RequestScope,
  write: WriteContext,
  object: KubeObject,
): Promise<KubeObject> | KubeObject {
  return mapMaybePromise(runMutatingPlugins(scope, write, object), (attributes) =>
    mapMaybePromise(runValidatingPlugins(scope, attributes), () => attributes.object ?? object),
  );
}

/** Runs the mutating plugins for an object that is not stored. */
export function runMutatingPlugins(
  { request, kind, server, subresource }: RequestScope,
  write: WriteContext,
  object: KubeObject,
): Promise<AdmissionAttributes> | AdmissionAttributes {
  const name = request.info.name || (object.metadata.name ?? '');
  const attributes: AdmissionAttributes = {
    request,
    kind,
    objectKind: subresource && { ...subresource.spec, schema: subresource.spec.schema ?? kind.schema },
    equivalents: () => server.admission.equivalents(kind),
    operation: 'CREATE',
    subresource: subresource?.name ?? '',
    namespace: namespaceOf(kind, request.info.namespace, name),
    name,
    dryRun: write.query.dryRun,
    options: () => operationOptions('CreateOptions', write),
    object,
    oldObject: undefined,
    reinvocation: firstInvocation(),
  };
  return mapMaybePromise(server.admission.mutate(attributes), () => attributes);
}

/** Runs the validating plugins for an object that is not stored. */
export const runValidatingPlugins = (
  { server }: RequestScope,
  attributes: AdmissionAttributes,
): Promise<void> | void => server.admission.validate(attributes);

const optionFields = ['fieldManager', 'fieldValidation'];

/** Returns the options of a write as sent, as the meta.k8s.io type of the operation. */
export function operationOptions(
  kind: 'CreateOptions' | 'UpdateOptions',
  { request: { query } }: Pick<WriteContext, 'request'>,
): JsonObject {
  const options: JsonObject = { kind, apiVersion: 'meta.k8s.io/v1' };
  if (query.has('dryRun')) options.dryRun = query.getAll('dryRun');
  for (const field of optionFields) {
    const value = query.get(field);
    if (value) setOwn(options, field, value);
  }
  return options;
}

/** Runs the mutating plugins. Field ownership was decided before. */
export const mutatingAdmission = (chain: AdmissionChain): Step<WriteContext> => ({
  name: 'mutatingAdmission',
  run(write, next) {
    const attributes = attributesOf(write, chain, write.object, write.live);
    const { managedFields } = write.object.metadata;
    return mapMaybePromise(chain.mutate(attributes), () => {
      const { object = write.object } = attributes;
      if (object !== write.object) write.hasGrown = hasManyParts(object);
      write.object = object;
      repairManagedFields(write, managedFields);
      return next(write);
    });
  },
});

/** Restores the previous managedFields if the current ones do not decode, and warns the client. */
function repairManagedFields(
  { object: { metadata }, request }: WriteContext,
  before: ManagedFieldsEntry[] | undefined,
) {
  if (metadata.managedFields === before) return;
  const error = managedFieldsError(metadata.managedFields);
  if (error === undefined) return;
  if (before === undefined) delete metadata.managedFields;
  else metadata.managedFields = before;
  request.warnings.push(
    '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission ' +
      `controller; please fix your requests: ${error}`,
  );
}

/** Calls the kind's authorization of the content, before validation. */
export const authorizeContent: Step<WriteContext> = {
  name: 'authorizeContent',
  run(write, next) {
    const { kind, object, current, request } = write;
    const authorized = kind.strategy.authorize?.(object, current?.object, request);
    return mapMaybePromise(authorized, () => next(write));
  },
};

/** Runs the kind's own admission, then every validating plugin. */
export const validatingAdmission = (chain: AdmissionChain): Step<WriteContext> => ({
  name: 'validatingAdmission',
  run(write, next) {
    const { kind, object, current, request } = write;
    const own = kind.strategy.validatingAdmission?.(object, current?.object, request);
    const validated = mapMaybePromise(own, () => validateShown(write, chain));
    return mapMaybePromise(validated, () => next(write));
  },
});

/** Validates the object as the endpoint shows it. */
function validateShown(write: WriteContext, chain: AdmissionChain): Promise<void> | void {
  const { subresource, current, object, request } = write;
  const spec = subresource?.spec;
  if (spec?.schema === undefined || spec.read === undefined)
    return chain.validate(attributesOf(write, chain, object, current?.object));
  const show = (stored: KubeObject) =>
    mapMaybePromise(spec.read?.(stored, request) ?? stored, (read) => spec.asShown?.(read) ?? read);
  return mapMaybePromise(current && show(current.object), (old) =>
    mapMaybePromise(show(object), (shown) => chain.validate(attributesOf(write, chain, shown, old))),
  );
}
