import { YamlError } from '@annex/machinery';
import { type FuzzTarget, orErrorLater, jsonText } from '@annex/testkit';
import { parseAuditPolicy } from './audit-policy.ts';

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'audit-policy',
    seeds: [
      JSON.stringify({
        apiVersion: 'audit.k8s.io/v1',
        kind: 'Policy',
        omitStages: ['RequestReceived'],
        rules: [
          {
            level: 'Metadata',
            users: ['a'],
            userGroups: ['b'],
            verbs: ['get'],
            resources: [{ group: '', resources: ['pods', '*/status'], resourceNames: ['c'] }],
            namespaces: ['d'],
          },
          { level: 'None', nonResourceURLs: ['/healthz*'] },
        ],
      }),
    ],
    maxBytes: 1024,
    async run(input) {
      const text = jsonText(input);
      if (text === undefined) return;
      const policy = await orErrorLater(() => parseAuditPolicy(text), [Error, YamlError]);
      if (policy instanceof Error) return;
      policy.decide({
        verb: 'get',
        resourceRequest: false,
        path: '/healthz',
        user: { name: 'a', groups: [], extra: {} },
      } as never);
    },
  },
];
