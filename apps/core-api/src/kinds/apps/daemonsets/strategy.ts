import { deepEqual, isObject, type KubeObject } from '@annex/machinery';
import type { KindExtension } from '@annex/kinds';
import { templateGeneration } from '../../../defaults/workloads.ts';

const templateOf = ({ spec }: KubeObject): unknown => (isObject(spec) ? spec.template : undefined);

function setGeneration({ metadata }: KubeObject, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [templateGeneration]: String(generation) };
}

/** DaemonSets count the changes of their template in an annotation. */
export const daemonSets: KindExtension = {
  strategy: {
    prepareForCreate: (daemonSet) => setGeneration(daemonSet, 1),
    prepareForUpdate(daemonSet, old) {
      const before = Number(old.metadata.annotations?.[templateGeneration] ?? 0);
      setGeneration(daemonSet, before + (deepEqual(templateOf(daemonSet), templateOf(old)) ? 0 : 1));
    },
  },
};
