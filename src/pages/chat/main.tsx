import { render } from 'preact';
import '../kit/theme.css';

const place = document.getElementById('page');
if (place) render(<h1>Masquerade</h1>, place);
