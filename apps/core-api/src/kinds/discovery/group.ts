import { endpointSlices } from './endpointslices/kind.ts';
import type { BuiltinKind } from '../builtin-kind.ts';

/** The kinds of `discovery.k8s.io`. */
export const discoveryGroup: readonly BuiltinKind[] = [endpointSlices];
