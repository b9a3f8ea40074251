import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Kubectl,
  parseTranscript,
  playRecording,
  playTranscript,
  readRecording,
  type Target,
} from '@annex/testkit';
import type { SessionServer } from './server.ts';

/** One recording or session. */
export interface Case {
  /** `area/name`, as it stands in `not-passing.txt`. */
  name: string;
  area: string;
  kind: 'recording' | 'session';
  path: string;
}

/**
 * Sessions of what kubectl decides itself: discovery, explain, apply, diff, edit, patch, wait, watch, raw requests. Every version
 * that was chosen plays them; the newest alone plays the others, in which a server does all that could differ.
 */
const ofEveryKubectl = /\/(01|10|12|13|14|15|16|17|18|20|24|27)-/;

const folder = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** Everything that is recorded, in the order of areas and names. */
export function allCases(): Case[] {
  const recordings = readdirSync(folder('recordings')).flatMap((area) =>
    filesOf(join(folder('recordings'), area), '.yaml').map(([name, path]): Case => ({
      name: `${area}/${name}`,
      area,
      kind: 'recording',
      path,
    })),
  );
  const sessions = filesOf(folder('kubectl'), '.txt').map(([name, path]): Case => ({
    name: `kubectl/${name}`,
    area: 'kubectl',
    kind: 'session',
    path,
  }));
  return [...recordings, ...sessions];
}

function filesOf(path: string, extension: string): [string, string][] {
  return readdirSync(path)
    .filter((file) => file.endsWith(extension))
    .sort()
    .map((file) => [file.slice(0, -extension.length), join(path, file)]);
}

/** Plays a recording; what is returned was different. */
export const playRecordingCase = (played: Case, target: Target): Promise<string[]> =>
  playRecording(readRecording(played.path), target);

/** Plays a session with each kubectl that it takes, the oldest of them first; what is returned was different. */
export async function playSessionCase(
  played: Case,
  server: SessionServer,
  kubectls: readonly Kubectl[],
): Promise<string[]> {
  const transcript = parseTranscript(readFileSync(played.path, 'utf8'));
  const problems: string[] = [];
  for (const kubectl of ofEveryKubectl.test(played.name) ? kubectls : kubectls.slice(-1)) {
    const found = await playTranscript(transcript, {
      kubeconfig: server.kubeconfig,
      pki: server.pki,
      kubectl,
    });
    problems.push(...found.map((line) => `${kubectl.version} ${line}`));
  }
  return problems;
}
