export type InputProblem =
  | { readonly kind: 'missing' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'too_large'; readonly sizeBytes: number; readonly sizeBytesMax: number }
  | { readonly kind: 'wrong_type'; readonly expected: 'image' | 'audio' | 'video' }
  /** A file of the right kind in a format whose metadata the bot cannot remove, such as `HEIC`. */
  | {
      readonly kind: 'unsupported_format';
      readonly expected: 'image' | 'audio' | 'video';
      readonly format: string;
    }
  | { readonly kind: 'too_long'; readonly durationSeconds: number; readonly durationSecondsMax: number }
  | { readonly kind: 'undecodable' }
  /** Different programs may play this file for different lengths of time. */
  | { readonly kind: 'unclear_length'; readonly because: 'edits' | 'speed' | 'twice' | 'sound' }
  /** The inspection takes more memory or time than any ordinary file needs. */
  | { readonly kind: 'too_complex' }
  | { readonly kind: 'too_many_pixels'; readonly megapixels: number; readonly megapixelsMax: number }
  /** The file that should contain text is not UTF-8. */
  | { readonly kind: 'not_text' }
  /** The text is too long. Lengths are in UTF-16 units, which are never fewer than characters. */
  | { readonly kind: 'text_too_long'; readonly length: number; readonly lengthMax: number }
  /** The attachment could not be fetched from the chat's CDN. */
  | { readonly kind: 'unavailable' };

type InputKind = 'image' | 'audio' | 'video' | 'text';

export interface InputRequest {
  /**
   * The name of the field in the API's request body, such as `image_key`. For a `text` input, such as `script`, the
   * text itself becomes the field's value.
   */
  readonly field: string;
  /** The command option, such as `image`. */
  readonly option: string;
  readonly kind: InputKind;
  readonly source: InputSource;
}

export type InputSource =
  /** A file on the chat's CDN, with the size that the chat reports; null if it reports none. */
  | {
      readonly from: 'chat';
      readonly url: string;
      readonly sizeBytes: number | null;
      /** Another person who must consent to the use of the file. */
      readonly of?: PictureOwner;
      /** The message that contains the file. It determines the file's owners. */
      readonly postedIn?: PostedIn;
    }
  /** The newest file of a suitable kind that the bot can see in the channel when the job starts. */
  | { readonly from: 'newest' }
  /** A face that a member saved. */
  | { readonly from: 'saved_face'; readonly faceId: string }
  /** The kept result of a job. */
  | { readonly from: 'result'; readonly jobId: string }
  /** The kept input of an earlier job, for a retry. */
  | { readonly from: 'input'; readonly jobId: string; readonly field: string };

/** A chat message with files. */
export interface PostedIn {
  readonly messageId: string;
  readonly authorId: string;
  /** Whether the bot itself posted it. */
  readonly isOwn: boolean;
}

/** The member whose avatar the picture is, or the author of the message that contains it. */
interface PictureOwner {
  readonly kind: 'avatar' | 'message';
  readonly userId: string;
}

/**
 * The owner of a picture that is an input or from which an input was made. `gone` is an owner whose data was removed.
 */
export type InputOwner =
  | PictureOwner
  /** The member who saved the face. */
  | { readonly kind: 'face'; readonly userId: string }
  | { readonly kind: 'gone' };

/** A file that a member chose with a menu or button, before its use is known. */
export interface PickedFile {
  readonly kind: Exclude<InputKind, 'text'>;
  readonly name: string;
  readonly source: Extract<InputSource, { readonly from: 'chat' | 'result' }>;
}
