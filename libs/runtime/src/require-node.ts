import { requireSupportedNode } from './node-version.ts';

// The first import of published packages, so that other versions of Node fail here.
requireSupportedNode();
