/** The reason why a client is rejected. */
export interface VoiceRefusal {
  readonly code: number;
  /** Whether the client's own mistake is the reason. */
  readonly isDeserved: boolean;
}
