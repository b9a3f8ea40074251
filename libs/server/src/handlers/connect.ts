import { badRequest, type KubeObject, notFound } from '@annex/machinery';
import { firstInvocation } from '../admission/plugin.ts';
import type { ConnectOptions, Subresource } from '@annex/kinds';
import type { RequestScope } from './request-scope.ts';

/** Serves a request to a connecting subresource with any method. The body is not decoded. */
export async function connect(scope: RequestScope): Promise<void> {
  const { request, kind, objects, subresource } = scope;
  const connection = subresource?.spec.connect;
  if (connection === undefined) throw new Error(`${request.path} does not connect`);
  if (connection.options) await admit(scope, subresource as Named, connection.options);
  const name = connection.target?.(request.info.name) ?? request.info.name;
  connection.checkRequest?.(request);
  const current = await objects.read(request.info.namespace, name);
  if (current === undefined) throw notFound(kind, name);
  await connection.respond(current.object, request);
}

interface Named {
  name: string;
  spec: Subresource;
}

/** Runs admission for a connection, before the handler checks that the object exists. */
async function admit(
  { request, kind, server }: RequestScope,
  { name: subresource, spec }: Named,
  { schema, read }: ConnectOptions,
): Promise<void> {
  if (request.query.has('dryRun')) throw badRequest('dryRun is not supported');
  const { group, version } = spec;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const options = { kind: spec.kind, apiVersion, ...read(request) };
  const requested = {
    request,
    kind,
    objectKind: { group, version, kind: spec.kind, schema },
    equivalents: () => server.admission.equivalents(kind),
    operation: 'CONNECT' as const,
    subresource,
    namespace: request.info.namespace,
    name: request.info.name,
    dryRun: false,
    options: () => null,
    object: options as unknown as KubeObject,
    reinvocation: firstInvocation(),
  };
  const mutated = server.admission.mutate(requested);
  if (mutated) await mutated;
  const validated = server.admission.validate(requested);
  if (validated) await validated;
}
