import type { Cell } from '@annex/kinds';
import {
  compileLabelSelector,
  getOwn,
  isObject,
  type JsonObject,
  type KubeObject,
  type LabelSelectorObject,
} from '@annex/machinery';

/** Returns the value at a path of an object, or `undefined`. */
export function at(object: unknown, path: string): unknown {
  let value = object;
  for (const name of path.split('.')) value = isObject(value) ? getOwn(value, name) : undefined;
  return value ?? undefined;
}

/** Returns the objects of a list at a path. */
export const listAt = (object: unknown, path: string): JsonObject[] => {
  const list = at(object, path);
  return Array.isArray(list) ? list.filter(isObject) : [];
};

/** Cells by the name of their column. */
export type Cells = Readonly<Record<string, Cell>>;

/** The cell of a string; `fallback` if it is absent or empty. */
export const textCell =
  (path: string, fallback = ''): Cell =>
  (object) => {
    const value = at(object, path);
    return value === undefined || value === '' ? fallback : String(value);
  };

/** The cell of a number; 0 if it is absent. */
export const numberCell =
  (path: string): Cell =>
  (object) =>
    Number(at(object, path) ?? 0);

/** The cell of a boolean. */
export const boolCell =
  (path: string, fallback = false): Cell =>
  (object) =>
    at(object, path) ?? fallback;

/** The cell with the number of entries of lists and maps. */
export const countCell =
  (...paths: string[]): Cell =>
  (object) =>
    paths.reduce((sum, path) => sum + Object.keys((at(object, path) ?? {}) as object).length, 0);

/** The cell of a list of strings. */
export const joinedCell =
  (path: string, fallback = ''): Cell =>
  (object) => {
    const list = at(object, path);
    return Array.isArray(list) && list.length > 0 ? list.join(',') : fallback;
  };

/** Prints labels as kube-apiserver does: sorted, `<none>` if there are none. */
export function labelsText(labels: unknown): string {
  const pairs = isObject(labels)
    ? Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`)
    : [];
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',');
}

/** Prints a label selector as kube-apiserver does. */
export function selectorText(selector: unknown): string {
  if (!isObject(selector)) return '<none>';
  const printed = String(compileLabelSelector(selector as LabelSelectorObject));
  return printed === '' ? '<none>' : printed;
}

/** Returns the cells of the containers of a pod template, and of the selector of the pods. */
export const templateColumns = (template: string, selector?: Cell): Record<string, Cell> => ({
  Containers: (object) => names(object, template, 'name'),
  Images: (object) => names(object, template, 'image'),
  ...(selector ? { Selector: selector } : {}),
});

const names = (object: KubeObject, template: string, field: string) =>
  listAt(object, `${template}.spec.containers`)
    .map((container) => String(getOwn(container, field) ?? ''))
    .join(',');

/** Prints at most `max` items of a list, and the number of the others. */
export function someOf(list: readonly string[], max: number, fallback: string, separator = ','): string {
  if (list.length === 0) return fallback;
  const shown = list.slice(0, max).join(separator);
  return list.length > max ? `${shown} + ${list.length - max} more...` : shown;
}

/** Returns the addresses that a load balancer reported, without duplicates. */
export function loadBalancers(object: KubeObject): string[] {
  const ingress = listAt(object, 'status.loadBalancer.ingress');
  return [...new Set(ingress.map(({ ip, hostname }) => String(ip || hostname || '')).filter(Boolean))].sort();
}

/** Returns the name of a class, marked if an annotation makes it the default. */
export const classNameCell =
  (...annotations: string[]): Cell =>
  ({ metadata }) =>
    annotations.some((annotation) => getOwn(metadata.annotations, annotation) === 'true')
      ? `${metadata.name} (default)`
      : (metadata.name ?? '');
