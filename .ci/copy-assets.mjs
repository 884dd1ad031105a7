/** Copies the files that the code reads at run time to the build folder, because the compiler does not copy them. */
import { copyFileSync, cpSync, globSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

for (const path of globSync('src/**/*.{conf,jpg,ogg,ttf,txt,wav,wasm}', { cwd: root })) {
  mkdirSync(dirname(join(root, 'dist', path)), { recursive: true });
  copyFileSync(join(root, path), join(root, 'dist', path));
}
const built = 'src/base/pages/built';
cpSync(join(root, built), join(root, 'dist', built), { recursive: true });
