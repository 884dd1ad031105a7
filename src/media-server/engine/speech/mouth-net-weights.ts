export const MOUTH_NET_WEIGHTS = '';
