import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readEnvironment } from '../../../src/bot/settings/read-environment.ts';
import { SettingsError } from '../../../src/bot/settings/settings-error.ts';
import { VARIABLES } from '../../../src/bot/settings/variables.ts';

const CANARY = 'canary secret';
const NAMES = VARIABLES.map(({ setting }) => setting.variable);
const SECRET_NAMES = VARIABLES.filter(({ kind }) => kind.isSecret).map(({ setting }) => setting.variable);

const texts = fc.oneof(
  fc.string(),
  fc.constantFrom('0', '1', 'true', 'auto', 'month', 'https://a.example/api/v1', 'http://a.example/', 'jpeg'),
  fc.string().map((text) => text + CANARY),
);
const environments = fc.dictionary(fc.constantFrom(...NAMES, 'MEDIA_OTHER', 'PATH'), texts);

function problemsOf(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    readEnvironment(env);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}

test('any environment results in settings, or in one-line problems that start with the name of a variable', () => {
  fc.assert(
    fc.property(environments, (env) => {
      for (const line of problemsOf(env)) expect(line).toMatch(/^[A-Z_]+ holds .*[^ ]$/);
    }),
  );
});

test('no problem contains a secret', () => {
  const secrets = fc.dictionary(
    fc.constantFrom(...SECRET_NAMES, 'MEDIA_OTHER'),
    fc.string().map((text) => text + CANARY),
  );
  fc.assert(
    fc.property(secrets, (env) => {
      expect(problemsOf(env).join('\n')).not.toContain(CANARY);
    }),
  );
});

test('a variable that is malformed is reported once, and other variables are not', () => {
  fc.assert(
    fc.property(fc.constantFrom(...VARIABLES), texts, ({ setting, kind }, text) => {
      fc.pre(text !== '' && kind.read(text) === undefined);
      expect(problemsOf({ [setting.variable]: text })).toEqual([
        expect.stringMatching(`^${setting.variable} holds `),
      ]);
    }),
  );
});
