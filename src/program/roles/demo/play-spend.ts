import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { type MicroUsd, addMicros, formatUsd, parseUsd } from '../../../base/money.ts';
import type { MessageView } from '../../../sandbox/script/message-view.ts';
import type { Play } from './play.ts';
import { type CommandUse, runCommand } from './run-command.ts';

const CHART_WIDTH_MIN = 600;
const CHARGED = 'charged_usd';

/** Has a member read the day's report (a chart, a table and a file for spreadsheets), and checks the sums in it. */
export async function playSpend(
  play: Play,
  who: Pick<CommandUse, 'by' | 'in'>,
  spent: MicroUsd,
): Promise<void> {
  const { checks } = play;
  const look = { ...who, values: { period: 'day' } };
  const shown = await runCommand(play, { ...look, command: '/spend show' }, hasFile);
  const chart = await save(play, shown, 'spend-day.png');
  const { format, width, height } = await sharp(chart).metadata();
  const isChart = format === 'png' && width >= CHART_WIDTH_MIN;
  checks.that('the report has a chart', isChart, `${format}, ${width} x ${height}`);
  const sum = formatUsd(spent);
  checks.that('the report has a table with the sum', shown.text.includes(sum), sum);
  const exported = await runCommand(play, { ...look, command: '/spend export' }, hasFile);
  const charges = chargesOf(Buffer.from(await save(play, exported, 'spend-day.csv')).toString('utf8'));
  const total = addMicros(...charges);
  checks.that(
    'the export lists every charge',
    total === spent,
    `${formatUsd(total)} in ${charges.length} lines`,
  );
}

async function save({ transcript, outDir }: Play, message: MessageView, name: string): Promise<Uint8Array> {
  const [file] = message.attachments;
  if (!file) throw new TypeError('Cannot keep an answer without a file');
  const path = join(outDir, name);
  await writeFile(path, file.bytes());
  transcript.add('', `saved as ${path}`);
  return file.bytes();
}

/** Returns the charges in an export, whose cells contain no commas. */
function chargesOf(csv: string): readonly MicroUsd[] {
  const [header = '', ...lines] = csv.trim().split('\r\n');
  const at = header.split(',').indexOf(CHARGED);
  return lines.map((line) => parseUsd(line.split(',')[at] ?? ''));
}

function hasFile(message: MessageView): boolean {
  return message.attachments.length > 0;
}
