import { unreachable } from '../../base/errors.ts';
import { formatUsd } from '../../base/money.ts';
import type { MediaAdmin, RateInForce } from '../media-admin.ts';
import type { AccountRow } from '../store/accounts.ts';
import type { ApiKeyRow } from '../store/api-keys.ts';
import { ConsoleRefusal, refuseField } from './console-refusal.ts';
import type { ConsoleAnswer, ConsoleVerb } from './console-wire.ts';
import { readAmount, readLabel, readNumber, readOneOf } from './field-values.ts';

const OVERLAP_MINUTES_MAX = 7 * 24 * 60;
const REQUESTS_PER_MINUTE_MAX = 1_000_000;
const MINUTE_MS = 60_000;
/** The name of the key that the server creates for the bot that runs with the server. */
const EMBEDDED = 'Embedded';

type VerbOf<Name extends ConsoleVerb['verb']> = Extract<ConsoleVerb, { verb: Name }>;

/** Executes a verb from the page or from the `console` role. If it throws `ConsoleRefusal`, nothing was changed. */
export function runVerb(admin: MediaAdmin, verb: ConsoleVerb): ConsoleAnswer {
  switch (verb.verb) {
    case 'create_account':
      return createAccount(admin, verb);
    case 'top_up':
      return topUp(admin, verb);
    case 'create_key':
      return createKey(admin, verb);
    case 'limit_key':
      return limitKey(admin, verb);
    case 'revoke_key':
      return revokeKey(admin, verb);
    case 'show_secret':
      return { done: 'Webhooks are signed with it.', secret: admin.signingSecret(account(admin, verb).id) };
    case 'rotate_secret':
      return rotateSecret(admin, verb);
    case 'set_rate':
      return setRate(admin, verb);
    case 'reset_rate':
      return resetRate(admin, verb);
    case 'switch_capability':
      return switchCapability(admin, verb);
    case 'set_ceiling':
      return setCeiling(admin, verb);
    case 'cancel_job':
      return cancelJob(admin, verb);
    case 'new_password':
      return {
        done: 'The console has a new password. Whoever else was logged in is out.',
        secret: admin.newConsolePassword(),
      };
    default:
      return unreachable(verb);
  }
}

function createAccount(admin: MediaAdmin, verb: VerbOf<'create_account'>): ConsoleAnswer {
  const name = readLabel(verb.name);
  const id = admin.createAccount(name);
  return { done: `The account “${name}” is open. Top it up, then make a key for it.`, id };
}

function topUp(admin: MediaAdmin, verb: VerbOf<'top_up'>): ConsoleAnswer {
  const { id, name } = account(admin, verb);
  const amount = readAmount(verb.dollars, 'dollars');
  if (amount === 0) throw refuseField('dollars', 'Please write an amount above 0.');
  admin.topUp(amount, id);
  return { done: `“${name}” has ${formatUsd(amount)} more.` };
}

function createKey(admin: MediaAdmin, verb: VerbOf<'create_key'>): ConsoleAnswer {
  const { id: accountId } = account(admin, verb);
  const name = readLabel(verb.name);
  const requestsPerMinute =
    verb.requestsPerMinute === null ? admin.requestsPerMinute : readLimit(verb.requestsPerMinute);
  const { id, text } = admin.createKey({ accountId, name, requestsPerMinute });
  return { done: `The key “${name}” works from now on.`, id, secret: text };
}

function limitKey(admin: MediaAdmin, verb: VerbOf<'limit_key'>): ConsoleAnswer {
  const { id, name } = key(admin, verb);
  const limit = readLimit(verb.requestsPerMinute);
  admin.setRequestsPerMinute(id, limit);
  const note =
    name === EMBEDDED
      ? ' At its next start the server gives its own key the limit in MEDIA_SERVER_REQUESTS_PER_MINUTE again.'
      : '';
  return { done: `“${name}” may make ${limit.toLocaleString('en-US')} requests a minute.${note}` };
}

function readLimit(text: string): number {
  return readNumber(text, 'requestsPerMinute', { max: REQUESTS_PER_MINUTE_MAX });
}

function revokeKey(admin: MediaAdmin, verb: VerbOf<'revoke_key'>): ConsoleAnswer {
  const { id, name } = key(admin, verb);
  if (!admin.revokeKey(id)) throw new ConsoleRefusal('refused', `“${name}” is revoked already.`);
  return { done: `“${name}” is revoked: its next request is refused.` };
}

function rotateSecret(admin: MediaAdmin, verb: VerbOf<'rotate_secret'>): ConsoleAnswer {
  const { id: accountId } = account(admin, verb);
  const minutes = readNumber(verb.overlapMinutes, 'overlapMinutes', { min: 0, max: OVERLAP_MINUTES_MAX });
  const secret = admin.rotateSigningSecret({ accountId, overlapMs: minutes * MINUTE_MS });
  const old = minutes === 0 ? 'signs no more' : `signs along for ${minutes} minutes`;
  return { done: `Webhooks are signed with the new secret; the old one ${old}.`, secret };
}

function setRate(admin: MediaAdmin, verb: VerbOf<'set_rate'>): ConsoleAnswer {
  const { feature, isOfSession } = rate(admin, verb);
  const owner = verb.accountId === null ? undefined : account(admin, { accountId: verb.accountId });
  const given = (['rate', 'minimum', 'hold'] as const).filter((field) => verb[field] !== null);
  const [ofJobs] = isOfSession ? given.filter((field) => field !== 'rate') : [];
  if (ofJobs !== undefined) {
    throw refuseField(ofJobs, 'A session has only a rate, per minute, and reserves by its length.');
  }
  if (given.length === 0) throw refuseField('rate', 'Please write a rate, a minimum charge or a hold.');
  const changes = Object.fromEntries(given.map((field) => [field, readAmount(verb[field] ?? '', field)]));
  admin.changeRate(feature, changes, owner?.id);
  const whose = owner ? ` for “${owner.name}”` : '';
  return { done: `The new rate of ${feature}${whose} counts from the next job or session on.` };
}

function resetRate(admin: MediaAdmin, verb: VerbOf<'reset_rate'>): ConsoleAnswer {
  const { feature } = rate(admin, verb);
  const { id, name } = account(admin, verb);
  if (!admin.resetRate(feature, id)) {
    throw new ConsoleRefusal('refused', `“${name}” has no rate of its own for ${feature}.`);
  }
  return { done: `The public rate of ${feature} binds “${name}” again.` };
}

function switchCapability(admin: MediaAdmin, verb: VerbOf<'switch_capability'>): ConsoleAnswer {
  const { feature } = rate(admin, verb);
  admin.switchCapability(feature, verb.enabled);
  const now = verb.enabled ? 'is offered' : 'takes no new work; what is under way goes on';
  return { done: `${feature} ${now}.` };
}

function setCeiling(admin: MediaAdmin, verb: VerbOf<'set_ceiling'>): ConsoleAnswer {
  const ceilings = admin.listCeilings();
  const { name, what, max } = readOneOf(verb.ceiling, 'ceiling', ceilings, (ceiling) => ceiling.name);
  const value = readNumber(verb.value, 'value', { max });
  admin.setCeiling(value, name);
  return { done: `At most ${value.toLocaleString('en-US')} ${what}.` };
}

function cancelJob(admin: MediaAdmin, { jobId }: VerbOf<'cancel_job'>): ConsoleAnswer {
  const job = admin.findJob(jobId);
  if (!job) throw refuseField('jobId', 'There is no such job.');
  if (!admin.cancelJob(jobId)) {
    const { status } = admin.findJob(jobId) ?? job;
    throw new ConsoleRefusal('refused', `It has ${status} already.`);
  }
  return { done: `The job is cancelled; ${formatUsd(job.hold)} went back.` };
}

function account(admin: MediaAdmin, { accountId }: { readonly accountId: string }): AccountRow {
  const found = admin.findAccount(accountId);
  if (found) return found;
  throw refuseField('accountId', 'There is no such account. Please choose another.');
}

function key(admin: MediaAdmin, { keyId }: { readonly keyId: string }): ApiKeyRow {
  const found = admin.findKey(keyId);
  if (found) return found;
  throw refuseField('keyId', 'There is no such key.');
}

function rate(admin: MediaAdmin, { capability }: { readonly capability: string }): RateInForce {
  return readOneOf(capability, 'capability', admin.listRates(), ({ feature }) => feature);
}
