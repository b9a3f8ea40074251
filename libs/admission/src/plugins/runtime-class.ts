import {
  deepEqual,
  isObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  stringifyJson,
} from '@annex/machinery';
import { sortedJson } from '@annex/schema';
import type { AdmissionPlugin, AdmissionAttributes, ServerDeps } from '@annex/server';
import { lookup, type Lookup } from './classes.ts';
import { refuse } from './refuse.ts';

interface RuntimeClass extends KubeObject {
  overhead?: { podFixed?: JsonObject };
  scheduling?: { nodeSelector?: Record<string, string>; tolerations?: JsonObject[] };
}

/**
 * Sets overhead and node selection of pods by their RuntimeClass. Source: "RuntimeClass" of the admission
 * controllers documentation.
 */
export function runtimeClassAdmission(deps: ServerDeps): AdmissionPlugin {
  const classes = lookup(deps, '/registry/runtimeclasses/');
  return {
    name: 'RuntimeClass',
    resources: ['/pods'],
    async mutate(attributes) {
      if (!isNewPod(attributes)) return;
      const found = await classOf(attributes, classes);
      if (found === undefined || attributes.object === undefined) return;
      attributes.object.spec = withScheduling(
        attributes,
        withOverhead(attributes, specOf(attributes), found),
        found,
      );
    },
    async validate(attributes) {
      if (!isNewPod(attributes)) return;
      const found = await classOf(attributes, classes);
      const { overhead } = specOf(attributes);
      if (found?.overhead === undefined && isObject(overhead)) {
        const text = 'Pod Overhead set without corresponding RuntimeClass defined Overhead';
        throw refuse(attributes, `pod rejected: ${text}`);
      }
      if (found?.overhead !== undefined && !deepEqual(overhead ?? {}, found.overhead.podFixed ?? {}))
        throw otherOverhead(attributes);
    },
  };
}

const isNewPod = ({ operation, subresource }: AdmissionAttributes): boolean =>
  operation === 'CREATE' && subresource === '';

const specOf = ({ object }: AdmissionAttributes): JsonObject => (isObject(object?.spec) ? object.spec : {});

async function classOf(attributes: AdmissionAttributes, classes: Lookup): Promise<RuntimeClass | undefined> {
  const { runtimeClassName: name } = specOf(attributes);
  if (typeof name !== 'string') return undefined;
  const found = await classes.get(name);
  if (found !== undefined) return found;
  throw refuse(attributes, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
}

function withOverhead(
  attributes: AdmissionAttributes,
  spec: JsonObject,
  { overhead }: RuntimeClass,
): JsonObject {
  if (overhead === undefined) return spec;
  const { podFixed = {} } = overhead;
  const provided = isObject(spec.overhead) ? spec.overhead : {};
  if (Object.keys(provided).length > 0 && !deepEqual(provided, podFixed)) throw otherOverhead(attributes);
  return { ...spec, overhead: podFixed };
}

const otherOverhead = (attributes: AdmissionAttributes) =>
  refuse(attributes, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");

function withScheduling(
  attributes: AdmissionAttributes,
  spec: JsonObject,
  { scheduling }: RuntimeClass,
): JsonObject {
  if (scheduling === undefined) return spec;
  const { nodeSelector = {}, tolerations = [] } = scheduling;
  const selector: JsonObject = isObject(spec.nodeSelector) ? spec.nodeSelector : {};
  for (const [key, value] of Object.entries(nodeSelector)) {
    if (!Object.hasOwn(selector, key) || selector[key] === value) continue;
    const both = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${String(selector[key])}`;
    throw refuse(attributes, `conflict: ${both}`);
  }
  const provided = Array.isArray(spec.tolerations) ? spec.tolerations : [];
  const textOf = (toleration: JsonValue) => stringifyJson(sortedJson(toleration));
  const known = new Set(provided.map(textOf));
  const added = tolerations.filter((one) => !known.has(textOf(one)));
  const all = [...provided, ...added];
  return {
    ...spec,
    ...(Object.keys(nodeSelector).length > 0 ? { nodeSelector: { ...selector, ...nodeSelector } } : {}),
    ...(all.length > 0 ? { tolerations: all } : {}),
  };
}
