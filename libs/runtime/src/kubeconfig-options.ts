import type { OptionsTable } from './options.ts';

/** The user and the server of a command. */
export interface KubeconfigConfig {
  kubeconfig: string | undefined;
  context: string | undefined;
}

/** The options of commands that connect to a running server. */
export const kubeconfigOptions: OptionsTable<KubeconfigConfig> = {
  kubeconfig: {
    flag: 'kubeconfig',
    env: 'KUBECONFIG',
    type: 'path',
    help: 'The kubeconfig with the server and the user; by default admin.kubeconfig in ANNEX_DATA_DIR, or in .annex of this folder or of the nearest parent folder.',
  },
  context: {
    flag: 'context',
    type: 'string',
    help: 'The context of the kubeconfig; its current one by default.',
  },
};
