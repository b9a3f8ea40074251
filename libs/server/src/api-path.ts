/** The group and version of a path. */
export type ApiVersion = Pick<RequestInfo, 'apiGroup' | 'apiVersion'>;

/** Returns the group-version of `/api/<version>…` and `/apis/<group>/<version>…`. */
export function apiVersionOf({ info, path }: Pick<RequestContext, 'info' | 'path'>): ApiVersion | undefined {
  if (info.isResourceRequest) return info;
  const [, prefix, first = '', second = ''] = path.split('/', 4);
  if (prefix === 'api' && first !== '') return { apiGroup: '', apiVersion: first };
  if (prefix === 'apis' && second !== '') return { apiGroup: first, apiVersion: second };
  return undefined;
}

/**
 * Returns whether a path names a document about all groups or one group: `/api`, `/apis`, `/apis/<group>`,
 * `/openapi/…`.
 */
export function isApiDocument(path: string): boolean {
  const [, prefix, first = '', second = ''] = path.split('/', 4);
  if (prefix === 'api') return first === '';
  return prefix === 'apis' ? second === '' : prefix === 'openapi';
}
import type { RequestContext, RequestInfo } from '@annex/kinds';
