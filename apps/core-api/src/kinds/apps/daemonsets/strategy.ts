import { statusEndpoint, type Subresource } from '@annex/kinds';
import { deepEqual, isObject, type KubeObject } from '@annex/machinery';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { templateGeneration } from './defaults.ts';

const templateOf = ({ spec }: KubeObject): unknown => (isObject(spec) ? spec.template : undefined);

function setGeneration({ metadata }: KubeObject, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [templateGeneration]: String(generation) };
}

/** An annotation counts the changes of the template. */
export const daemonSetStrategy: BuiltinKind['strategy'] = {
  allowUnconditionalUpdate: true,
  generation: true,
  metaChecks: { asUpdate: 1, asWhole: 0, standardFinalizers: true },
  prepareForCreate: (daemonSet) => setGeneration(daemonSet, 1),
  prepareForUpdate(daemonSet, old) {
    const before = Number(old.metadata.annotations?.[templateGeneration] ?? 0);
    setGeneration(daemonSet, before + (deepEqual(templateOf(daemonSet), templateOf(old)) ? 0 : 1));
  },
};

const { write } = statusEndpoint();

/** A write of the status takes the annotations that are sent, except for the counter. */
export const keepsGeneration: Pick<Subresource, 'write'> = {
  write(sent, parent, request) {
    const kept = write!(sent, parent, request) as KubeObject;
    setGeneration(kept, Number(parent.metadata.annotations?.[templateGeneration] ?? 0));
    return kept;
  },
};
