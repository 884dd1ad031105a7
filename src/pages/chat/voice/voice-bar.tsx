/** At the bottom of the channel column while the member is in a call, whatever channel is shown. */
export function VoiceBar() {
  return null;
}
