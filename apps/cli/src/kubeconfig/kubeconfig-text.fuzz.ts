import { deepEqual } from '@annex/machinery';
import { OperatorError } from '@annex/runtime';
import { type FuzzTarget, orError, utf8Text } from '@annex/testkit';
import { parseDocument } from 'yaml';
import { parseKubeconfig, textWithContext, textWithoutContext } from './kubeconfig-text.ts';

const file = '~/.kube/config';
const admin = parseKubeconfig(
  'admin.kubeconfig',
  `clusters: [{name: a, cluster: {server: 'https://127.0.0.1:6443'}}]
users: [{name: a, user: {client-key-data: a2V5}}]`,
);

const quiet = { logLevel: 'error' } as const;
const contextOf = (text: string): unknown => parseDocument(text, quiet).get('current-context');
const contentOf = (text: string): unknown => parseDocument(text, quiet).toJS();

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'kubeconfig-merge',
    seeds: [
      `# comment
apiVersion: v1
kind: Config
clusters:
  - name: production # do not touch
    cluster: &c {server: "https://p"}
users: []
contexts:
  - {name: annex, context: {cluster: production}}
current-context: production
`,
      '{"apiVersion":"v1","clusters":null,"users":{},"contexts":[[],1,{"name":1}]}',
      '- a',
      'a: *b',
    ],
    dictionary: [
      'clusters:',
      'contexts:',
      'users:',
      'name: annex',
      'current-context: annex',
      '&a',
      '*a',
      '<<: ',
    ],
    maxBytes: 512,
    run(input) {
      const text = utf8Text(input);
      const merged = orError(() => textWithContext(file, text, admin), [OperatorError]);
      if (merged instanceof Error) return;
      if (contextOf(merged) !== 'annex') throw new Error('the context is not the current one');
      const again = orError(() => textWithContext(file, merged, admin), [OperatorError]);
      if (typeof again === 'string' && !deepEqual(contentOf(again), contentOf(merged)))
        throw new Error(`merged again it is another kubeconfig: ${again}`);
      const removed = orError(() => textWithoutContext(file, merged), [OperatorError]);
      if (typeof removed === 'string' && contextOf(removed) === 'annex')
        throw new Error('the context is not removed');
    },
  },
];
