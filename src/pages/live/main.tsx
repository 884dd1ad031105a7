import { render } from 'preact';
import '../kit/theme.css';

const place = document.getElementById('page');
if (place) render(<h1>Live face</h1>, place);
