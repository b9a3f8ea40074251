import type { Cell } from '@annex/kinds';
import {
  compileLabelSelector,
  getOwn,
  isObject,
  type JsonObject,
  type KubeObject,
  type LabelSelectorObject,
} from '@annex/machinery';

/** The value under a path of an object, or `undefined`. */
export function at(object: unknown, path: string): unknown {
  let value = object;
  for (const name of path.split('.')) value = isObject(value) ? getOwn(value, name) : undefined;
  return value ?? undefined;
}

/** The objects of a list under a path. */
export const listAt = (object: unknown, path: string): JsonObject[] => {
  const list = at(object, path);
  return Array.isArray(list) ? list.filter(isObject) : [];
};

/** Cells by the name of their column. */
export type Cells = Readonly<Record<string, Cell>>;

/** The cell of a text field; `fallback` where it is absent or empty. */
export const textCell =
  (path: string, fallback = ''): Cell =>
  (object) => {
    const value = at(object, path);
    return value === undefined || value === '' ? fallback : String(value);
  };

/** The cell of a number; 0 where it is absent. */
export const numberCell =
  (path: string): Cell =>
  (object) =>
    Number(at(object, path) ?? 0);

/** The cell of a boolean. */
export const boolCell =
  (path: string, fallback = false): Cell =>
  (object) =>
    at(object, path) ?? fallback;

/** The cell that counts the entries of lists and maps. */
export const countCell =
  (...paths: string[]): Cell =>
  (object) =>
    paths.reduce((sum, path) => sum + Object.keys((at(object, path) ?? {}) as object).length, 0);

/** The cell of a list of texts. */
export const joinedCell =
  (path: string, fallback = ''): Cell =>
  (object) => {
    const list = at(object, path);
    return Array.isArray(list) && list.length > 0 ? list.join(',') : fallback;
  };

/** Labels as kube-apiserver prints them: sorted, `<none>` where there are none. */
export function labelsText(labels: unknown): string {
  const pairs = isObject(labels)
    ? Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`)
    : [];
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',');
}

/** A label selector as kube-apiserver prints it. */
export function selectorText(selector: unknown): string {
  if (!isObject(selector)) return '<none>';
  const printed = String(compileLabelSelector(selector as LabelSelectorObject));
  return printed === '' ? '<none>' : printed;
}

/** The cells of the containers of a pod template, and of the selector of the pods. */
export const templateColumns = (template: string, selector?: Cell): Record<string, Cell> => ({
  Containers: (object) => names(object, template, 'name'),
  Images: (object) => names(object, template, 'image'),
  ...(selector ? { Selector: selector } : {}),
});

const names = (object: KubeObject, template: string, field: string) =>
  listAt(object, `${template}.spec.containers`)
    .map((container) => String(getOwn(container, field) ?? ''))
    .join(',');

/** At most so many of a list, and how many more there are. */
export function someOf(list: readonly string[], max: number, fallback: string, separator = ','): string {
  if (list.length === 0) return fallback;
  const shown = list.slice(0, max).join(separator);
  return list.length > max ? `${shown} + ${list.length - max} more...` : shown;
}

/** The addresses that a load balancer reported, each once. */
export function loadBalancers(object: KubeObject): string[] {
  const ingress = listAt(object, 'status.loadBalancer.ingress');
  return [...new Set(ingress.map(({ ip, hostname }) => String(ip || hostname || '')).filter(Boolean))].sort();
}

/** The name of a class, and whether one of the annotations makes it the default. */
export const classNameCell =
  (...annotations: string[]): Cell =>
  ({ metadata }) =>
    annotations.some((annotation) => getOwn(metadata.annotations, annotation) === 'true')
      ? `${metadata.name} (default)`
      : (metadata.name ?? '');
