import { spawnSync } from 'node:child_process';
import { requireTools } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Runner } from '../runners/runner.ts';
import { startAnnex } from '../runners/start-annex.ts';
import { briefGoProgram } from './extension/kubectl.ts';
import { patienceMs } from './patience.ts';

const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: shirts.stable.example.com }
spec:
  group: stable.example.com
  scope: Namespaced
  names: { plural: shirts, singular: shirt, kind: Shirt, shortNames: [sh] }
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: { color: { type: string, enum: [red, blue] } }
    additionalPrinterColumns:
    - { name: Color, type: string, jsonPath: .spec.color }
`;
const shirt = (name: string, color: string) => `
apiVersion: stable.example.com/v1
kind: Shirt
metadata: { name: ${name} }
spec: { color: ${color} }
`;
const configMap = (value: string) => `
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { mode: ${value} }
`;

describe.runIf(requireTools('kubectl basics', 'kubectl'))('kubectl', () => {
  let annex: Runner;
  beforeAll(async () => {
    annex = await startAnnex();
  });
  afterAll(() => annex.stop());

  function kubectl(args: string, input = ''): { out: string; err: string; code: number | null } {
    const { stdout, stderr, status } = spawnSync('kubectl', args.split(' '), {
      input,
      encoding: 'utf8',
      timeout: patienceMs,
      env: { ...briefGoProgram, PATH: process.env.PATH, KUBECONFIG: annex.kubeconfig, HOME: annex.dataDir },
    });
    return { out: stdout.trim(), err: stderr.trim(), code: status };
  }
  const ok = (args: string, input?: string): string => {
    const { out, err, code } = kubectl(args, input);
    expect({ args, err, code }).toEqual({ args, err, code: 0 });
    return out;
  };

  it('creates, reads, changes and deletes an object of a built-in kind', () => {
    expect(ok('create -f -', configMap('a'))).toBe('configmap/settings created');
    expect(ok('get configmap settings -o jsonpath={.data.mode}')).toBe('a');
    expect(ok('apply --server-side --force-conflicts -f -', configMap('b'))).toBe(
      'configmap/settings serverside-applied',
    );
    expect(ok('patch configmap settings --type merge -p {"data":{"mode":"c"}}')).toBe(
      'configmap/settings patched',
    );
    expect(ok('get configmap settings -o jsonpath={.data.mode}')).toBe('c');
    expect(ok('delete configmap settings')).toBe('configmap "settings" deleted');
    expect(kubectl('get configmap settings').err).toContain('configmaps "settings" not found');
  });

  it('defines a kind, and uses it as soon as it is established', () => {
    expect(ok('create -f -', crd)).toContain('shirts.stable.example.com created');
    ok('wait --for condition=Established crd/shirts.stable.example.com --timeout=10s');
    expect(ok('apply -f -', shirt('first', 'red'))).toBe('shirt.stable.example.com/first created');
    expect(ok('apply -f -', shirt('first', 'blue'))).toBe('shirt.stable.example.com/first configured');
    expect(ok('get sh')).toMatch(/^NAME +COLOR\nfirst +blue$/);
    expect(kubectl('apply -f -', shirt('second', 'green')).err).toContain(
      'spec.color: Unsupported value: "green": supported values: "red", "blue"',
    );
    expect(ok('explain shirt.spec')).toContain('color');
    expect(ok('api-resources --api-group stable.example.com -o name')).toBe('shirts.stable.example.com');
    expect(ok('delete shirt first')).toContain('"first" deleted');
    expect(ok('delete crd shirts.stable.example.com')).toContain('deleted');
    expect(kubectl('get shirts').code).toBe(1);
  });

  it('prints the user and the permissions', () => {
    expect(ok('auth whoami -o jsonpath={.status.userInfo.groups}')).toBe(
      '["system:masters","system:authenticated"]',
    );
    expect(ok('auth can-i delete namespaces')).toBe('yes');
    expect(kubectl('auth can-i delete namespaces --as nobody').out).toBe('no');
    expect(kubectl('get namespaces --as nobody').err).toContain(
      'User "nobody" cannot list resource "namespaces"',
    );
  });
});
