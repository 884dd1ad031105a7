/** The reason why a client is rejected. */
export interface VoiceRefusal {
  readonly code: number;
  /** Whether the client made a mistake. */
  readonly isDeserved: boolean;
}
