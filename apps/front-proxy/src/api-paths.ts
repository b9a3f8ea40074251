const documents = ['/api', '/apis', '/apis/', '/openapi/v2', '/openapi/v3', '/openapi/v3/'];
const unregistered = ['/apis/apiregistration.k8s.io', '/apis/apiregistration.k8s.io/v1'];

/** Returns the API paths that `GET /` lists: the groups and versions of the APIServices. */
export function apiPaths(apiServices: ApiServices): string[] {
  const versions = [...apiServices.all()].flatMap(({ spec: { group = '', version } }) =>
    group === '' ? [`/api/${version}`] : [`/apis/${group}`, `/apis/${group}/${version}`],
  );
  return [...documents, ...unregistered, ...versions];
}
import type { ApiServices } from '@annex/aggregation';
