import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anOrigin } from '../../../helpers/an-origin.ts';
import { TEST_DATABASE } from '../../../db/database-url.ts';
import { useFaces } from './use-faces.ts';
import type { SavedFace } from '../../../../src/bot/people/members/saved-face.ts';

const MINUTE_MS = 60_000;
const USERS = ['100', '200'] as const;
const PENDING_MAX = 5;

const user = fc.constantFrom(...USERS);
const name = fc.constantFrom('Me', 'ME', 'élodie', 'ÉLODIE', 'me 2');
/** Which of the sent pictures is meant, counted from the newest. */
const back = fc.nat({ max: 3 });
const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('begin' as const), user, name }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('save' as const), user, name }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('attest' as const), user, back }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('discard' as const), user, back }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('makeDefault' as const, 'delete'), user, name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('makeDefault' as const, 'delete'), user, back }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('clear' as const), user }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('never' as const), user, on: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('pass' as const), minutes: fc.constantFrom(1, 8, 16) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sweep' as const) }) },
);

interface Face {
  readonly id: string;
  readonly user: string;
  readonly name: string;
  readonly sentAtMs: number;
  state: 'pending' | 'saved' | 'gone';
  isDefault: boolean;
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** A model of all members' faces, according to the documentation. */
class Model {
  readonly faces: Face[] = [];
  readonly never = new Set<string>();

  of(owner: string, state: Face['state']): Face[] {
    return this.faces.filter((face) => face.user === owner && face.state === state);
  }

  named(owner: string, nameOrId: string): Face | undefined {
    return this.of(owner, 'saved').find((face) => face.id === nameOrId || isSame(face.name, nameOrId));
  }

  refusesToBegin(owner: string, called: string): string | null {
    if (this.never.has(owner)) return 'never_swap';
    return this.named(owner, called) ? 'name_taken' : null;
  }

  begin(face: Omit<Face, 'state' | 'isDefault'>): void {
    const [oldest, ...others] = this.of(face.user, 'pending');
    if (oldest && others.length + 1 >= PENDING_MAX) oldest.state = 'gone';
    this.faces.push({ ...face, state: 'pending', isDefault: false });
  }

  refusesToSave(owner: string, face: Face | undefined, nowMs: number): string | null {
    if (!face || face.user !== owner || face.state === 'gone') return 'expired';
    if (face.state === 'saved') return null;
    if (nowMs - face.sentAtMs >= 15 * MINUTE_MS) return 'expired';
    return this.refusesToBegin(owner, face.name);
  }

  save(face: Face): void {
    if (face.state === 'saved') return;
    face.isDefault = this.of(face.user, 'saved').length === 0;
    face.state = 'saved';
  }

  list(owner: string): Face[] {
    const newest = this.of(owner, 'saved').toReversed();
    return [...newest.filter(({ isDefault }) => isDefault), ...newest.filter(({ isDefault }) => !isDefault)];
  }
}

const codeOf = (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    (error: unknown) => (error as { code: string }).code,
  );

test('each member has only the faces that they saved, and only their files are kept, whatever members do', async () => {
  const place = await useFaces();
  const { db, clock, faces, consents } = place;
  /** Returns the rule that refuses a job with this saved face. */
  const refusal = (userId: string, faceId: string) =>
    db.transaction('guild:3', (trx) =>
      consents.refuses(
        trx,
        {
          ...anOrigin({ userId }),
          capability: 'photo_swap',
          parameters: {},
          inputs: [
            { field: 'image_key', option: 'image', kind: 'image', source: { from: 'newest' } },
            { field: 'face_key', option: 'face', kind: 'image', source: { from: 'saved_face', faceId } },
          ],
        },
        [],
      ),
    );
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 40, size: 'max' }), async (commands) => {
      for (const owner of USERS) {
        await faces.clear(owner);
        await consents.setNeverSwap(owner, false);
      }
      await place.bin.empty();
      expect(await db.kysely.selectFrom('faces').selectAll().execute()).toEqual([]);
      const model = new Model();
      for (const one of commands) {
        await clock.advance(1);
        const sent = 'back' in one ? model.faces.at(-1 - one.back) : undefined;
        if (one.do === 'begin' || one.do === 'save') {
          const refused = model.refusesToBegin(one.user, one.name);
          if (refused) {
            expect(await codeOf(place.begin(one.user, one.name))).toBe(refused);
            continue;
          }
          const { faceId } = await place.begin(one.user, one.name);
          model.begin({ id: faceId, user: one.user, name: one.name, sentAtMs: clock.now() });
          if (one.do === 'begin') continue;
          await faces.attest(one.user, faceId);
          const face = model.faces.at(-1);
          if (face) model.save(face);
        } else if (one.do === 'attest') {
          const refused = model.refusesToSave(one.user, sent, clock.now());
          expect(await codeOf(faces.attest(one.user, sent?.id ?? 'face_none'))).toBe(refused);
          if (sent && !refused) model.save(sent);
        } else if (one.do === 'discard') {
          await faces.discard(one.user, sent?.id ?? 'face_none');
          if (sent?.user === one.user && sent.state === 'pending') sent.state = 'gone';
        } else if (one.do === 'makeDefault' || one.do === 'delete') {
          const wanted = 'name' in one ? one.name : (sent?.id ?? 'face_none');
          const face = model.named(one.user, wanted);
          expect(await codeOf(faces[one.do](one.user, ` ${wanted} `.trim()))).toBe(
            face ? null : 'unknown_face',
          );
          if (!face) continue;
          if (one.do === 'delete') {
            face.state = 'gone';
            expect(await place.stored()).not.toContain(`${face.id}.jpg`);
          } else for (const other of model.of(one.user, 'saved')) other.isDefault = other === face;
        } else if (one.do === 'clear') {
          await faces.clear(one.user);
          const stored = await place.stored();
          for (const { id } of model.of(one.user, 'saved')) expect(stored).not.toContain(`${id}.jpg`);
          for (const face of model.faces) if (face.user === one.user) face.state = 'gone';
        } else if (one.do === 'never') {
          await consents.setNeverSwap(one.user, one.on);
          if (one.on) model.never.add(one.user);
          else model.never.delete(one.user);
        } else if (one.do === 'pass') await clock.advance(one.minutes * MINUTE_MS);
        else {
          await place.bin.empty();
          for (const face of model.faces) {
            const isOver = clock.now() - face.sentAtMs > 16 * MINUTE_MS;
            if (face.state === 'pending' && isOver) face.state = 'gone';
          }
        }
      }
      for (const owner of USERS) {
        const listed = model
          .list(owner)
          .map(({ id, name: called, isDefault }) => ({ id, name: called, isDefault }));
        const plain = (those: readonly SavedFace[]): object[] =>
          those.map(({ id, name: called, isDefault }) => ({ id, name: called, isDefault }));
        const usable = model.never.has(owner) ? [] : listed;
        expect(plain(await faces.list(owner))).toEqual(listed);
        expect((await faces.default(owner))?.id).toBe(usable.find(({ isDefault }) => isDefault)?.id);
        expect((await faces.suggest(owner, '')).map(({ value }) => value)).toEqual(
          usable.map(({ id }) => id),
        );
        for (const { id, user: whose, name: called } of model.faces) {
          const isUsable = usable.some((face) => face.id === id);
          expect(await faces.pathOf(id, owner)).toBe(isUsable ? place.files.pathOf(id) : null);
          expect((await faces.find(owner, id))?.id).toBe(isUsable ? id : undefined);
          expect(await refusal(owner, id)).toEqual(
            isUsable ? null : { rule: model.never.has(owner) ? 'own_never_swap' : 'face_gone' },
          );
          if (whose !== owner) continue;
          const byName = model.never.has(owner) ? undefined : model.named(owner, called)?.id;
          expect((await faces.find(owner, ` ${called.toUpperCase()} `))?.id).toBe(byName);
        }
      }
      // If another picture has taken over a picture's name, the earlier file exists until unconfirmed pictures are
      // deleted.
      await clock.advance(17 * MINUTE_MS);
      await place.bin.empty();
      const kept = model.faces.filter(({ state }) => state === 'saved').map(({ id }) => `${id}.jpg`);
      expect(await place.stored()).toEqual(kept.toSorted());
    }),
    { numRuns: TEST_DATABASE === 'postgres' ? 6 : 25 },
  );
});
