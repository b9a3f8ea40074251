import type { PodSecurityPolicy } from './levels.ts';

/** The defaults of namespaces that say nothing, and who is exempt. */
export interface PodSecurityConfiguration {
  defaults: PodSecurityPolicy;
  exemptions: Record<'usernames' | 'namespaces' | 'runtimeClasses', readonly string[]>;
}

/** Without a configuration everything is allowed where labels do not forbid it. */
export const defaultPodSecurity: PodSecurityConfiguration = {
  defaults: {
    enforce: { level: 'privileged', version: Infinity },
    audit: { level: 'privileged', version: Infinity },
    warn: { level: 'privileged', version: Infinity },
  },
  exemptions: { usernames: [], namespaces: [], runtimeClasses: [] },
};
