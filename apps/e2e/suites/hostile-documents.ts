import { hostileNames, membersOf } from './hostile-names.ts';

/** The group of the extension API server. */
export const their = 'theirs.example.com';
/** The path of its version. */
export const theirPath = `/apis/${their}/v1`;
/** Its discovery document, in which every name is hostile. */
export const discovery = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${their}/v1`,
  resources: hostileNames.map((name) => ({
    name,
    singularName: name,
    namespaced: true,
    kind: name,
    verbs: ['get', name],
    shortNames: [name],
    categories: [name],
  })),
};
const schemas = membersOf(hostileNames, {
  type: 'object',
  properties: membersOf(hostileNames, { type: 'string' }),
});
const operations = { get: { operationId: 'x', responses: { 200: { description: 'OK' } } } };
/** The documents that it serves, by path. */
export const documents = new Map<string, object>([
  [theirPath, discovery],
  [
    '/openapi/v3',
    { paths: { [theirPath.slice(1)]: { serverRelativeURL: `/openapi/v3${theirPath}?hash=1` } } },
  ],
  [
    `/openapi/v3${theirPath}`,
    {
      openapi: '3.0.0',
      info: { title: 't', version: 'v' },
      paths: { [`${theirPath}/`]: operations },
      components: { schemas },
    },
  ],
  [
    '/openapi/v2',
    {
      swagger: '2.0',
      info: { title: 't', version: 'v' },
      paths: { [`${theirPath}/`]: operations },
      definitions: schemas,
    },
  ],
]);
