/**
 * Reads a test report, and prints how many tests passed and which folders and files took longest. The times were
 * measured while other test files ran in parallel. Fails if no test passed.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const FOLDERS_SHOWN = 15;
const FILES_SHOWN = 20;

const { testResults, numPassedTests, numFailedTests } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const files = testResults.map(({ name, startTime, endTime }) => ({
  path: relative(process.cwd(), name),
  seconds: (endTime - startTime) / 1_000,
}));
const secondsOfFolders = new Map();
for (const { path, seconds } of files) {
  const folder = path.split('/').slice(0, 3).join('/');
  secondsOfFolders.set(folder, (secondsOfFolders.get(folder) ?? 0) + seconds);
}
show(
  [...secondsOfFolders].map(([path, seconds]) => ({ path, seconds })),
  FOLDERS_SHOWN,
);
show(files, FILES_SHOWN);
process.stdout.write(`${numPassedTests} passed, ${numFailedTests} failed\n`);
if (numPassedTests === 0) process.exitCode = 1;

function show(places, count) {
  const longest = places.sort((a, b) => b.seconds - a.seconds).slice(0, count);
  for (const { path, seconds } of longest)
    process.stdout.write(`${seconds.toFixed(0).padStart(5)} s  ${path}\n`);
  process.stdout.write('\n');
}
