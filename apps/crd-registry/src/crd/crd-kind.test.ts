import type { RequestContext } from '@annex/kinds';
import type { FieldError, Passes } from '@annex/machinery';
import { expect, it } from 'vitest';
import { inSlices } from './crd-kind.ts';

it('the validation of a CRD ends when its client has left', async () => {
  const endless = (function* (): Passes<FieldError[]> {
    for (;;) yield;
  })();
  const request = { signal: AbortSignal.abort() } as RequestContext;
  await expect(inSlices(endless, request)).rejects.toThrow('nobody waits');
});
