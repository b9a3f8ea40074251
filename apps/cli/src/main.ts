// The same program for those who start a file of TypeScript.
import '../bin/annex.js';
