import type { Faults } from '../fault-script.ts';
import type { FaultBody } from './control-bodies.ts';

/** Carries out what `POST /control/faults` asked for. */
export function orderFault(faults: Faults, { rest, download, gateway }: FaultBody): { ordered: true } {
  if (rest) {
    const { delay_ms: delayMs, ...others } = rest;
    faults.failNext(defined({ ...others, delayMs }));
  }
  if (download) {
    faults.failNextDownload(
      defined({
        delayMs: download.delay_ms,
        bytesPerSecond: download.bytes_per_second,
        cutAfterBytes: download.cut_after_bytes,
        status: download.status,
        contentType: download.content_type,
        times: download.times,
      }),
    );
  }
  if (gateway) orderGatewayFault(faults, gateway);
  return { ordered: true };
}

function orderGatewayFault(faults: Faults, gateway: NonNullable<FaultBody['gateway']>): void {
  if (gateway.answer_heartbeats !== undefined) faults.answerHeartbeats(gateway.answer_heartbeats);
  if (gateway.duplicate !== undefined) faults.duplicateDispatch(gateway.duplicate);
  if (gateway.reconnect) faults.askToReconnect();
  if (gateway.invalidate) faults.invalidateSessions({ resumable: gateway.invalidate === 'resumable' });
  if (gateway.drop !== undefined) faults.dropGateway(gateway.drop);
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Without the properties that are undefined. */
function defined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as Defined<T>;
}
