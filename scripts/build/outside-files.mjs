import { cpSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const urlPattern = /new URL\(\s*'(\.[^']*)',\s*import\.meta\.url,?\s*\)/g;

/**
 * A plugin for files that code locates with `new URL('…', import.meta.url)`. A TypeScript file is the entry of a thread: it becomes a
 * chunk. Other files are data: the `data` folder of their package is copied to `data/PACKAGE`.
 */
export function outsideFiles(root, outputFolder, extension) {
  const packageFolders = new Set();
  return {
    name: 'outside-files',
    transform(code, id) {
      if (!code.includes('import.meta.url')) return null;
      const replaced = code.replaceAll(urlPattern, (text, path) => {
        const file = fileURLToPath(new URL(path, pathToFileURL(id)));
        if (file.endsWith('.ts')) {
          const name = basename(file, '.ts');
          this.emitFile({ type: 'chunk', id: file, fileName: `dist/${name}.${extension}` });
          return `new URL('./${name}.${extension}', import.meta.url)`;
        }
        const [packageFolder, rest] = splitAtData(relative(root, file));
        if (packageFolder === undefined) throw new Error(`${id}: ${text} is outside of a data folder`);
        packageFolders.add(packageFolder);
        const end = path.endsWith('/') && rest !== '' ? '/' : '';
        return `new URL('../data/${basename(packageFolder)}/${rest}${end}', import.meta.url)`;
      });
      // Files that this plugin does not recognize would be missing in the packages.
      const [computed] = /new URL\((?!\s*'\.)[^()]*import\.meta\.url/.exec(code) ?? [];
      if (computed !== undefined) throw new Error(`${id}: ${computed} has to name the file in a string`);
      return replaced === code ? null : { code: replaced, map: null };
    },
    writeBundle() {
      for (const folder of packageFolders)
        cpSync(join(root, folder, 'data'), join(outputFolder, 'data', basename(folder)), { recursive: true });
    },
  };
}

/** `libs/kinds/data/x/y.json` becomes `libs/kinds` and `x/y.json`. */
function splitAtData(path) {
  const parts = path.split(sep);
  return parts[2] === 'data' ? [parts.slice(0, 2).join('/'), parts.slice(3).join('/')] : [undefined, ''];
}
