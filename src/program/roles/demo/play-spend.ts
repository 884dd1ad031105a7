import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { type MicroUsd, addMicros, formatUsd, parseUsd } from '../../../base/money.ts';
import type { MessageView } from '../../../sandbox/script/message-view.ts';
import type { Play } from './play.ts';
import { type CommandUse, runCommand } from './run-command.ts';

const CHART_WIDTH_MIN = 600;
const CHARGED = 'charged_usd';

/** Somebody asks where the money of today went: a chart, a table, and a file for spreadsheets, each with the sum. */
export async function lookAndCheck(
  play: Play,
  who: Pick<CommandUse, 'by' | 'in'>,
  spent: MicroUsd,
): Promise<void> {
  const { checks } = play;
  const look = { ...who, values: { period: 'day' } };
  const shown = await runCommand(play, { ...look, command: '/spend show' }, hasFile);
  const chart = await keep(play, shown, 'spend-day.png');
  const { format, width, height } = await sharp(chart).metadata();
  const isChart = format === 'png' && width >= CHART_WIDTH_MIN;
  checks.that('where the money went comes as a chart', isChart, `${format}, ${width} x ${height}`);
  const sum = formatUsd(spent);
  checks.that('and as a table with the sum', shown.text.includes(sum), sum);
  const exported = await runCommand(play, { ...look, command: '/spend export' }, hasFile);
  const charges = chargesOf(Buffer.from(await keep(play, exported, 'spend-day.csv')).toString('utf8'));
  const total = addMicros(...charges);
  checks.that('and line by line', total === spent, `${formatUsd(total)} in ${charges.length} lines`);
}

async function keep({ transcript, outDir }: Play, message: MessageView, name: string): Promise<Uint8Array> {
  const [file] = message.attachments;
  if (!file) throw new TypeError('Cannot keep an answer without a file');
  const path = join(outDir, name);
  await writeFile(path, file.bytes());
  transcript.tell('', `kept as ${path}`);
  return file.bytes();
}

/** No cell of an export of figures holds a comma. */
function chargesOf(csv: string): readonly MicroUsd[] {
  const [header = '', ...lines] = csv.trim().split('\r\n');
  const at = header.split(',').indexOf(CHARGED);
  return lines.map((line) => parseUsd(line.split(',')[at] ?? ''));
}

function hasFile(message: MessageView): boolean {
  return message.attachments.length > 0;
}
