import type { ReadonlySignal } from '@preact/signals';

/** Sound that is more than 60 dB below full scale is shown as silence. */
const FLOOR_DB = 60;

interface LevelMeterProps {
  readonly label: string;
  /** The root mean square, 0 to 1. */
  readonly level: ReadonlySignal<number>;
}

/** Shows the current loudness of a sound on a decibel scale: empty at -60 dB of full scale, full at 0 dB. */
export function LevelMeter({ label, level }: LevelMeterProps) {
  const above = level.value <= 0 ? 0 : Math.max(0, FLOOR_DB + 20 * Math.log10(level.value));
  const percent = Math.min(100, Math.round((above / FLOOR_DB) * 100));
  return (
    <div class="level">
      <span class="small quiet" aria-hidden="true">
        {label}
      </span>
      <meter aria-label={`Loudness: ${label}`} min={0} max={100} value={percent} />
    </div>
  );
}
