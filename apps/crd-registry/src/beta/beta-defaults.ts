import type { JsonObject } from '@annex/machinery';
import { setNames, setServicePort, setStoredVersions } from '../definition/defaults.ts';
import { roundTrip } from '../definition/round-trip.ts';
import type { BetaSpec } from './beta-crd.ts';

/** Sets what kube-apiserver filled in when it decoded a CRD of v1beta1, and brings it to the form it printed. */
export function setBetaCrdDefaults(object: JsonObject): void {
  roundTrip(object, 'v1beta1');
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
  // Fields that were added stand where the Go type has them.
  roundTrip(object, 'v1beta1');
}
