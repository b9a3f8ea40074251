import { group } from '../large-objects.ts';
import type { TurnRequest } from '../h2-client.ts';
import type { TurnRow } from '../turn-row.ts';

/** Requests for what is large in another way than an object of a kind. */
export interface RequestGroup {
  name: string;
  rows(): TurnRow[];
}

export const range = <T>(length: number, of: (i: number) => T): T[] =>
  Array.from({ length }, (_, i) => of(i));
export const json = JSON.stringify;
export const core = '/api/v1/namespaces/large';
export const custom = `/apis/${group}/v1/namespaces/large`;

export const post = (path: string, body: object | string): TurnRequest => ({
  method: 'POST',
  path,
  body: typeof body === 'string' ? body : json(body),
});
export const row = (name: string, request: TurnRequest, more: Partial<TurnRow> = {}): TurnRow => ({
  name,
  ...request,
  ...more,
});
export const patch = (path: string, type: string, body: object | string): TurnRequest => ({
  method: 'PATCH',
  path,
  type,
  body: typeof body === 'string' ? body : json(body),
});
export const remove = (path: string): TurnRequest => ({ method: 'DELETE', path });
export const get = (path: string, accept?: string): TurnRequest => ({
  method: 'GET',
  path,
  ...(accept !== undefined && { accept }),
});

export const maps = `${core}/configmaps`;
export const lists = `${custom}/free`;
export const freeOf = (name: string, spec: object) => ({
  apiVersion: `${group}/v1`,
  kind: 'Free',
  metadata: { name },
  spec,
});
