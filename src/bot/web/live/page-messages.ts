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

/** Parses a message from the member's page; returns `undefined` if it is not valid. */
export function readPageMessage(text: string): PageMessage | undefined {
  return pageMessage.safeParse(toJson(text)).data;
}

/** Parses a message from the output's page; returns `undefined` if it is not valid. */
export function readOutputMessage(text: string): OutputMessage | undefined {
  return taken.safeParse(toJson(text)).data;
}

/** Parses a page's JSON; returns `undefined` if it is too long or not JSON. */
export function toJson(text: string): unknown {
  return text.length > TEXT_LENGTH_MAX ? undefined : readJson(text);
}
