import { isObject, type JsonObject } from '@annex/machinery';
import { roundTrip } from './round-trip.ts';

/**
 * Sets what kube-apiserver fills in when it decodes a CRD, and brings it to the form it prints. Nothing here depends on
 * the server's state: what is filled in belongs to the one who writes it.
 */
export function setCrdDefaults(object: JsonObject): void {
  roundTrip(object);
  const spec = object.spec as JsonObject;
  const names = spec.names as JsonObject;
  const kind = String(names.kind ?? '');
  if (names.singular === undefined && kind !== '') names.singular = kind.toLowerCase();
  if (names.listKind === undefined && kind !== '') names.listKind = `${kind}List`;
  spec.conversion ??= { strategy: 'None' };
  const { webhook } = spec.conversion as JsonObject;
  const service = isObject(webhook) && isObject(webhook.clientConfig) && webhook.clientConfig.service;
  if (isObject(service)) service.port ??= 443;
  setStoredVersions(object);
}

function setStoredVersions(object: JsonObject): void {
  const status = object.status as JsonObject;
  if (Array.isArray(status.storedVersions) && status.storedVersions.length > 0) return;
  const { versions } = object.spec as { versions: { name: string; storage: boolean }[] | null };
  const storage = versions?.find((version) => version.storage);
  if (storage !== undefined) status.storedVersions = [storage.name];
}
