import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCheck } from './check-command.ts';
import type { Result } from './finding.ts';
import { printed } from '../printed.fixture.ts';
import { type RunningAnnex, runAnnex } from '../running-annex.fixture.ts';
import { availabilityChecked, setUp, type SetUp } from './set-up.fixture.ts';

let annex: RunningAnnex;
let registered: SetUp | undefined;

beforeAll(async () => {
  annex = await runAnnex('--ephemeral');
});
afterAll(() => annex.stop());
afterEach(() => registered?.stop());

describe('the command', () => {
  const run = (argv: string[]) => printed(() => runCheck(argv, { KUBECONFIG: annex.kubeconfig }));

  it('prints a readable list, and exits with 1 if a step failed', async () => {
    registered = await setUp(annex, { service: 'none' });
    await availabilityChecked(annex, registered.name);
    const { code, out } = await run(['apiservice', registered.name]);
    expect(code).toBe(1);
    expect(out).toMatch(/^APIService v1\.ext-\d+\.example\.com\n\n {2}ok {7}api-service {8}ext-/);
    expect(out).toMatch(
      /\n {2}failed {3}service {12}there is no Service default\/ext-\d+\n {30}-> Create it/,
    );
    expect(out).toMatch(/\n {2}skipped {2}endpoints {10}needs service\n/);
    expect(out).toMatch(/\n2 of 15 steps failed: service, available\n$/);
  });

  it('prints JSON, and exits with 0 if no step failed', async () => {
    registered = await setUp(annex);
    const passes = async () => (await run(['apiservice', registered?.name ?? ''])).code === 0;
    await vi.waitUntil(passes, { timeout: 20_000 });
    const { code, out } = await run(['apiservice', registered.name, '-o', 'json']);
    expect(code).toBe(0);
    const report = JSON.parse(out) as { passed: boolean; steps: Result[] };
    expect([report.passed, report.steps.length]).toEqual([true, 15]);
    expect(report.steps[0]).toMatchObject({ step: 'api-service', outcome: 'ok' });
  });

  it.each([
    [2, ['apiservice'], /^ARGUMENT_MISSING: usage: annex check apiservice NAME/],
    [2, ['crd', 'x'], /cannot check "crd", only an apiservice/],
    [2, ['apiservice', 'x', '--proxy-client-cert-file=a'], /must be set together/],
    [1, ['apiservice', 'x', '--kubeconfig=/nowhere'], /cannot be read/],
  ])('exits with %d after %j', async (exitCode, argv, text) => {
    const { code, err } = await run(argv);
    expect(code).toBe(exitCode);
    expect(err).toMatch(text);
  });
});
