const documents = ['/api', '/apis', '/apis/', '/openapi/v2', '/openapi/v3', '/openapi/v3/'];
const unregistered = ['/apis/apiregistration.k8s.io', '/apis/apiregistration.k8s.io/v1'];

/** Returns the paths that `GET /` lists of the API: of groups and versions by their APIServices. */
export function apiPaths(apiServices: ApiServices): string[] {
  const versions = [...apiServices.all()].flatMap(({ spec: { group = '', version } }) =>
    group === '' ? [`/api/${version}`] : [`/apis/${group}`, `/apis/${group}/${version}`],
  );
  return [...documents, ...unregistered, ...versions];
}
import type { ApiServices } from '@annex/aggregation';
