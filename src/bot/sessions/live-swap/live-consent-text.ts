import type { ConsentText } from '../consent-book.ts';

/** The text that members agree to before their camera is turned on. Each change of the text needs a new `version`. */
export interface LiveConsentText extends ConsentText {
  readonly paragraphs: readonly string[];
}

/** Returns the text for a service with the given host, such as `media.example.org`. */
export function liveConsentText(service: string): LiveConsentText {
  return {
    version: `live-1 ${service}`,
    paragraphs: [
      `While you are live, the pictures of your camera are sent to the paid media service at ${service}, which puts another face in place of yours. What comes back is shown on this page.`,
      'Recorded: nothing, neither by this bot nor on this page.',
      'Seen by: you, and whoever has the address of the output, which you can make and take back on this page. What you do with it, for example in a call, is up to you. It says that it is AI-altered media: leave that visible, and use no face without the consent of whoever it belongs to.',
      "Cost: each second from the first picture that comes back, out of the server's budget.",
      'Ending it: press Stop, close this page, or use /live stop.',
      'What is kept is that you agreed, when, and in which server; see /privacy see.',
    ],
  };
}
