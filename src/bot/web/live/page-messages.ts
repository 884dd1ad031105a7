import { z } from 'zod';
import { readJson } from '../../../base/read-json.ts';
import type { OutputMessage, PageMessage } from './live-wire.ts';

const TEXT_LENGTH_MAX = 2_048;

const taken = z.strictObject({ type: z.literal('taken') });
const pageMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('agree'), version: z.string().max(300) }),
  z.strictObject({ type: z.literal('start') }),
  z.strictObject({ type: z.literal('stop') }),
  z.strictObject({ type: z.literal('share') }),
  z.strictObject({ type: z.literal('unshare') }),
  taken,
]);

/** What a member's page says; undefined: it is no message of ours. */
export function readPageMessage(text: string): PageMessage | undefined {
  return pageMessage.safeParse(toJson(text)).data;
}

/** The same of the output's page. */
export function readOutputMessage(text: string): OutputMessage | undefined {
  return taken.safeParse(toJson(text)).data;
}

/** What a page sent; undefined: it is too long, or no JSON. */
export function toJson(text: string): unknown {
  return text.length > TEXT_LENGTH_MAX ? undefined : readJson(text);
}
