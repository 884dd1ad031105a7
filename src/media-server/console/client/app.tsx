import type { JSX } from 'preact';
import { Frame } from './frame.tsx';
import { LogIn } from './log-in.tsx';
import { phase } from './store/store.ts';

/** The console: the way in, or everything inside. */
export function App(): JSX.Element {
  switch (phase.value) {
    case 'asking':
      return <Waiting>One moment …</Waiting>;
    case 'away':
      return <Waiting>The media server does not answer. Is it running? Trying again …</Waiting>;
    case 'full':
      return <Waiting>The console is open on too many pages. Please close one of them.</Waiting>;
    case 'outside':
      return <LogIn />;
    case 'inside':
      return <Frame />;
  }
}

function Waiting({ children }: { readonly children: string }): JSX.Element {
  return (
    <main>
      <output class="quiet waiting">{children}</output>
    </main>
  );
}
