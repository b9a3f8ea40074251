import type { JsonObject, Passes } from '@annex/machinery';
import { setNames, setServicePort, setStoredVersions } from '../crd/defaults.ts';
import { roundTrip } from '../crd/round-trip.ts';
import type { BetaSpec } from './beta-crd.ts';

/**
 * Sets the defaults of a v1beta1 CRD that kube-apiserver sets when it decodes, and normalizes the CRD to the form that kube-apiserver
 * prints.
 */
export function* betaCrdDefaults(object: JsonObject): Passes<void> {
  yield* roundTrip(object, 'v1beta1');
  const spec = object.spec as unknown as BetaSpec;
  if (spec.scope === '') spec.scope = 'Namespaced';
  setNames(spec.names);
  if (spec.versions === undefined && spec.version) {
    spec.versions = [{ name: spec.version, served: true, storage: true }];
  }
  spec.version ??= spec.versions?.[0]?.name ?? '';
  if (spec.version === '') delete spec.version;
  spec.conversion ??= { strategy: 'None' };
  const { conversion } = spec;
  if (conversion.strategy === 'Webhook') conversion.conversionReviewVersions ??= ['v1beta1'];
  setServicePort(conversion.webhookClientConfig);
  spec.preserveUnknownFields ??= true;
  setStoredVersions(object);
  // Defaults take the position of the field in the Go type.
  yield* roundTrip(object, 'v1beta1');
}
