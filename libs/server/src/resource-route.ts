import {
  badRequest,
  getOwn,
  methodNotAllowed,
  noSuchResource,
  notFound,
  type StatusError,
  validatePathSegmentName,
} from '@annex/machinery';
import type { KindBehavior, RequestContext, RequestInfo, ResourceKind } from '@annex/kinds';
import { patchMediaType } from './decoding/media-type.ts';
import { requirePatchType } from './decoding/decode-patch.ts';
import { requireRouted } from './encoding/negotiation.ts';
import { methodNotRouted } from './go-route.ts';
import { connect } from './handlers/connect.ts';
import { create, createSubresource } from './handlers/create.ts';
import { removeCollection } from './handlers/delete-collection.ts';
import { remove } from './handlers/delete.ts';
import { get } from './handlers/get.ts';
import { list } from './handlers/list.ts';
import { patch } from './handlers/patch.ts';
import type { RequestScope } from './handlers/request-scope.ts';
import { update } from './handlers/update.ts';
import { watch } from './handlers/watch.ts';

type Handler = (scope: RequestScope) => Promise<void> | void;

/** The handler of a request for a kind. */
export interface ResourceRoute {
  handler: Handler;
  subresource: RequestScope['subresource'];
}

const handlers: Readonly<Record<string, Handler>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: removeCollection,
};

const subresourceHandlers: Readonly<Record<string, Handler>> = {
  get,
  create: createSubresource,
  update,
  patch,
};

/** Differences between kube-apiserver's two routers. */
interface Router {
  /** HEAD is served as GET. */
  head: boolean;
  /** The warning of a deprecated version is sent even if the path is not found. */
  warnsFirst: boolean;
  /** The maximum number of path segments from the resource on. */
  maxParts: number;
  /** Returns whether the verb fits a path with a name or without one. */
  fitsName(info: RequestInfo): boolean;
  /** The error for a verb without a route. */
  noVerb(kind: ResourceKind, info: RequestInfo): StatusError;
  noSubresource(kind: ResourceKind, info: RequestInfo): StatusError;
}

const namedVerbs = ['get', 'update', 'patch', 'delete'];

const custom: Router = {
  head: true,
  warnsFirst: true,
  maxParts: Infinity,
  fitsName: () => true,
  noVerb: (kind, { verb }) => methodNotAllowed(kind, verb),
  noSubresource: (kind, { name }) => notFound(kind, name),
};

const restful: Router = {
  head: false,
  warnsFirst: false,
  maxParts: 3,
  // Connections are created at the collection and replaced at the object.
  fitsName: ({ verb, name }) =>
    verb === 'create' ? name === '' : name !== '' || (verb !== 'update' && verb !== 'patch'),
  noVerb(kind, { verb, name, subresource }) {
    if (verb === 'watch' && kind.verbs.includes('list')) return methodNotAllowed(kind, verb);
    // Paths without any verb do not exist.
    const isRouted =
      name === '' || subresource !== '' || namedVerbs.some((named) => kind.verbs.includes(named));
    return isRouted ? methodNotRouted() : noSuchResource();
  },
  noSubresource: () => noSuchResource(),
};

const routers: Readonly<Record<KindBehavior['router'], Router>> = { custom, restful };

/**
 * Returns the handler of a request, and warns of a deprecated version. Throws kube-apiserver's error if there
 * is none.
 */
export function routeOf(kind: ResourceKind, request: RequestContext): ResourceRoute {
  const { info, req } = request;
  const { name, parts, subresource, verb } = info;
  const router = routers[kind.behavior.router];
  // A watch has the route of its list, which is found before the kind is checked for watch support.
  const warnsFirst =
    router.warnsFirst || (subresource === '' && verb === 'watch' && kind.verbs.includes('list'));
  if (warnsFirst) warnOf(kind, request);
  requireValidName(name);
  const spec = Object.hasOwn(kind.subresources, subresource) ? kind.subresources[subresource] : undefined;
  const maxParts = spec?.connect?.target ? Infinity : router.maxParts;
  if (subresource !== '' && (spec === undefined || parts.length > maxParts)) {
    throw router.noSubresource(kind, info);
  }
  const handler = spec?.connect ? connect : getOwn(spec ? subresourceHandlers : handlers, verb);
  const fits = spec !== undefined || (router.fitsName(info) && fitsNamespace(kind, info));
  const isRouted = (spec ?? kind).verbs.includes(verb) && fits;
  if (handler === undefined || !isRouted || (req.method === 'HEAD' && !router.head)) {
    const isNowhere = info.namespace === '' && kind.namespaced && !kind.verbs.includes('list');
    throw isNowhere ? noSuchResource() : router.noVerb(kind, info);
  }
  if (!warnsFirst) warnOf(kind, request);
  return { handler, subresource: spec && { name: subresource, spec } };
}

const fitsNamespace = ({ namespaced }: ResourceKind, { namespace, verb }: RequestInfo): boolean =>
  !namespaced || namespace !== '' || acrossAll(verb);

function requireValidName(name: string): void {
  const errors = name === '' ? [] : validatePathSegmentName(name);
  if (errors.length === 0) return;
  throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${errors.join(';')}`);
}

function warnOf(kind: ResourceKind, request: RequestContext): void {
  const { deprecationWarning } = kind;
  if (deprecationWarning === undefined) return;
  requireTypes(kind, request);
  request.warnings.push(deprecationWarning);
  request.audit?.annotateLast('k8s.io/deprecated', 'true');
}

/** Throws 415 and 406 for media types that have no route. */
function requireTypes(kind: ResourceKind, request: RequestContext): void {
  const { info, req } = request;
  const { router, listForms, objectForms } = kind.behavior;
  if (router !== 'restful') return;
  if (info.verb === 'patch') requirePatchType(patchMediaType(request), kind);
  const ofCollection = info.name === '' && info.verb !== 'create';
  requireRouted(req.headers.accept, ofCollection ? listForms : objectForms);
}

/** Returns whether a verb can apply to the objects of all namespaces. */
const acrossAll = (verb: string): boolean => verb === 'list' || verb === 'watch';

/**
 * Returns whether a path fits the scope of a kind. Namespaced kinds need a namespace, except for a list or
 * watch of all namespaces; cluster-scoped kinds must not have one.
 */
export function fitsScope(kind: ResourceKind, { namespace, verb, parts, resource }: RequestInfo): boolean {
  // The path of a Namespace names it as its own namespace. Namespaces within another namespace do not exist.
  if (!kind.namespaced) return namespace === '' || (resource === 'namespaces' && parts[1] === namespace);
  if (namespace !== '') return true;
  // go-restful has a path if it has any verb for it.
  return (
    parts.length === 1 &&
    (acrossAll(verb) || (kind.behavior.router === 'restful' && kind.verbs.includes('list')))
  );
}
