import { type KubeObject, StatusError } from '@annex/machinery';
import { type Crd, versionsOf } from '../definition/crd.ts';

/** Turns objects of one version of a CRD into another. */
export interface Converter {
  /** Gets a private object of a version of the CRD and may change it; the target is `group/version`. */
  convert(object: KubeObject, apiVersion: string): KubeObject | Promise<KubeObject>;
  /** Lets go of what it holds open. */
  close?(): void;
}

/** Strategy None: the versions differ in their name only. */
export const renamingConverter: Converter = {
  convert(object, apiVersion) {
    object.apiVersion = apiVersion;
    return object;
  },
};

/** Leaves objects alone that have the version already, and refuses versions that the CRD does not have. */
export function checkedConverter(crd: Crd, converter: Converter): Converter {
  const known = new Set(versionsOf(crd).map((version) => `${crd.spec.group}/${version.name}`));
  return {
    close: () => converter.close?.(),
    convert(object, apiVersion) {
      if (object.apiVersion === apiVersion) return object;
      const from = object.apiVersion ?? '';
      if (!known.has(from)) {
        throw conversionError(`request to convert CR from an invalid group/version: ${from}`);
      }
      return converter.convert(object, apiVersion);
    },
  };
}

/** kube's answer to a failed conversion: code 500 with neither reason nor details. */
export const conversionError = (message: string): StatusError =>
  new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
