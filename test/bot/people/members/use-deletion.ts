import { expect } from 'vitest';
import { openDatabase } from '../../../../db/database.ts';
import { databaseUrlIn } from '../../../db/database-url.ts';
import { storedBytes } from '../../../db/stored-bytes.ts';
import type { SandboxMember } from '../../../../src/sandbox/script/sandbox-member.ts';
import type { MessageView } from '../../../../src/sandbox/script/message-view.ts';
import type { UseOfBot } from '../../../../src/sandbox/script/use-of-bot.ts';
import { type Community, sample } from '../../../helpers/use-community.ts';

const isResult = (message: MessageView): boolean => message.attachments.length === 1;
const EVERYTHING = 'Delete everything';

export async function begin(
  who: SandboxMember,
  { general }: Community,
  base = 'portrait-man-dark-hair.jpg',
): Promise<UseOfBot> {
  const image = await sample(base);
  const face = await sample('portrait-woman-brown-hair.jpg');
  return who.runs('/photo-swap', { in: general, options: { image, face } });
}

/** Runs a photo swap. Returns the message with the posted result. */
export async function swap(who: SandboxMember, place: Community, base?: string): Promise<MessageView> {
  return (await begin(who, place, base)).replyWhere(isResult);
}

/** Has Ada save a face. */
export async function saveFace({ ada, general }: Community): Promise<void> {
  const picture = await sample('portrait-woman-curly-hair.jpg');
  const options = { picture, name: 'Adas own face' };
  const asked = await (await ada.runs('/face save', { in: general, options })).replied();
  await ada.presses('I may use this face', { on: asked });
  await expect.poll(() => asked.text).toContain('is saved for you alone');
}

/** Has Ada delete all her data. */
export async function deletes({ ada, general }: Community, button: string = EVERYTHING): Promise<void> {
  const asked = await (await ada.runs('/privacy delete', { in: general })).replied();
  await ada.presses(button, { on: asked });
  await expect.poll(() => asked.text).toContain('is being deleted');
}

/** Returns the files and database tables that contain any of these values. */
export async function traces(place: Community, needles: readonly (string | Buffer)[]): Promise<string[]> {
  const files = await storedBytes(place.dataDir);
  return [...files].flatMap(([path, bytes]) =>
    needles
      .filter((needle) => bytes.includes(needle))
      .map((needle) => `${path}: ${String(needle).slice(0, 30)}`),
  );
}

/** Waits until no removal is pending. */
export async function untilRemoved(place: Community): Promise<void> {
  await using db = await openDatabase({ url: databaseUrlIn(place.dataDir) });
  await expect
    .poll(() => db.kysely.selectFrom('removals').select('kind').execute(), { timeout: 15_000 })
    .toEqual([]);
}
