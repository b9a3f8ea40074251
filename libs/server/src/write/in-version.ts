import { groupVersion, type KubeObject, unclassified } from '@annex/machinery';
import type { AsyncVersionConverter } from '@annex/schema';
import { convertKind } from '../admission/versioned.ts';
import type { KindRegistry } from '@annex/kinds';
import { equivalentsOf } from '../admission/chain.ts';
import type { WriteContext } from './context.ts';

/** Returns a function that converts the objects of a write to the versions of their field managers. */
export function inVersion({ kind, subresource }: WriteContext, kinds: KindRegistry): AsyncVersionConverter {
  // A Scale has one version.
  if (subresource?.spec.schema !== undefined) return () => undefined;
  return (object, apiVersion) => {
    if (apiVersion.split('/').length > 2) throw unclassified(`unexpected GroupVersion string: ${apiVersion}`);
    if (kind.storage?.inVersion !== undefined) return kind.storage.inVersion(object, apiVersion);
    const versions = [kind, ...equivalentsOf(kind, kinds)];
    const inGroupVersion = (name: string) => versions.find((other) => groupVersion(other) === name);
    const target = inGroupVersion(apiVersion);
    // kube-apiserver does not convert between groups here.
    if (target === undefined || target.group !== kind.group) return undefined;
    const from = inGroupVersion(object.apiVersion ?? '') ?? kind;
    // What is left of an object while fields are pruned can be without metadata.
    const whole = object.metadata === undefined ? { ...(object as KubeObject), metadata: {} } : object;
    return convertKind(whole, from, target).then((converted) => ({
      object: converted,
      schema: target.schema.root,
    }));
  };
}
