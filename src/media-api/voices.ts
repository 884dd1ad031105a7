import { z } from 'zod';
import type { CallOptions, Transport } from './transport.ts';

/** A voice that the service speaks with. Name and description are the service's own words: untrusted text. */
export interface Voice {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** An audio preview on the service's own origin; null when there is none there. */
  readonly previewUrl: string | null;
}

const VOICES_MAX = 2_000;
const ATTEMPTS_MAX = 3;

const entries = z.array(z.unknown());
/** Without its preview or description a voice is still one to choose. */
const entry = z.object({
  id: z.string().min(1),
  name: z.string().min(1),
  description: z.string().catch(''),
  preview_url: z.string().nullable().catch(null),
});

/** The voices on offer. */
export class Voices {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** At most 2,000, in the service's order; entries without an id or name are left out. */
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

/** Members get to click it, so it must lead to the service and nowhere else. */
function ownUrl(text: string | null, origin: string): string | null {
  const url = text === null ? null : URL.parse(text);
  if (!url || url.origin !== origin || url.username !== '' || url.password !== '') return null;
  return url.href;
}
