import type { CommandServices, OfferedVoice } from '../../../src/bot/discord/command.ts';
import { only } from '../../helpers/only.ts';
import { BUDGET } from './use-intake.ts';
import type { DeskRefused } from '../../../src/bot/jobs/desk/desk-refused.ts';
import type { JobDesk } from '../../../src/bot/jobs/desk/job-desk.ts';
import type { ConsentStore } from '../../../src/bot/people/members/consent-store.ts';
import type { FaceStore } from '../../../src/bot/people/members/face-store.ts';
import type { SavedFace } from '../../../src/bot/people/members/saved-face.ts';

/**
 * The services that commands may call, with the test's own intake. There are no saved faces, no picked files and no
 * jobs.
 */
export function servicesOf(
  intake: CommandServices['intake'],
  changes: Partial<CommandServices> = {},
): CommandServices {
  return {
    intake,
    faces: savedFaces([]),
    access: only({}),
    budgets: only({}),
    privacy: only({}),
    voices: { list: [] },
    voice: only({}),
    liveSwap: only({}),
    desk: deskWith({}),
    operator: only({}),
    picks: { keep: () => Promise.resolve('pick_a'), find: () => Promise.resolve(undefined) },
    results: { ofJob: () => Promise.resolve(undefined), ofMessage: () => Promise.resolve(null) },
    fileLimits: {
      bytesMax: { image: 47_000_000, audio: 47_000_000, video: 524_000_000 },
      secondsMax: { audio: 600, video: 90 },
      megapixelsMax: 50,
    },
    budget: () => Promise.resolve(BUDGET),
    spending: only({}),
    overruns: only({}),
    charts: { draw: () => Promise.resolve(null) },
    consents: only<ConsentStore>({
      mayUseAvatar: (_guildId, ownerId, byUserId) => Promise.resolve(ownerId === byUserId),
      neverSwapSinceMs: () => Promise.resolve(null),
    }),
    ...changes,
  };
}

/** Creates a desk without jobs. `changes` replaces some of its methods. */
export function deskWith(changes: Partial<JobDesk>): JobDesk {
  const notFound = (): Promise<DeskRefused> => Promise.resolve({ outcome: 'refused', why: 'not_found' });
  return only<JobDesk>({
    list: (_origin, query) => Promise.resolve({ ...query, jobs: [], hasMore: false }),
    show: notFound,
    retry: notFound,
    cancel: notFound,
    confirm: notFound,
    remove: notFound,
    report: notFound,
    ...changes,
  });
}

/** Creates a store with the same saved faces for every member. The first face is the default. */
export function savedFaces(named: readonly Pick<SavedFace, 'id' | 'name'>[]): FaceStore {
  const faces = named.map((face, index) => ({ ...face, isDefault: index === 0, savedAtMs: 0, sizeBytes: 1 }));
  return only<FaceStore>({
    suggest: (_userId, typed) =>
      Promise.resolve(
        faces.filter(({ name }) => name.includes(typed)).map(({ id, name }) => ({ name, value: id })),
      ),
    find: (_userId, wanted) =>
      Promise.resolve(faces.find(({ id, name }) => id === wanted || name === wanted) ?? null),
    default: () => Promise.resolve(faces[0] ?? null),
  });
}

/** Creates a voice as the service describes it. */
export function aVoice(name: string, changes: Partial<OfferedVoice> = {}): OfferedVoice {
  return { id: `voice_${name}`, name, description: '', previewUrl: null, ...changes };
}
