import type { Component } from '../../src/bot/discord/command.ts';
import { customId } from '../../src/bot/discord/words/replies/custom-id.ts';
import { findUse, useArgs } from '../../src/bot/discord/words/picks/pick-id.ts';
import { pickForm } from '../../src/bot/discord/words/picks/pick-form.ts';
import { PICK_GONE, say } from './pick-replies.ts';

/** The button that selects a use for a picked file. It opens the form for the rest of the job's options. */
export const pickUse: Component = {
  action: 'pick-use',
  answer: 'form',

  async execute({ origin, args }, { picks, faces, voices }) {
    const chosen = await findUse(origin, args, picks);
    if (!chosen) return say(PICK_GONE);
    const [saved, defaultFace] = await Promise.all([
      faces.suggest(origin.userId, ''),
      faces.default(origin.userId),
    ]);
    const id = customId('pick-form', ...useArgs(chosen.pick, chosen.use));
    const form = pickForm(id, chosen.use, { faces: saved, defaultFace, voices: voices.list });
    return { kind: 'form', form };
  },
};
