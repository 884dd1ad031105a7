import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { SETTING_TABLE } from '../../../src/bot/settings/setting-table.ts';

const { mediaApi, storage, web, budget, operator } = SETTING_TABLE;
const source = await readFile(new URL('../../../src/compose/masquerade-options.ts', import.meta.url), 'utf8');

test.each([
  ['headerPrefix', `\`${mediaApi.settings.headerPrefix.default}\``],
  ['requestsPerMinute', mediaApi.settings.requestsPerMinute.default],
  ['allowInsecureHttp', mediaApi.settings.allowHttp.default],
  ['dataDir', `\`${storage.settings.dataDir.default}\``],
  ['departedKeepMs', `${storage.settings.departedKeepDays.default} days`],
  ['host', `\`${web.settings.host.default}\``],
  ['port', web.settings.port.default],
  ['connectionsPerAddress', web.settings.connectionsPerAddress.default],
  [
    'defaultBudget',
    `$${budget.settings.limit.default} a ${budget.settings.period.default}, ${budget.settings.timeZone.default}`,
  ],
  ['lowBalance', `$${operator.settings.lowBalance.default}`],
])('the documentation of the option %s states the default of its setting', (option, text) => {
  expect(docOf(option)).toContain(`Default: ${text}.`);
});

/** Returns the comment directly before an option, on one line. */
function docOf(option: string): string {
  const before = source.slice(0, source.search(new RegExp(`^ +readonly ${option}\\?:`, 'm')));
  return before.slice(before.lastIndexOf('/**')).replaceAll(/\s*\n\s*\*?\s*/g, ' ');
}
