/** A face that a member saved. */
export interface SavedFace {
  readonly id: string;
  readonly name: string;
  readonly isDefault: boolean;
  readonly savedAtMs: number;
  readonly sizeBytes: number;
}
