import { render } from 'preact';
import { Output } from './output.tsx';
import { OutputLink } from './output-link.ts';

const place = document.getElementById('page');
if (place) {
  // In OBS, only the picture is drawn, and the rest of the page is transparent.
  document.documentElement.classList.toggle('in-obs', 'obsstudio' in window);
  // The key stays after `#` in the address, because OBS may reload the page at any time.
  const link = new OutputLink(location.hash.slice(1));
  addEventListener('pagehide', () => link.leave());
  addEventListener('hashchange', () => location.reload());
  render(<Output link={link} />, place);
  link.open();
}
