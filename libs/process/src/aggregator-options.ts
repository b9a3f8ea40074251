import type { OptionsTable } from '@annex/runtime';
import type { IdentityHeaderNames, ServiceRouting } from '@annex/aggregation';
import type { RequestHeaderConfig } from './request-header-options.ts';

/** How extension API servers are reached. */
export interface AggregatorConfig {
  enableAggregatorRouting: boolean;
}

/** kube-apiserver's options of the aggregation layer. */
export const aggregatorOptions: OptionsTable<AggregatorConfig> = {
  enableAggregatorRouting: {
    flag: 'enable-aggregator-routing',
    type: 'bool',
    default: true,
    help: 'Reach extension API servers by the addresses of their endpoints. Without it by the cluster IP of their Service, which needs a kube-proxy on this machine.',
  },
};

/** How services are reached, by a configuration. */
export const serviceRouting = ({ enableAggregatorRouting }: AggregatorConfig): ServiceRouting =>
  enableAggregatorRouting ? 'endpoints' : 'cluster-ip';

/**
 * The headers that tell extension servers who a user is: the first of each that authenticating proxies may use, since
 * that is what the ConfigMap `extension-apiserver-authentication` tells them to read.
 */
export const forwardedIdentity = (config: RequestHeaderConfig): IdentityHeaderNames => ({
  username: config.requestheaderUsernameHeaders,
  uid: config.requestheaderUidHeaders,
  group: config.requestheaderGroupHeaders,
  extraPrefix: config.requestheaderExtraHeadersPrefix,
});
