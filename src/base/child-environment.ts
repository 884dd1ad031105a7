/** The variables that programs need to run and to find other programs. None of them could be a secret. */
const KEPT: readonly string[] = [
  'PATH',
  'HOME',
  'LANG',
  'LD_LIBRARY_PATH',
  'DYLD_LIBRARY_PATH',
  'TMPDIR',
  'TEMP',
  'TMP',
  'TZ',
  'SystemRoot',
  'USERPROFILE',
];

/**
 * Returns the environment for a process that handles members' media: this process's environment without keys and
 * tokens.
 */
export function childEnvironment(): Record<string, string> {
  return Object.fromEntries(
    KEPT.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
