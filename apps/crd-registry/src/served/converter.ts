import { type KubeObject, StatusError } from '@annex/machinery';
import { type Crd, versionsOf } from '../crd/crd.ts';

/** Converts objects between versions of a CRD. */
export interface Converter {
  /** Converts an object to the target `group/version`. It may change the object in place. */
  convert(object: KubeObject, apiVersion: string): KubeObject | Promise<KubeObject>;
  /** Closes open connections. */
  close?(): void;
}

/** Strategy None: versions differ only in apiVersion. */
export const renamingConverter: Converter = {
  convert(object, apiVersion) {
    object.apiVersion = apiVersion;
    return object;
  },
};

/** Returns objects unchanged that have the version already, and rejects unknown versions. */
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

/** Returns kube's error for a failed conversion: code 500 without reason and details. */
export const conversionError = (message: string): StatusError =>
  new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
