import type { Hello } from '../../live-wire.ts';
import { usd, usdExactly } from '../../../../../base/pages/kit/usd.ts';

/** Explains what will happen, and what it costs. */
export function Facts({ hello, prompt }: { readonly hello: Hello; readonly prompt?: string | null }) {
  const { face, minutes, perMinute, heldMax, service, guildName } = hello;
  const budget = guildName === null ? "the server's budget" : `the budget of ${guildName}`;
  return (
    <dl class="facts">
      <div class="cost">
        <dt>Costs</dt>
        <dd>
          {perMinute === null ? (
            'The service has not told what a minute costs.'
          ) : (
            <>
              <strong>{usdExactly(perMinute)}</strong> a minute
            </>
          )}
          <small>Out of {budget}, from the first picture that comes back.</small>
        </dd>
      </div>
      <div>
        <dt>At most</dt>
        <dd>
          {minutes} {minutes === 1 ? 'minute' : 'minutes'}
          {heldMax !== null && (
            <small>About {usd(heldMax)} is set aside at the start. What is not used goes back.</small>
          )}
        </dd>
      </div>
      <div>
        <dt>Face</dt>
        <dd class="written">{faceName(face)}</dd>
      </div>
      <div>
        <dt>Description</dt>
        <dd class="written">{prompt ?? hello.prompt ?? 'The usual one of the service'}</dd>
      </div>
      <div>
        <dt>Pictures go to</dt>
        <dd class="written">{service}</dd>
      </div>
    </dl>
  );
}

function faceName(face: Hello['face']): string {
  if (!face) return 'As the description says';
  return face.name ?? 'The one in your picture';
}
