import { DestinationRules, type HostPort, IpNetwork } from '@annex/runtime';

/** This machine, and link-local addresses: services of the machine or of its cloud that trust who can reach them. */
const ownNetworks = ['127.0.0.0/8', '::1', '0.0.0.0/8', '::', '169.254.0.0/16', 'fe80::/10'].map((text) =>
  IpNetwork.parse(text)!,
);

/** The destinations that an agent connects to. */
export interface EndpointRules {
  allowsName(to: HostPort): boolean;
  allowsAddress(to: HostPort): boolean;
}

/** Without rules, every address is allowed that is not one of the agent's machine or link-local. Throws for invalid rules. */
export function endpointRules(rules: readonly string[]): EndpointRules {
  if (rules.length > 0) return new DestinationRules(rules);
  return {
    allowsName: () => false,
    allowsAddress: ({ host }) => !ownNetworks.some((network) => network.has(host)),
  };
}
