import { render } from 'preact';
import '../../../../base/pages/kit/theme.css';
import { takeKey } from './link/enter.ts';
import { LiveSession } from './live-session.ts';
import { SessionContext } from './use-session.ts';
import { App } from './view/app.tsx';

const place = document.getElementById('page');
if (place) {
  const session = new LiveSession(takeKey());
  addEventListener('pagehide', () => session.leave());
  // A page that the browser restores from its cache has lost its connection to the server.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload();
  });
  // Another link was opened in this tab.
  addEventListener('hashchange', () => location.reload());
  render(
    <SessionContext.Provider value={session}>
      <App />
    </SessionContext.Provider>,
    place,
  );
  void session.link.open();
}
