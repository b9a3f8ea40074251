import type { JsonObject, Passes } from '@annex/machinery';
import type { WebhookClientConfig } from '@annex/admission';
import type { CrdNames, CrdSpec } from './crd.ts';
import { roundTrip } from './round-trip.ts';

/**
 * Sets the defaults that kube-apiserver sets when it decodes a CRD, and normalizes the CRD to the form that kube-apiserver prints. The
 * defaults do not depend on the server's state, so their field manager is that of the client.
 */
export function* crdDefaults(object: JsonObject): Passes<void> {
  yield* roundTrip(object);
  const spec = object.spec as unknown as CrdSpec;
  setNames(spec.names);
  spec.conversion ??= { strategy: 'None' };
  setServicePort(spec.conversion.webhook?.clientConfig);
  setStoredVersions(object);
}

/** Sets the default names, which follow from the kind. */
export function setNames(names: CrdNames): void {
  const { kind } = names;
  if (kind === '') return;
  names.singular ??= kind.toLowerCase();
  names.listKind ??= `${kind}List`;
}

export function setServicePort(config: WebhookClientConfig | undefined): void {
  if (config?.service) config.service.port ??= 443;
}

/** Sets the storage version as the only stored version if there is none. */
export function setStoredVersions(object: JsonObject): void {
  const status = object.status as JsonObject;
  if (Array.isArray(status.storedVersions) && status.storedVersions.length > 0) return;
  const { versions } = object.spec as { versions: { name: string; storage: boolean }[] | null };
  const storage = versions?.find((version) => version.storage);
  if (storage !== undefined) status.storedVersions = [storage.name];
}
