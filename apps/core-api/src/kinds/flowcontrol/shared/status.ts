import { allMetadata, statusEndpoint } from '@annex/kinds';
import { FieldPath, type KubeObject } from '@annex/machinery';
import { all, eachDifferent, fields, required } from '../../shared/checks.ts';

const conditions = eachDifferent((different) => fields({ type: all(different, required()) }));
const status = fields({ status: fields({ conditions }) });

/** The status endpoint of both kinds: types of conditions are different, and not empty. */
export const conditionedStatus = {
  ...statusEndpoint({ keeps: allMetadata }),
  validate: (updated: KubeObject) => status(updated, FieldPath.root),
};
