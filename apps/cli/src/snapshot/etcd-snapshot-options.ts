import { type EtcdConfig, etcdOptions } from '@annex/process';
import type { OptionsTable } from '@annex/runtime';

/** The etcd of a snapshot or a restore. */
export type EtcdSnapshotConfig = Pick<
  EtcdConfig,
  'etcdServers' | 'etcdPrefix' | 'etcdCafile' | 'etcdCertfile' | 'etcdKeyfile'
>;

/** The options of commands that read or write etcd, or object-storage, in the place of a directory. */
export const etcdSnapshotOptions: OptionsTable<EtcdSnapshotConfig> = {
  etcdServers: {
    ...etcdOptions.etcdServers,
    env: false,
    help: 'URLs of the etcd servers, or of object-storage, in the place of a directory. Servers may use them.',
  },
  etcdPrefix: { ...etcdOptions.etcdPrefix, env: false },
  etcdCafile: { ...etcdOptions.etcdCafile, env: false },
  etcdCertfile: { ...etcdOptions.etcdCertfile, env: false },
  etcdKeyfile: { ...etcdOptions.etcdKeyfile, env: false },
};
