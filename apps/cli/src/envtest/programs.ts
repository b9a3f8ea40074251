import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, chmod, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { makeDirectory } from '@annex/runtime';
import { versionInfo } from '@annex/server';
import { etcdVersion } from '@annex/storage';
import { kubeApiserverHelp } from '../kube-apiserver-help.ts';
import { etcdHelp } from './etcd.ts';

/** How this command was started. */
export interface AnnexCommand {
  /** The path of Node. */
  node: string;
  /** The path of `bin/annex.js`. */
  script: string;
}

/** Returns a short text that differs between installations. */
export const programsDigest = ({ node, script }: AnnexCommand): string =>
  createHash('sha256').update(`${node}\0${script}`).digest('hex').slice(0, 8);

/** Writes the programs `kube-apiserver`, `etcd` and `kubectl`. Files that are the same stay as they are, because they may be running. */
export async function writePrograms(dir: string, command: AnnexCommand, path: string): Promise<void> {
  const texts = join(dir, 'help');
  makeDirectory(texts);
  await write(join(texts, 'kube-apiserver'), kubeApiserverHelp(), 0o644);
  await write(join(texts, 'etcd'), etcdHelp(), 0o644);
  const server = (name: string, version: string) =>
    serverScript({ name, version, command, help: join(texts, name) });
  await write(
    join(dir, 'kube-apiserver'),
    server('kube-apiserver', `Kubernetes ${versionInfo.gitVersion}`),
    0o755,
  );
  await write(join(dir, 'etcd'), server('etcd', `etcd Version: ${etcdVersion}`), 0o755);
  await write(join(dir, 'kubectl'), kubectlScript(await findKubectl(path, dir)), 0o755);
}

interface ServerProgram {
  name: string;
  /** The output of `--version`. */
  version: string;
  command: AnnexCommand;
  /** The file with the output of `--help`. */
  help: string;
}

/** Test environments run `--help` before each start, so the shell responds without Node. */
const serverScript = ({ command: { node, script }, help, name, version }: ServerProgram): string => `#!/bin/sh
# Written by \`annex envtest\`.
for argument; do
  case $argument in
    --help | -h) exec cat ${quote(help)} ;;
    --version) echo ${quote(version)}; exit 0 ;;
  esac
done
exec ${quote(node)} ${nodeFlags} ${quote(script)} envtest-${name} "$@"
`;

/** A larger young generation: collecting a small one takes a tenth of the start. 8 MB more are mapped. */
const nodeFlags = '--min-semi-space-size=4';

const kubectlScript = (kubectl: string | undefined): string =>
  kubectl === undefined
    ? '#!/bin/sh\necho "kubectl: not found in PATH when annex envtest ran" >&2\nexit 127\n'
    : `#!/bin/sh\nexec ${quote(kubectl)} "$@"\n`;

/** Quotes a word for the shell. */
const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Finds kubectl in PATH, outside of the folder that gets the script. */
async function findKubectl(path: string, dir: string): Promise<string | undefined> {
  const own = await realpath(dir);
  for (const folder of path.split(delimiter)) {
    const file = join(folder, 'kubectl');
    try {
      if (folder === '' || (await realpath(folder)) === own) continue;
      await access(file, constants.X_OK);
      if ((await stat(file)).isFile()) return file;
    } catch {
      // This folder has none.
    }
  }
  return undefined;
}

/** Replaces a file atomically if it differs: other processes may run it, or write it at the same time. */
async function write(file: string, text: string, mode: number): Promise<void> {
  const before = await readFile(file, 'utf8').catch(() => undefined);
  if (before === text) return await chmod(file, mode);
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(draft, text, { mode });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
