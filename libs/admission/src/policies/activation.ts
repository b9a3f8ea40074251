import { AuthorizerValue, type DecideCheck, ResourceCheck } from '@annex/cel';
import type { JsonValue, KubeObject } from '@annex/machinery';
import type { AdmissionAttributes, VersionedObjects } from '@annex/server';
import { requestJson } from '../request-json.ts';
import type { FindNamespace } from '../selectors.ts';
import type { ResourceKind } from '@annex/kinds';
import type { Activation } from './expression.ts';

const json = (object: KubeObject | undefined) => (object ?? null) as unknown as JsonValue;

/** The variables of every admission expression. */
export function admissionActivation(
  attributes: AdmissionAttributes,
  kind: ResourceKind,
  { object, oldObject }: VersionedObjects,
  decide: DecideCheck,
): Record<string, Activation[string]> {
  const authorizer = new AuthorizerValue(decide);
  const { namespace, name, subresource } = attributes;
  return {
    object: json(object),
    oldObject: json(oldObject),
    namespaceObject: null,
    params: null,
    request: requestJson(attributes, kind),
    authorizer,
    'authorizer.requestResource': new ResourceCheck(authorizer, {
      group: attributes.kind.group,
      resource: attributes.kind.resource,
      subresource,
      namespace,
      name,
      fieldSelector: '',
      labelSelector: '',
    }),
  };
}

/** Returns the Namespace of a request for expressions; null for cluster-scoped objects and Namespaces. */
export async function namespaceObject(
  attributes: AdmissionAttributes,
  find: FindNamespace,
): Promise<JsonValue> {
  const { kind, namespace } = attributes;
  if (namespace === '' || (kind.group === '' && kind.kind === 'Namespace')) return null;
  const found = await find(namespace);
  if (found === undefined) return null;
  const { managedFields: _managedFields, ownerReferences: _ownerReferences, ...metadata } = found.metadata;
  return json({ metadata, spec: found.spec, status: found.status } as KubeObject);
}
