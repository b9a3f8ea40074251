import {
  type FieldSelector,
  parseFieldSelector,
  parseGoInteger,
  parseLabelSelector,
  type Query,
  tableOf,
  validatePathSegmentName,
} from '@annex/machinery';
import { booleanParameter } from './boolean-parameter.ts';

/**
 * The target and verb of a request by its path and method, like apimachinery's RequestInfo. Source:
 * "Determine the Request Verb" of the authorization documentation.
 */
export interface RequestInfo {
  isResourceRequest: boolean;
  /** The decoded path. */
  path: string;
  /**
   * get, list, watch, create, update, patch, delete, deletecollection; the lower-case method for other paths.
   */
  verb: string;
  /** `api` or `apis` for resource requests. */
  apiPrefix: string;
  apiGroup: string;
  apiVersion: string;
  namespace: string;
  resource: string;
  subresource: string;
  name: string;
  /** The selectors of a list, watch or deletecollection as sent; empty if the path contains the verb. */
  fieldSelector: string;
  labelSelector: string;
  /** The path segments from the resource on. */
  parts: readonly string[];
}

const resourceVerbs = tableOf({
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
});

// Subresources of a namespace; any other segment is a resource inside of the namespace.
const namespaceSubresources = new Set(['status', 'finalize']);
const legacyVerbs = new Set(['proxy', 'watch']);

const nonResource = (path: string, method: string): RequestInfo => ({
  isResourceRequest: false,
  path,
  verb: method.toLowerCase(),
  apiPrefix: '',
  apiGroup: '',
  apiVersion: '',
  namespace: '',
  resource: '',
  subresource: '',
  name: '',
  fieldSelector: '',
  labelSelector: '',
  parts: [],
});

/**
 * Parses a decoded path as kube-apiserver does. Never throws: a path that is not a resource path is a
 * non-resource request.
 */
export function parseRequestInfo(method: string, path: string, query: Query): RequestInfo {
  // Inner empty segments stay, as in kube-apiserver: `/api//v1` is not a resource path.
  const [prefix, ...segments] = withoutSlashesAround(path).split('/') as [string, ...string[]];
  const info = nonResource(path, method);
  const [group, version] = prefix === 'apis' ? segments : ['', segments[0]];
  const rest = segments.slice(prefix === 'apis' ? 2 : 1);
  if ((prefix !== 'api' && prefix !== 'apis') || rest.length === 0) return info;
  info.isResourceRequest = true;
  info.apiPrefix = prefix;
  info.apiGroup = group ?? '';
  info.apiVersion = version ?? '';
  return withResource(info, method, rest, query);
}

function withoutSlashesAround(path: string): string {
  let [start, end] = [0, path.length];
  while (path[start] === '/') start++;
  while (end > start && path[end - 1] === '/') end--;
  return path.slice(start, end);
}

function withResource(info: RequestInfo, method: string, rest: string[], query: Query): RequestInfo {
  const first = rest[0];
  const byPath = first !== undefined && legacyVerbs.has(first);
  if (byPath) {
    if (rest.length < 2) return info;
    info.verb = first;
    rest = rest.slice(1);
  } else {
    info.verb = resourceVerbs.get(method) ?? '';
  }
  if (rest[0] === 'namespaces') {
    const [, namespace, third] = rest;
    if (namespace !== undefined) {
      info.namespace = namespace;
      if (third !== undefined && !namespaceSubresources.has(third)) rest = rest.slice(2);
    }
  }
  info.parts = rest;
  info.resource = rest[0] ?? '';
  info.name = rest[1] ?? '';
  if (info.verb !== 'proxy') info.subresource = rest[2] ?? '';
  collectionVerbs(info, query, byPath);
  return info;
}

/** A GET without a name lists or watches; a DELETE without a name deletes the collection. */
function collectionVerbs(info: RequestInfo, query: Query, byPath: boolean): void {
  if (info.name === '' && info.verb === 'get') {
    info.verb = booleanParameter(query.get('watch')) ? 'watch' : 'list';
    info.name = selectedName(query);
  }
  if (info.name === '' && info.verb === 'delete') info.verb = 'deletecollection';
  if (!byPath && selectingVerbs.has(info.verb)) {
    info.fieldSelector = query.get('fieldSelector') ?? '';
    info.labelSelector = query.get('labelSelector') ?? '';
  }
}

const selectingVerbs = new Set(['list', 'watch', 'deletecollection']);

/**
 * A collection selected by name is authorized as that name. The selector parser must find the name, because a
 * text may contain `metadata.name=` in the value of another requirement.
 */
function selectedName(query: Query): string {
  const fieldSelector = query.get('fieldSelector');
  if (!fieldSelector?.includes('metadata.name')) return '';
  try {
    const name = exactName(parseFieldSelector(fieldSelector)) ?? '';
    requireListOptions(query);
    return validatePathSegmentName(name).length === 0 ? name : '';
  } catch {
    return '';
  }
}

/** Throws if another list option is invalid: kube-apiserver ignores the name in such a query. */
function requireListOptions(query: Query): void {
  parseLabelSelector(query.get('labelSelector') ?? '');
  for (const option of ['limit', 'timeoutSeconds']) {
    const value = query.get(option);
    if (value !== undefined) parseGoInteger(value, 'ParseInt');
  }
}

/** Returns the name that a selector requires, if any. */
export const exactName = ({ requirements }: FieldSelector): string | undefined =>
  requirements.find(({ field, operator }) => field === 'metadata.name' && operator !== '!=')?.value;
