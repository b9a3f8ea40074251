import { getOwn, isObject, type KubeObject } from '@annex/machinery';
import type { AdmissionPlugin, AdmissionAttributes, ServerDeps } from '@annex/server';
import { defaultClass, lookup } from './classes.ts';

/** How an object names its class, and where the classes are stored. */
interface ClassRule {
  plugin: string;
  group: string;
  resource: string;
  /** The field of the spec. */
  field: string;
  /** The annotation that preceded the field. */
  formerAnnotation: string;
  classes: string;
  /** The annotations that mark a default class, the newest first. */
  marks: readonly string[];
}

const claims: ClassRule = {
  plugin: 'DefaultStorageClass',
  group: '',
  resource: 'persistentvolumeclaims',
  field: 'storageClassName',
  formerAnnotation: 'volume.beta.kubernetes.io/storage-class',
  classes: '/registry/storageclasses/',
  marks: ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'],
};

const ingresses: ClassRule = {
  plugin: 'DefaultIngressClass',
  group: 'networking.k8s.io',
  resource: 'ingresses',
  field: 'ingressClassName',
  formerAnnotation: 'kubernetes.io/ingress.class',
  classes: '/registry/ingressclasses/',
  marks: ['ingressclass.kubernetes.io/is-default-class'],
};

/** Sets the default StorageClass of new claims, if there is one. */
export const defaultStorageClass = (deps: ServerDeps): AdmissionPlugin => classDefaulter(deps, claims);

/** Sets the default IngressClass of new Ingresses, if there is one. */
export const defaultIngressClass = (deps: ServerDeps): AdmissionPlugin => classDefaulter(deps, ingresses);

function classDefaulter(deps: ServerDeps, rule: ClassRule): AdmissionPlugin {
  const classes = lookup(deps, rule.classes);
  return {
    name: rule.plugin,
    resources: [`${rule.group}/${rule.resource}`],
    async mutate({ operation, subresource, object }: AdmissionAttributes) {
      if (operation !== 'CREATE' || subresource !== '' || object === undefined) return;
      if (hasClass(object, rule)) return;
      const all = await classes.list();
      for (const mark of rule.marks) {
        const name = defaultClass(all, mark)?.metadata.name;
        if (name === undefined) continue;
        object.spec = { ...(isObject(object.spec) ? object.spec : {}), [rule.field]: name };
        return;
      }
    },
  };
}

function hasClass(
  { metadata, spec }: KubeObject,
  { field, formerAnnotation: oldAnnotation }: ClassRule,
): boolean {
  const named = isObject(spec) ? getOwn(spec, field) : undefined;
  return (named !== undefined && named !== null) || getOwn(metadata.annotations, oldAnnotation) !== undefined;
}
