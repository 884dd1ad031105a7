import type { PageChannel } from '../../../sandbox/page/page-views.ts';

/** Who is in a voice channel, below its name in the channel column. */
export function VoiceMembers(_props: { readonly channel: PageChannel }) {
  return null;
}
