import { isObject, type JsonObject, keepEmptyFields, type KubeObject } from '@annex/machinery';
import type { AdmissionPlugin, AdmissionAttributes, ServerDeps } from '@annex/server';
import { lookup, type Lookup } from './classes.ts';
import { refuse } from './refuse.ts';

interface PriorityClass extends KubeObject {
  value?: number;
  globalDefault?: boolean;
  preemptionPolicy?: string;
}

/** The fields that a pod gets from its PriorityClass. */
interface Priority {
  priorityClassName?: string;
  priority: number;
  preemptionPolicy: string;
}

/**
 * Sets the priority of pods by their class, and permits only one default class. Source: "Priority" of the
 * admission controllers documentation.
 */
export function priorityAdmission(deps: ServerDeps): AdmissionPlugin {
  const classes = lookup(deps, '/registry/priorityclasses/');
  return {
    name: 'Priority',
    resources: ['/pods', 'scheduling.k8s.io/priorityclasses'],
    async mutate(attributes) {
      const { kind, operation, subresource, object } = attributes;
      if (kind.resource !== 'pods' || subresource !== '' || object === undefined) return;
      const spec: JsonObject = isObject(object.spec) ? object.spec : {};
      object.spec =
        operation === 'CREATE'
          ? await prioritized(attributes, spec, classes)
          : storedPriority(attributes, spec);
    },
    async validate(attributes) {
      const { kind, subresource, object } = attributes;
      if (kind.resource !== 'priorityclasses' || subresource !== '' || object?.globalDefault !== true) return;
      const other = await globalDefault(classes);
      if (other === undefined || other.metadata.name === attributes.oldObject?.metadata.name) return;
      const { name } = other.metadata;
      throw refuse(
        attributes,
        `PriorityClass ${name} is already marked as default. Only one default can exist`,
      );
    },
  };
}

async function prioritized(
  attributes: AdmissionAttributes,
  spec: JsonObject,
  classes: Lookup,
): Promise<JsonObject> {
  const { priorityClassName: name } = spec;
  const found =
    typeof name === 'string' && name !== ''
      ? await named(attributes, name, classes)
      : await byDefault(classes);
  const differs = (field: 'priority' | 'preemptionPolicy') =>
    spec[field] !== undefined && spec[field] !== null && spec[field] !== found[field];
  for (const [field, text] of Object.entries(refusals) as [keyof typeof refusals, string][]) {
    if (!differs(field)) continue;
    const computed = `priority admission controller computed ${found[field]} from the given PriorityClass name`;
    throw refuse(
      attributes,
      `${text} (${String(spec[field])}) must not be provided in pod spec; ${computed}`,
    );
  }
  return { ...spec, ...found };
}

const refusals = {
  priority: 'the integer value of priority',
  preemptionPolicy: 'the string value of PreemptionPolicy',
} as const;

async function named(attributes: AdmissionAttributes, name: string, classes: Lookup): Promise<Priority> {
  const found = await classes.get(name);
  if (found === undefined) throw refuse(attributes, `no PriorityClass with name ${name} was found`);
  return priorityOf(found);
}

async function byDefault(classes: Lookup): Promise<Priority> {
  const found = await globalDefault(classes);
  if (found === undefined) return { priority: 0, preemptionPolicy: 'PreemptLowerPriority' };
  return { priorityClassName: found.metadata.name ?? '', ...priorityOf(found) };
}

const priorityOf = ({ value = 0, preemptionPolicy = 'PreemptLowerPriority' }: PriorityClass): Priority => ({
  priority: value,
  preemptionPolicy,
});

/** Returns the class of pods that name none; of several the one with the lowest value. */
async function globalDefault(classes: Lookup): Promise<PriorityClass | undefined> {
  const marked = ((await classes.list()) as PriorityClass[]).filter((one) => one.globalDefault === true);
  return marked.sort((a, b) => (a.value ?? 0) - (b.value ?? 0))[0];
}

/** An update without a priority keeps the stored one. */
function storedPriority({ oldObject }: AdmissionAttributes, spec: JsonObject): JsonObject {
  const before: JsonObject = isObject(oldObject?.spec) ? oldObject.spec : {};
  const had = (field: 'priority' | 'preemptionPolicy') =>
    (spec[field] ?? null) === null && before[field] !== undefined ? { [field]: before[field] } : {};
  return keepEmptyFields({ ...spec, ...had('priority'), ...had('preemptionPolicy') }, spec);
}
