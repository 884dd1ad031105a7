import { render } from 'preact';
import '../../../base/pages/kit/theme.css';
import './console.css';
import { App } from './app.tsx';
import { connect } from './store/store.ts';

const place = document.getElementById('page');
if (place) render(<App />, place);
void connect();
