const TEXTS: Readonly<Record<string, string>> = {
  NotAllowedError:
    'This page may not use your camera. Allow it by the camera or lock sign beside the address, or in the settings of your system, and try again.',
  NotFoundError: 'No camera was found. Connect one, and try again.',
  NotReadableError:
    'The camera cannot be opened: another program or page may be using it. Close that one, and try again.',
  OverconstrainedError: 'That camera is not there any more. Choose another one.',
};

/** Explains why the camera could not be opened, and what to do about it. */
export function cameraProblem(error: unknown): string {
  const name = error instanceof DOMException ? error.name : '';
  return TEXTS[name] ?? 'The camera cannot be opened. Try again, or try another browser.';
}

/** Browsers allow cameras only on https pages, and on pages that come from the same computer. */
export const NO_CAMERAS_HERE =
  'Your browser opens no camera here, as the address of this page is not https. Tell whoever runs the bot.';

export const CAMERA_STOPPED = 'The camera has stopped. Connect it again, or choose another one.';
