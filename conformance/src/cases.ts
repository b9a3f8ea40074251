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

/** One recording, session or scheduling scenario. */
export interface Case {
  /** `area/name`, as in `not-passing.txt`. */
  name: string;
  area: string;
  kind: 'recording' | 'session' | 'scenario';
  path: string;
  /** Played only if cases are selected. */
  isExtra?: boolean;
}

/**
 * Sessions that depend on kubectl: discovery, explain, apply, diff, edit, patch, wait, watch, raw requests. With `--kubectl all`, every
 * version plays them. Other sessions depend on the server only, so only the newest version plays them.
 */
const ofEveryKubectl = /\/(01|10|12|13|14|15|16|17|18|20|24|27)-/;

/**
 * Those of them that every selected version plays. In the others, kubectl 1.27 sends no request (method, path, query, `Accept`,
 * `Content-Type`) that it does not send in these, or that the newest one does not send.
 */
const ofOldKubectl = /\/(12|14|18|27)-/;

/** Of the scenarios of each subject, every second one is played unless cases are selected: their waits and servers take long. */
const scenarioStep = 2;

const folder = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** Returns all recordings, sessions and scenarios, ordered by area and name. */
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
  const scenarios = readdirSync(folder('scheduler')).flatMap((subject) =>
    filesOf(join(folder('scheduler'), subject), '.yaml').map(([name, path], index): Case => ({
      name: `scheduler/${subject}/${name}`,
      area: 'scheduler',
      kind: 'scenario',
      path,
      isExtra: index % scenarioStep !== 0,
    })),
  );
  return [...recordings, ...sessions, ...scenarios];
}

function filesOf(path: string, extension: string): [string, string][] {
  return readdirSync(path)
    .filter((file) => file.endsWith(extension))
    .sort()
    .map((file) => [file.slice(0, -extension.length), join(path, file)]);
}

/** Plays a recording; resolves to the differences. */
export const playRecordingCase = (played: Case, target: Target): Promise<string[]> =>
  playRecording(readRecording(played.path), target);

/**
 * Plays a session with each of its versions of kubectl, from the oldest; resolves to the differences. `all`: also the versions that send
 * nothing new in it.
 */
export async function playSessionCase(
  played: Case,
  server: SessionServer,
  kubectls: readonly Kubectl[],
  all: boolean,
): Promise<string[]> {
  const transcript = parseTranscript(readFileSync(played.path, 'utf8'));
  const problems: string[] = [];
  const isOfAll = (all ? ofEveryKubectl : ofOldKubectl).test(played.name);
  for (const kubectl of isOfAll ? kubectls : kubectls.slice(-1)) {
    const found = await playTranscript(transcript, {
      kubeconfig: server.kubeconfig,
      pki: server.pki,
      kubectl,
    });
    problems.push(...found.map((line) => `${kubectl.version} ${line}`));
  }
  return problems;
}
