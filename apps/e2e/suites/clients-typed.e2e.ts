import { describe, expect, it } from 'vitest';
import { startAnnex } from '../runners/start-annex.ts';
import { buildGoClients } from './clients/go-clients.ts';
import { runCommand } from './command.ts';

const suite = 'typed clients of client-go';
const program = await buildGoClients(suite);

describe.runIf(program !== undefined)(suite, () => {
  it('use all verbs of the built-in kinds in protobuf, with the same results as in JSON', async () => {
    // Otherwise the server changes the new FlowSchema: it writes its condition.
    await using annex = await startAnnex({
      ephemeral: true,
      args: ['--enable-priority-and-fairness=false'],
    });
    const { code, output, text } = await runCommand(
      program ?? '',
      ['typed', '-kubeconfig', annex.kubeconfig],
      { env: process.env, timeout: 100_000 },
    );
    expect(code, text).toBe(0);
    expect(output.trim().split('\n').length).toBe(46);
  });
});
