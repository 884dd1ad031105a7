/**
 * Starts a program of this checkout on the project's own Node.js, whatever version is installed on the machine. First,
 * it installs missing dependencies and builds the pages for browsers. It is plain JavaScript without dependencies, so
 * that an older Node.js can run it.
 *
 *   node src/program/launch.mjs <file | package binary> [arguments]
 *   node src/program/launch.mjs --install
 *   node src/program/launch.mjs --pages
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));
const modules = join(root, 'node_modules');
const ownNode = join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
const installedMark = join(modules, '.installed-from');

const [target, ...rest] = process.argv.slice(2);
if (!target) throw new TypeError('Cannot launch: no program is named');

installDependencies();
if (target !== '--install') buildPages();
if (!target.startsWith('--')) run(target, rest);

function installDependencies() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const installed = existsSync(installedMark) ? readFileSync(installedMark, 'utf8') : '';
  if (installed === wanted && existsSync(ownNode)) return;
  process.stderr.write('Installing the dependencies (once, about a minute) ...\n');
  // Only packages that package.json lists under `allowScripts` run their install scripts.
  const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name]);
  npm('ci', '--ignore-scripts', '--no-fund', '--no-audit');
  npm('rebuild', '--ignore-scripts=false', ...allowed);
  writeFileSync(installedMark, wanted);
}

function npm(command, ...rest) {
  const path = process.env.npm_execpath;
  const args = [command, '--loglevel=error', ...rest];
  const options = { cwd: root, stdio: ['ignore', 2, 2] };
  const result = path
    ? spawnSync(process.execPath, [path, ...args], options)
    : spawnSync('npm', args, options);
  if (result.status === 0) return;
  process.stderr.write(`Cannot install the dependencies: npm ${command} failed, see above\n`);
  process.exit(1);
}

/** Builds the pages if one of them has changed since the last build. */
function buildPages() {
  const listFile = join(here, 'pages.json');
  const pages = Object.values(JSON.parse(readFileSync(listFile, 'utf8')));
  const hash = createHash('sha256').update(readFileSync(installedMark)).update(readFileSync(listFile));
  const paths = [...pages, 'src/base/pages/kit'].flatMap((folder) => filesOf(join(root, folder)));
  for (const path of paths) hash.update(relative(root, path)).update(readFileSync(path));
  const wanted = hash.digest('hex');
  const mark = join(root, 'src/base/pages/built/.built-from');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return;
  const result = spawnSync(ownNode, [join(here, 'build-pages.ts')], { cwd: root, stdio: ['ignore', 2, 2] });
  if (result.status !== 0) {
    process.stderr.write('Cannot build the pages: see above\n');
    process.exit(1);
  }
  writeFileSync(mark, wanted);
}

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

function run(program, args) {
  const binary = join(modules, '.bin', program);
  const file = existsSync(binary) ? binary : join(root, program);
  const child = spawn(ownNode, [file, ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${join(modules, '.bin')}${delimiter}${process.env.PATH}` },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}
