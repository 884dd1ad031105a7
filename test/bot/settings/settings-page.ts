import type { Setting, SettingGroup } from '../../../src/bot/settings/setting.ts';
import { SETTING_TABLE } from '../../../src/bot/settings/setting-table.ts';
import { VARIABLES, type Variable } from '../../../src/bot/settings/variables.ts';

const INTRODUCTION = `# Settings

The program reads its settings from environment variables. An empty variable counts as not set. If a variable is malformed
or in conflict with another one, or if it is unknown and starts like one of the program's own (such as \`DISCORD_\`), the program
does not start: it prints one line for each such variable, with its name and the values that it may hold, but never with a
secret. \`createMasquerade\` takes options instead: see \`src/compose/masquerade-options.ts\`.

<!-- This page is generated from src/bot/settings/setting-table.ts by UPDATE_SETTINGS=1 npm test -- settings-page -->
`;

/** Returns the page for operators that lists every setting, in Markdown. */
export function settingsPage(): string {
  const groups = Object.entries<SettingGroup>(SETTING_TABLE);
  return [INTRODUCTION, ...groups.map(([name, { title }]) => groupSection(name, title))].join('\n');
}

function groupSection(name: string, title: string): string {
  const rows = VARIABLES.filter(({ group }) => group === name).map(rowOf);
  return `## ${title}\n\n| variable | meaning | values | default |\n|---|---|---|---|\n${rows.join('')}`;
}

function rowOf({ setting, kind }: Variable): string {
  const unit = setting.kind === 'whole' ? ` (${setting.unit})` : '';
  const cells = [
    `\`${setting.variable}\``,
    setting.doc.join(' '),
    `${kind.allowed}${unit}`,
    defaultText(setting),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('<', '&lt;').replaceAll('|', '\\|')).join(' | ')} |\n`;
}

function defaultText({ unset, default: standard }: Setting): string {
  return unset ?? `\`${standard}\``;
}
