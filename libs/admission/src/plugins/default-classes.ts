import { getOwn, isObject, type KubeObject } from '@annex/machinery';
import type { AdmissionPlugin, AdmissionAttributes, ServerDeps } from '@annex/server';
import { defaultClass, lookup } from './classes.ts';

/** How a kind says which class it is of, and where the classes are. */
interface ClassRule {
  plugin: string;
  group: string;
  resource: string;
  /** The field of the spec. */
  field: string;
  /** The annotation that was there before the field. */
  formerly: string;
  classes: string;
  /** What marks a class as the default, the newest annotation first. */
  marks: readonly string[];
}

const claims: ClassRule = {
  plugin: 'DefaultStorageClass',
  group: '',
  resource: 'persistentvolumeclaims',
  field: 'storageClassName',
  formerly: 'volume.beta.kubernetes.io/storage-class',
  classes: '/registry/storage.k8s.io/storageclasses/',
  marks: ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'],
};

const ingresses: ClassRule = {
  plugin: 'DefaultIngressClass',
  group: 'networking.k8s.io',
  resource: 'ingresses',
  field: 'ingressClassName',
  formerly: 'kubernetes.io/ingress.class',
  classes: '/registry/networking.k8s.io/ingressclasses/',
  marks: ['ingressclass.kubernetes.io/is-default-class'],
};

/** Gives new claims the default StorageClass, where there is one. */
export const defaultStorageClass = (deps: ServerDeps): AdmissionPlugin => classDefaulter(deps, claims);

/** Gives new Ingresses the default IngressClass, where there is one. */
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

function hasClass({ metadata, spec }: KubeObject, { field, formerly }: ClassRule): boolean {
  const named = isObject(spec) ? getOwn(spec, field) : undefined;
  return (named !== undefined && named !== null) || getOwn(metadata.annotations, formerly) !== undefined;
}
