import { optionGroup, type OptionsTable } from '@annex/runtime';
import type { IdentityHeaderNames, ServiceRouting } from '@annex/aggregation';
import type { RequestHeaderConfig } from './request-header-options.ts';

/** How extension API servers are reached. */
export interface AggregatorConfig {
  enableAggregatorRouting: boolean;
}

/** kube-apiserver's options of the aggregation layer. */
export const aggregatorOptions: OptionsTable<AggregatorConfig> = optionGroup('Aggregation', {
  enableAggregatorRouting: {
    flag: 'enable-aggregator-routing',
    type: 'bool',
    default: true,
    help: 'Reach extension API servers by the addresses of their endpoints instead of the cluster IP of their Service, which requires a kube-proxy on this machine.',
  },
});

/** Returns how services are reached. */
export const serviceRouting = ({ enableAggregatorRouting }: AggregatorConfig): ServiceRouting =>
  enableAggregatorRouting ? 'endpoints' : 'cluster-ip';

/**
 * Returns the identity headers for extension API servers: the first configured name of each, because the
 * ConfigMap `extension-apiserver-authentication` lists these names.
 */
export const forwardedIdentity = (config: RequestHeaderConfig): IdentityHeaderNames => ({
  username: config.requestheaderUsernameHeaders,
  uid: config.requestheaderUidHeaders,
  group: config.requestheaderGroupHeaders,
  extraPrefix: config.requestheaderExtraHeadersPrefix,
});
