import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@annex/machinery';
import type { ClientRequest } from '@annex/client';
import type { Registration } from './registration.ts';

export const group = '/apis/wardle.example.com';
export const flunders = `${group}/v1alpha1/namespaces/default/flunders`;
export const betas = `${group}/v1beta1/namespaces/default/flunders`;

export const merge = { 'content-type': 'application/merge-patch+json' };
export const jsonPatch = { 'content-type': 'application/json-patch+json' };
export const apply = { 'content-type': 'application/apply-patch+yaml' };
const asJson = { 'content-type': 'application/json' };

export const flunder = (name: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'wardle.example.com/v1alpha1',
  kind: 'Flunder',
  metadata: { name },
  ...more,
});

/** A request with the expected response: its status, and a part of its message or body. */
export type Case = [name: string, request: ClientRequest, status: number, says?: string | RegExp];

export const get = (path: string, headers = {}): ClientRequest => ({ method: 'GET', path, headers });
export const send = (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): ClientRequest => ({
  method,
  path,
  ...(body === undefined
    ? {}
    : { body: typeof body === 'string' ? body : JSON.stringify(body), headers: asJson }),
});
export const patch = (path: string, headers: Record<string, string>, body: unknown): ClientRequest => ({
  method: 'PATCH',
  path,
  headers,
  body: JSON.stringify(body),
});

/** Sends the requests in the order of the cases, because a case may depend on earlier ones. */
export function playCases(what: string, cases: readonly Case[], registered: () => Registration): void {
  describe(`${what}, in order,`, () => {
    it.each(cases)('%s', async (_name, request, status, says = '') => {
      const text = says instanceof RegExp ? expect.stringMatching(says) : expect.stringContaining(says);
      const response = await registered().ask(request);
      expect({ status: response.status, text: saidIn(response.text) }).toEqual({
        status,
        text: text as string,
      });
    });
  });
}

/** Returns the message of a Status, and any other text unchanged. */
function saidIn(text: string): string {
  const { kind, message } = text.startsWith('{"kind":"Status"')
    ? (JSON.parse(text) as Record<string, unknown>)
    : {};
  return kind === 'Status' && typeof message === 'string' ? message : text;
}
