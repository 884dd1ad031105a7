import { ComponentType } from 'discord.js';
import type { PickedFile } from '../../../jobs/inputs/inputs.ts';
import { button, buttonRow } from '../replies/buttons.ts';
import { customId } from '../replies/custom-id.ts';
import type { ComponentRow, MessageBody } from '../../wire/message-calls.ts';
import { plainText } from '../plain-text.ts';
import { COLOURS, messageBody } from '../replies/replies.ts';
import { type PickPlace, useArgs } from './pick-id.ts';
import { usesOf } from './picked-uses.ts';

const BUTTONS_PER_ROW = 2;
const NAME_LENGTH_MAX = 80;
const KIND_NAMES: Readonly<Record<PickedFile['kind'], string>> = {
  image: 'picture',
  audio: 'recording',
  video: 'video',
};

/**
 * Asks what to do with the picked file at `index`. Each use has a button, because a button can be clicked again after
 * the form was closed by mistake, unlike a menu entry. If there are several files, a menu above the buttons selects
 * one.
 */
export function pickReply(pickId: string, files: readonly PickedFile[], index: number): MessageBody {
  const file = files[index];
  if (!file) throw new TypeError('Cannot ask about a file that was not picked');
  const what = `${files.length === 1 ? 'this' : 'the chosen'} ${KIND_NAMES[file.kind]}`;
  const description = `What would you like to do with ${what}? A form opens for the rest; nothing starts before you send it.`;
  return messageBody({ color: COLOURS.working, title: 'Use in a swap', description }, '', [
    ...(files.length === 1 ? [] : [fileRow(pickId, files, index)]),
    ...useRows({ id: pickId, index }, file),
  ]);
}

function fileRow(pickId: string, files: readonly PickedFile[], index: number): ComponentRow {
  const options = files.map((file, at) => ({
    label: `${at + 1}. ${plainText(file.name, NAME_LENGTH_MAX)}`,
    description: KIND_NAMES[file.kind],
    value: String(at),
    default: at === index,
  }));
  return {
    type: ComponentType.ActionRow,
    components: [{ type: ComponentType.StringSelect, custom_id: customId('pick-file', pickId), options }],
  };
}

function useRows(pick: PickPlace, file: PickedFile): ComponentRow[] {
  const buttons = usesOf(file.kind).map((use) =>
    button('secondary', use.label, 'pick-use', ...useArgs(pick, use)),
  );
  const rows: ComponentRow[] = [];
  for (let at = 0; at < buttons.length; at += BUTTONS_PER_ROW) {
    rows.push(buttonRow(...buttons.slice(at, at + BUTTONS_PER_ROW)));
  }
  return rows;
}
