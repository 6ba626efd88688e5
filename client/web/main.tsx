import { render } from 'preact';
import { App } from './app.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
root.replaceChildren(); // the first look, drawn without a script
render(<App />, root);
