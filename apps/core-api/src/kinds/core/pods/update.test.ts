import { fieldErrorText, type JsonObject, type KubeObject, noteEmptyField } from '@annex/machinery';
import { expect, it } from 'vitest';
import { maxComparedParts } from '../../shared/internal-diff.ts';
import { validatePodUpdate } from './update.ts';

const pod = (spec: JsonObject): KubeObject => ({
  metadata: { name: 'a' },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

const differenceOf = (before: JsonObject, after: JsonObject): string => {
  const errors = validatePodUpdate(pod(after), pod(before)).map(fieldErrorText);
  return errors.map((error) => error.slice(error.indexOf('@@'))).join('');
};

// The texts are those of kube-apiserver 1.36.3.
it.each<[what: string, before: JsonObject, after: JsonObject, difference: string]>([
  [
    'a field that is added',
    {},
    { nodeSelector: { a: '<b>' } },
    `@@ -39,7 +39,9 @@
  "TerminationGracePeriodSeconds": null,
  "ActiveDeadlineSeconds": null,
  "DNSPolicy": "",
- "NodeSelector": null,
+ "NodeSelector": {
+  "a": "\\u003cb\\u003e"
+ },
  "ServiceAccountName": "",
  "AutomountServiceAccountToken": null,
  "NodeName": "",
`,
  ],
  [
    'a namespace of the host',
    { hostNetwork: true },
    {},
    `@@ -44,7 +44,7 @@
  "AutomountServiceAccountToken": null,
  "NodeName": "",
  "SecurityContext": {
-  "HostNetwork": true,
+  "HostNetwork": false,
   "HostPID": false,
   "HostIPC": false,
   "ShareProcessNamespace": null,
`,
  ],
])('a pod update may not change %s', (_, before, after, difference) =>
  expect(differenceOf(before, after)).toBe(difference),
);

it('shows a list that was sent empty', () => {
  const [before, after] = [pod({ hostname: 'a' }), pod({})];
  noteEmptyField(after.spec as JsonObject, 'hostAliases', []);
  expect(validatePodUpdate(after, before).map(fieldErrorText).join()).toContain('+ "HostAliases": [],');
});

it('quotes the empty node selector of a gated pod, and shows it only if there was none', () => {
  const gated = { schedulingGates: [{ name: 'g' }] };
  const before = pod({ ...gated, nodeSelector: { a: 'b' } });
  const after = pod({ ...gated, hostname: 'x' });
  noteEmptyField(after.spec as JsonObject, 'nodeSelector', {});
  const [selector = '', other = ''] = validatePodUpdate(after, before).map(fieldErrorText);
  expect(selector).toContain('spec.nodeSelector: Invalid value: {}: only additions');
  expect(other).toContain('+ "Hostname": "x"');
  expect(other).not.toContain('- "NodeSelector"');
  const [shown] = validatePodUpdate(after, pod(gated)).map(fieldErrorText);
  expect(shown).toContain('- "NodeSelector": null,\n+ "NodeSelector": {},');
});

it('has no difference of very large pods', () => {
  const hostAliases = Array.from({ length: maxComparedParts / 2 }, () => ({ ip: '1.2.3.4' }));
  const [error] = validatePodUpdate(pod({ hostAliases, hostname: 'h' }), pod({ hostAliases }));
  expect(error?.detail).toMatch(/negative\)\n$/);
});
