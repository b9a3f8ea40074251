import { groupVersion } from '@annex/machinery';
import { type ResourceKind, retiredKind } from '@annex/kinds';
import { crdExtension, decodingOnly, inSlices } from '../crd/crd-kind.ts';
import { type VersionRequirements, requirementsOfV1 } from '../validation/version-requirements.ts';
import { formatWarnings } from '../validation/format-warnings.ts';
import { validateCrd, validateCrdUpdate } from '../validation/validate-crd.ts';
import { betaOfCrd, crdOfBeta, internalBetaCrd } from './beta-crd.ts';
import { betaCrdDefaults } from './beta-defaults.ts';

/** The requirements of v1beta1: fewer than in v1, but required for features that came later. */
export const betaRequirements: VersionRequirements = {
  rules: {
    ...requirementsOfV1.rules,
    schemas: false,
    structural: false,
    knownTypes: false,
    noDefaults:
      '(cannot set default values in apiextensions.k8s.io/v1beta1 CRDs, must use apiextensions.k8s.io/v1)',
  },
  approval: false,
  pruning: false,
};

/**
 * CustomResourceDefinition of `apiextensions.k8s.io/v1beta1`, as kube-apiserver served it until 1.21: another form of v1 CRDs, in which
 * schemas need not be structural.
 */
export function betaCrdKind(v1: ResourceKind, now: () => number): ResourceKind {
  const extension = crdExtension(now);
  return retiredKind(v1, 'v1beta1', {
    ...extension,
    schema: decodingOnly(betaCrdDefaults),
    deprecationWarning:
      'apiextensions.k8s.io/v1beta1 CustomResourceDefinition is deprecated in v1.16+, unavailable in v1.22+; use apiextensions.k8s.io/v1 CustomResourceDefinition',
    strategy: {
      ...extension.strategy,
      validateCreate: (object, request) =>
        inSlices(validateCrd(internalBetaCrd(object), betaRequirements), request),
      validateUpdate: (object, old, request) =>
        inSlices(validateCrdUpdate(internalBetaCrd(object), internalBetaCrd(old), betaRequirements), request),
      warnings: (object, old, request) =>
        inSlices(formatWarnings(internalBetaCrd(object), old && internalBetaCrd(old)), request),
    },
    storage: {
      apiVersion: groupVersion(v1),
      identity: false,
      fromStored: betaOfCrd,
      toStored: crdOfBeta,
    },
  });
}
