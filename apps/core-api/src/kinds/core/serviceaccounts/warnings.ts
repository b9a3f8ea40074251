import { annotations, root, type Warnings } from '../../shared/warnings.ts';

const mountableSecrets = {
  'kubernetes.io/enforce-mountable-secrets':
    'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets',
};

/** Warns when the annotation is set, but not again on every update. */
export const serviceAccountWarnings: Warnings = (account, old) =>
  old && annotations(old, mountableSecrets, root).length > 0
    ? []
    : annotations(account, mountableSecrets, root);
