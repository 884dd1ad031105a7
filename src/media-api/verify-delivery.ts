import { equalHex, hmacHex } from '../base/signing.ts';
import { type Job, isTerminal, toJob } from './job.ts';
import { type SignatureHeader, parseSignatureHeader } from './signature-header.ts';
import { type WireDelivery, wireDelivery } from './wire.ts';

/** Headers in the form that Node.js uses. Their names may have any case. */
type DeliveryHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface DeliveryCheck {
  readonly headers: DeliveryHeaders;
  /** Exactly the bytes that were received, before any decoding. */
  readonly rawBody: Uint8Array;
  /** All secrets that are currently valid, several during a rotation. Empty ones never count. */
  readonly secrets: readonly string[];
  /**
   * The service's name, such as `Service` in `Service-Signature`. If the name is null or this header is absent, the
   * only `*-signature` header of the right form is used. More than one header of that form is rejected.
   */
  readonly headerPrefix: string | null;
  readonly nowMs: number;
}

/** A delivery that is authentic, recent and consistent. */
interface Delivery {
  /** Identifies repeats of the delivery, because the service sends the same id with every attempt. */
  readonly deliveryId: string;
  readonly event: 'job.succeeded' | 'job.failed';
  /** A job in a final state. Its charge may still be null. */
  readonly job: Job;
  readonly sentAt: string;
  /**
   * Whether the unsigned headers differ from the signed body. The body is what counts; the caller should log the
   * difference.
   */
  readonly headersDiffer: boolean;
}

export type DeliveryProblem =
  /** No secret is configured, so no delivery can be authentic. */
  | 'no_secret'
  | 'missing_header'
  /** The header is duplicated, ambiguous or malformed. */
  | 'malformed_header'
  | 'mismatch'
  /** Authentic, but signed more than 300 s before or after `nowMs`. */
  | 'stale'
  /** Authentic, but the body cannot be parsed. */
  | 'malformed_body'
  /** Authentic, but the event and the job's state contradict each other, or the job has not ended. */
  | 'inconsistent';

export type DeliveryVerdict =
  | { readonly ok: true; readonly delivery: Delivery }
  | {
      readonly ok: false;
      readonly reason: DeliveryProblem;
      /**
       * The id of the job, if the service did sign the rejected delivery. The caller may poll the job's state, at a
       * limited rate.
       */
      readonly authenticJobId?: string;
    };

const TOLERANCE_SECONDS = 300;
const EVENTS = { 'job.succeeded': 'succeeded', 'job.failed': 'failed' } as const;

/** Verifies a webhook delivery, then parses it. It never throws, and compares in constant time. */
export function verifyDelivery(check: DeliveryCheck): DeliveryVerdict {
  const secrets = check.secrets.filter((secret) => secret !== '');
  if (secrets.length === 0) return { ok: false, reason: 'no_secret' };
  const found = findSignature(check.headers, check.headerPrefix);
  if (typeof found === 'string') return { ok: false, reason: found };
  if (!isSigned(found.signature, check.rawBody, secrets)) return { ok: false, reason: 'mismatch' };
  const json = parseJson(check.rawBody);
  if (!isRecent(found.signature.timestamp, check.nowMs)) return authentic('stale', json);
  const wire = wireDelivery.safeParse(json);
  if (!wire.success) return authentic('malformed_body', json);
  return readDelivery(wire.data, json, found.prefix, check.headers);
}

function readDelivery(
  wire: WireDelivery,
  json: unknown,
  prefix: string,
  headers: DeliveryHeaders,
): DeliveryVerdict {
  const job = tryJob(wire);
  if (!job) return authentic('malformed_body', json);
  const { event, delivery_id: deliveryId, sent_at: sentAt } = wire;
  if (!isEvent(event) || EVENTS[event] !== job.status || !isTerminal(job))
    return authentic('inconsistent', json);
  const headersDiffer = [
    [`${prefix}-event`, event],
    [`${prefix}-delivery`, deliveryId],
  ].some(([name = '', expected]) => valuesOf(headers, name).some((value) => value !== expected));
  return { ok: true, delivery: { deliveryId, event, job, sentAt, headersDiffer } };
}

interface FoundSignature {
  /** The prefix of the header names, in lower case. */
  readonly prefix: string;
  readonly signature: SignatureHeader;
}

function findSignature(
  headers: DeliveryHeaders,
  headerPrefix: string | null,
): FoundSignature | 'missing_header' | 'malformed_header' {
  const named = headerPrefix === null ? [] : valuesOf(headers, `${headerPrefix}-signature`);
  if (headerPrefix !== null && named.length > 0) {
    const signature = named.length === 1 ? parseSignatureHeader(named[0] ?? '') : undefined;
    return signature ? { prefix: headerPrefix.toLowerCase(), signature } : 'malformed_header';
  }
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const candidates = [...names].flatMap((name) => {
    const [value, ...more] = name.endsWith('-signature') ? valuesOf(headers, name) : [];
    const signature = value === undefined || more.length > 0 ? undefined : parseSignatureHeader(value);
    return signature ? [{ prefix: name.slice(0, -'-signature'.length), signature }] : [];
  });
  const [first] = candidates;
  if (!first) return 'missing_header';
  return candidates.length === 1 ? first : 'malformed_header';
}

/** Returns all values of a header, which may be repeated, whatever the case of its name. */
function valuesOf(headers: DeliveryHeaders, name: string): readonly string[] {
  const wanted = name.toLowerCase();
  return Object.entries(headers).flatMap(([key, value]) =>
    key.toLowerCase() === wanted && value !== undefined ? value : [],
  );
}

function isSigned(
  { timestamp, signatures }: SignatureHeader,
  body: Uint8Array,
  secrets: readonly string[],
): boolean {
  const expected = secrets.map((secret) => hmacHex(secret, `${timestamp}.`, body));
  // Every pair is compared, so that the duration does not reveal which pair matched.
  const matches = expected.flatMap((hex) => signatures.map((signature) => equalHex(hex, signature)));
  return matches.includes(true);
}

function isRecent(timestamp: string, nowMs: number): boolean {
  return Math.abs(Math.floor(nowMs / 1000) - Number(timestamp)) <= TOLERANCE_SECONDS;
}

function authentic(reason: DeliveryProblem, json: unknown): DeliveryVerdict {
  const id = jobIdIn(json);
  return id === undefined ? { ok: false, reason } : { ok: false, reason, authenticJobId: id };
}

function jobIdIn(json: unknown): string | undefined {
  const data = typeof json === 'object' && json !== null && 'data' in json ? json.data : undefined;
  const id = typeof data === 'object' && data !== null && 'id' in data ? data.id : undefined;
  return typeof id === 'string' && id !== '' && id.length <= 200 ? id : undefined;
}

/**
 * Reads the job of a delivery, or returns undefined if its amount is invalid. The delivery then counts as malformed.
 */
function tryJob(wire: WireDelivery): Job | undefined {
  try {
    return toJob(wire.data);
  } catch {
    return undefined;
  }
}

function isEvent(event: string): event is Delivery['event'] {
  return Object.hasOwn(EVENTS, event);
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown;
  } catch {
    return undefined;
  }
}
