import { once } from 'node:events';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectNoHarm, type HostileServer, startHostile, statusOf } from './hostile-server.ts';
import { wildcard, wildcardDefinition, wildcards } from './hostile-wildcards.ts';
import { openConnection } from './raw-connection.ts';

let server: HostileServer;
beforeAll(async () => {
  server = await startHostile('--request-timeout=8s');
  await server.makeKind(wildcardDefinition, wildcards);
});
expectNoHarm(() => server);

const pods = '/api/v1/namespaces/default/pods';
const configMaps = '/api/v1/namespaces/default/configmaps';
const json = 'application/json';
const yaml = 'application/yaml';
const mergePatch = 'application/merge-patch+json';
const jsonPatch = 'application/json-patch+json';
const strategic = 'application/strategic-merge-patch+json';
const applyPatch = 'application/apply-patch+yaml';

const send = (method: string, path: string, type: string, body: string) =>
  server.ask({ method, path, headers: { 'Content-Type': type }, body });
const deepArray = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const deepObject = (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
const deepSteps = (depth: number) => Array.from({ length: depth }, (_, i) => `${' '.repeat(i)}a:\n`).join('');

/** Each anchor contains the previous one nine times. */
const laughs = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...[...'bcdefghijk'].map(
    (name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghij'[i]}`).join(',')}]`,
  ),
].join('\n');

describe('bodies that cannot be read are 400', () => {
  const patched = `${configMaps}/settings`;
  const deep = 100_000;
  it.each([
    ['half of a JSON text', 'POST', configMaps, json, '{"a":', 'unexpected end of JSON input'],
    ['no JSON', 'POST', configMaps, json, 'hello', "invalid character 'h' looking for beginning of value"],
    ['nothing', 'POST', configMaps, json, '', 'unexpected end of JSON input'],
    ['a list', 'POST', configMaps, json, '[]', 'json: cannot unmarshal array into Go value'],
    ['two documents of JSON', 'POST', configMaps, json, '{}{}', 'json parse error'],
    ['YAML that is none', 'POST', configMaps, yaml, 'a: [', 'yaml: '],
    ['an alias to nothing', 'POST', configMaps, yaml, 'a: *nowhere', 'yaml: '],
    ['an alias to itself', 'POST', configMaps, yaml, 'a: &a [*a]', "yaml: anchor 'a' value contains itself"],
    // The limit: maxYamlAliasLength.
    ['a billion laughs', 'POST', configMaps, yaml, laughs, 'yaml: document contains excessive aliasing'],
    [
      'a billion laughs as an apply',
      'PATCH',
      `${patched}?fieldManager=m`,
      applyPatch,
      laughs,
      'excessive aliasing',
    ],
    [
      'a number beyond float64',
      'POST',
      wildcards,
      json,
      wildcard('n', '"spec":{"n":1e400}'),
      'cannot unmarshal number 1e400',
    ],
    [
      'a number of 5000 digits',
      'POST',
      wildcards,
      json,
      wildcard('n', `"spec":{"n":${'9'.repeat(5000)}}`),
      'cannot unmarshal number 999',
    ],
    ['infinity in YAML', 'POST', wildcards, yaml, 'a: .inf', 'unsupported value: .inf'],
    // The limit: maxDepth.
    ['deep lists', 'POST', configMaps, json, deepArray(deep), 'exceeded max depth'],
    [
      'deep objects',
      'POST',
      wildcards,
      json,
      wildcard('d', `"spec":${deepObject(deep)}`),
      'exceeded max depth',
    ],
    ['deep lists in YAML', 'POST', configMaps, yaml, deepArray(deep), 'exceeded max depth'],
    ['deep sequences in YAML', 'POST', configMaps, yaml, `${'- '.repeat(deep / 5)}a`, 'exceeded max depth'],
    ['deep mappings in YAML', 'POST', configMaps, yaml, deepSteps(600), 'exceeded max depth'],
    ['a deep merge patch', 'PATCH', patched, mergePatch, deepObject(deep), 'exceeded max depth'],
    ['a deep strategic patch', 'PATCH', patched, strategic, deepObject(deep), 'exceeded max depth'],
    [
      'a deep apply',
      'PATCH',
      `${patched}?fieldManager=m`,
      applyPatch,
      deepObject(deep),
      'exceeded max depth',
    ],
    ['deep options', 'DELETE', patched, json, deepObject(deep), 'exceeded max depth'],
  ])('%s', async (_what, method, path, type, body, message) => {
    const existing = await server.ask({ path: patched });
    if (existing.status === 404) {
      await server.make('POST', configMaps, { metadata: { name: 'settings' }, data: { a: 'b' } });
    }
    const response = statusOf(await send(method, path, type, body));
    expect(response).toMatchObject({ code: 400, reason: 'BadRequest' });
    expect(response.message).toContain(message);
    // Only a small part of the body is quoted.
    expect(response.message.length).toBeLessThan(6_000);
  });

  it('an object that is nested as deeply as allowed can be written and read in every form', async () => {
    const rest = `"spec":${deepObject(490)}`;
    expect((await send('POST', wildcards, json, wildcard('deep', rest))).status).toBe(201);
    const path = `${wildcards}/deep`;
    const applied = await send(
      'PATCH',
      `${path}?fieldManager=m&force=true`,
      applyPatch,
      wildcard('deep', rest),
    );
    expect(applied.status).toBe(200);
    expect((await send('PATCH', path, mergePatch, `{"spec":${deepObject(480)}}`)).status).toBe(200);
    for (const accept of ['application/yaml', 'application/json;as=Table;g=meta.k8s.io;v=v1']) {
      expect((await server.ask({ path: wildcards, headers: { accept } })).status).toBe(200);
    }
    const grown = `[{"op":"copy","from":"/spec","path":"/spec${'/a'.repeat(400)}"}]`;
    expect(statusOf(await send('PATCH', path, jsonPatch, grown))).toMatchObject({
      code: 400,
      message: expect.stringContaining('exceeded max depth'),
    });
  });
});

describe('bodies that are too much', () => {
  const head = (path: string, ...headers: string[]) =>
    [`POST ${path} HTTP/1.1`, 'Host: annex', `Content-Type: ${json}`, ...headers, '', ''].join('\r\n');

  // The limit: maxBodyBytes.
  it('one that announces its length is rejected before it is sent, and the connection closed', async () => {
    const { statuses, closed, text } = await server.raw(`${head(configMaps, 'Content-Length: 99999999')}{`);
    expect({ statuses, closed }).toEqual({ statuses: [413], closed: true });
    expect(text).toContain('"reason":"RequestEntityTooLarge"');
  });

  it('one that never ends is aborted', async () => {
    const chunk = Buffer.from(`10000\r\n${' '.repeat(0x10000)}\r\n`);
    const socket = openConnection(server.annex.url, { as: server.admin });
    await once(socket, 'secureConnect');
    const closed = new Promise((resolve) => socket.once('close', resolve).on('error', () => undefined));
    let text = '';
    socket.on('data', (data: Buffer) => (text += data.toString()));
    socket.write(head(configMaps, 'Transfer-Encoding: chunked'));
    const feed = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', feed);
    feed();
    await closed;
    // A client that continues sending may lose the response with the connection.
    expect(['', 'HTTP/1.1 413']).toContain(text.slice(0, 12));
  });

  // The limit: `--request-timeout`.
  it('a slow one is aborted after the request timeout, and the connection closed', async () => {
    const socket = openConnection(server.annex.url, { as: server.admin });
    await once(socket, 'secureConnect');
    let text = '';
    socket.on('data', (data: Buffer) => (text += data.toString()));
    socket.write(`${head(configMaps, 'Content-Length: 100')}{"metadata":`);
    await once(socket, 'end');
    expect(text).toMatch(/^HTTP\/1\.1 504 [\s\S]*"reason":"Timeout"/);
  });

  // The limit: maxJsonPatchOperations.
  it('a patch of more than 10000 operations is 413', async () => {
    const operations = Array(10_001).fill('{"op":"add","path":"/spec/a","value":1}').join(',');
    const response = await send('PATCH', `${wildcards}/deep`, jsonPatch, `[${operations}]`);
    expect(statusOf(response)).toMatchObject({ code: 413, reason: 'RequestEntityTooLarge' });
  });

  it('a custom resource in protobuf ends its stream, and no other', async () => {
    const body = wildcard('p', '"spec":{}');
    const protobuf = 'application/vnd.kubernetes.protobuf';
    await expect(send('POST', wildcards, protobuf, body)).rejects.toThrow();
    expect((await send('GET', wildcards, json, '')).status).toBe(200);
  });

  const podOf = (containers: number) =>
    `{"metadata":{"name":"pod"},"spec":{"containers":[${Array(containers).fill('{}').join(',')}]}}`;
  /** JSON is YAML, too; aliases repeat most of the objects. */
  const yamlOf = (objects: number) =>
    `{metadata: {name: &a [${'{},'.repeat(objects / 100)}]}, spec: [${'*a,'.repeat(98)}]}`;
  const keys = (count: number) =>
    `{"metadata":{"name":"keys"},"data":{${Array.from({ length: count }, (_, i) => `"/${i}":""`).join(',')}}}`;
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'a', controller: true };
  const owners = Array.from({ length: 10_000 }, (_, i) => ({ ...owner, uid: `u${i}` }));
  const manyErrors = /and more errors, which are not reported\]$/;
  it.each([
    ['a Pod of 900,000 containers', pods, podOf(900_000), 413, /limit is 100000 objects and lists$/],
    ['a Pod of 90,000 invalid containers', pods, podOf(90_000), 422, manyErrors],
    ['a short YAML of 120,000 objects', pods, yamlOf(120_000), 413, /limit is 100000 objects and lists$/],
    ['a ConfigMap of 200,000 keys', configMaps, keys(200_000), 413, /limit is 40000 members of one object$/],
    [
      'an object of 10,000 controllers',
      configMaps,
      JSON.stringify({ metadata: { name: 'owned', ownerReferences: owners } }),
      422,
      manyErrors,
    ],
    ['a ConfigMap of 40,000 invalid keys', configMaps, keys(40_000), 422, manyErrors],
  ])('%s is refused with a response of limited size', async (_what, path, body, code, message) => {
    const type = body.startsWith('{"') ? json : yaml;
    const response = await send('POST', path, type, body);
    expect(statusOf(response)).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(response.text.length).toBeLessThan(4 * 1024 * 1024);
  });

  it('others are served while a large mapping of YAML in braces is read', async () => {
    let isRead = false;
    const flow = `{kind: ConfigMap, metadata: {name: flow}, x: [${Array(60_000).fill('a').join(',')}]}`;
    const reading = send('POST', configMaps, yaml, flow).finally(() => (isRead = true));
    await server.ask({ path: '/readyz' });
    await server.ask({ path: configMaps });
    expect(isRead).toBe(false);
    expect((await reading).status).toBe(201);
  });

  // The limit: maxJsonPatchCopyLength.
  it('a patch that copies a list into itself does not grow past the limit of copies', async () => {
    const copies = Array(40).fill('{"op":"copy","from":"/spec/l","path":"/spec/l/-"}').join(',');
    const body = `[{"op":"add","path":"/spec","value":{"l":["${'x'.repeat(100)}"]}},${copies}]`;
    const response = await send('PATCH', `${wildcards}/deep`, jsonPatch, body);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
  });

  // The limit: maxWriteBytes.
  it('an object beyond the limit of the store is rejected, a smaller one can still be written', async () => {
    const big = wildcard('big', `"spec":{"a":"${'x'.repeat(2_900_000)}"}`);
    expect((await send('POST', wildcards, json, big)).text).toContain('request is too large');
    const fitting = wildcard('big', `"spec":{"a":"${'x'.repeat(1_000_000)}"}`);
    expect((await send('POST', wildcards, json, fitting)).status).toBe(201);
  });
});

describe('keys that objects inherit in JavaScript are ordinary keys', () => {
  const data = '{"__proto__":"a","constructor":"b","hasOwnProperty":"c","toString":"d"}';
  const spec =
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"list":[{"__proto__":"s"}]}';

  it('in a ConfigMap', async () => {
    const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"keys","annotations":{"constructor":"x","toString":"y"},"labels":{"valueOf":"z"}},"data":${data}}`;
    expect((await send('POST', configMaps, json, body)).status).toBe(201);
    const { text } = await server.ask({ path: `${configMaps}/keys` });
    expect(text).toContain(`"data":${data}`);
    expect(text).toContain('"annotations":{"constructor":"x","toString":"y"}');
    const selected = await server.ask({ path: `${configMaps}?labelSelector=valueOf` });
    expect(JSON.parse(selected.text)).toMatchObject({ items: [{ metadata: { name: 'keys' } }] });
    for (const selector of ['toString', 'constructor=x', 'hasOwnProperty']) {
      const none = await server.ask({ path: `${configMaps}?labelSelector=${selector}` });
      expect(JSON.parse(none.text)).toMatchObject({ items: [] });
    }
  });

  it.each([
    ['strategic merge', strategic],
    ['merge', mergePatch],
  ])('in a %s patch of a ConfigMap', async (_what, type) => {
    const { status, text } = await send(
      'PATCH',
      `${configMaps}/keys`,
      type,
      '{"data":{"__proto__":"new","constructor":null}}',
    );
    expect(status).toBe(200);
    expect(text).toContain('"data":{"__proto__":"new","hasOwnProperty":"c","toString":"d"}');
  });

  it('in a custom resource, however it is sent', async () => {
    const sorted =
      '"spec":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"list":[{"__proto__":"s"}]}';
    const created = await send('POST', wildcards, json, wildcard('json', `"spec":${spec}`));
    const asYaml = await send(
      'POST',
      wildcards,
      yaml,
      `apiVersion: hostile.example/v1\nkind: Wildcard\nmetadata: {name: yaml}\nspec: ${spec.replaceAll(':', ': ')}`,
    );
    const applied = await send(
      'PATCH',
      `${wildcards}/applied?fieldManager=m`,
      applyPatch,
      wildcard('applied', `"spec":${spec}`),
    );
    const merged = await send('PATCH', `${wildcards}/json`, mergePatch, `{"spec":${spec}}`);
    for (const { status, text } of [created, asYaml, applied, merged]) {
      expect([200, 201]).toContain(status);
      expect(text).toContain(sorted);
    }
    const patch =
      '[{"op":"add","path":"/spec/__proto__/more","value":1},{"op":"remove","path":"/spec/constructor"},{"op":"copy","from":"/spec/__proto__","path":"/spec/c"}]';
    const patched = await send('PATCH', `${wildcards}/json`, jsonPatch, patch);
    expect(patched.text).toContain(
      '"spec":{"__proto__":{"more":1,"polluted":true},"c":{"more":1,"polluted":true},"list":[{"__proto__":"s"}]}',
    );
    const reapplied = await send(
      'PATCH',
      `${wildcards}/applied?fieldManager=m`,
      applyPatch,
      wildcard('applied', '"spec":{"__proto__":{"polluted":false}}'),
    );
    expect(reapplied.text).toContain('"spec":{"__proto__":{"polluted":false}}');
  });

  it.each([
    ['/spec/list/__proto__/polluted'],
    ['/spec/c/constructor/prototype/polluted'],
    ['/metadata/toString/polluted'],
    ['/hasOwnProperty/polluted'],
  ])('a JSON patch finds nothing at %s', async (path) => {
    const { status } = await send(
      'PATCH',
      `${wildcards}/json`,
      jsonPatch,
      `[{"op":"add","path":"${path}","value":true}]`,
    );
    expect(status).toBe(422);
  });

  it('no other object shows any of it', async () => {
    const { text } = await send('POST', wildcards, json, wildcard('clean', '"spec":{}'));
    expect(text).not.toContain('polluted');
    expect(JSON.parse(text)).toMatchObject({ spec: {} });
  });
});
