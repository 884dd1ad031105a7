import type { WireGroup } from './wire-groups.ts';
import { SOURCES } from './wire-sources.ts';
import { durationText } from './wire-text.ts';

/** The times at which each kind of traffic occurred: one lane per kind, across the duration of the action. */
export function WireLanes({ group: { lanes, spanMs } }: { readonly group: WireGroup }) {
  const part = (ms: number): string => `${Math.min(99.5, (ms / spanMs) * 100)}%`;
  return (
    <div class="wire-lanes">
      {lanes.map(({ source, count, spans }) => (
        <div key={source} class={`wire-lane is-${source}`}>
          <span class="wire-lane-name">{SOURCES[source]}</span>
          <span class="wire-lane-count">{count}</span>
          <span class="wire-track" aria-hidden="true">
            {spans.map(({ fromMs, lengthMs }, index) => (
              <span
                key={index}
                class="wire-bar"
                style={{ left: part(fromMs), width: part(Math.min(lengthMs, spanMs - fromMs)) }}
              />
            ))}
          </span>
        </div>
      ))}
      <div class="wire-axis" aria-hidden="true">
        <span>0</span>
        <span>{durationText(spanMs / 2)}</span>
        <span>{durationText(spanMs)}</span>
      </div>
    </div>
  );
}
