import { optionGroup, type OptionsTable } from '@annex/runtime';

/** How an API server reaches other servers. */
export interface EgressConfig {
  egressSelectorConfigFile: string | undefined;
}

/** kube-apiserver's option of the egress selector. */
export const egressOptions: OptionsTable<EgressConfig> = optionGroup('Egress', {
  egressSelectorConfigFile: {
    flag: 'egress-selector-config-file',
    type: 'path',
    help: 'An EgressSelectorConfiguration: the proxies through which extension API servers, webhooks and etcd are reached.',
  },
});
