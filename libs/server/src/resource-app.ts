import { markStep } from './trace/decision-trace.ts';
import {
  badRequest,
  methodNotAllowed,
  noSuchResource,
  notFound,
  type StatusError,
  validatePathSegmentName,
} from '@annex/machinery';
import { AdmissionChain } from './admission/chain.ts';
import type { AdmissionPlugin } from './admission/plugin.ts';
import type { App, DiscoverySource, ServerDeps } from './app.ts';
import type { RequestContext } from './context.ts';
import { methodNotRouted } from './go-route.ts';
import { create, createSubresource } from './handlers/create.ts';
import { removeCollection } from './handlers/delete-collection.ts';
import { remove } from './handlers/delete.ts';
import { get } from './handlers/get.ts';
import { list } from './handlers/list.ts';
import { patch } from './handlers/patch.ts';
import type { ResourceRequest, ResourceServer, WatcherLimits } from './handlers/resource-request.ts';
import { update } from './handlers/update.ts';
import { watch } from './handlers/watch.ts';
import type { KindRegistry } from './kind-registry.ts';
import type { RequestInfo } from './request-info.ts';
import { sendResourceList } from './resource-list.ts';
import type { ResourceKind } from './resource-kind.ts';
import { sendNotServed } from './respond.ts';
import { servedApis } from './served-apis.ts';
import { composeSteps } from './step.ts';
import { StoredObjects } from './stored-objects.ts';
import { writeSteps } from './write-path.ts';

/** What a resource app is made of. */
export interface ResourceAppOptions {
  name: string;
  deps: ServerDeps;
  kinds: KindRegistry;
  discovery: DiscoverySource;
  admission?: readonly AdmissionPlugin[];
  watchers?: Partial<WatcherLimits>;
  /** Answers a path under a group-version of this app that names no kind of it; default: kube's 404. */
  fallback?: (ctx: RequestContext) => Promise<void> | void;
  start?: () => Promise<void>;
  stop?: () => Promise<void>;
}

type Handler = (request: ResourceRequest) => Promise<void>;

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

const defaultLimits: WatcherLimits = { maxBufferedBytes: 16 * 1024 * 1024, bookmarkIntervalMs: 60_000 };

/** An app that serves the kinds of a registry through the one resource path. */
export function createResourceApp(options: ResourceAppOptions): App {
  const { deps, kinds } = options;
  const isServed = deps.servedApis ?? servedApis();
  for (const kind of [...kinds.kinds()]) if (!isServed(kind)) kinds.remove(kind);
  const admission = new AdmissionChain(options.admission ?? [], kinds);
  const steps = writeSteps(deps, admission, kinds);
  const server: ResourceServer = {
    deps,
    admission,
    writeSteps: steps,
    write: composeSteps(steps, (step, ctx) => markStep(ctx.request.trace, step)),
    watchers: { ...defaultLimits, ...options.watchers },
    running: deps.metrics.gauge('apiserver_longrunning_requests', 'Open watches.', [
      'verb',
      'group',
      'version',
      'resource',
    ]),
  };
  const stored = new WeakMap<ResourceKind, StoredObjects>();
  const objectsOf = (kind: ResourceKind): StoredObjects => {
    let objects = stored.get(kind);
    if (objects === undefined) stored.set(kind, (objects = new StoredObjects(deps, kind)));
    return objects;
  };
  return {
    name: options.name,
    discovery: options.discovery,
    handle: async (ctx) => {
      const { info } = ctx;
      if (info.resource === '') return await sendResourceList(ctx, kinds);
      const kind = kinds.get(info.apiGroup, info.apiVersion, info.resource);
      if (kind === undefined || !fitsScope(kind, info)) {
        return await (options.fallback ?? notServed(kinds))(ctx);
      }
      ctx.kind = kind;
      await serve(ctx, kind, kind.storage ? objectsOf(kind) : (undefined as never), server);
    },
    start: async () => await options.start?.(),
    stop: async () => await options.stop?.(),
  };
}

/**
 * True where a path fits the scope of a kind: a namespaced one needs a namespace, except to list or watch across all,
 * a cluster-scoped one must not have any.
 */
function fitsScope(kind: ResourceKind, { namespace, verb, parts, resource }: RequestInfo): boolean {
  // The path of a Namespace names it as its own namespace; a Namespace within another one does not exist.
  if (!kind.namespaced) return namespace === '' || (resource === 'namespaces' && parts[1] === namespace);
  return namespace !== '' || (parts.length === 1 && (verb === 'list' || verb === 'watch'));
}

function warnOf({ deprecationWarning }: ResourceKind, ctx: RequestContext): void {
  if (deprecationWarning !== undefined) ctx.warnings.push(deprecationWarning);
}

async function serve(
  ctx: RequestContext,
  kind: ResourceKind,
  objects: StoredObjects,
  server: ResourceServer,
): Promise<void> {
  const { verb, subresource: name, parts } = ctx.info;
  // Built-in kinds warn once their route is found.
  if (kind.custom) warnOf(kind, ctx);
  const complaints = ctx.info.name === '' ? [] : validatePathSegmentName(ctx.info.name);
  if (complaints.length > 0) {
    throw badRequest(`Name parameter invalid: ${JSON.stringify(ctx.info.name)}: ${complaints.join(';')}`);
  }
  // kube routes HEAD for custom resources only.
  const isRefusedHead = ctx.req.method === 'HEAD' && !kind.custom;
  if (name === '') {
    const handler = handlers[verb];
    // The route of a watch is that of its list.
    if (verb === 'watch' && kind.verbs.includes('list')) warnOf(kind, ctx);
    if (handler === undefined || isRefusedHead || !kind.verbs.includes(verb) || !fitsName(kind, ctx.info)) {
      throw unsupported(kind, ctx);
    }
    if (!kind.custom && verb !== 'watch') warnOf(kind, ctx);
    return await handler({ ctx, kind, objects, server });
  }
  const spec = Object.hasOwn(kind.subresources, name) ? kind.subresources[name] : undefined;
  if (spec === undefined || (parts.length > 3 && !kind.custom))
    throw kind.custom ? notFound(kind, ctx.info.name) : noSuchResource();
  const handler = subresourceHandlers[verb];
  if (handler === undefined || isRefusedHead || !spec.verbs.includes(verb)) throw unsupported(kind, ctx);
  if (!kind.custom) warnOf(kind, ctx);
  await handler({ ctx, kind, objects, server, subresource: { name, spec } });
}

/** Built-in kinds are created at the collection and replaced at the object; the other way round is no route of theirs. */
const fitsName = ({ custom }: ResourceKind, { verb, name }: RequestInfo): boolean =>
  custom || (verb === 'create' ? name === '' : name !== '' || !replacing.includes(verb));

const replacing = ['update', 'patch'];

const namedVerbs = ['get', 'update', 'patch', 'delete'];

/** The answer to a verb that a kind does not have. Paths of built-in kinds that have no verb at all do not exist. */
function unsupported(kind: ResourceKind, { info }: RequestContext): StatusError {
  if (info.namespace === '' && kind.namespaced && !kind.verbs.includes('list')) return noSuchResource();
  if (kind.custom || info.verb === 'watch') return methodNotAllowed(kind, info.verb);
  const isRouted =
    info.name === '' || info.subresource !== '' || namedVerbs.some((verb) => kind.verbs.includes(verb));
  if (!isRouted) return noSuchResource();
  return methodNotRouted();
}

const notServed = (kinds: KindRegistry) => (ctx: RequestContext) => {
  // A group of built-in kinds answers with a Status, a group that is not served with text.
  if (kinds.hasGroup(ctx.info.apiGroup)) throw noSuchResource();
  sendNotServed(ctx);
};
