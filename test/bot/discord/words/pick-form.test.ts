import { describe, expect, test } from 'vitest';
import type { Choice } from '../../../../src/bot/discord/command.ts';
import { JOB_FORMS } from '../../../../src/bot/discord/words/forms/job-forms.ts';
import { asCommandCall } from '../../../../src/bot/discord/words/picks/as-command-call.ts';
import { type Offered, pickForm } from '../../../../src/bot/discord/words/picks/pick-form.ts';
import { usesOf } from '../../../../src/bot/discord/words/picks/picked-uses.ts';
import { modalBody } from '../../../../src/sandbox/chat/component-body.ts';
import { anOrigin } from '../../../helpers/an-origin.ts';
import { aVoice } from '../use-services.ts';

const NOTHING: Offered = { faces: [], defaultFace: null, voices: null };
const ANN: Choice = { name: 'Ann', value: 'face_ann' };

const everyUse = (['image', 'video', 'audio'] as const).flatMap(usesOf);

function formOf(label: string, offered: Partial<Offered> = {}): ReturnType<typeof pickForm> {
  const use = everyUse.find((other) => other.label === label);
  if (!use) throw new Error(`Nothing is called "${label}"`);
  return pickForm('mq1:pick-form:pick_a', use, { ...NOTHING, ...offered });
}

describe('the form of a picked file', () => {
  test.each(everyUse.map((use) => [use.label, use] as const))('"%s" is valid for Discord', (_, use) => {
    const voices = Array.from({ length: 25 }, (_unused, index) => aVoice(`Voice ${index}`));
    const faces = Array.from({ length: 30 }, (_unused, index) => ({
      name: `Face ${index}`,
      value: `f${index}`,
    }));
    const defaultFace = { id: 'f0', name: 'A rather long name for a face, or so' };

    const forms = [NOTHING, { faces, defaultFace, voices }].map((offered) => pickForm('mq1:x', use, offered));

    for (const form of forms) expect(modalBody.safeParse(form).error?.issues).toBeUndefined();
  });

  test('requires the other file from a member who saved no face', () => {
    expect(formOf('Photo Swap: as the picture').components).toEqual([
      {
        type: 18,
        label: 'Face',
        description: 'A picture of the face to put in it',
        component: { type: 19, custom_id: 'face', file_types: ['image'] },
      },
    ]);
  });

  test('offers the saved faces in place of a file, and says which one counts by default', () => {
    const faces = [ANN, { name: 'Bea', value: 'face_bea' }];
    const form = formOf('Video Swap: as the video', { faces, defaultFace: { id: 'face_ann', name: 'Ann' } });

    expect(form.components).toMatchObject([
      { component: { custom_id: 'face', required: false, min_values: 0 } },
      {
        label: 'Saved face',
        description: 'Leave both empty for "Ann", your default face',
        component: {
          custom_id: 'saved_face',
          required: false,
          options: [
            { label: 'Ann', value: 'face_ann' },
            { label: 'Bea', value: 'face_bea' },
          ],
        },
      },
      { component: { custom_id: 'resolution', options: [{ label: '480p', value: '480' }, {}, {}] } },
    ]);
  });

  test('does not ask for a face if the picked file is the face', () => {
    const form = formOf('Photo Swap: as the face', { faces: [ANN] });

    expect(form.components).toMatchObject([{ component: { custom_id: 'image' } }]);
    expect(form.components).toHaveLength(1);
  });

  test('lists the voices, or asks for a name if they are too many or unknown', () => {
    const voices = Array.from({ length: 26 }, (_unused, index) => aVoice(`Voice ${index}`));
    const kinds = [voices.slice(0, 25), voices, null].map(
      (some) => formOf('Avatar: as the picture', { voices: some }).components[2],
    );

    expect(kinds).toMatchObject([
      { component: { type: 3, options: { length: 25 } } },
      { component: { type: 4, custom_id: 'voice' } },
      { component: { type: 4, custom_id: 'voice' } },
    ]);
  });
});

test('a submitted form reads like the slash command: numbers as numbers, and empty fields as omitted', () => {
  const attachments = new Map([['face', { url: 'https://x/y', sizeBytes: 1, contentType: null }]]);
  const call = asCommandCall(
    {
      origin: anOrigin(),
      args: [],
      texts: new Map([
        ['script', 'Hello'],
        ['language', ' '],
      ]),
      choices: new Map([
        ['resolution', ['720']],
        ['voice', []],
      ]),
      attachments,
      message: null,
    },
    JOB_FORMS.avatar,
  );

  expect(call).toEqual({
    origin: anOrigin(),
    subcommand: null,
    attachments,
    texts: new Map([['script', 'Hello']]),
    numbers: new Map([['resolution', 720]]),
    flags: new Map(),
  });
});
