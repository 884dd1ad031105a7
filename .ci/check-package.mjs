/**
 * Packs the built package, installs it into an empty project and checks that a programmer can use it: every export
 * resolves and loads, its types compile in strict mode, and the program starts.
 */
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, 'node_modules', '.bin');
const project = mkdtempSync(join(tmpdir(), 'masquerade-package-'));

try {
  run('publint', ['--strict'], root);
  run('npm', ['pack', '--silent', '--pack-destination', project], root);
  const tarball = join(project, readdirSync(project).find((name) => name.endsWith('.tgz')) ?? '');
  run('attw', [tarball, '--profile', 'esm-only'], root);
  unpack(tarball);
  useAsStranger(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  process.stdout.write('The built package resolves, its types hold, and it loads\n');
} finally {
  rmSync(project, { recursive: true, force: true });
}

/** Unpacks the package where npm would put it, next to the dependencies that are already installed. */
function unpack(tarball) {
  const modules = join(project, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  execFileSync('tar', ['-xzf', tarball, '-C', modules]);
  execFileSync('mv', [join(modules, 'package'), join(modules, 'masquerade')]);
}

function useAsStranger({ exports }) {
  const names = Object.keys(exports)
    .filter((name) => name !== './package.json')
    .map((name) => name.replace(/^\./, 'masquerade'));
  const imports = names.map((name, index) => `import * as part${index} from '${name}';`);
  const uses = names.map(
    (_name, index) => `if (Object.keys(part${index}).length === 0) throw new Error('empty');`,
  );
  const source = [...imports, ...uses, 'export const sum: number = 1;'].join('\n');
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(project, 'use.ts'), source);
  writeFileSync(join(project, 'use.mjs'), [...imports, ...uses].join('\n'));
  const strict = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--noEmit', '--types', 'node'];
  run('tsc', [...strict, 'use.ts'], project);
  run('node', ['use.mjs'], project);
  run('node', [join('node_modules', 'masquerade', 'dist', 'src', 'main.js'), 'help'], project);
}

function run(command, args, cwd) {
  execFileSync(command === 'npm' ? 'npm' : join(bin, command), args, { cwd, stdio: 'inherit' });
}
