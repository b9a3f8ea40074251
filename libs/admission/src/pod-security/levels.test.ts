import { fieldErrorText } from '@annex/machinery';
import { expect, it } from 'vitest';
import { defaultPodSecurity } from './configuration.ts';
import { levelText, modes, policyOf } from './levels.ts';

const read = (labels: Record<string, string>) => {
  const prefixed = Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]);
  const { policy, errors } = policyOf(
    Object.fromEntries(prefixed) as Record<string, string>,
    defaultPodSecurity.defaults,
  );
  return [modes.map((mode) => levelText(policy[mode])).join(' '), errors.map(fieldErrorText).join(', ')];
};

it.each([
  ['nothing', {}, 'privileged:latest privileged:latest privileged:latest', ''],
  [
    'an enforced level, which also applies to warnings',
    { enforce: 'baseline', 'enforce-version': 'v1.20' },
    'baseline:v1.20 privileged:latest baseline:v1.20',
    '',
  ],
  [
    'an enforced level, and another level for warnings',
    { enforce: 'baseline', warn: 'privileged' },
    'baseline:latest privileged:latest privileged:latest',
    '',
  ],
  [
    'an invalid level, which enforces the strictest level',
    { enforce: 'none', audit: 'none' },
    'restricted:latest privileged:latest privileged:latest',
    'metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "none": must be one of privileged, baseline, restricted, ' +
      'metadata.labels[pod-security.kubernetes.io/audit]: Invalid value: "none": must be one of privileged, baseline, restricted',
  ],
  [
    'no version',
    { 'warn-version': 'v1.07' },
    'privileged:latest privileged:latest privileged:latest',
    'metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "v1.07": must be "latest" or "v1.x"',
  ],
])('the policy of a namespace with labels for %s', (_, labels, policy, errors) => {
  expect(read(labels as Record<string, string>)).toEqual([policy, errors]);
});
