import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type { MediaKind } from '../../../../src/base/media-type.ts';
import { type Admitted, type MediaLimits, admit } from '../../../../src/bot/media/admit.ts';
import { MediaError } from '../../../../src/bot/media/media-error.ts';
import { CANARY, Finding, type FuzzTarget, type Outcome, type Place, demand, hasCanary } from '../target.ts';
import type { Random } from '../random.ts';

/** The megapixel limit is so low that a decoded picture fits into the memory that one input may use. */
const LIMITS: MediaLimits = { sizeBytesMax: 10_000_000, megapixelsMax: 4, durationSecondsMax: 600 };
/** An admitted file may be slightly longer than its input if a part has to be rewritten. */
const ADDED_BYTES_MAX = 64;

/** Creates the target for files of one format: each file must be admitted clean, or be refused with a reason. */
export function admitTarget(
  name: string,
  kinds: readonly MediaKind[],
  generate: (random: Random, seeds: readonly Buffer[]) => Buffer,
  seeds?: () => Promise<readonly Buffer[]>,
): FuzzTarget {
  return {
    name,
    ...(seeds && { seeds }),
    generate,
    async run(input, place): Promise<Outcome> {
      for (const kind of kinds) {
        await writeFile(place.path, input);
        const admitted = await tryAdmit(place.path, kind);
        if (!admitted) continue;
        await examine(admitted, { input, kind, place });
        return 'accepted';
      }
      return 'refused';
    },
  };
}

async function tryAdmit(path: string, kind: MediaKind): Promise<Admitted | undefined> {
  try {
    return await admit(path, kind, LIMITS, new AbortController().signal);
  } catch (error) {
    if (error instanceof MediaError) return undefined;
    throw error;
  }
}

async function examine(
  admitted: Admitted,
  { input, kind, place }: { readonly input: Buffer; readonly kind: MediaKind; readonly place: Place },
): Promise<void> {
  const after = await readFile(place.path);
  demand(after.length <= LIMITS.sizeBytesMax, 'an admitted file is larger than the limit');
  demand(after.length <= input.length + ADDED_BYTES_MAX, 'an admitted file is larger than its input');
  demand(admitted.sizeBytes === after.length, 'the reported size is not that of the file');
  demand(
    admitted.sha256 === createHash('sha256').update(after).digest('hex'),
    'the reported hash is not that of the file',
  );
  if (kind !== 'image') {
    const { durationSeconds } = admitted;
    demand(durationSeconds !== null && durationSeconds > 0, 'an admitted file has no duration');
    demand(durationSeconds <= LIMITS.durationSecondsMax, 'an admitted file lasts longer than the limit');
  }
  if (admitted.durationSeconds !== null) place.tell(admitted.durationSeconds);
  if (hasCanary(after)) throw new Finding(`the canary is still there: ${placeOf(after)}`);
  await admitAgain(admitted, { after, kind, place });
}

/** Admits a clean file again, which must not change it. */
async function admitAgain(
  first: Admitted,
  { after, kind, place }: { readonly after: Buffer; readonly kind: MediaKind; readonly place: Place },
): Promise<void> {
  const second = await tryAdmit(place.path, kind);
  demand(second !== undefined, 'an admitted file is refused the second time');
  demand((await readFile(place.path)).equals(after), 'an admitted file is changed the second time');
  demand(second.mime === first.mime, 'an admitted file has another type the second time');
  demand(
    second.durationSeconds === first.durationSeconds,
    'an admitted file has another duration the second time',
  );
}

/** Returns the name of the place where the grammar wrote the canary that is left. */
function placeOf(after: Buffer): string {
  const text = after.toString('latin1').replaceAll('\0', '');
  return /@([\w-]*);/.exec(text.slice(text.indexOf(CANARY)))?.[1] ?? 'unknown place';
}
