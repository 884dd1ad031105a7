import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useSession } from '../use-session.ts';

/** Shows the address of the output, for OBS. */
export function Share({ viewers }: { readonly viewers: number | null }) {
  const session = useSession();
  const url = session.outputUrl.value;
  return (
    <section class="card share" aria-labelledby="share">
      <h2 id="share">Into a call or a stream</h2>
      <p>
        Another address shows nothing but the altered picture. Put it into OBS as a browser source, start the
        virtual camera of OBS, and choose that as your camera in the call.
      </p>
      {url === null ? (
        <button onClick={() => session.share()}>Make an address</button>
      ) : (
        <Address url={url} viewers={viewers} />
      )}
    </section>
  );
}

function Address({ url, viewers }: { readonly url: string; readonly viewers: number | null }) {
  const session = useSession();
  const isCopied = useSignal(false);
  const field = useRef<HTMLInputElement>(null);
  const copy = async (): Promise<void> => {
    field.current?.select();
    await navigator.clipboard.writeText(url).then(
      () => (isCopied.value = true),
      // Some browsers do not allow copying by script; the address is selected, so that the member can copy it.
      () => undefined,
    );
  };
  return (
    <>
      <div class="address">
        <input
          ref={field}
          readOnly
          value={url}
          aria-label="Address of the output"
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <button onClick={() => void copy()}>{isCopied.value ? 'Copied' : 'Copy'}</button>
        <button onClick={() => session.unshare()}>Take back</button>
      </div>
      <p class="quiet small">
        Whoever has it sees your picture until you take it back or it ends.
        {viewers !== null && ` Looking now: ${viewers}.`}
      </p>
    </>
  );
}
