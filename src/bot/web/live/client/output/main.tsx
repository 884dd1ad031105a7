import { render } from 'preact';
import { Output } from './output.tsx';
import { OutputLink } from './output-link.ts';

/** What follows `#` in the address stays there: OBS opens it again whenever it likes. */
const place = document.getElementById('page');
if (place) {
  // Where OBS shows the page, nothing but the picture is drawn, and around it one sees through.
  document.documentElement.classList.toggle('in-obs', 'obsstudio' in window);
  const link = new OutputLink(location.hash.slice(1));
  addEventListener('pagehide', () => link.leave());
  addEventListener('hashchange', () => location.reload());
  render(<Output link={link} />, place);
  link.open();
}
