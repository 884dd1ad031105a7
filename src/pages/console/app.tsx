import type { JSX } from 'preact';
import { Frame } from './frame.tsx';
import { LogIn } from './log-in.tsx';
import { phase } from './store.ts';

/** The console: the way in, or everything inside. */
export function App(): JSX.Element {
  switch (phase.value) {
    case 'asking':
      return <output class="quiet asking">One moment …</output>;
    case 'outside':
      return <LogIn />;
    case 'inside':
      return <Frame />;
  }
}
