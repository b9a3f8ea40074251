import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from './finding.ts';
import { root } from './targets.ts';

/** An input that a target handled incorrectly before. */
export interface FuzzCase {
  name: string;
  input: Uint8Array;
  /** Go's outcome, if the case is about a difference. */
  expected?: string;
}

const folderOf = (target: string, folder: string): string => join(folder, target);

/** The folder of the cases of a target. */
export const caseFolder = (target: string): string => folderOf(target, casesRoot);

/** The folder of all cases. */
export const casesRoot = join(root, 'fuzz', 'cases');

/** Reads the cases of a target. For a case `x`, the file `x.go` contains Go's outcome. */
export function readCases(target: string): FuzzCase[] {
  const folder = caseFolder(target);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => !name.endsWith('.go'))
    .map((name) => {
      const expected = join(folder, `${name}.go`);
      const input = readFileSync(join(folder, name));
      return existsSync(expected)
        ? { name, input, expected: readFileSync(expected, 'utf8') }
        : { name, input };
    });
}

/** Writes a finding as a case, and returns its file. */
export function writeCase(target: string, finding: Finding, casesFolder = casesRoot): string {
  const folder = folderOf(target, casesFolder);
  mkdirSync(folder, { recursive: true });
  const digest = createHash('sha256').update(finding.input).digest('hex').slice(0, 8);
  const file = join(folder, `${finding.kind}-${digest}`);
  writeFileSync(file, finding.input);
  if (finding.expected !== undefined) writeFileSync(`${file}.go`, finding.expected);
  return file;
}
