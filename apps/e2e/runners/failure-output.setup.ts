import { lastPrinted } from '@annex/testkit';
import { afterAll, afterEach } from 'vitest';

interface Result {
  errors?: { message: string }[] | undefined;
}

// Shows the last output of the processes with the failure of a test.
function explain(result: Result | undefined): void {
  const error = result?.errors?.at(-1);
  if (error !== undefined) error.message += `\n\nprinted last:\n${lastPrinted()}`;
}

afterEach(({ task }) => explain(task.result));
afterAll(({}, suite) => explain(suite.result));
