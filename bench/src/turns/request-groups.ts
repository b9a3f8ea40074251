import type { RequestGroup } from './groups/request-group.ts';
import { reviews } from './groups/reviews.ts';
import { patches } from './groups/patches.ts';
import { refusedPatches } from './groups/refused-patches.ts';
import { managers } from './groups/managers.ts';
import { listing } from './groups/lists.ts';
import { kinds } from './groups/built-in-kinds.ts';
import { hostile } from './groups/bodies.ts';
import { schemas } from './groups/schemas.ts';
import { searches } from './groups/searches.ts';
import { further } from './groups/further.ts';
import { mutations } from './groups/mutations.ts';
import { outsiders } from './groups/outsiders.ts';
import { furtherKinds } from './groups/further-kinds.ts';
import { schemaChecks } from './groups/schema-checks.ts';

import { customShapes } from './groups/shapes.ts';
import { adminRules } from './groups/admin-rules.ts';
import { definitionShapes } from './groups/definition-shapes.ts';

export const requestGroups: readonly RequestGroup[] = [
  reviews,
  patches,
  refusedPatches,
  managers,
  listing,
  kinds,
  hostile,
  schemas,
  schemaChecks,
  searches,
  further,
  furtherKinds,
  outsiders,
  mutations,
  customShapes,
  definitionShapes,
  adminRules,
];
