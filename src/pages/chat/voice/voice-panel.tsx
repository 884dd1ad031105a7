import type { PageChannel } from '../../../sandbox/page/page-views.ts';

/** What is above a voice channel's messages: who is in the call, and how to join it. */
export function VoicePanel(_props: { readonly channel: PageChannel }) {
  return null;
}
