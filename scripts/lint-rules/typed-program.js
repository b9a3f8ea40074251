import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../install.mjs';

/** Returns the files and the options of tsconfig.types.json. */
export function readConfig() {
  const { config, error } = ts.readConfigFile(join(root, 'tsconfig.types.json'), ts.sys.readFile);
  if (error !== undefined) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, '\n'));
  return ts.parseJsonConfigFileContent(config, ts.sys, root);
}

/** Returns the program of texts by path, which are not on the disk, and of what they import. */
export function programOfTexts(texts) {
  const { options } = readConfig();
  const host = ts.createCompilerHost(options, true);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.getSourceFile = (path, target) =>
    texts.has(path) ? ts.createSourceFile(path, texts.get(path), target, true) : getSourceFile(path, target);
  return ts.createProgram([...texts.keys()], options, host);
}
