import { RESOLUTIONS, RESOLUTIONS_P, SCRIPT_LENGTH_MAX } from '../../../../media-api/field-limits.ts';
import type { Capability } from '../texts.ts';
import type { FormParameter, JobForm } from './job-form.ts';

const RESOLUTION_P: FormParameter = {
  type: 'choice',
  option: 'resolution',
  field: 'output_resolution_p',
  description: 'How many lines the result shall have',
  choices: RESOLUTIONS_P,
};

/** The forms of all jobs. Option names must not change, because members' own scripts rely on them. */
export const JOB_FORMS: Readonly<Record<Capability, JobForm>> = {
  photo_swap: {
    capability: 'photo_swap',
    command: 'photo-swap',
    description: 'Put a face into a picture',
    inputs: [
      { option: 'image', field: 'image_key', kind: 'image', description: 'The picture to change' },
      {
        option: 'face',
        field: 'face_key',
        kind: 'image',
        description: 'A picture of the face to put in it',
        takesSavedFace: true,
      },
    ],
    parameters: [],
  },
  video_swap: {
    capability: 'video_swap',
    command: 'video-swap',
    description: 'Put a face into a video',
    inputs: [
      { option: 'video', field: 'video_key', kind: 'video', description: 'The video to change' },
      {
        option: 'face',
        field: 'face_key',
        kind: 'image',
        description: 'A picture of the face to put in it',
        takesSavedFace: true,
      },
    ],
    parameters: [RESOLUTION_P],
  },
  identity_swap: {
    capability: 'identity_swap',
    command: 'identity-swap',
    description: 'Let a character take the place of the person in a video',
    inputs: [
      { option: 'video', field: 'video_key', kind: 'video', description: 'The video to follow' },
      {
        option: 'character',
        field: 'character_key',
        kind: 'image',
        description: 'A picture of the character',
        takesSavedFace: true,
      },
    ],
    parameters: [
      {
        type: 'choice',
        option: 'resolution',
        field: 'resolution',
        description: 'How detailed the result shall be; 1k when left out',
        choices: RESOLUTIONS,
      },
    ],
  },
  motion_transfer: {
    capability: 'motion_transfer',
    command: 'motion-transfer',
    description: 'Make a picture move as somebody does in a video',
    inputs: [
      {
        option: 'image',
        field: 'image_key',
        kind: 'image',
        description: 'The picture that shall move',
        takesSavedFace: true,
      },
      { option: 'motion', field: 'motion_video_key', kind: 'video', description: 'The video to move after' },
    ],
    parameters: [],
  },
  avatar: {
    capability: 'avatar',
    command: 'avatar',
    description: 'Let a portrait speak your text',
    inputs: [
      {
        option: 'image',
        field: 'image_key',
        kind: 'image',
        description: 'The portrait that shall speak',
        takesSavedFace: true,
      },
    ],
    parameters: [
      {
        type: 'text',
        option: 'script',
        field: 'script',
        description: 'What it shall say',
        fileOption: 'script_file',
        lengthMax: SCRIPT_LENGTH_MAX,
      },
      { type: 'voice', option: 'voice', field: 'voice_id', description: 'Who speaks; /voices plays them' },
      {
        type: 'language',
        option: 'language',
        field: 'language',
        description: 'The language of the text, such as en or pt-BR',
      },
      RESOLUTION_P,
    ],
  },
  lip_sync: {
    capability: 'lip_sync',
    command: 'lip-sync',
    description: 'Make the lips in a video follow a recording',
    inputs: [
      { option: 'video', field: 'video_key', kind: 'video', description: 'The video of somebody speaking' },
      { option: 'audio', field: 'audio_key', kind: 'audio', description: 'The recording to speak instead' },
    ],
    parameters: [RESOLUTION_P],
  },
};
