import type { PodSecurityPolicy } from './levels.ts';

/** The defaults for namespaces without labels, and the exemptions. */
export interface PodSecurityConfiguration {
  defaults: PodSecurityPolicy;
  exemptions: Record<'usernames' | 'namespaces' | 'runtimeClasses', readonly string[]>;
}

/** Without a configuration, only labels restrict pods. */
export const defaultPodSecurity: PodSecurityConfiguration = {
  defaults: {
    enforce: { level: 'privileged', version: Infinity },
    audit: { level: 'privileged', version: Infinity },
    warn: { level: 'privileged', version: Infinity },
  },
  exemptions: { usernames: [], namespaces: [], runtimeClasses: [] },
};
