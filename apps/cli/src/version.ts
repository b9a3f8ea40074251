import { annexVersion, versionInfo } from '@annex/server';

/** Prints the versions of Annex, of the kube-apiserver that it behaves as, and of Node. Returns the exit code. */
export function printVersion(): number {
  process.stdout.write(
    `annex ${annexVersion}\nKubernetes ${versionInfo.gitVersion}\nNode ${process.version}\n`,
  );
  return 0;
}
