import { builtInPlugin } from '../framework/plugin.ts';
import { unresolvable } from '../framework/status.ts';

const refusal = unresolvable("node(s) didn't match the requested node name");

/** Refuses other nodes than the one that the Pod names. */
export const nodeName = builtInPlugin('NodeName', () => ({
  filter(_cycle, { pod }, node) {
    const wanted = pod.spec.nodeName ?? '';
    return wanted !== '' && wanted !== node.name ? refusal : undefined;
  },
  events: [{ resource: 'Node', actions: ['Add'] }],
}));
