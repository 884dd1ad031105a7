import { z } from 'zod';
import type { CallOptions, Transport } from './transport.ts';

/** A voice of the service. Its name and description come from the service and must not be trusted. */
export interface Voice {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** An audio preview on the service's own origin, or null if there is none. */
  readonly previewUrl: string | null;
}

const VOICES_MAX = 2_000;
const ATTEMPTS_MAX = 3;

const entries = z.array(z.unknown());
/** A voice can be chosen even without a preview or description. */
const entry = z.object({
  id: z.string().min(1),
  name: z.string().min(1),
  description: z.string().catch(''),
  preview_url: z.string().nullable().catch(null),
});

/** Lists the available voices. */
export class Voices {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns at most 2,000 voices, in the service's order. Entries without an id or name are left out. */
  list(options: CallOptions = {}): Promise<readonly Voice[]> {
    const { origin } = this.#transport.baseUrl;
    return this.#transport.call(
      {
        method: 'GET',
        target: '/voices',
        action: 'read the voices',
        decode: (json) => toVoices(json, origin),
        priority: 'background',
        attemptsMax: ATTEMPTS_MAX,
      },
      options,
    );
  }
}

function toVoices(json: unknown, origin: string): readonly Voice[] {
  return entries
    .parse(json)
    .slice(0, VOICES_MAX)
    .flatMap((value): Voice[] => {
      const { data } = entry.safeParse(value);
      if (!data) return [];
      const { id, name, description } = data;
      return [{ id, name, description, previewUrl: ownUrl(data.preview_url, origin) }];
    });
}

/** Members can click the link, so it must lead to the service. */
function ownUrl(text: string | null, origin: string): string | null {
  const url = text === null ? null : URL.parse(text);
  if (!url || url.origin !== origin || url.username !== '' || url.password !== '') return null;
  return url.href;
}
