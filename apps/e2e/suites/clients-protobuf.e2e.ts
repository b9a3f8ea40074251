import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type KubeObject, parseJson, stringifyJson } from '@annex/machinery';
import { loadProtobuf } from '@annex/kinds';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from './command.ts';
import { buildGoClients } from './clients/go-clients.ts';

const { decodeProtobuf, encodeProtobuf } = await loadProtobuf();

const suite = 'protobuf compared with Go';
const program = await buildGoClients(suite);

interface Line {
  protobuf: string;
  json: KubeObject;
}

describe.runIf(program !== undefined)(suite, () => {
  const clients = program ?? '';
  const seed = Math.floor(Math.random() * 2 ** 31);
  let lines: Line[] = [];
  /** Lines whose kind has a protobuf form in Annex. */
  let known: Line[] = [];

  beforeAll(async () => {
    const { stdout } = await promisify(execFile)(clients, ['objects', '-seed', String(seed), '-count', '3'], {
      maxBuffer: 2 ** 28,
    });
    lines = stdout
      .trim()
      .split('\n')
      .map((line) => parseJson(line) as unknown as Line);
    known = lines.filter(({ json }) => encodeProtobuf(json) !== undefined);
  });

  it('supports every kind of every version that is not alpha or beta', () => {
    const missing = lines.filter((line) => !known.includes(line)).map(({ json }) => json.apiVersion ?? '');
    expect([...new Set(missing)].filter((version) => !/v\d+(alpha|beta)\d+$/.test(version))).toEqual([]);
    expect(new Set(known.map(({ json }) => `${json.apiVersion} ${json.kind}`)).size).toBeGreaterThan(400);
  });

  it('random objects of every kind are encoded to the same bytes as in Go', () => {
    const different = known.filter(
      ({ json, protobuf }) => encodeProtobuf(json)?.toString('base64') !== protobuf,
    );
    expect(
      different.map(({ json }) => stringifyJson(json)),
      `seed ${seed}`,
    ).toEqual([]);
  });

  it('the bytes of Go are read as Go reads them', async () => {
    const input = known.map(({ protobuf }) =>
      stringifyJson({ protobuf, json: decodeProtobuf(Buffer.from(protobuf, 'base64')) }),
    );
    const response = await runCommand(clients, ['objects', '-read'], {
      env: process.env,
      timeout: 60_000,
      input: input.join('\n'),
    });
    expect(response, `seed ${seed}`).toEqual({ code: 0, output: '', text: '' });
  });
});
