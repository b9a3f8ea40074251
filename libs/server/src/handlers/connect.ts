import { notFound } from '@annex/machinery';
import type { ResourceRequest } from './resource-request.ts';

/** A request to a subresource that connects, whatever its method: nothing of it is decoded. */
export async function connect({ ctx, kind, objects, subresource }: ResourceRequest): Promise<void> {
  const connection = subresource?.spec.connect;
  if (connection === undefined) throw new Error(`${ctx.path} does not connect`);
  const name = connection.target?.(ctx.info.name) ?? ctx.info.name;
  connection.checkRequest?.(ctx);
  const current = await objects.read(ctx.info.namespace, name);
  if (current === undefined) throw notFound(kind, name);
  connection.answer(current.object, ctx);
}
