const NAMES: Readonly<Record<string, string>> = {
  photo_swap: 'Photo swap',
  video_swap: 'Video swap',
  identity_swap: 'Identity swap',
  motion_transfer: 'Motion transfer',
  lip_sync: 'Lip sync',
  avatar: 'Avatar',
  voice_swap: 'Voice swap',
  live_swap_pro: 'Live Swap Pro',
  jobsInFlightMax: 'Jobs under way',
  liveSessionsMax: 'Live Swap Pro sessions',
  voiceSessionsMax: 'Voice swap sessions',
};

/** Returns the display name of a capability or a ceiling. */
export function displayName(id: string): string {
  return NAMES[id] ?? id.replaceAll('_', ' ');
}

/** Formats a length of time: `90` becomes `1 min 30 s`. */
export function formatLength(seconds: number): string {
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes === 0) return `${whole} s`;
  return whole % 60 === 0 ? `${minutes} min` : `${minutes} min ${whole % 60} s`;
}
