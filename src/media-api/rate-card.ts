import { isRecord } from '../base/is-record.ts';
import type { MicroUsd } from '../base/money.ts';
import { type MoneyField, isInDollars, moneyFields, readUnit, tokensOf } from './rate-card-fields.ts';
import { ENDPOINT, type PricedCapability } from './wire.ts';

type RateUnit = 'image' | 'second' | 'minute';

/** The amounts that the card shows for one capability. An amount that is missing or unclear is null. */
export interface CapabilityRate {
  readonly rate: MicroUsd | null;
  readonly unit: RateUnit | null;
  readonly minimum: MicroUsd | null;
  readonly estimatedHold: MicroUsd | null;
}

/** The rates at one moment. A rate card is plain data, stored with each hold to explain the hold later. */
export interface RateCard {
  readonly readAtMs: number;
  readonly version: string | null;
  readonly rates: Readonly<Partial<Record<PricedCapability, CapabilityRate>>>;
}

const NAMING_FIELDS =
  /^(endpoint|path|segment|route|feature|capability|name|title|slug|id|key|code|type|product|service)$/i;
const DEPTH_MAX = 6;
const NODES_MAX = 5000;

/**
 * Reads a rate card of any reasonable shape, because the API documentation shows none. Capabilities are found by path
 * segment, feature or name at any depth; numbers are interpreted by their names. It never throws, and leaves out
 * unclear parts.
 */
export function readRateCard(json: unknown, readAtMs: number): RateCard {
  const rates: Partial<Record<PricedCapability, CapabilityRate>> = {};
  let nodesLeft = NODES_MAX;
  const visit = (value: unknown, label: string, depth: number): void => {
    if (nodesLeft-- <= 0 || depth > DEPTH_MAX || !isInDollars(value)) return;
    const capability = capabilityOf(value, label);
    const found = capability && readRate(value);
    if (capability && found) rates[capability] = merge(rates[capability], found);
    else if (Array.isArray(value)) value.forEach((item) => visit(item, '', depth + 1));
    else if (isRecord(value)) Object.entries(value).forEach(([key, item]) => visit(item, key, depth + 1));
  };
  visit(json, '', 0);
  return { readAtMs, version: readVersion(json), rates };
}

/** Returns the rate of a capability, or undefined if the card shows none. */
export function rateOf(card: RateCard | null, capability: PricedCapability): CapabilityRate | undefined {
  return card?.rates[capability];
}

const BY_NAME: ReadonlyMap<string, PricedCapability> = new Map(
  (Object.entries(ENDPOINT) as [PricedCapability, string][]).flatMap(([capability, segment]) => [
    [plainName(capability), capability] as const,
    [plainName(segment), capability] as const,
    [plainName(`${segment}/session`), capability] as const,
  ]),
);

function capabilityOf(value: unknown, label: string): PricedCapability | undefined {
  const names = isRecord(value)
    ? Object.entries(value).flatMap(([key, name]) =>
        NAMING_FIELDS.test(key) && typeof name === 'string' ? [name] : [],
      )
    : [];
  return [...names, label].map((name) => BY_NAME.get(plainName(name))).find((found) => found !== undefined);
}

/** Normalises a name: `POST /api/v1/face-swap-image`, `face_swap_image` and `Face Swap Image` become the same name. */
function plainName(name: string): string {
  return name
    .toLowerCase()
    .replace(/^\s*(get|post)\s+/, '')
    .replace(/^\/?(api\/)?(v\d+\/)?/, '')
    .replace(/[^a-z0-9]/g, '');
}

function readRate(value: unknown): CapabilityRate | undefined {
  const fields = isRecord(value) ? moneyFields(value) : moneyFields({ rate: value });
  if (fields.length === 0) return undefined;
  const rate = best(fields, 'rate');
  return {
    rate: rate?.amount ?? null,
    unit: rate?.unit ?? unitOf(value),
    minimum: best(fields, 'minimum')?.amount ?? null,
    estimatedHold: best(fields, 'hold')?.amount ?? null,
  };
}

function best(fields: readonly MoneyField[], meaning: MoneyField['meaning']): MoneyField | undefined {
  return fields
    .filter((field) => field.meaning === meaning)
    .reduce<MoneyField | undefined>((a, b) => (a && isClearer(a, b) ? a : b), undefined);
}

/**
 * Whether the name of `a` indicates its meaning more clearly than the name of `b`. Among equally clear amounts, such as
 * prices by resolution, the highest wins: a hold should be too high rather than too low.
 */
function isClearer(a: MoneyField, b: MoneyField): boolean {
  return a.rank === b.rank ? perSecond(a) >= perSecond(b) : a.rank > b.rank;
}

function perSecond({ amount, unit }: MoneyField): number {
  return unit === 'minute' ? amount / 60 : amount;
}

function unitOf(value: unknown): RateUnit | null {
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, unit] of Object.entries(value)) {
    if (typeof unit === 'object') {
      const inner = unitOf(unit);
      if (inner) return inner;
    }
    const isUnit = tokensOf(key).some((token) => /^(units?|per|basis|billing|billed|metric)$/.test(token));
    const found = isUnit && typeof unit === 'string' ? readUnit(tokensOf(unit)) : null;
    if (found) return found;
  }
  return null;
}

function merge(before: CapabilityRate | undefined, found: CapabilityRate): CapabilityRate {
  if (!before) return found;
  return {
    rate: before.rate ?? found.rate,
    unit: before.unit ?? found.unit,
    minimum: before.minimum ?? found.minimum,
    estimatedHold: before.estimatedHold ?? found.estimatedHold,
  };
}

function readVersion(json: unknown): string | null {
  const version = isRecord(json) ? json['version'] : undefined;
  return typeof version === 'string' || typeof version === 'number' ? String(version).slice(0, 50) : null;
}
