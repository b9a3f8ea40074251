import type { Client } from '@annex/client';
import { isObject, type KubeObject, parseJson } from '@annex/machinery';

/** A response with its body. */
export interface TestResponse {
  code: number;
  /** An empty object if the body is not a JSON object. */
  body: KubeObject;
  text: string;
  /** The `message` of a Status, else empty. */
  message: string;
  /** The `Warning` headers. */
  warnings: string[];
}

/** Sends one request and reads the response with any status code. */
export async function send(
  client: Client,
  method: string,
  path: string,
  body?: unknown,
  contentType = 'application/json',
): Promise<TestResponse> {
  const headers = { 'content-type': contentType };
  const response = await client.send({ method, path, headers, ...(body === undefined ? {} : { body }) });
  const text = response.body.toString();
  const read = text.startsWith('{') ? parseJson(text) : {};
  const object = (isObject(read) ? read : {}) as unknown as KubeObject;
  return {
    code: response.status,
    body: object,
    text,
    message: String(object.message ?? ''),
    warnings: [response.headers.warning ?? []].flat(),
  };
}
