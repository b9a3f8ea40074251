/** The flags of an etcd of one member that does not flush, as in conformance/reference/start.sh. */
export const etcdFlags = (data: string, client: string, peer: string): string[] => [
  `--data-dir=${data}`,
  `--listen-client-urls=${client}`,
  `--advertise-client-urls=${client}`,
  `--listen-peer-urls=${peer}`,
  `--initial-advertise-peer-urls=${peer}`,
  `--initial-cluster=default=${peer}`,
  '--unsafe-no-fsync',
];
