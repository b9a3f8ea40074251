import type { OptionsTable } from '@annex/runtime';
import { existingDataDir } from './existing-data-dir.ts';

/** The configuration of `annex kubeconfig`. */
export interface KubeconfigConfig {
  dataDir: string | undefined;
}

/** The options of `annex kubeconfig`. */
export const kubeconfigOptions: OptionsTable<KubeconfigConfig> = { dataDir: existingDataDir };
