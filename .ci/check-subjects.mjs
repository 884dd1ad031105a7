/**
 * Checks the commit subjects of a change. Its commits are those since `CHANGE_BASE` or, if that is not set, since
 * `origin/main` or `main`. Without any of these, or on `main` itself, there is nothing to check.
 */
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { problemsOfSubject } from '../test/house/prose.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const base = [process.env.CHANGE_BASE, 'origin/main', 'main'].find((name) => name && isCommit(name));
if (base === undefined) {
  process.stdout.write('No base to compare with: the subjects of commits are not checked\n');
} else {
  checkSince(base);
}

function checkSince(from) {
  const subjects = git('log', '--no-merges', '--format=%s', `${from}..HEAD`).split('\n').filter(Boolean);
  const wrong = subjects
    .map((subject) => [subject, problemsOfSubject(subject)])
    .filter(([, all]) => all.length > 0);
  for (const [subject, problems] of wrong) {
    process.stderr.write(`${subject}\n${problems.map((problem) => `  ${problem}\n`).join('')}`);
  }
  process.stdout.write(`${subjects.length} commits since ${from}, ${wrong.length} with an unclear subject\n`);
  if (wrong.length > 0) process.exitCode = 1;
}

function isCommit(name) {
  try {
    git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
    return true;
  } catch {
    return false;
  }
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
