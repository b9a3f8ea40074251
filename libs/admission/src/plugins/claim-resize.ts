import { isObject, type JsonObject, type KubeObject } from '@annex/machinery';
import type { AdmissionPlugin, ServerDeps } from '@annex/server';
import { resourceList } from '../quota/resource-list.ts';
import { lookup } from './classes.ts';
import { refuse } from './refuse.ts';

interface Claim extends KubeObject {
  spec?: { storageClassName?: string; resources?: { requests?: JsonObject } };
  status?: { phase?: string };
}

/**
 * Only bound claims can be expanded, and only if their class allows it. Source: "PersistentVolumeClaimResize"
 * of the admission controllers documentation.
 */
export function claimResize(deps: ServerDeps): AdmissionPlugin {
  const classes = lookup(deps, '/registry/storageclasses/');
  return {
    name: 'PersistentVolumeClaimResize',
    resources: ['/persistentvolumeclaims'],
    async validate(attributes) {
      const { operation, subresource, object, oldObject } = attributes;
      if (operation !== 'UPDATE' || subresource !== '') return;
      if (!grows(object as Claim, oldObject as Claim)) return;
      const { phase } = (oldObject as Claim).status ?? {};
      if (phase !== 'Bound') throw refuse(attributes, 'Only bound persistent volume claims can be expanded');
      const [name, before] = [classOf(object as Claim), classOf(oldObject as Claim)];
      const found = name !== '' && name === before ? await classes.get(name) : undefined;
      if (found?.allowVolumeExpansion === true) return;
      const text =
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc';
      throw refuse(attributes, `${text} must support resize`);
    },
  };
}

const sizeOf = ({ spec }: Claim) => resourceList(spec?.resources?.requests).get('storage');

function grows(claim: Claim, before: Claim): boolean {
  const [size, had] = [sizeOf(claim), sizeOf(before)];
  return size !== undefined && (had === undefined ? size.sign > 0 : size.compare(had) > 0);
}

const classOf = ({ metadata, spec }: Claim): string => {
  const annotated = metadata.annotations?.['volume.beta.kubernetes.io/storage-class'];
  if (annotated !== undefined) return annotated;
  return isObject(spec) ? (spec.storageClassName ?? '') : '';
};
