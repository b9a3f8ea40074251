import { getOwn, isObject, type JsonObject, Quantity } from '@annex/machinery';
import { objectsOf } from '../../shared/checks.ts';

/** Returns the quality-of-service class of a pod, from the requests and limits of its containers. */
export function qosClass(spec: JsonObject): 'BestEffort' | 'Burstable' | 'Guaranteed' {
  const containers = [...objectsOf(spec.containers), ...objectsOf(spec.initContainers)];
  const amounts = (container: JsonObject, field: string): JsonObject => {
    const resources = isObject(container.resources) ? container.resources : {};
    const found = getOwn(resources, field);
    return isObject(found) ? found : {};
  };
  const counted = ['cpu', 'memory'];
  const has = (container: JsonObject, field: string) =>
    counted.some((name) => !isNone(getOwn(amounts(container, field), name)));
  const withResources = containers.filter(
    ({ resources }) => isObject(resources) && (isObject(resources.requests) || isObject(resources.limits)),
  );
  if (!withResources.some((c) => has(c, 'requests') || has(c, 'limits'))) return 'BestEffort';
  if (withResources.length < containers.length) return 'Burstable';
  const guaranteed = containers.every((container) =>
    counted.every((name) => {
      const limit = getOwn(amounts(container, 'limits'), name);
      const request = getOwn(amounts(container, 'requests'), name) ?? limit;
      return !isNone(limit) && Quantity.parse(String(request)).compare(Quantity.parse(String(limit))) === 0;
    }),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

const isNone = (amount: unknown) => amount === undefined || /^0+[a-zA-Z]*$/.test(String(amount));
