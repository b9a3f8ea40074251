/** The version of etcd by which clients select their behavior. */
export const etcdVersion = '3.5.21';
