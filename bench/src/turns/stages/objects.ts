import { get } from '../groups/request-group.ts';
import { media } from '../turn-row.ts';
import { request, type Stage, start, watch } from './stage.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const fromCache = `${maps}?watch=1&resourceVersion=0`;
const streamed = `${maps}?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan`;
const image = (objects: number) => ({ objects, text: 300, dependents: 0, inNamespace: 0 });

/** A start without objects, and with many; the first list and watches of many. */
export const objectStages: readonly Stage[] = [
  { name: 'a start on an empty store', steps: [start] },
  {
    name: 'a watch of 100k objects after a restart',
    image: () => image(100_000),
    steps: [start, watch('first watch, JSON', streamed), request('list', get(maps))],
  },
  {
    name: '100k objects',
    image: () => image(100_000),
    steps: [
      start,
      request('first page', get(`${maps}?limit=500`)),
      request('list, version 0', get(`${maps}?resourceVersion=0`)),
      watch('watch, version 0, JSON', fromCache),
      watch('watch, version 0, protobuf', fromCache, media.protobuf),
      watch('watch, version 0, Table', fromCache, media.table),
      watch('watch, version 0, metadata', fromCache, media.metadata),
      watch('initial events, JSON', streamed),
      watch('initial events, protobuf', streamed, media.protobuf),
      watch('initial events, Table', streamed, media.table),
      watch('watch with a label', `${fromCache}&labelSelector=group%3D7`),
    ],
  },
];
