import { z } from 'zod';
import type { MessageView } from '../../../sandbox/script/message-view.ts';

/** A result that was fetched through its link. */
interface LinkedFile {
  readonly bytes: Uint8Array;
  readonly pieces: number;
  /** Whether every response contained only the requested range. */
  readonly isPartial: boolean;
  readonly contentType: string;
  /** Whether the server forbids browsers from guessing the content type. */
  readonly isSniffProof: boolean;
}

const PIECES = 3;

const component = z.object({ url: z.string().optional() });
const row = z.object({ components: z.array(component).default([]) });

/** Returns the URL of the first link button in a message, or undefined if there is none. */
export function linkOf(message: MessageView): string | undefined {
  const buttons = message.components.flatMap((each) => row.parse(each).components);
  return buttons.find(({ url }) => url !== undefined)?.url;
}

/** Fetches the file behind a link in pieces, like a player. Throws `TypeError` if the server answers with an error. */
export async function fetchInRanges(link: string): Promise<LinkedFile> {
  const head = await fetch(link, { method: 'HEAD' });
  if (!head.ok) throw new TypeError(`Cannot fetch a linked result: answered with ${head.status}`);
  const sizeBytes = Number(head.headers.get('content-length'));
  const pieceBytes = Math.ceil(sizeBytes / PIECES);
  const chunks: Uint8Array[] = [];
  let isPartial = true;
  for (let from = 0; from < sizeBytes; from += pieceBytes) {
    const to = Math.min(sizeBytes, from + pieceBytes) - 1;
    const answer = await fetch(link, { headers: { range: `bytes=${from}-${to}` } });
    isPartial &&=
      answer.status === 206 && answer.headers.get('content-range') === `bytes ${from}-${to}/${sizeBytes}`;
    chunks.push(new Uint8Array(await answer.arrayBuffer()));
  }
  return {
    bytes: Buffer.concat(chunks),
    pieces: chunks.length,
    isPartial,
    contentType: head.headers.get('content-type') ?? '',
    isSniffProof: head.headers.get('x-content-type-options') === 'nosniff',
  };
}
