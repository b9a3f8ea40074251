import type { JsonObject } from '@annex/machinery';
import { recordedGroupVersions, recordedServerComponents, withReferences } from '@annex/kinds';
import { groupWord, openApiRelease, securitySchemes, uncapital } from './document.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const json = 'application/json';
const encodings = [json, 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** A GET of information about the server. */
interface ServerPath {
  tag: string;
  description: string;
  operationId: string;
  mediaTypes: readonly string[];
  /** The component of the response. If absent, the response is text. */
  responds?: string;
}

const versions = { description: 'get available API versions', mediaTypes: encodings };

/** The non-resource paths that kube-apiserver documents. */
const serverPaths: Readonly<Record<string, ServerPath>> = {
  '.well-known/openid-configuration': {
    tag: 'WellKnown',
    description: "get service account issuer OpenID configuration, also known as the 'OIDC discovery doc'",
    operationId: 'getServiceAccountIssuerOpenIDConfiguration',
    mediaTypes: [json],
  },
  api: { ...versions, tag: 'core', operationId: 'getCoreAPIVersions', responds: `${meta}.APIVersions` },
  apis: { ...versions, tag: 'apis', operationId: 'getAPIVersions', responds: `${meta}.APIGroupList` },
  'openid/v1/jwks': {
    tag: 'openid',
    description:
      'get service account issuer OpenID JSON Web Key Set (contains public token verification keys)',
    operationId: 'getServiceAccountIssuerOpenIDKeyset',
    mediaTypes: ['application/jwk-set+json'],
  },
  version: {
    tag: 'version',
    description: 'get the version information for this server',
    operationId: 'getCodeVersion',
    mediaTypes: [json],
    responds: 'io.k8s.apimachinery.pkg.version.Info',
  },
};

const groupPath = (group: string): ServerPath => ({
  tag: uncapital(groupWord(group)),
  description: 'get information of a group',
  operationId: `get${groupWord(group)}APIGroup`,
  mediaTypes: encodings,
  responds: `${meta}.APIGroup`,
});

const isBuiltin = (group: string): boolean => recordedGroupVersions().some((gv) => gv.group === group);

/** Returns the paths of the documents about the server that do not belong to a group-version. */
export function serverDocumentPaths(groupVersions: readonly string[]): string[] {
  const groups = new Set(
    groupVersions.map((path) => path.split('/')).map(([root, group]) => (root === 'apis' ? group : '')),
  );
  const builtin = [...groups].filter((group) => group !== undefined && group !== '' && isBuiltin(group));
  return [...Object.keys(serverPaths), ...builtin.map((group) => `apis/${group}`)];
}

/** Returns such a document as OpenAPI v3. */
export function serverDocument(path: string): JsonObject | undefined {
  const [, group] = /^apis\/([^/]+)$/.exec(path) ?? [];
  const known = Object.hasOwn(serverPaths, path) ? serverPaths[path] : undefined;
  const of = known ?? (group !== undefined && isBuiltin(group) ? groupPath(group) : undefined);
  if (of === undefined) return undefined;
  const schemas =
    of.responds === undefined
      ? undefined
      : Object.fromEntries(withReferences(recordedServerComponents(), [of.responds]));
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: openApiRelease },
    paths: { [`/${path}/`]: { get: operation(of) } },
    components: { ...(schemas ? { schemas } : {}), securitySchemes },
  };
}

function operation({ tag, description, operationId, mediaTypes, responds }: ServerPath): JsonObject {
  const schema: JsonObject =
    responds === undefined ? { type: 'string' } : { $ref: `#/components/schemas/${responds}` };
  const content = Object.fromEntries(mediaTypes.map((type) => [type, { schema }]));
  return {
    tags: [tag],
    description,
    operationId,
    responses: { '200': { description: 'OK', content }, '401': { description: 'Unauthorized' } },
  };
}
