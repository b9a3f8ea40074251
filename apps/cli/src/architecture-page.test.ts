import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const page = read('docs/architecture.md');

interface Package {
  name: string;
  folder: string;
  layer: number;
}

const documented = (): Package[] =>
  [...page.matchAll(/^\| \[([\w-]+)\]\(\.\.\/([^)]+)\) +\| (\d+) +\| \S/gm)].map(
    ([, name = '', folder = '', layer]) => ({ name, folder, layer: Number(layer) }),
  );

const declared = (): Package[] =>
  globSync(['{libs,apps,examples}/*/project.json', '{bench,conformance,fuzz}/project.json'], {
    cwd: root,
  }).map((path) => {
    const { name, tags } = JSON.parse(read(path)) as { name: string; tags: string[] };
    const layer = tags.find((tag) => tag.startsWith('layer:'))?.slice('layer:'.length);
    return { name, folder: dirname(path), layer: Number(layer) };
  });

const byName = (one: Package, other: Package): number => (one.name < other.name ? -1 : 1);

describe('the packages of the architecture page', () => {
  it('are those of the workspace, with their layers', () => {
    expect(documented().toSorted(byName)).toEqual(declared().toSorted(byName));
  });

  it('are sorted by layer', () => {
    const layers = documented().map(({ layer }) => layer);
    expect(layers).toEqual(layers.toSorted((one, other) => one - other));
  });
});

it('the checks of built-in kinds are those of the code', () => {
  const table = page.slice(page.indexOf('<!-- checks -->')).split('\n\n')[1] ?? '';
  const described = [...table.matchAll(/^\| `(\w+)/gm)].map(([, name]) => name);
  const code = read('apps/core-api/src/kinds/shared/checks.ts');
  const exported = [...code.matchAll(/^export (?:const|function) (\w+).*$/gm)];
  const helpers = new Set(['childOf', 'isMissing', 'objectsOf']);
  const checks = exported.map(([, name = '']) => name).filter((name) => !helpers.has(name));
  expect(described.toSorted()).toEqual(checks.toSorted());
});

/** Returns the paths in backticks, without placeholders such as `<group>`. */
const mentioned = (): string[] =>
  [...page.matchAll(/`((?:libs|apps|docs|fuzz|bench|scripts|conformance|deploy)\/[^`<]+)`/g)].map(
    ([, path = '']) => path,
  );

it.each([...new Set(mentioned())])('%s exists', (path) => {
  expect(existsSync(join(root, path))).toBe(true);
});

describe('the architecture page leads to the file of a behavior', () => {
  it.each([
    ['how a quantity is parsed', 'libs/machinery/src/quantity.ts'],
    ['how Go quotes a string', 'libs/machinery/src/go/quote.ts'],
    ['how an option is parsed', 'libs/runtime/src/option-value.ts'],
    ['how an HTTP/1.1 body is framed', 'libs/http/src/http1/framing.ts'],
    ['which certificates authenticate a user', 'libs/auth/src/authn/x509-authenticator.ts'],
    ['whether RBAC allows a request', 'libs/auth/src/authz/rbac-authorizer.ts'],
    ['how `--as` is authorized', 'libs/auth/src/impersonation/impersonation.ts'],
    ['which resource a URL names', 'libs/kinds/src/request-info.ts'],
    ['what a create does', 'libs/server/src/handlers/create.ts'],
    ['what a continue token contains', 'libs/server/src/queries/continue-token.ts'],
    ['how `kubectl get` receives columns', 'libs/server/src/encoding/table.ts'],
    ['how the audit policy selects a level', 'libs/audit/src/audit-policy.ts'],
    ['how server-side apply finds conflicts', 'libs/schema/src/apply/apply-conflict.ts'],
    ['what the CEL function `cidr` does', 'libs/cel/src/kubernetes/cidr.ts'],
    ['how the watch cache is read', 'libs/storage/src/feed/watch-cache.ts'],
    ['how LMDB transactions are written', 'libs/storage/src/lmdb/lmdb-plans.ts'],
    ['how OpenAPI v2 documents are merged', 'libs/openapi/src/v2-merge.ts'],
    ['how identity headers are written', 'libs/aggregation/src/forward-headers.ts'],
    ['when an APIService is available', 'apps/front-proxy/src/availability.ts'],
    ['how a validating webhook is called', 'libs/admission/src/webhooks/validating.ts'],
    ['how a quota is charged', 'libs/admission/src/quota/charge.ts'],
    ['whether a Pod can be evicted', 'apps/core-api/src/kinds/core/pods/eviction.ts'],
    ['whether the schedule of a CronJob is valid', 'apps/core-api/src/kinds/batch/cronjobs/schedule.ts'],
    ['when the names of a CRD are accepted', 'apps/crd-registry/src/life-cycle/accepted-names.ts'],
    ['how garbage is collected', 'apps/controllers/src/garbage/garbage-collector.ts'],
  ])('%s: %s', (_behavior, path) => {
    expect(existsSync(join(root, path)), path).toBe(true);
    // A pattern of the page names the folders of built-in kinds.
    const folder = dirname(path).replace(/(apps\/core-api\/src\/kinds)\/.*/, '$1');
    const names = [folder, path].some((name) => page.includes(name));
    expect(names, `the page names neither ${folder} nor the file`).toBe(true);
  });
});
