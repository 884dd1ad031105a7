import type { JSX } from 'preact';
import { Frame } from './frame.tsx';
import { LogIn } from './log-in.tsx';
import { phase } from './store/store.ts';

/** The console: the log-in page, or everything behind it. */
export function App(): JSX.Element {
  switch (phase.value) {
    case 'loading':
      return <Waiting>One moment …</Waiting>;
    case 'unreachable':
      return <Waiting>The media server does not answer. Is it running? Trying again …</Waiting>;
    case 'full':
      return <Waiting>The console is open on too many pages. Please close one of them.</Waiting>;
    case 'logged-out':
      return <LogIn />;
    case 'logged-in':
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
