import { exceptions } from './exceptions.ts';
import { runCase } from './run-case.ts';
import { specCases } from './spec-case.ts';

let passed = 0;
const failures: string[] = [];
for (const each of specCases()) {
  const failure = runCase(each);
  if (exceptions.has(each.path)) {
    if (failure === undefined) failures.push(`${each.path}: passes, but is listed as an exception`);
  } else if (failure === undefined) passed++;
  else failures.push(`${each.path}: ${failure}`);
}
for (const failure of failures) console.log(failure);
console.log(`${exceptions.size} cases are exceptions, see libs/cel/src/specification/exceptions.ts`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;
