import { lastPrinted } from '@annex/testkit';
import { afterAll, afterEach } from 'vitest';

interface Result {
  errors?: { message: string }[] | undefined;
}

// What the processes printed last tells why a test failed: it is shown with the failure.
function explain(result: Result | undefined): void {
  const error = result?.errors?.at(-1);
  if (error !== undefined) error.message += `\n\nprinted last:\n${lastPrinted()}`;
}

afterEach(({ task }) => explain(task.result));
afterAll(({}, suite) => explain(suite.result));
