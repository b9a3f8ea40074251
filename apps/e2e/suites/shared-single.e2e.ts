import { shareSuites } from './share-suites.ts';
import { suitesOfSharedSingle } from './shared-single.ts';

shareSuites(suitesOfSharedSingle, 'single');
