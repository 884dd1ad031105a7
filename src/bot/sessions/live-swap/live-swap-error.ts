import { ServiceError } from '../../../base/errors.ts';

type LiveSwapErrorCode =
  | 'no_codec'
  | 'no_address'
  | 'no_faces'
  | 'already_on'
  | 'face_too_large'
  | 'face_gone'
  | 'face_unavailable'
  | 'face_unusable'
  | 'out_of_range'
  | 'prompt_too_long'
  | 'too_many'
  | 'stopping';

const TEXTS: Readonly<Record<LiveSwapErrorCode, string>> = {
  no_codec:
    'Live Swap Pro is not set up here: the media service leaves open how pictures are sent to it, and this bot was not told. Whoever runs it must choose a frame codec (`LIVE_CODEC`). Nothing was charged.',
  no_address:
    'Live Swap Pro needs a page that your browser can open, and this bot does not know its own address. Whoever runs it must set `PUBLIC_URL`. Nothing was charged.',
  no_faces:
    'The media service that this bot uses takes no pictures of faces for this. Leave `face` and `saved_face` out, and say in `prompt` who you want to look like.',
  already_on: 'You are live already. End that with `/live stop`, or by closing its page, then start again.',
  face_too_large: 'The picture is too large: it may have up to 10 MB. Choose a smaller one.',
  face_gone: 'The saved face is not there any more. Use `/live start` again with another one.',
  face_unavailable:
    'The picture of the face could not be fetched from the chat. Use `/live start` again, with the picture attached anew.',
  face_unusable:
    'The picture of the face cannot be used: it must be an undamaged JPEG, PNG or WebP. Use `/live start` again with another one.',
  out_of_range: 'The time must be a whole number of minutes from 1 to 240.',
  prompt_too_long: 'The prompt is too long: it may have up to 2,000 characters. Make it shorter.',
  too_many: 'As many members as it can serve use this just now. Try again in a few minutes.',
  stopping: 'The bot is just being switched off. Try again in a minute.',
};

/** A live swap request is refused. `userMessage` says why, and what the member can do. */
export class LiveSwapError extends ServiceError<LiveSwapErrorCode> {
  constructor(code: LiveSwapErrorCode, cause?: unknown) {
    super(code, `Cannot carry out a request about a live swap: ${code}`, {
      cause,
      userMessage: TEXTS[code],
    });
  }
}
